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
// (Anthropic, as of 2026-11).
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
		if f.Window > regionalWindow && isAnthropic(model) {
			f.Window = regionalWindow
		}
		return f, true
	}
	f, ok := openFacts(name)
	f.Priced = f.Priced && !strings.Contains(model, "gpt-4o-2024-05-13") // dearer than those after it
	return f, ok
}

// regionalWindow is what Bedrock gives these models unasked; more of it is behind a
// beta of its own.
const regionalWindow = 200_000

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

// claudeFacts are Anthropic's published limits and prices as of 2026-11
// (platform.claude.com, Pricing and the overview of each model). A prompt cache of
// five minutes costs 1.25 of the input to write and mostly 0.1 to read. What is
// priced by the length of the prompt, or was not found, has no price here.
func claudeFacts(name string) (ModelFacts, bool) {
	const window, wide = 200_000, 1_000_000
	sized := func(window, output int) (ModelFacts, bool) {
		return ModelFacts{Window: window, MaxOutput: output}, true
	}
	claude := func(window, output int, in, read, out float64) (ModelFacts, bool) {
		return ModelFacts{
			Window: window, MaxOutput: output, Priced: true,
			Input: in, Output: out, CacheRead: read, CacheWrite: in * 5 / 4,
		}, true
	}
	switch name {
	case "claude-fable-5-1", "claude-mythos-5-1":
		return claude(wide, 128_000, 10, 0.25, 50)
	case "claude-fable-5", "claude-mythos-5":
		return claude(wide, 128_000, 10, 1, 50)
	case "claude-opus-5-5":
		return claude(wide, 128_000, 4, 0.2, 20)
	case "claude-opus-5", "claude-opus-4-8", "claude-opus-4-7", "claude-opus-4-6":
		return claude(wide, 128_000, 5, 0.5, 25)
	case "claude-sonnet-5-5":
		return claude(wide, 128_000, 2, 0.1, 10)
	case "claude-sonnet-5":
		return claude(wide, 128_000, 2, 0.2, 10)
	case "claude-haiku-5-5":
		return sized(wide, 128_000)
	case "claude-opus-4-5":
		return claude(window, 64_000, 5, 0.5, 25)
	case "claude-opus-4-1", "claude-opus-4", "claude-opus-4-0":
		return claude(window, 32_000, 15, 1.5, 75)
	case "claude-sonnet-4-6", "claude-sonnet-4-5", "claude-sonnet-4", "claude-sonnet-4-0",
		"claude-3-7-sonnet":
		return claude(window, 64_000, 3, 0.3, 15)
	case "claude-haiku-4-5":
		return claude(window, 64_000, 1, 0.1, 5)
	case "claude-3-5-sonnet":
		return sized(window, 8192)
	case "claude-3-5-haiku":
		return claude(window, 8192, 0.8, 0.08, 4)
	case "claude-3-opus":
		return claude(window, 4096, 15, 1.5, 75)
	case "claude-3-haiku":
		return ModelFacts{Window: window, MaxOutput: 4096, Priced: true, Input: 0.25, Output: 1.25, CacheRead: 0.03, CacheWrite: 0.3}, true
	}
	return ModelFacts{}, false
}

// openFacts are the published limits and prices of vendors that speak chat
// completions, as of 2026-11. They charge nothing for writing a cache beyond
// the input itself. Prices that depend on the length of the prompt, and those
// for which no word of the vendor was found (o3), are left out.
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
		return sized(200_000, 100_000)
	case "o4-mini":
		return priced(200_000, 100_000, 1.1, 0.275, 4.4)
	case "gemini-2.5-pro", "gemini-2.5-flash":
		return sized(1_048_576, 65_536)
	case "deepseek-chat", "deepseek-reasoner":
		return sized(128_000, 0)
	}
	return ModelFacts{}, false
}
