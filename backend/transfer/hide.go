package transfer

import (
	"slices"
	"strconv"
	"strings"

	"hermes/backend/config"
)

// hider takes secrets out of one server's texts and gives them names.
type hider struct {
	planner *Planner
	server  string
	found   []Secret
	// used are the variables that the server names already.
	used []string
}

func (h *hider) hide(s *Server) {
	h.used = s.references()
	for _, name := range sortedKeys(s.Env) {
		s.Env[name] = h.env(name, s.Env[name])
	}
	for _, name := range sortedKeys(s.Headers) {
		s.Headers[name] = h.header(name, s.Headers[name])
	}
	for i, shown := range config.MaskArgs(s.Args) {
		if shown != s.Args[i] {
			s.Args[i] = h.arg(s.Args, i)
		}
	}
	if config.MaskURL(s.URL) != s.URL && !composed(s.URL) {
		wholeURL := s.URL
		s.URL = h.pieces(s.URL, config.Connection{Transport: config.TransportHTTP, URL: s.URL}.Secrets(), "URL")
		if config.MaskURL(s.URL) != s.URL {
			s.URL = h.name(wholeURL, variableName("MCP", h.server, "URL"))
		}
	}
}

// env hides a whole value: a part of it means nothing by itself.
func (h *hider) env(name, value string) string {
	secret := config.HidesValue(name, value) || config.LooksSecret(value) ||
		len(config.Connection{Env: map[string]string{name: value}}.Secrets()) > 0
	if !secret || value == "" || composed(value) {
		return value
	}
	if !identifier(name) {
		return h.name(value, variableName("MCP", h.server, name))
	}
	return h.name(value, name, variableName("MCP", h.server, name))
}

// header hides a token and leaves the word before it.
func (h *hider) header(name, value string) string {
	secret := config.HidesValue(name, value) || config.LooksSecret(value) ||
		len(config.Connection{Headers: map[string]string{name: value}}.Secrets()) > 0
	if !secret || value == "" || composed(value) {
		return value
	}
	variable := variableName("MCP", h.server, name)
	if strings.EqualFold(name, "authorization") {
		variable = variableName("MCP", h.server, "API_KEY")
	}
	scheme, token, found := strings.Cut(strings.TrimSpace(value), " ")
	if token = strings.TrimSpace(token); found && token != "" && strings.EqualFold(scheme, "bearer") {
		// People paste the word twice.
		if inner, cut := cutFold(token, "bearer "); cut {
			token = inner
		}
		return "Bearer " + h.name(token, variable)
	}
	return h.name(value, variable)
}

func cutFold(s, prefix string) (string, bool) {
	if len(s) >= len(prefix) && strings.EqualFold(s[:len(prefix)], prefix) {
		return strings.TrimSpace(s[len(prefix):]), true
	}
	return s, false
}

// arg hides the value in --name=value, NAME=value and Name: value, else the
// secret words, else all of it.
func (h *hider) arg(args []string, i int) string {
	arg := args[i]
	if composed(arg) {
		return arg
	}
	if i > 0 && strings.HasPrefix(args[i-1], "-") && config.HidesValue(args[i-1], arg) && !strings.Contains(args[i-1], "=") {
		return h.name(arg, variableName("MCP", h.server, args[i-1]))
	}
	for _, sign := range []string{"=", ":"} {
		name, value, found := strings.Cut(arg, sign)
		if !found || !config.HidesValue(name, value) || strings.Contains(name, "://") {
			continue
		}
		bare := strings.TrimLeft(value, " ")
		gap := value[:len(value)-len(bare)]
		if scheme, token, found := strings.Cut(bare, " "); found && strings.EqualFold(scheme, "bearer") {
			bare, gap = strings.TrimSpace(token), gap+scheme+" "
		}
		return name + sign + gap + h.name(bare, variableName("MCP", h.server, name))
	}
	out := h.pieces(arg, config.Connection{Args: args[max(0, i-1) : i+1]}.Secrets(), "ARG")
	if masked(out) {
		return h.name(arg, variableName("MCP", h.server, "ARG"))
	}
	return out
}

// pieces hides the parts of a text that are known to be secret, longest first.
func (h *hider) pieces(text string, secrets []string, word string) string {
	slices.SortFunc(secrets, func(a, b string) int { return len(b) - len(a) })
	for _, secret := range secrets {
		if strings.Contains(text, secret) && !strings.Contains(secret, "${") {
			text = strings.ReplaceAll(text, secret, h.name(secret, variableName("MCP", h.server, word, "KEY")))
		}
	}
	return text
}

// name gives the reference that stands for a value. A variable that holds the
// same value already is used as it is; one that holds another is left alone.
func (h *hider) name(value string, candidates ...string) string {
	const most = 1000
	for i := range most {
		name := candidates[len(candidates)-1] + "_" + strconv.Itoa(i)
		if i < len(candidates) {
			name = candidates[i]
		}
		if config.DangerousVariable(name) || config.RedirectingVariable(name) || slices.Contains(h.used, name) {
			continue
		}
		if now, set := h.lookup(name); set && now != value {
			continue
		} else if !set {
			h.found = append(h.found, Secret{Name: name, value: value})
		}
		return "${" + name + "}"
	}
	return value
}

func (h *hider) lookup(name string) (string, bool) {
	for _, s := range h.found {
		if s.Name == name {
			return s.value, true
		}
	}
	if value, ok := h.planner.taken[name]; ok {
		return value, true
	}
	return h.planner.variables(name)
}

// composed tells a value with a variable in it: nothing of that is taken for a
// secret that is written out.
func composed(value string) bool { return braced().MatchString(value) }
