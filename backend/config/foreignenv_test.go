package config

import "testing"

func TestRedirectingVariable(t *testing.T) {
	for _, name := range []string{"PATH", "Path", "NPM_CONFIG_REGISTRY", "npm_config_registry", "HTTPS_PROXY", "http_proxy", "ALL_PROXY",
		"NODE_TLS_REJECT_UNAUTHORIZED", "NODE_EXTRA_CA_CERTS", "SSL_CERT_FILE", "REQUESTS_CA_BUNDLE", "HERMES_HOME", "UV_INDEX_URL", "PIP_INDEX_URL", "GOPROXY"} {
		if !RedirectingVariable(name) {
			t.Errorf("%s may be set by somebody else", name)
		}
	}
	for _, name := range []string{"API_KEY", "PATHS", "MY_PATH", "PROXY_KIND", "GITHUB_HOST", "PYTHONPATH", "HOME", ""} {
		if RedirectingVariable(name) {
			t.Errorf("%s is refused", name)
		}
	}
}
