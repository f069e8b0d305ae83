package provider

import (
	"strings"

	"hermes/backend/message"
)

// ModelFacts is what is publicly known about a model. Window and MaxOutput are
// tokens, the prices US dollars per million tokens; they count only where
// Priced.
type ModelFacts struct {
	Window, MaxOutput                    int
	Input, Output, CacheRead, CacheWrite float64
	Priced                               bool
}

// Cost is the price of a usage in US dollars, 0 where the model is not priced.
// Tokens read from a cache or written into it have prices of their own.
func (f ModelFacts) Cost(u message.Usage) float64 {
	if !f.Priced {
		return 0
	}
	fresh := max(u.InputTokens-u.CacheRead-u.CacheWrite, 0)
	const million = 1e6
	return (float64(fresh)*f.Input + float64(u.OutputTokens)*f.Output +
		float64(u.CacheRead)*f.CacheRead + float64(u.CacheWrite)*f.CacheWrite) / million
}

// Kept gives the facts under a lifetime of the prompt cache: where writing into
// it has a price of its own, an hour costs twice the input instead of 1.25 times
// (Anthropic, as of 2026-02).
func (f ModelFacts) Kept(cacheTTL string) ModelFacts {
	if cacheTTL == "1h" && f.CacheWrite > f.Input {
		f.CacheWrite = 2 * f.Input
	}
	return f
}

// Facts gives what is known about a model, by the name any vendor or reseller
// gives it ("claude-sonnet-4-5-20250929", "anthropic/claude-sonnet-4.5",
// "us.anthropic.claude-sonnet-4-5-20250929-v1:0"). Only whole families are
// known: a name with a word more is another model, with prices nobody told us.
func Facts(model string) (ModelFacts, bool) {
	name := family(model)
	if f, ok := claudeFacts(name); ok {
		return f, true
	}
	return openFacts(name)
}

// family takes the reseller, the region, the release date and the version of
// the address off a model's name.
func family(model string) string {
	name := strings.ToLower(strings.TrimSpace(model))
	if i := strings.LastIndexByte(name, '/'); i >= 0 {
		name = name[i+1:]
	}
	if i := strings.Index(name, "anthropic."); i >= 0 {
		name = name[i+len("anthropic."):]
	}
	name, _, _ = strings.Cut(name, ":")
	name, _, _ = strings.Cut(name, "@")
	for _, end := range []string{"-v1", "-v2", "-latest"} {
		name = strings.TrimSuffix(name, end)
	}
	name = withoutDate(name)
	if strings.HasPrefix(name, "claude") {
		name = strings.ReplaceAll(name, ".", "-") // both spellings are in use
	}
	return name
}

// withoutDate takes -20250929 or -2025-09-29 off the end.
func withoutDate(name string) string {
	for _, form := range []string{"-00000000", "-0000-00-00"} {
		cut := len(name) - len(form)
		if cut > 0 && strings.Map(zeroDigit, name[cut:]) == form {
			return name[:cut]
		}
	}
	return name
}

func zeroDigit(r rune) rune {
	if r >= '0' && r <= '9' {
		return '0'
	}
	return r
}

// claudeFacts are Anthropic's published limits and prices as of 2026-02. A
// prompt cache of five minutes costs 1.25 of the input to write and 0.1 to read.
func claudeFacts(name string) (ModelFacts, bool) {
	const window = 200_000
	claude := func(output int, in, out float64) (ModelFacts, bool) {
		return ModelFacts{
			Window: window, MaxOutput: output, Priced: true,
			Input: in, Output: out, CacheRead: in / 10, CacheWrite: in * 5 / 4,
		}, true
	}
	switch name {
	case "claude-opus-4-6":
		return claude(128_000, 5, 25)
	case "claude-opus-4-5":
		return claude(64_000, 5, 25)
	case "claude-opus-4-1", "claude-opus-4", "claude-opus-4-0":
		return claude(32_000, 15, 75)
	case "claude-sonnet-4-6", "claude-sonnet-4-5", "claude-sonnet-4", "claude-sonnet-4-0",
		"claude-3-7-sonnet":
		return claude(64_000, 3, 15)
	case "claude-haiku-4-5":
		return claude(64_000, 1, 5)
	case "claude-3-5-sonnet":
		return claude(8192, 3, 15)
	case "claude-3-5-haiku":
		return claude(8192, 0.8, 4)
	case "claude-3-opus":
		return claude(4096, 15, 75)
	case "claude-3-haiku":
		return ModelFacts{Window: window, MaxOutput: 4096, Priced: true, Input: 0.25, Output: 1.25, CacheRead: 0.03, CacheWrite: 0.3}, true
	}
	return ModelFacts{}, false
}

// openFacts are the published limits and prices of vendors that speak chat
// completions, as of 2026-02. They charge nothing for writing a cache beyond
// the input itself. Prices that depend on the length of the prompt are left out.
func openFacts(name string) (ModelFacts, bool) {
	priced := func(window, output int, in, cached, out float64) (ModelFacts, bool) {
		return ModelFacts{Window: window, MaxOutput: output, Priced: true, Input: in, Output: out, CacheRead: cached, CacheWrite: in}, true
	}
	sized := func(window, output int) (ModelFacts, bool) {
		return ModelFacts{Window: window, MaxOutput: output}, true
	}
	const million = 1_047_576
	switch name {
	case "gpt-5.2":
		return priced(400_000, 128_000, 1.75, 0.175, 14)
	case "gpt-5.1", "gpt-5":
		return priced(400_000, 128_000, 1.25, 0.125, 10)
	case "gpt-5-mini":
		return priced(400_000, 128_000, 0.25, 0.025, 2)
	case "gpt-5-nano":
		return priced(400_000, 128_000, 0.05, 0.005, 0.4)
	case "gpt-4.1":
		return priced(million, 32_768, 2, 0.5, 8)
	case "gpt-4.1-mini":
		return priced(million, 32_768, 0.4, 0.1, 1.6)
	case "gpt-4.1-nano":
		return priced(million, 32_768, 0.1, 0.025, 0.4)
	case "gpt-4o":
		return priced(128_000, 16_384, 2.5, 1.25, 10)
	case "gpt-4o-mini":
		return priced(128_000, 16_384, 0.15, 0.075, 0.6)
	case "o3":
		return priced(200_000, 100_000, 2, 0.5, 8)
	case "o4-mini":
		return priced(200_000, 100_000, 1.1, 0.275, 4.4)
	case "gemini-2.5-pro", "gemini-2.5-flash":
		return sized(1_048_576, 65_536)
	case "deepseek-chat", "deepseek-reasoner":
		return sized(128_000, 0)
	}
	return ModelFacts{}, false
}
