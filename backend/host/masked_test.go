package host

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hermes/backend/message"
)

// TestShownWithoutSecrets: what a turn tells, in whatever pieces a secret is streamed,
// and what is shown of it later holds no known secret; what is stored, and what the
// server gets, is as it was said.
func TestShownWithoutSecrets(t *testing.T) {
	const secret = "dotenvsecret-4433"
	s := newScene(t)
	said := []string{"I say dot", "env", "secret-44", "33 and dotenv", "secret", "-other"}
	passes := 0
	model := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		finish := "stop"
		if passes++; passes == 1 {
			finish = "tool_calls"
			fmt.Fprintf(w, "data: {\"choices\":[{\"index\":0,\"delta\":{\"tool_calls\":[{\"index\":0,\"id\":\"c1\",\"type\":\"function\",\"function\":{\"name\":\"mcp__notes__send\",\"arguments\":%q}}]}}]}\n\n", `{"text":"`+secret+`"}`)
		} else {
			for _, piece := range said {
				fmt.Fprintf(w, "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":%q}}]}\n\n", piece)
			}
		}
		fmt.Fprintf(w, "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":%q}]}\n\ndata: [DONE]\n\n", finish)
	}))
	defer model.Close()
	s.model = model.URL
	s.file("")
	if err := os.WriteFile(filepath.Join(s.home, ".env"), []byte("MY_TOKEN="+secret+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	h := s.open()
	streamed, told, last := "", "", ""
	done, err := h.Ask(t.Context(), Turn{Text: "use " + secret, Wait: true}, func(_ string, e message.Event) {
		if e.Type == message.EventText && e.Provisional {
			streamed += e.Text
		} else if e.Type == message.EventText {
			last = e.Text
		}
		told += fmt.Sprintf("%+v\n", e)
	})
	if err != nil {
		t.Fatal(err)
	}
	want := "I say [redacted] and dotenvsecret-other"
	if streamed != want || last != want || strings.Contains(told, secret) || !strings.Contains(told, `{"text":"[redacted]"}`) {
		t.Errorf("streamed %q, then %q, of\n%s", streamed, last, told)
	}
	if got := s.note.took(); got != `send {"text":"`+secret+`"}` {
		t.Errorf("the server got %s", got)
	}
	events, err := h.Replay(t.Context(), done.Session)
	shown := fmt.Sprintf("%+v", events)
	if err != nil || strings.Contains(shown, secret) || strings.Count(shown, "[redacted]") < 3 {
		t.Errorf("%s, %v", shown, err)
	}
	sessions, err := h.Sessions()
	if err != nil {
		t.Fatal(err)
	}
	rows, err := sessions.Rows(t.Context(), done.Session)
	if stored := fmt.Sprintf("%+v", rows); err != nil || strings.Count(stored, secret) < 3 {
		t.Errorf("not as it was said: %s, %v", stored, err)
	}
	for text, want := range map[string]string{"use dotenvsec": "use …", "use dotenvsec…": "use …", "use it…": "use it…", secret + " is": "[redacted] is"} {
		if got := h.MaskCut(text); got != want {
			t.Errorf("a title that was cut: %q, want %q", got, want)
		}
	}
}
