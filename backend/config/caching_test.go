package config

import (
	"reflect"
	"testing"
)

func TestCachingAndFactsOfTheModel(t *testing.T) {
	for text, want := range map[string]struct {
		ttl      string
		window   int
		prices   *Prices
		problems int
	}{
		"":                                       {"5m", 0, nil, 0},
		"prompt_caching: {cache_ttl: 1h}\n":      {"1h", 0, nil, 0},
		"prompt_caching: {cache_ttl: auto}\n":    {"5m", 0, nil, 0},
		"prompt_caching: {cache_ttl: off}\n":     {"", 0, nil, 0},
		"prompt_caching: {cache_ttl: forever}\n": {"5m", 0, nil, 1},
		"model: {default: m, context_length: 64000, prices: {input: 2, output: 8}}\n":             {"5m", 64000, &Prices{2, 8, 2, 2}, 0},
		"model: {default: m, prices: {input: 2, output: 8, cache_read: 0.2, cache_write: 2.5}}\n": {"5m", 0, &Prices{2, 8, 0.2, 2.5}, 0},
		"model: {default: m, context_length: much, prices: {input: 2}}\n":                         {"5m", 0, nil, 2},
		"model: {default: m, context_length: 12, prices: {input: -2, output: 3}}\n":               {"5m", 0, nil, 2},
		"model: {default: m, prices: free}\n":                                                     {"5m", 0, nil, 1},
		"model: {default: m, prices: {input: 0, output: 0}}\n":                                    {"5m", 0, &Prices{}, 0},
	} {
		t.Run(text, func(t *testing.T) {
			snap := load(t, text)
			s, problems := snap.Settings, snap.Problems
			if s.CacheTTL != want.ttl || s.Model.ContextLength != want.window || !reflect.DeepEqual(s.Model.Prices, want.prices) {
				t.Errorf("ttl %q, window %d, prices %+v", s.CacheTTL, s.Model.ContextLength, s.Model.Prices)
			}
			if len(problems) != want.problems {
				t.Errorf("problems %+v", problems)
			}
		})
	}
}
