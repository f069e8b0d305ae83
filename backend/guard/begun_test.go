package guard

import (
	"encoding/base64"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// TestBegun: what is told of a text piece by piece never holds a secret, in whatever
// pieces it comes.
func TestBegun(t *testing.T) {
	secrets := []string{"dotenvsecret-4433", "dotenvsecret-4433-longer", "sec ret with spaces", "Ab-1", "äöüßäöü-secret"}
	r := NewRedactor(secrets).Exactly()
	rapid.Check(t, func(t *rapid.T) {
		parts := append([]string{"dotenv", "Ab-", "Ab-12", " ", "\n", "a", "ä", `dotenv\u0073ecret-4433`, "dotenvsecret%2d4433",
			base64.StdEncoding.EncodeToString([]byte("xdotenvsecret-4433"))}, secrets...)
		text := strings.Join(rapid.SliceOfN(rapid.SampledFrom(parts), 0, 12).Draw(t, "text"), "")
		said, held := "", ""
		for rest := text; rest != ""; {
			n := rapid.IntRange(1, min(7, len(rest))).Draw(t, "piece")
			held, rest = held+rest[:n], rest[n:]
			at := r.Begun(held)
			said, held = said+r.Redact(held[:at]), held[at:]
		}
		said += r.Redact(held)
		if left := r.Redact(said); left != said {
			t.Fatalf("%q is told of %q, which holds a secret", said, text)
		}
	})
	for text, want := range map[string]int{"": 0, "plain wordy": 11, "say dot": 4, "say dotenvsecret-4433": 4, "say dotenvsecret-4433 ": 22, "a Ab-1": 2, "a Ab-1 ": 7, `a\u00`: 0, `b a\u00`: 2} {
		if got := r.Begun(text); got != want {
			t.Errorf("%q: %d, want %d", text, got, want)
		}
	}
}
