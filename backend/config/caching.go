package config

import (
	"strings"

	"hermes/backend/policy"
)

// Prices are `model.prices`, US dollars per million tokens, for a model whose
// prices are not known or are others by contract.
type Prices struct{ Input, Output, CacheRead, CacheWrite float64 }

// caching reads `prompt_caching.cache_ttl` (hermes-agent reference 7): 5m, 1h,
// auto, which leaves the choice to us, or off.
func (r *settingsReader) caching(root *policy.Node) string {
	const normal = "5m"
	n := at(root, "prompt_caching.cache_ttl")
	if isUnset(n) {
		return normal
	}
	if on, ok := boolLike(n); ok && !on {
		return ""
	}
	switch word := strings.ToLower(scalarText(n)); word {
	case "5m", "1h":
		return word
	case "auto":
		return normal
	}
	r.warn(n, "write `cache_ttl: 5m`, `1h`, `auto` or `off`", "`prompt_caching.cache_ttl` is none of its words; %s is used", normal)
	return normal
}

// contextLength reads `model.context_length`, the window of the model in
// tokens; 0 where it is not said.
func (r *settingsReader) contextLength(model *policy.Node) int {
	const least, most = 1000, 100_000_000
	n := at(model, "context_length")
	if isUnset(n) {
		return 0
	}
	if f, ok := number(n); ok && f >= least && f <= most {
		return int(f)
	}
	r.warn(n, "write `context_length: 200000`", "`model.context_length` is not a number of tokens above %d and is not used", least)
	return 0
}

// prices reads `model.prices`; nil where they are not said. Reading from a
// cache and writing into it cost as much as input where nothing else is said.
func (r *settingsReader) prices(model *policy.Node) *Prices {
	n := at(model, "prices")
	if isNull(n) {
		return nil
	}
	price := func(name string, normal float64) (float64, bool) {
		p := at(n, name)
		if isUnset(p) {
			return normal, normal >= 0
		}
		f, ok := number(p)
		return f, ok && f >= 0
	}
	const needed = -1
	input, okInput := price("input", needed)
	output, okOutput := price("output", needed)
	read, okRead := price("cache_read", input)
	write, okWrite := price("cache_write", input)
	if !okInput || !okOutput || !okRead || !okWrite {
		r.warn(n, "write `prices: {input: 3, output: 15}`, US dollars per million tokens", "`model.prices` cannot be read and is not used: no cost is shown")
		return nil
	}
	return &Prices{Input: input, Output: output, CacheRead: read, CacheWrite: write}
}
