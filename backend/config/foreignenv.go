package config

import (
	"slices"
	"strings"
)

// RedirectingVariable tells an environment variable that says where programs and
// packages come from, where traffic goes and whose certificates are believed, or
// that Hermes reads itself. An entry that comes from somebody else must not set
// one: it would change other programs than the server.
func RedirectingVariable(name string) bool {
	upper := strings.ToUpper(name)
	begins := func(prefix string) bool { return strings.HasPrefix(upper, prefix) }
	ends := func(suffix string) bool { return strings.HasSuffix(upper, suffix) }
	if slices.ContainsFunc([]string{"HERMES_", "NPM_CONFIG_", "YARN_", "PIP_", "UV_", "BUN_CONFIG_"}, begins) ||
		slices.ContainsFunc([]string{"_PROXY", "_CA_BUNDLE", "_CA_CERTS", "_CERT_FILE", "_CERT_DIR"}, ends) {
		return true
	}
	return slices.Contains([]string{"PATH", "PATHEXT", "SHELL", "COMSPEC", "SYSTEMROOT", "GOPROXY", "GOSUMDB",
		"NODE_TLS_REJECT_UNAUTHORIZED", "PYTHONHTTPSVERIFY"}, upper)
}
