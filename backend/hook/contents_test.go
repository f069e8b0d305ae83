package hook_test

import (
	"bytes"
	"os"
	"strings"
	"testing"
)

// TestContents: what is shown of a long file ends with a whole character, and a
// file that is no text is named alone, whatever stands in it.
func TestContents(t *testing.T) {
	long := strings.Repeat("x", 199_999)
	for name, c := range map[string]struct {
		data []byte
		text string
		cut  bool
	}{
		"short":                {[]byte("x = 1\n"), "x = 1\n", false},
		"long":                 {[]byte(long + "xyz"), long + "x", true},
		"within a character":   {[]byte(long + "\u20acxyz"), long, true},
		"behind a character":   {[]byte(long[3:] + "x\u20acxyz"), long[3:] + "x\u20ac", true},
		"nothing but the rest": {bytes.Repeat([]byte{0x80}, 300_000), "", false},
		"a zero byte":          {[]byte("x\x00y"), "", false},
	} {
		t.Run(name, func(t *testing.T) {
			h := newHome(t)
			rule := h.pre("guard.sh", "exit 0")
			if err := os.WriteFile(h.path("rules"), c.data, 0o600); err != nil {
				t.Fatal(err)
			}
			rule.Command += " " + h.path("rules")
			_, contents := h.runner(rule).Contents(rule)
			last := contents[len(contents)-1]
			if last.Path != h.path("rules") || last.Text != c.text || last.Cut != c.cut {
				t.Errorf("%s: %d bytes, cut %v; want %d, %v", last.Path, len(last.Text), last.Cut, len(c.text), c.cut)
			}
		})
	}
}
