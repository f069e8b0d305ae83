package config

import (
	"errors"
	"strings"
	"testing"
	"time"
)

func TestSettings(t *testing.T) {
	standard := ToolSearch{Mode: "auto", ThresholdPercent: 5, DefaultLimit: 5, MaxLimit: 25, Listing: "auto", ListingMaxTokens: 4000}
	with := func(change func(*ToolSearch)) ToolSearch {
		s := standard
		change(&s)
		return s
	}
	for name, c := range map[string]struct {
		yaml     string
		wait     time.Duration
		reload   bool
		search   ToolSearch
		problems int
	}{
		"none":             {"", 10 * time.Second, true, standard, 0},
		"wait":             {"mcp: {start_wait: 2.5, auto_reload_on_config_change: no}", 2500 * time.Millisecond, false, standard, 0},
		"no wait":          {"mcp: {start_wait: 0}", 0, true, standard, 0},
		"odd wait":         {"mcp: {start_wait: soon}", 10 * time.Second, true, standard, 1},
		"search off":       {"tools: {tool_search: {enabled: off}}", 10 * time.Second, true, with(func(s *ToolSearch) { s.Mode = "off" }), 0},
		"search yes":       {"tools: {tool_search: {enabled: yes, listing: 'no'}}", 10 * time.Second, true, with(func(s *ToolSearch) { s.Mode, s.Listing = "on", "off" }), 0},
		"search odd":       {"tools: {tool_search: {enabled: perhaps}}", 10 * time.Second, true, standard, 0},
		"search legacy":    {"tools: {tool_search: false}", 10 * time.Second, true, with(func(s *ToolSearch) { s.Mode = "off" }), 0},
		"search legacy on": {"tools: {tool_search: true}", 10 * time.Second, true, standard, 0},
		"search ranges": {"tools: {tool_search: {threshold_pct: 500, max_search_limit: 99, search_default_limit: 0, listing_max_tokens: 1}}", 10 * time.Second, true,
			with(func(s *ToolSearch) {
				s.ThresholdPercent, s.MaxLimit, s.DefaultLimit, s.ListingMaxTokens = 100, 50, 1, 200
			}), 0},
		"search small max": {"tools: {tool_search: {max_search_limit: 3}}", 10 * time.Second, true, with(func(s *ToolSearch) { s.MaxLimit, s.DefaultLimit = 3, 3 }), 0},
		"search defer":     {"tools: {tool_search: {defer: [session_search, image_generate]}}", 10 * time.Second, true, standard, 0},
		"defer nothing":    {"tools: {tool_search: {defer: []}}", 10 * time.Second, true, standard, 0},
		"defer a scalar":   {"tools: {tool_search: {defer: session_search}}", 10 * time.Second, true, standard, 1},
		"defer a mapping":  {"tools: {tool_search: {defer: {a: true}}}", 10 * time.Second, true, standard, 1},
		"defer odd items":  {"tools: {tool_search: {defer: [[a]]}}", 10 * time.Second, true, standard, 1},
		"search no number": {"tools: {tool_search: {max_search_limit: many}}", 10 * time.Second, true, standard, 1},
		"model a list":     {"model: [x]", 10 * time.Second, true, standard, 1},
	} {
		s := load(t, c.yaml)
		if s.Settings.StartWait != c.wait || s.Settings.AutoReload != c.reload || s.Settings.ToolSearch != c.search || len(s.Problems) != c.problems {
			t.Errorf("%s: %+v %+v", name, s.Settings, s.Problems)
		}
	}
}

// TestResolveModel: flag before file before environment, and the names of
// Python Hermes.
func TestResolveModel(t *testing.T) {
	const custom = "custom_providers:\n- {name: My Box, base_url: \"http://box:8080/v1/\", api_key: \"${BOX_KEY}\", model: glm}\nproviders: {lite: {api: \"https://lite.example/v1\", key_env: LITE_KEY}, anth: {api: \"https://a.example\", transport: anthropic_messages}}\n"
	for name, c := range map[string]struct {
		yaml string
		flag string
		env  []string
		want Model
	}{
		"openai": {"model: {provider: openai, default: gpt, base_url: \"http://127.0.0.1:9/v1\", api_key: \"${K}\"}", "", []string{"K", "key-of-k"},
			Model{Provider: "openai", Name: "gpt", BaseURL: "http://127.0.0.1:9/v1", Key: "key-of-k"}},
		"openai by environment": {"model: gpt", "", []string{"OPENAI_API_KEY", "e", "OPENAI_BASE_URL", "http://e/v1/"}, Model{Provider: "openai", Name: "gpt", BaseURL: "http://e/v1", Key: "e"}},
		"file beats environment": {"model: {provider: openai, default: gpt, base_url: \"http://f/v1\", api_key: f}", "", []string{"OPENAI_API_KEY", "e", "OPENAI_BASE_URL", "http://e"},
			Model{Provider: "openai", Name: "gpt", BaseURL: "http://f/v1", Key: "f"}},
		"flag beats file":         {"model: {provider: openai, default: gpt, api_key: f}", "other", nil, Model{Provider: "openai", Name: "other", BaseURL: "https://api.openai.com/v1", Key: "f"}},
		"flag with provider":      {"model: {provider: openai, default: gpt, base_url: \"http://f\", api_key: f}", "openrouter:a/b:free", []string{"OPENROUTER_API_KEY", "r"}, Model{Provider: "openai", Name: "a/b:free", BaseURL: "https://openrouter.ai/api/v1", Key: "r"}},
		"flag with same provider": {"model: {provider: openai, default: gpt, base_url: \"http://f\", api_key: f}", "OpenAI:new", nil, Model{Provider: "openai", Name: "new", BaseURL: "http://f", Key: "f"}},
		"flag that is a model":    {"model: {provider: ollama, default: x}", "llama3:8b", nil, Model{Provider: "openai", Name: "llama3:8b", BaseURL: "http://127.0.0.1:11434/v1", Key: ""}},
		"flag demo":               {"model: {provider: openai, default: gpt, api_key: f}", "demo", nil, Model{Provider: "demo", Name: "", BaseURL: "", Key: ""}},
		"demo":                    {"model: {provider: demo}", "", nil, Model{Provider: "demo", Name: "", BaseURL: "", Key: ""}},
		"anthropic":               {"model: {provider: claude, default: opus}", "", []string{"ANTHROPIC_API_KEY", "a"}, Model{Provider: "anthropic", Name: "opus", BaseURL: "https://api.anthropic.com", Key: "a"}},
		"anthropic moved":         {"model: {provider: anthropic, default: opus}", "", []string{"ANTHROPIC_TOKEN", "t", "ANTHROPIC_BASE_URL", "http://p"}, Model{Provider: "anthropic", Name: "opus", BaseURL: "http://p", Key: "t"}},
		"bedrock":                 {"model: {provider: aws, default: m}", "", nil, Model{Provider: "bedrock", Name: "m", BaseURL: "", Key: ""}},
		"key_env":                 {"model: {provider: deepseek, default: d, key_env: MINE}", "", []string{"MINE", "m", "DEEPSEEK_API_KEY", "d"}, Model{Provider: "openai", Name: "d", BaseURL: "https://api.deepseek.com/v1", Key: "m"}},
		"alias of default":        {"model: {provider: groq, model: g}", "", []string{"GROQ_API_KEY", "q"}, Model{Provider: "openai", Name: "g", BaseURL: "https://api.groq.com/openai/v1", Key: "q"}},
		"ollama address":          {"model: {provider: ollama, default: q, base_url: \"http://localhost:11434\"}", "", nil, Model{Provider: "openai", Name: "q", BaseURL: "http://localhost:11434/v1", Key: ""}},
		"lmstudio":                {"model: {provider: lm-studio, default: q}", "", nil, Model{Provider: "openai", Name: "q", BaseURL: "http://127.0.0.1:1234/v1", Key: ""}},
		"custom":                  {"model: {provider: custom, default: q, base_url: \"http://lan:1/v1\"}", "", []string{"OPENAI_API_KEY", "e"}, Model{Provider: "openai", Name: "q", BaseURL: "http://lan:1/v1", Key: ""}},
		"address alone":           {"model: {default: q, base_url: \"http://lan:1/v1\", api_key: k}", "", []string{"OPENAI_API_KEY", "e"}, Model{Provider: "openai", Name: "q", BaseURL: "http://lan:1/v1", Key: "k"}},
		"named endpoint":          {"model: {provider: \"custom:my box\"}\n" + custom, "", []string{"BOX_KEY", "b"}, Model{Provider: "openai", Name: "glm", BaseURL: "http://box:8080/v1", Key: "b"}},
		"named endpoint by flag":  {"model: {provider: openai, default: g, api_key: f}\n" + custom, "lite:z", []string{"LITE_KEY", "l"}, Model{Provider: "openai", Name: "z", BaseURL: "https://lite.example/v1", Key: "l"}},
		"endpoint of anthropic":   {"model: {provider: anth, default: z}\n" + custom, "", nil, Model{Provider: "anthropic", Name: "z", BaseURL: "https://a.example", Key: ""}},
		"guess claude":            {"model: claude-x", "", []string{"ANTHROPIC_API_KEY", "a", "OPENAI_API_KEY", "o"}, Model{Provider: "anthropic", Name: "claude-x", BaseURL: "https://api.anthropic.com", Key: "a"}},
		"guess openrouter":        {"model: {provider: auto, default: a/b}", "", []string{"OPENROUTER_API_KEY", "r", "OPENAI_API_KEY", "o"}, Model{Provider: "openai", Name: "a/b", BaseURL: "https://openrouter.ai/api/v1", Key: "r"}},
		"name by variable":        {"model: {provider: demo, default: \"${M}\"}", "", []string{"M", "x"}, Model{Provider: "demo", Name: "", BaseURL: "", Key: ""}},
	} {
		s := load(t, c.yaml)
		got, err := s.ResolveModel(c.flag, env(c.env...))
		if name == "name by variable" {
			c.want.Name = "x"
		}
		got.Vendor = "" // TestVendorOfModel
		if err != nil || got != c.want {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
}

func TestResolveModelPrefersEnvFile(t *testing.T) {
	h := home(t, "model: {provider: openai, default: gpt}\n")
	put(t, h.Env(), "OPENAI_API_KEY=from-file\n")
	s := Open(h, Options{Getenv: env()}).Load()
	if m, err := s.ResolveModel("", env("OPENAI_API_KEY", "from-process")); err != nil || m.Key != "from-file" {
		t.Errorf("%+v %v", m, err)
	}
}

// A model that cannot be used is an error that says what is missing, never the
// demo model.
func TestResolveModelRefuses(t *testing.T) {
	for name, c := range map[string]struct {
		yaml string
		flag string
		env  []string
		says []string
	}{
		"nothing":        {"", "", nil, []string{"OPENAI_API_KEY", "ANTHROPIC_API_KEY"}},
		"no key":         {"model: {provider: openai, default: gpt}", "", nil, []string{"OPENAI_API_KEY is not set", ".env"}},
		"no model":       {"model: {provider: openai, api_key: k}", "", nil, []string{"no model is named", "--model"}},
		"key alone":      {"", "", []string{"OPENAI_API_KEY", "k"}, []string{"no model is named"}},
		"unset variable": {"model: {provider: openai, default: gpt, api_key: \"${NOPE}\"}", "", []string{"OPENAI_API_KEY", "k"}, []string{"${NOPE}"}},
		"unknown":        {"model: {provider: acme, default: x}", "", nil, []string{`"acme"`, "custom_providers"}},
		"signs in":       {"model: {provider: copilot, default: x}", "", nil, []string{"copilot", "browser"}},
		"no address":     {"model: {provider: custom, default: x}", "", nil, []string{"base_url"}},
		"bad address":    {"model: {provider: custom, default: x, base_url: \"ftp://x\"}", "", nil, []string{"http"}},
		"unknown custom": {"model: {provider: \"custom:nosuch\", default: x}", "", nil, []string{"custom:nosuch"}},
		"foreign key":    {"model: {provider: openai, default: gpt, api_key: f}", "deepseek:d", nil, []string{"DEEPSEEK_API_KEY"}},
	} {
		s := load(t, c.yaml)
		m, err := s.ResolveModel(c.flag, env(c.env...))
		var r *Refused
		if !errors.As(err, &r) || m != (Model{}) {
			t.Errorf("%s: %+v, %v", name, m, err)
			continue
		}
		for _, text := range c.says {
			if all := r.Error() + r.Hint; !strings.Contains(all, text) {
				t.Errorf("%s: %q lacks %q", name, all, text)
			}
		}
	}
}

// Every vendor that needs a key says which.
func TestVendorsAreComplete(t *testing.T) {
	for _, name := range []string{
		"openai", "anthropic", "bedrock", "demo", "custom", "ollama", "lmstudio", "openrouter", "nous", "gemini", "zai", "kimi-coding", "kimi-coding-cn", "stepfun", "arcee", "gmi",
		"alibaba", "alibaba-coding-plan", "deepseek", "xai", "nvidia", "ai-gateway", "opencode-zen", "opencode-go", "kilocode", "huggingface", "xiaomi", "ollama-cloud", "groq", "mistral",
		"azure-foundry", "minimax", "minimax-cn", "copilot", "vertex", "openai-codex",
	} {
		v, ok := vendorNamed(name)
		if !ok || v.name != name || v.provider == "" && v.login == "" || v.provider != "" && !v.keyless && len(v.keys) == 0 {
			t.Errorf("%s: %+v", name, v)
		}
		if v.baseURL != "" && !isWebAddress(v.baseURL) {
			t.Errorf("%s: %q", name, v.baseURL)
		}
	}
}
