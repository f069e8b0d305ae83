package desk

import (
	"slices"
	"testing"

	"hermes/backend/message"
)

// TestSaid: what the program says of a call is found in the text that is stored,
// wrapped or not; what a server answered says nothing of ours, whatever it reads.
func TestSaid(t *testing.T) {
	ours := message.CallNotStarted.Text()
	for _, c := range []struct {
		name  string
		event message.ResultEvent
		want  []string
	}{
		{"a server's own words", message.ResultEvent{Status: message.StatusOK, Content: ours}, nil},
		{"a server's error", message.ResultEvent{Status: message.StatusError, Content: ours}, nil},
		{"never started", message.ResultEvent{Status: message.StatusInterrupted, Content: ours}, []string{"call.not_started"}},
		{"locked, as JSON", message.ResultEvent{Status: message.StatusDenied, Content: `{"error": "the tool was locked before this call was sent; nothing was sent"}`}, []string{"call.locked"}},
		{"codes that came along", message.ResultEvent{Status: message.StatusDenied, Content: "x", Said: []message.Saying{{Code: "why.locked"}}}, []string{"why.locked"}},
		{"a hook's words", message.ResultEvent{Status: message.StatusBlocked, Content: "no"}, nil},
	} {
		var got []string
		for _, said := range resultSaid(c.event) {
			got = append(got, string(said.Code))
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
	event := chatView("s", message.Notice(message.ServerMissing, "git", "starting"), 0)
	if event.Text != "server git is not ready: starting; going on without it" || len(event.Said) != 2 || event.Said[0].Code != "server.missing" || event.Said[1].Code != "state.starting" {
		t.Errorf("%+v", event)
	}
}
