package gateway

import (
	"strings"
	"testing"
)

// TestLinesThatAreNoMessages: one of them is answered, and the session goes on.
func TestLinesThatAreNoMessages(t *testing.T) {
	for line, want := range map[string]string{
		`{oops`: "-32700", `[]`: "-32600", `null`: "-32600", `5`: "-32600", `"x"`: "-32600", `{}`: "-32600", `{"jsonrpc":"1.0","id":1,"method":"ping"}`: "-32600",
		`[1]`: "-32600", `{"jsonrpc":"2.0","id":{},"method":"ping"}`: "-32600", `{"jsonrpc":"2.0","id":1,"method":5}`: "-32600",
		`{"jsonrpc":"2.0","id":1,"method":"ping"}`: "", `{"jsonrpc":"2.0","method":"notifications/initialized"}`: "", `{"jsonrpc":"2.0","id":1,"result":{}}`: "",
		`[{"jsonrpc":"2.0","id":1,"method":"ping"}]`: "",
	} {
		if got := faulty([]byte(line)); (got == "") != (want == "") || !strings.Contains(got, want) {
			t.Errorf("%s: %q, want %q", line, got, want)
		}
	}
}
