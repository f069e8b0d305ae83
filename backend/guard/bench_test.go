package guard

import (
	"fmt"
	"strings"
	"testing"

	"hermes/backend/message"
)

// largeTexts are results of 20 MB of the kinds that tools bring.
func largeTexts() map[string]string {
	const size = 20 << 20
	fill := func(unit func(i int) string) string {
		var out strings.Builder
		for i := 0; out.Len() < size; i++ {
			out.WriteString(unit(i))
		}
		return out.String()
	}
	return map[string]string{
		"letters": strings.Repeat("b", size),
		"prose": fill(func(i int) string {
			return fmt.Sprintf("Line %d of a log: the key of the request was refused, id=%d.\n", i, i*7)
		}),
		"json": fill(func(i int) string {
			return fmt.Sprintf(`{"id":%d,"name":"entry \"%d\"","path":"C:\\dir\\file","url":"https:\/\/example.org\/a?b=%d&c=1"},`, i, i, i)
		}),
		"twice": fill(func(i int) string {
			return fmt.Sprintf(`"{\"id\":%d,\"text\":\"say \\\"%d\\\" \\u003cb\\u003e\"}",`, i, i)
		}),
		"html": fill(func(i int) string {
			return fmt.Sprintf(`<a href="/p?q=%d&amp;r=%%2Fa%%20b">Number&nbsp;%d &lt;x&gt;</a>`, i, i)
		}),
		"foreign": fill(func(i int) string { return fmt.Sprintf("Zeile %d: Größe, 你好, emoji 😀\n", i) }),
		"ticks": fill(func(i int) string {
			return fmt.Sprintf("TOKEN_%d=short Bearer x sk-abc eyJ- :// untrusted note %d\n", i, i)
		}),
	}
}

// BenchmarkLargeResult is what a result of 20 MB costs on its way to the store.
func BenchmarkLargeResult(b *testing.B) {
	for name, text := range largeTexts() {
		b.Run(name, func(b *testing.B) {
			secrets := make([]string, 20)
			for i := range secrets {
				secrets[i] = fmt.Sprintf("s3cret-%d-value-%d", i, i*i)
			}
			redactor := NewRedactor(append(secrets, "ab1x"))
			for b.Loop() {
				turn := NewTurn(Options{Limits: DefaultLimits(), Session: "s", Dir: b.TempDir(), Redactor: redactor})
				out := turn.After(message.CallEvent{ID: "c", Name: "mcp__a__b", Server: "a"}, message.StatusOK, text)
				if len(out.Content) > 10_000 {
					b.Fatal(len(out.Content))
				}
			}
		})
	}
}
