package host

import (
	"testing"

	"hermes/backend/config"
	"hermes/backend/provider"
)

func TestModelFacts(t *testing.T) {
	claude := config.Model{Provider: config.ProviderAnthropic, Name: "claude-sonnet-4-5", BaseURL: "https://api.anthropic.com"}
	local := config.Model{Provider: config.ProviderOpenAI, Name: "gpt-4o", BaseURL: "http://127.0.0.1:1/v1"}
	own := config.Settings{Model: config.ModelSettings{ContextLength: 9000, Prices: &config.Prices{Input: 1, Output: 2, CacheRead: 3, CacheWrite: 4}}}
	for name, c := range map[string]struct {
		settings config.Settings
		model    config.Model
		want     provider.ModelFacts
	}{
		"known":                 {config.Settings{CacheTTL: "5m"}, claude, provider.ModelFacts{Window: 200_000, MaxOutput: 64_000, Input: 3, Output: 15, CacheRead: 0.3, CacheWrite: 3.75, Priced: true}},
		"an hour costs more":    {config.Settings{CacheTTL: "1h"}, claude, provider.ModelFacts{Window: 200_000, MaxOutput: 64_000, Input: 3, Output: 15, CacheRead: 0.3, CacheWrite: 6, Priced: true}},
		"the file says so":      {own, claude, provider.ModelFacts{Window: 9000, MaxOutput: 64_000, Input: 1, Output: 2, CacheRead: 3, CacheWrite: 4, Priced: true}},
		"a server of one's own": {config.Settings{}, local, provider.ModelFacts{Window: 128_000, MaxOutput: 16_384, Input: 2.5, Output: 10, CacheRead: 1.25, CacheWrite: 2.5}},
		"unknown":               {config.Settings{}, config.Model{Name: "glm"}, provider.ModelFacts{}},
	} {
		if got := modelFacts(c.settings, c.model); got != c.want {
			t.Errorf("%s: %+v", name, got)
		}
	}
}
