package config

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
)

// Model is what a conversation talks to. Provider is one of the Provider
// constants; BaseURL is empty where the provider's own SDK decides (bedrock,
// demo); Key is empty where none is needed. Vendor is whose model it is, by the
// name the file has for it. Bearer says that the key is a token for the
// Authorization header.
type Model struct {
	Provider, Name, BaseURL, Key string
	Vendor                       string
	Bearer                       bool
}

// modelSeeker resolves the model settings of one snapshot.
type modelSeeker struct {
	settings ModelSettings
	scope    *scope
	path     string
}

// ResolveModel decides which model answers (DESIGN section 4): the flag beats
// the file, the file beats the environment, `.env` beats the process
// environment. The flag may carry a provider, as in "openrouter:MODEL" or
// "demo". The error is a *Refused that names the key or the name that is
// missing; the demo model is never chosen in place of one.
func (s *Snapshot) ResolveModel(flagModel string, getenv func(string) string) (Model, error) {
	scope := *s.scope
	if getenv != nil {
		scope.getenv = getenv
	}
	m := &modelSeeker{settings: s.Settings.Model, scope: &scope, path: s.Path}
	model, err := m.resolve(strings.TrimSpace(flagModel))
	if err != nil && s.Broken && m.settings.Provider == "" && m.settings.Default == "" {
		// Which model the file names is not known: not that it names none.
		return Model{}, m.refuse("repair the file; `hermes doctor` shows what is wrong with it", "no model can be used: the configuration cannot be read")
	}
	return model, err
}

func (m *modelSeeker) refuse(hint, format string, args ...any) error {
	return &Refused{
		Message: fmt.Sprintf(format, args...), Hint: hint,
		File: m.path, Line: m.settings.line, Column: m.settings.column,
	}
}

func (m *modelSeeker) resolve(flag string) (Model, error) {
	provider, name := m.settings.Provider, m.settings.Default
	mine := true // the file's address and key belong to the provider asked for
	if flag != "" {
		if p, rest, found := strings.Cut(flag, ":"); found && m.known(p) {
			mine = provider != "" && canonical(p) == canonical(provider)
			provider, name = p, rest
		} else if canonical(flag) == ProviderDemo {
			mine, provider, name = false, flag, ""
		} else {
			name = flag
		}
	}
	name, err := m.expand(name)
	if err != nil {
		return Model{}, err
	}
	if provider == "" || canonical(provider) == "auto" {
		provider = m.guess(name)
		if provider == "" {
			return Model{}, m.refuse(
				"set OPENAI_API_KEY, ANTHROPIC_API_KEY or OPENROUTER_API_KEY in "+m.scope.home.Env()+", or name a provider under `model:`",
				"no model can be used: no provider is named and no key is set")
		}
	}
	if e, ok := m.endpoint(provider); ok {
		return m.custom(e, name, mine)
	}
	v, ok := vendorNamed(provider)
	switch {
	case !ok:
		return Model{}, m.refuse("use openai, anthropic, bedrock, openrouter, ollama, lmstudio, custom with `base_url`, or a name from `custom_providers`",
			"the provider %q is not known", provider)
	case v.provider == "":
		return Model{}, m.refuse("choose another provider under `model:`", "the provider %q cannot be used here: %s", provider, v.login)
	}
	return m.vendor(v, name, mine)
}

// known tells whether the part before a colon is a provider; "llama3:8b" is a
// model.
func (m *modelSeeker) known(name string) bool {
	if _, ok := vendorNamed(name); ok {
		return true
	}
	_, ok := m.endpoint(name)
	return ok
}

// guess finds the provider when none is named: an address of one's own, then
// the vendor of the model's name, then whichever key is there.
func (m *modelSeeker) guess(name string) string {
	has := func(key string) bool { _, ok := m.scope.variable(key); return ok }
	switch {
	case m.settings.BaseURL != "":
		return "custom"
	case strings.HasPrefix(strings.ToLower(name), "claude") && slices.ContainsFunc(anthropicKeys(), has):
		return "anthropic"
	case strings.Contains(name, "/") && has("OPENROUTER_API_KEY"):
		return "openrouter"
	case has("OPENAI_API_KEY"), has("OPENAI_BASE_URL"):
		return "openai"
	case slices.ContainsFunc(anthropicKeys(), has):
		return "anthropic"
	case has("OPENROUTER_API_KEY"):
		return "openrouter"
	}
	return ""
}

func (m *modelSeeker) endpoint(provider string) (Endpoint, bool) {
	name := strings.TrimSpace(provider)
	if head, rest, found := strings.Cut(name, ":"); found && canonical(head) == "custom" {
		name = rest
	}
	for _, e := range m.settings.Endpoints {
		if canonical(e.Name) == canonical(name) {
			return e, true
		}
	}
	return Endpoint{}, false
}

// custom resolves an endpoint that the file defines by name.
func (m *modelSeeker) custom(e Endpoint, name string, mine bool) (Model, error) {
	v := vendor{name: e.Name, provider: ProviderOpenAI, baseURL: e.BaseURL, keyless: true}
	switch canonical(e.API) {
	case "anthropic-messages", "anthropic":
		v.provider = ProviderAnthropic
	}
	sub := *m
	if !mine || sub.settings.APIKey == "" && sub.settings.KeyEnv == "" {
		sub.settings.APIKey, sub.settings.KeyEnv = e.APIKey, e.KeyEnv
	}
	sub.settings.BaseURL = ""
	return sub.vendor(v, first(name, e.Model), true)
}

// vendor puts address, key and name together.
func (m *modelSeeker) vendor(v vendor, name string, mine bool) (Model, error) {
	out := Model{Provider: v.provider, Name: name, Vendor: v.name}
	if v.provider == ProviderDemo {
		return out, nil
	}
	if name == "" {
		return Model{}, m.refuse("write `model: {default: NAME}` or use --model", "no model is named for the provider %q", v.name)
	}
	var err error
	if mine && m.settings.BaseURL != "" {
		if out.BaseURL, err = m.expand(m.settings.BaseURL); err != nil {
			return Model{}, err
		}
	} else if set, ok := m.scope.variable(v.urlKey); ok && v.urlKey != "" {
		out.BaseURL = set
	} else if out.BaseURL, err = m.expand(v.baseURL); err != nil {
		return Model{}, err
	}
	out.BaseURL = strings.TrimRight(out.BaseURL, "/")
	if out.BaseURL == "" && v.provider != ProviderBedrock {
		return Model{}, m.refuse("write `base_url: https://...` under `model:`", "the provider %q needs an address", v.name)
	}
	if out.BaseURL != "" && !isWebAddress(out.BaseURL) {
		return Model{}, m.refuse("write `base_url: https://...`", "the address of the provider %q is not an http or https URL", v.name)
	}
	if u, err := url.Parse(out.BaseURL); err == nil && u.Path == "" && (v.name == "ollama" || v.name == "lmstudio") {
		out.BaseURL += "/v1" // both serve the OpenAI form only there
	}
	out.Key, out.Bearer, err = m.key(v, mine)
	if err != nil {
		return Model{}, err
	}
	if out.Key == "" && !v.keyless && !isLoopback(out.BaseURL) {
		variable := first(v.asked, v.keys[0])
		return Model{}, m.refuse("write `"+variable+"=...` into "+m.scope.home.Env()+" or set it in the environment",
			"%s is not set, and the provider %q needs it", variable, v.name)
	}
	return out, nil
}

// key finds the key: written in the file, named by the file, or in the
// provider's own variable. bearer says that it is a token.
func (m *modelSeeker) key(v vendor, mine bool) (key string, bearer bool, err error) {
	name := ""
	switch {
	case mine && m.settings.APIKey != "":
		key, err = m.expand(m.settings.APIKey)
	case mine && m.settings.KeyEnv != "":
		name = m.settings.KeyEnv
		key, err = m.expand("${" + name + "}")
	default:
		for _, name = range v.keys {
			if value, ok := m.scope.variable(name); ok {
				key = value
				break
			}
		}
	}
	return key, v.bearer || name == anthropicToken && key != "", err
}

func (m *modelSeeker) expand(template string) (string, error) {
	text, unset := m.scope.expand(template)
	if len(unset) > 0 {
		return "", unsetError(m.scope.home, unset)
	}
	return text, nil
}

func isWebAddress(s string) bool {
	u, err := url.Parse(s)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Host != ""
}

func isLoopback(s string) bool {
	u, err := url.Parse(s)
	if err != nil {
		return false
	}
	switch host := strings.ToLower(u.Hostname()); host {
	case "localhost", "::1", "0.0.0.0":
		return true
	default:
		return strings.HasPrefix(host, "127.")
	}
}
