package config

import "hermes/backend/policy"

// Compression is `compression`: whether and from which share of its model's
// window a conversation is summarised (hermes-agent reference 7). MostTokens
// bounds the share, in tokens.
type Compression struct {
	Enabled    bool
	Threshold  float64
	MostTokens int
}

const (
	// Below this many tokens a window is small: its conversations are summarised
	// later, because half of little is too early.
	smallWindow    = 512_000
	smallThreshold = 0.75
)

func (r *settingsReader) compression(root *policy.Node) Compression {
	out := Compression{Enabled: true, Threshold: 0.5, MostTokens: 256_000}
	n := at(root, "compression")
	if isNull(n) {
		return out
	}
	if on, ok := boolLike(n); ok {
		out.Enabled = on
		return out
	}
	if e := at(n, "enabled"); !isUnset(e) {
		if on, ok := boolLike(e); ok {
			out.Enabled = on
		} else {
			r.warn(e, "write `enabled: true` or `false`", "`compression.enabled` is neither true nor false and counts as true")
		}
	}
	out.Threshold = r.within(n, "threshold", out.Threshold, 0.1, 0.95)
	out.MostTokens = int(r.within(n, "threshold_tokens", float64(out.MostTokens), 4000, 10_000_000))
	return out
}

// Share is the share of a window of so many tokens from which a conversation is
// summarised; 0 is never.
func (c Compression) Share(window int) float64 {
	switch {
	case !c.Enabled || window <= 0:
		return 0
	case window < smallWindow:
		return max(c.Threshold, smallThreshold)
	}
	return c.Threshold
}
