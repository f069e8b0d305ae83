package catalog

import (
	"net/url"
	"path/filepath"
	"regexp"
	"strings"

	"hermes/backend/config"
)

// installDir stands for the folder a repository is fetched into.
const installDir = "${INSTALL_DIR}"

// check holds a manifest against the rules that do not follow from the shape of
// its keys.
func check(f fields, m Manifest) {
	switch {
	case !regexp.MustCompile(`^[A-Za-z0-9_-]+$`).MatchString(m.Name) || len(m.Name) > 64:
		f.fail(f.node, "`name` must be letters, digits, - and _, at most 64")
	case m.Description == "":
		f.fail(f.node, "`description` is missing")
	case !isTransport(m.Transport):
		f.fail(f.node, "`transport.type` must be stdio or http")
	case m.Auth.Kind != AuthNone && m.Auth.Kind != AuthAPIKey && m.Auth.Kind != AuthOAuth:
		f.fail(f.node, "`auth.type` must be none, api_key or oauth")
	}
	if m.Transport == config.TransportHTTP {
		checkHTTP(f, m)
	} else {
		checkProgram(f, m)
	}
	checkVariables(f, m)
	checkReferences(f, m)
	checkGit(f, m)
	if found := m.Connection().Suspicious(); len(found) > 0 {
		f.fail(f.node, "the command looks like an attack: %s", found[0].Message)
	}
}

func checkHTTP(f fields, m Manifest) {
	if m.Command != "" || len(m.Args) > 0 || len(m.Env) > 0 || m.Git != nil {
		f.fail(f.node, "a server that is reached by http has neither a command nor an install block")
	}
	address, err := url.Parse(m.URL)
	if err != nil || address.Host == "" || address.User != nil || address.Scheme != "https" && !(address.Scheme == "http" && isLocal(address.Hostname())) {
		f.fail(f.node, "`transport.url` must be an https address without a password")
	}
	if m.Auth.Kind != AuthAPIKey {
		return
	}
	for _, v := range m.Auth.Env {
		if v.Name == BearerVariable(m.Name) {
			return
		}
	}
	f.fail(f.node, "`auth.env` must name %s, which keeps the bearer token", BearerVariable(m.Name))
}

func isLocal(host string) bool {
	return host == "localhost" || host == "127.0.0.1" || host == "::1"
}

func checkProgram(f fields, m Manifest) {
	switch {
	case m.URL != "":
		f.fail(f.node, "a server that is a program has no url")
	case m.Command == "":
		f.fail(f.node, "`transport.command` is missing")
	case m.Auth.Kind == AuthOAuth:
		f.fail(f.node, "oauth is for servers that are reached by http")
	}
	for name, hash := range m.Integrity {
		if !regexp.MustCompile(`^sha512-[A-Za-z0-9+/]{86}==$`).MatchString(hash) {
			f.fail(f.node, "`transport.integrity` of %s must be sha512- and a hash in base64", name)
		}
	}
}

func checkVariables(f fields, m Manifest) {
	for _, name := range sortedKeys(m.Env) {
		if !isVariable(name) {
			f.fail(f.node, "`transport.env` has %q, which is no variable's name", name)
		} else if isForeign(name) {
			f.fail(f.node, "`transport.env` sets %s, which changes programs other than the server", name)
		}
	}
	for _, name := range m.Connection().DangerousAssignments() {
		f.fail(f.node, "the command sets %s, which changes programs other than the server", name)
	}
	seen := map[string]bool{}
	for _, v := range m.Auth.Env {
		switch {
		case !isVariable(v.Name):
			f.fail(f.node, "`auth.env` has %q, which is no variable's name", v.Name)
		case isForeign(v.Name):
			f.fail(f.node, "`auth.env` asks for %s, which changes programs other than the server", v.Name)
		case seen[v.Name]:
			f.fail(f.node, "`auth.env` has %s twice", v.Name)
		}
		seen[v.Name] = true
	}
}

func isVariable(name string) bool {
	return regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`).MatchString(name)
}

// isForeign tells variables that a manifest must not set: those that make
// programs run foreign code, that say where programs and packages come from or
// where traffic goes, and that this program reads itself. What a manifest asks
// for lands in `.env`, which every part of Hermes reads.
func isForeign(name string) bool {
	upper := strings.ToUpper(name)
	if config.DangerousVariable(name) || config.DangerousVariable(upper) || config.RedirectingVariable(name) {
		return true
	}
	if strings.HasPrefix(upper, "XDG_") || strings.HasSuffix(upper, "_BASE_URL") {
		return true
	}
	switch upper {
	case "HOME", "USERPROFILE", "TMPDIR", "TEMP", "TMP", "PYTHONPATH", "NODE_PATH", "PERL5LIB", "RUBYLIB", "CLASSPATH":
		return true
	}
	return false
}

// checkReferences keeps a manifest from sending away secrets it did not ask a
// person for: it may refer to the variables it declares and to nothing else.
func checkReferences(f fields, m Manifest) {
	known := map[string]bool{"userHome": true, "workspaceFolder": true, "workspaceFolderBasename": true, "pathSeparator": true, "/": true}
	for _, v := range m.Auth.Env {
		known[v.Name], known["env:"+v.Name] = true, true
	}
	known["INSTALL_DIR"] = m.Git != nil
	texts := append([]string{m.Command, m.URL}, m.Args...)
	for _, name := range sortedKeys(m.Env) {
		texts = append(texts, m.Env[name])
	}
	for _, text := range texts {
		for _, match := range regexp.MustCompile(`\$\{([^}]*)\}`).FindAllStringSubmatch(text, -1) {
			name := strings.TrimSpace(match[1])
			switch {
			case known[name]:
			case name == "INSTALL_DIR":
				f.fail(f.node, "%s is used without an install block", installDir)
			default:
				f.fail(f.node, "${%s} is used and not declared in auth.env", name)
			}
		}
	}
	for _, v := range m.Auth.Env {
		if strings.Contains(v.Default, "${") {
			f.fail(f.node, "the default of %s must not be a reference", v.Name)
		}
	}
}

func checkGit(f fields, m Manifest) {
	if m.Git == nil {
		return
	}
	address, err := url.Parse(m.Git.URL)
	ok := err == nil && address.User == nil && (address.Scheme == "https" && address.Host != "" || address.Scheme == "file" && filepath.IsAbs(address.Path))
	if !ok || strings.HasPrefix(m.Git.URL, "-") {
		f.fail(f.node, "`install.url` must be an https address without a password")
	}
	if !regexp.MustCompile(`^[0-9a-f]{40}$`).MatchString(m.Git.Ref) {
		f.fail(f.node, "`install.ref` must be a full commit of 40 hexadecimal digits; a branch or tag can be moved")
	}
	for _, line := range m.Git.Bootstrap {
		if found := (config.Connection{Command: "sh", Args: []string{"-c", line}}).Suspicious(); len(found) > 0 {
			f.fail(f.node, "a bootstrap command looks like an attack: %s", found[0].Message)
		}
		for _, name := range (config.Connection{Command: "sh", Args: []string{"-c", line}}).DangerousAssignments() {
			f.fail(f.node, "a bootstrap command sets %s, which changes other programs", name)
		}
	}
}
