package config

import (
	"net/url"
	"strings"
	"unicode"
)

const masked = "***"

// Target says in one line what the connection would start or contact: the URL,
// or the command with its arguments. Values that look like secrets are masked;
// ${VAR} is shown as written, so ask it of a connection that is not expanded.
func (c Connection) Target() string {
	switch {
	case c.Transport == TransportBuiltin && c.Root != "":
		return "built-in " + c.Builtin + " " + c.Root
	case c.Transport == TransportBuiltin:
		return "built-in " + c.Builtin
	case c.Transport == TransportHTTP || c.Transport == TransportSSE:
		return maskURL(c.URL)
	}
	parts := make([]string, 0, 1+len(c.Args))
	if c.Command != "" {
		parts = append(parts, c.Command)
	}
	return strings.Join(append(parts, maskArgs(c.Args)...), " ")
}

// maskArgs masks what follows a flag that names a secret, the value of
// NAME=value and --name=value with such a name, credentials in URLs, and words
// with a known prefix of a key.
func maskArgs(args []string) []string {
	out := make([]string, len(args))
	flag := ""
	for i, arg := range args {
		out[i] = maskArg(arg)
		if user, password, ok := login(flag, arg); ok {
			out[i] = user + ":" + maskValue(password)
		} else if namesNext(flag) && !strings.HasPrefix(arg, "-") && HidesValue(flag, arg) {
			out[i] = maskValue(arg)
		}
		flag = arg
	}
	return out
}

// namesNext tells a flag that says that the argument after it is a secret.
func namesNext(arg string) bool {
	return strings.HasPrefix(arg, "-") && !strings.Contains(arg, "=") && namesSecret(arg)
}

func maskArg(arg string) string {
	for _, sign := range []string{";", " "} {
		if isPairs(arg, sign) {
			parts := strings.Split(arg, sign)
			for i, part := range parts {
				parts[i] = maskArg(part)
			}
			return strings.Join(parts, sign)
		}
	}
	if strings.Contains(arg, "://") && !strings.Contains(arg[:strings.Index(arg, "://")], "=") {
		return maskURL(arg)
	}
	if name, value, found := strings.Cut(arg, "="); found && HidesValue(name, value) {
		return name + "=" + maskValue(value)
	} else if found && strings.Contains(value, "://") {
		return name + "=" + maskURL(value)
	} else if found && strings.HasPrefix(name, "-") {
		return name + "=" + maskArg(value)
	}
	if name, value, found := strings.Cut(arg, ":"); found && HidesValue(name, value) {
		bare := strings.TrimLeft(value, " ")
		return name + ":" + value[:len(value)-len(bare)] + maskValue(bare)
	}
	return maskWords(arg)
}

// maskWords masks each word that is itself a key, such as sk-...
func maskWords(s string) string {
	words := strings.Split(s, " ")
	for i, word := range words {
		if isKey(word) || i > 0 && strings.EqualFold(words[i-1], "bearer") {
			words[i] = maskValue(word)
		}
	}
	return strings.Join(words, " ")
}

// maskValue hides a value but shows a reference, which is no secret.
func maskValue(s string) string {
	if s == "" {
		return s
	}
	rest, references := "", 0
	for after := s; ; references++ {
		before, body, found := strings.Cut(after, "${")
		rest += before
		if !found {
			break
		}
		if _, after, found = strings.Cut(body, "}"); !found {
			return masked
		}
	}
	if rest = strings.TrimSpace(rest); references > 0 && (rest == "" || strings.EqualFold(rest, "bearer")) {
		return s
	}
	return masked
}

// maskURL masks a password, query values with telling names, a fragment, and
// steps of the path that look like a key. What is no URL is masked by words.
func maskURL(s string) string {
	scheme, rest, found := strings.Cut(s, "://")
	if !found {
		return maskWords(s)
	}
	rest, fragment, hasFragment := strings.Cut(rest, "#")
	rest, query, hasQuery := strings.Cut(rest, "?")
	host, path, hasPath := strings.Cut(rest, "/")
	if at := strings.LastIndexByte(host, '@'); at >= 0 {
		user := host[:at]
		if name, password, found := strings.Cut(user, ":"); found {
			user = name + ":" + maskValue(password)
		} else {
			user = maskValue(user)
		}
		host = user + host[at:]
	}
	out := scheme + "://" + host
	if hasPath {
		steps := strings.Split(path, "/")
		hook := hookSteps(host, steps)
		for i, step := range steps {
			if hiddenStep(hook, i, step) {
				steps[i] = masked
			}
		}
		out += "/" + strings.Join(steps, "/")
	}
	if hasQuery {
		pairs := strings.Split(query, "&")
		for i, p := range pairs {
			name, value, found := strings.Cut(p, "=")
			if !hidesQuery(name, value) {
				continue
			}
			if found {
				pairs[i] = name + "=" + maskValue(value)
			} else {
				pairs[i] = maskValue(p)
			}
		}
		out += "?" + strings.Join(pairs, "&")
	}
	if hasFragment {
		out += "#" + maskValue(fragment)
	}
	return out
}

// hidesQuery tells whether a pair of a query is secret; what cannot be decoded
// is.
func hidesQuery(name, value string) bool {
	plain, err := url.QueryUnescape(value)
	return err != nil || HidesValue(name, value) || isKey(plain) || looksRandom(plain)
}

// isKey tells the prefixes by which vendors mark their keys.
func isKey(s string) bool {
	if len(s) < 12 {
		return false
	}
	if isBotToken(s) {
		return true
	}
	for _, prefix := range []string{
		"sk-", "sk_", "pk_live", "rk_live", "ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_", "glpat-", "xoxa-", "xoxb-", "xoxp-", "xoxs-", "xapp-",
		"AKIA", "ASIA", "AIza", "ya29.", "hf_", "npm_", "pypi-", "dop_v1_", "lin_api_", "ntn_", "secret_", "shpat_", "eyJ", "whsec_", "tvly-", "gsk_", "xai-", "r8_",
	} {
		if strings.HasPrefix(s, prefix) {
			return true
		}
	}
	return false
}

// looksRandom tells a long word of letters and digits mixed, as a token in a
// URL is.
func looksRandom(s string) bool {
	letters, digits := 0, 0
	for _, r := range s {
		switch {
		case unicode.IsLetter(r):
			letters++
		case unicode.IsDigit(r):
			digits++
		case r == '-' || r == '_' || r == '=' || r == '%' || r == '+':
		default:
			return false
		}
	}
	return len(s) >= 24 && letters >= 4 && digits >= 4
}
