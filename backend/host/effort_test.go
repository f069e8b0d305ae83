package host

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"hermes/backend/message"
)

// The level of the file reaches the model, that of a message goes before it, and
// without one the request is what it was. A refusal is told in the conversation.
func TestReasoningReachesTheModel(t *testing.T) {
	var mu sync.Mutex
	var bodies []string
	refuses := ""
	model := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		raw, _ := io.ReadAll(r.Body)
		mu.Lock()
		defer mu.Unlock()
		bodies = append(bodies, string(raw))
		if refuses != "" && strings.Contains(string(raw), refuses) {
			http.Error(w, `{"error":{"message":"Unrecognized request argument supplied: `+refuses+`"}}`, http.StatusBadRequest)
			return
		}
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"ok\"}}]}\n\ndata: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n")
	}))
	t.Cleanup(model.Close)
	s := &scene{t: t, home: filepath.Join(t.TempDir(), "home")}
	if err := os.MkdirAll(s.home, 0o700); err != nil {
		t.Fatal(err)
	}
	ask := func(h *Host, turn Turn) (sent []string, notices string) {
		mu.Lock()
		bodies = nil
		mu.Unlock()
		turn.Text = "go"
		if _, err := h.Ask(t.Context(), turn, func(_ string, e message.Event) {
			if e.Type == message.EventNotice && len(e.Said) == 1 && e.Said[0].Code == message.EffortRefused {
				notices += e.Text + "\n"
			}
		}); err != nil {
			t.Fatal(err)
		}
		mu.Lock()
		defer mu.Unlock()
		return bodies, notices
	}
	open := func(agent string) *Host {
		text := fmt.Sprintf("model: {provider: custom, default: m-1, base_url: %q}\n%s", model.URL+"/v1", agent)
		if err := os.WriteFile(filepath.Join(s.home, "config.yaml"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return s.open()
	}
	for _, c := range []struct{ agent, effort, want string }{
		{"", "", ""},
		{"agent: {reasoning_effort: high}\n", "", "high"},
		{"agent: {reasoning_effort: high}\n", "none", "none"},
		{"agent: {reasoning_effort: hihg}\n", "", ""},
		{"agent: {reasoning_effort: high, reasoning_overrides: {acme/m.1: low}}\n", "", "low"},
	} {
		h := open(c.agent)
		sent, _ := ask(h, Turn{Effort: c.effort})
		_, after, there := strings.Cut(sent[0], `"reasoning_effort":"`)
		if level, _, _ := strings.Cut(after, `"`); len(sent) != 1 || level != c.want || there != (c.want != "") {
			t.Errorf("%q with %q: level %q in %s", c.agent, c.effort, level, sent[0])
		}
		if err := h.Close(); err != nil {
			t.Error(err)
		}
	}
	refuses = "reasoning_effort"
	sent, notices := ask(open("agent: {reasoning_effort: high}\n"), Turn{})
	if len(sent) != 2 || strings.Contains(sent[1], refuses) || !strings.Contains(notices, `does not take the level of reasoning "high"`) {
		t.Errorf("%d requests, told %q", len(sent), notices)
	}
}
