package config

import "testing"

func TestCompression(t *testing.T) {
	for _, c := range []struct {
		name, yaml   string
		window       int
		share        float64
		most, warned int
	}{
		{"nothing said", "", 200_000, 0.75, 256_000, 0},
		{"a large window", "", 1_000_000, 0.5, 256_000, 0},
		{"no window known", "", 0, 0, 256_000, 0},
		{"off", "compression: {enabled: false}", 1_000_000, 0, 256_000, 0},
		{"off at once", "compression: false", 1_000_000, 0, 256_000, 0},
		{"own numbers", "compression: {threshold: 0.9, threshold_tokens: 5000}", 100_000, 0.9, 5000, 0},
		{"small windows come later", "compression: {threshold: 0.2}", 100_000, 0.75, 256_000, 0},
		{"beyond the range", "compression: {threshold: 7, threshold_tokens: 1}", 1_000_000, 0.95, 4000, 0},
		{"slips", "compression: {enabled: perhaps, threshold: much}", 1_000_000, 0.5, 256_000, 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			snap := load(t, c.yaml)
			got := snap.Settings.Compression
			if got.Share(c.window) != c.share || got.MostTokens != c.most {
				t.Errorf("%+v: share %v", got, got.Share(c.window))
			}
			warned := 0
			for _, p := range snap.Problems {
				if p.Code == "settings.value" {
					warned++
				}
			}
			if warned != c.warned {
				t.Errorf("problems %+v", snap.Problems)
			}
		})
	}
}
