package main

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// gatewayGuard is a hook that decides by a word among the arguments.
const gatewayGuard = `#!/bin/sh
read -r line
printf '%s\n' "$line" >> "$HOME/asked"
case $line in
*'"word":"block"'*) echo '{"action": "block", "message": "not this one"}' ;;
*'"word":"ask"'*) echo '{"action": "ask", "message": "somebody should look"}' ;;
*'"word":"change"'*) echo '{"action": "modify", "args": {"checked": true}}' ;;
*'"word":"break"'*) echo '{"action": "modify", "args": {"n": "no number"}}' ;;
*'"word":"die"'*) kill -9 $$ ;;
esac
`

// told are the calls post_tool_call hooks heard of: id and status.
func told(t *testing.T, file string) (ids map[string]int, statuses []string) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	ids = map[string]int{}
	for line := range strings.Lines(string(text)) {
		var event struct {
			Session string `json:"session_id"`
			Extra   struct {
				ID     string `json:"tool_call_id"`
				Status string
			}
		}
		if err := json.Unmarshal([]byte(line), &event); err != nil || event.Session != "gateway" || event.Extra.ID == "" {
			t.Fatalf("a hook read %s: %v", line, err)
		}
		ids[event.Extra.ID]++
		statuses = append(statuses, event.Extra.Status)
	}
	return ids, statuses
}

// TestGatewayHooks has a foreign client behind hooks: without consent every call is
// refused; one that asks a person refuses, because there is none; a script that
// changes while the gateway runs counts no more; whoever only watches is told of
// each call once.
func TestGatewayHooks(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(t.Context(), 90*time.Second)
	defer cancel()
	s := newTurnStage(t, "hooks:\n  pre_tool_call:\n    - {matcher: mcp__desk__add, command: \"~/guard.sh\"}\n  post_tool_call:\n    - {command: \"~/note.sh\"}\n")
	guard, note := filepath.Join(s.dir, "guard.sh"), filepath.Join(s.dir, "note.sh")
	for path, text := range map[string]string{guard: gatewayGuard, note: "#!/bin/sh\nread -r line\nprintf '%s\\n' \"$line\" >> \"$HOME/told\"\n"} {
		writeFile(t, path, text)
		if err := os.Chmod(path, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	trust := func(name string) {
		t.Helper()
		if said, code := s.hermes(ctx, "hooks", "trust", name); code != 0 {
			t.Fatal(said)
		}
	}
	program := hermes(ctx, s.home, "mcp", "gateway")
	session, err := mcp.NewClient(&mcp.Implementation{Name: "foreign", Version: "1"}, nil).Connect(ctx, &mcp.CommandTransport{Command: program}, nil)
	if err != nil {
		t.Fatal(err)
	}
	calls := 0
	call := func(tool, word, refusal string) {
		t.Helper()
		calls++
		before := len(s.did(tool))
		result, err := session.CallTool(ctx, &mcp.CallToolParams{Name: "mcp__desk__" + tool, Arguments: map[string]any{"n": calls, "word": word}})
		if err != nil {
			t.Fatal(err)
		}
		text, _ := json.Marshal(result.Content)
		ran := len(s.did(tool)) - before
		if refusal == "" && (result.IsError || ran != 1) || refusal != "" && (!result.IsError || ran != 0 || !strings.Contains(string(text), refusal)) {
			t.Fatalf("%s %s: ran %d times, error %v, want %q: %s", tool, word, ran, result.IsError, refusal, text)
		}
	}

	call("add", "free", "hermes hooks trust") // nobody trusts the hook
	call("look", "free", "")                  // none has a word on this one
	trust("guard.sh")
	trust("note.sh") // from here on each call is told
	first := calls
	call("add", "free", "")
	call("add", "block", "not this one")
	call("add", "ask", "nobody can be asked behind the gateway")
	call("add", "change", "")
	call("add", "break", "a hook changed the arguments of this call, and then it was refused")
	call("add", "die", "failed closed")
	call("look", "block", "")
	if got := s.did("add"); !strings.Contains(got[len(got)-1], `"checked":true`) {
		t.Errorf("the change of the hook did not arrive: %s", got)
	}
	writeFile(t, guard, gatewayGuard+"# edited\n")
	call("add", "free", "is not what was trusted")
	trust("guard.sh")
	call("add", "free", "")
	if said, code := s.hermes(ctx, "hooks", "revoke", "guard.sh"); code != 0 {
		t.Fatal(said)
	}
	call("add", "free", "has nobody's consent")

	if err := session.Close(); err != nil {
		t.Error(err)
	}
	ids, statuses := told(t, filepath.Join(s.dir, "told"))
	if len(ids) != calls-first || len(statuses) != calls-first {
		t.Errorf("of %d calls hooks were told %v %q", calls-first, ids, statuses)
	}
	if got, want := strings.Join(statuses, " "), "ok blocked blocked ok blocked blocked ok blocked ok blocked"; !sameWords(got, want) {
		t.Errorf("hooks were told %q, want %q", got, want)
	}
	s.allGone(ctx)
}

// sameWords compares texts whose words may come in any order: watchers run side
// by side.
func sameWords(a, b string) bool {
	count := map[string]int{}
	for _, word := range strings.Fields(a) {
		count[word]++
	}
	for _, word := range strings.Fields(b) {
		count[word]--
	}
	for _, n := range count {
		if n != 0 {
			return false
		}
	}
	return true
}
