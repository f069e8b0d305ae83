package guard_test

import (
	"encoding/json"
	"fmt"
	"html"
	"net/url"
	"strings"
	"testing"
	"unicode/utf16"

	"pgregory.net/rapid"

	"hermes/backend/guard"
)

const shopKey = "wJalrXUtn/K7MDENG+bPxRfi"

// TestRedactEscaped: a known secret in the escapes of other programs.
func TestRedactEscaped(t *testing.T) {
	r := guard.NewRedactor([]string{shopKey, "grüße-an-😀-alle", `back\slash"quote`, "a1/b2"})
	for _, text := range []string{
		`wJalrXUtn\/K7MDENG+bPxRfi`, `wJalrXUtn/K7MDENG\u002BbPxRfi`, `wJalrXUtn\u002fK7MDENG\u002bbPxRfi`, `wJalrXUtn\u002FK7MDENG\x2bbPxRfi`, `wJalrXUtn\057K7MDENG+bPxRfi`, `wJalrXUtn\u{2f}K7MDENG+bPxRfi`,
		"wJalrXUtn%2fK7MDENG%2bbPxRfi", "wJalrXUtn/K7MDENG%2BbPxRfi", "%77JalrXUtn%2fK7MDENG+bPxRfi", "wJalrXUtn%252FK7MDENG%252BbPxRfi",
		"wJalrXUtn&#47;K7MDENG&plus;bPxRfi", "wJalrXUtn&#x2F;K7MDENG&#43;bPxRfi", "wJalrXUtn&sol;K7MDENG&#x2b;bPxRfi", "wJalrXUtn&amp;#47;K7MDENG+bPxRfi",
		`wJalrXUtn\\\/K7MDENG\\u002BbPxRfi`, `wJalrXUtn%5Cu002fK7MDENG&#43;bPxRfi`,
		`gr\u00fc\u00dfe-an-\ud83d\ude00-alle`, `gr\xfc\xdfe-an-\U0001f600-alle`, `gr\xc3\xbc\xc3\x9fe-an-\xf0\x9f\x98\x80-alle`, "gr%FC%DFe-an-%F0%9F%98%80-alle", "gr&uuml;&szlig;e-an-&#128512;-alle",
		`back\\slash\"quote`, `back\\\\slash\\\"quote`, "back%5cslash&quot;quote", `a1\/b2`, "a1%2fb2", "a1&#47;b2",
	} {
		if got, want := r.Redact(`{"k": "<`+text+`>"}`), `{"k": "<[redacted]>"}`; got != want {
			t.Errorf("%s: %s", text, got)
		}
	}
	for _, text := range []string{`C:\new\table 100% &c &amp; \u00e9 %zz \u12 &#; &x; \`, "%", "&", "&#x", `\u{`, `\ud83d x`, "%E9%", `\u{110000}`, "wJalrXUtn%2f", `xa1\/b2`, "wJalrXUtn_K7MDENG%2BbPxRfi"} {
		if got := r.Redact(text); got != text {
			t.Errorf("%q became %q", text, got)
		}
	}
}

// escapes writes a character the ways programs do.
func escapes() []func(r rune) string {
	each := func(format string) func(rune) string {
		return func(r rune) string {
			out := ""
			for _, b := range []byte(string(r)) {
				out += fmt.Sprintf(format, b)
			}
			return out
		}
	}
	return []func(r rune) string{
		func(r rune) string { return string(r) }, each("%%%02x"), each("%%%02X"), each(`\x%02x`),
		func(r rune) string { return fmt.Sprintf("&#%d;", r) }, func(r rune) string { return fmt.Sprintf("&#x%X;", r) },
		func(r rune) string { return fmt.Sprintf(`\U%08x`, r) },
		func(r rune) string {
			out := ""
			for _, unit := range utf16.Encode([]rune{r}) {
				out += fmt.Sprintf(`\u%04x`, unit)
			}
			return out
		},
	}
}

// TestRedactMixedEscapes: every character of a secret in another spelling, and all
// of it written into another text once more.
func TestRedactMixedEscapes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		secret := rapid.StringMatching(`[a-zA-Z0-9/+" ü😀=:-]{8,40}`).Draw(t, "secret")
		text := ""
		for _, c := range secret {
			text += rapid.SampledFrom(escapes()).Draw(t, "escape")(c)
		}
		for range rapid.IntRange(0, 2).Draw(t, "again") {
			switch rapid.IntRange(0, 2).Draw(t, "into") {
			case 0:
				quoted, _ := json.Marshal(text)
				text = string(quoted[1 : len(quoted)-1])
			case 1:
				text = url.PathEscape(text)
			case 2:
				text = html.EscapeString(text)
			}
		}
		r := guard.NewRedactor([]string{secret})
		if got := r.Redact("<" + text + ">"); got != "<[redacted]>" {
			t.Errorf("%q as %q: %q", secret, text, got)
		}
	})
}

func FuzzRedactEscaped(f *testing.F) {
	for _, seed := range []string{"", `wJalrXUtn\/K7MDENG+bPxRfi`, "wJalrXUtn%2fK7MDENG%252bbPxRfi", `\u{`, "&#x110000;", `\ud83d\u`, `%`, "&#", `\U1`, `wJalrXUtn/K7MDENG+bPxRfi\u002f`, `esc\apes%2f\u002fescapes`, "%c3", "%c3%c3%bc"} {
		f.Add(seed)
	}
	r := guard.NewRedactor([]string{shopKey, `%2f\u002fescapes`, `/escapes\`, "a1/b2"})
	f.Fuzz(func(t *testing.T, text string) {
		once := r.Redact(text)
		if twice := r.Redact(once); twice != once {
			t.Errorf("%q, and again %q", once, twice)
		}
		for _, escape := range []func(string) string{url.QueryEscape, url.PathEscape, html.EscapeString, func(s string) string { return strings.ReplaceAll(s, "/", `\/`) }} {
			if got := r.Redact(text + "\n" + escape(shopKey)); strings.Contains(got, escape(shopKey)) {
				t.Errorf("%q leaves %q", text, got)
			}
		}
	})
}
