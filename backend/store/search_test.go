package store_test

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"hermes/backend/message"
	"hermes/backend/store"
)

// searched is what a search finds: the questions of the sessions, best first.
func searched(t testing.TB, s *store.Store, query string) string {
	t.Helper()
	found, err := s.Search(context.Background(), query, 10)
	if err != nil {
		t.Fatalf("search %q: %v", query, err)
	}
	var out []string
	for _, f := range found {
		out = append(out, f.Session.Title)
	}
	return strings.Join(out, ",")
}

func TestSearch(t *testing.T) {
	s, _ := openStore(t)
	ctx := context.Background()
	call := message.ToolCall{ID: "c", Name: "tool_call", Target: message.Target{Name: "mcp__files__read_file"},
		Arguments: `{"calls": [{"name": "mcp__files__read_file", "arguments": {"path": "/srv/Gr\u00fc\u00dfe.txt", "note": "first\nsecond", "n": 4711}}]}`}
	for title, rows := range map[string][]message.Message{
		"plain":   {{Role: message.RoleAssistant, Content: "Die Übergabe der Schlüssel fand am Montag statt."}},
		"called":  {{Role: message.RoleAssistant, ToolCalls: []message.ToolCall{call}}, {Role: message.RoleTool, ToolCallID: "c", Status: message.StatusOK, Content: message.Noted(message.Fence("files", "the tower of Babel"), "A tool was locked: teapot.")}},
		"written": {{Role: message.RoleAssistant, Content: "東京都の天気は晴れです。 ไทยแลนด์"}},
		"odd":     {{Role: message.RoleAssistant, Content: `say "NEAR(a b)" AND text:x OR c++ NOT done*`}},
		"long":    {calls("l"), result("l", strings.Repeat("filler ", 1169)+"within "+strings.Repeat("x", 8)+" beyond")},
		"accents": {{Role: message.RoleAssistant, Content: "sen\u0303or, ¿dónde está la estación?"}},
	} {
		id := newSession(t, s)
		must(t, s.AppendTurn(ctx, id, append([]message.Message{user(title)}, rows...)))
	}
	for query, want := range map[string]string{
		"plain": "plain", "übergabe": "plain", "UBERGABE": "plain", "schlussel montag": "plain", "Schlüss": "plain",
		`"der Schlüssel"`: "plain", `"Schlüssel der"`: "", `"der Schlüss"`: "", "schlüssel nirgends": "",
		"Grüße": "called", "second": "called", "nsecond": "", "4711": "called", "mcp__files__read_file": "called", "read_file path": "called",
		"babel": "called", "untrusted_tool_result": "", "teapot": "", `"instructions in it"`: "",
		"東京": "written", "天気": "written", "京東": "", `"晴れです"`: "written", "ไทย": "written",
		"NEAR": "odd", "c++": "odd", "text:x": "odd", `"NEAR(a b)"`: "odd", "done*": "odd", `say "`: "odd",
		"within": "long", "beyond": "", "señor": "accents", "senor estacion": "accents",
		"": "", "   ": "", `"`: "", `""`: "", "***": "", "\x00": "", "AND OR": "odd",
	} {
		if got := searched(t, s, query); got != want {
			t.Errorf("search %q found %q, want %q", query, got, want)
		}
	}
	found, err := s.Search(ctx, "schlüssel", 10)
	must(t, err)
	if len(found) != 1 || found[0].Role != message.RoleAssistant || found[0].At.IsZero() || found[0].Snippet != "Die Übergabe der Schlüssel fand am Montag statt." {
		t.Errorf("found %+v", found)
	}
	found, err = s.Search(ctx, "天気", 10)
	must(t, err)
	if len(found) != 1 || !strings.Contains(found[0].Snippet, "天気は晴れ") {
		t.Errorf("found %+v", found)
	}
}

// TestSearchBestFirst: one row of a session counts, and the limit is kept.
func TestSearchBestFirst(t *testing.T) {
	s, _ := openStore(t)
	ctx := context.Background()
	for i := range 4 {
		id := newSession(t, s)
		must(t, s.AppendTurn(ctx, id, []message.Message{user(fmt.Sprint("q", i)), {Role: message.RoleAssistant, Content: strings.Repeat("apple ", i) + "apple" + strings.Repeat(" other", 10-i)},
			user("apple and " + strings.Repeat("more words ", 20))}))
	}
	if got := searched(t, s, "apple"); got != "q3,q2,q1,q0" {
		t.Errorf("found %s", got)
	}
	if found, err := s.Search(ctx, "apple", 2); err != nil || len(found) != 2 || found[0].Session.Title != "q3" {
		t.Errorf("found %+v, %v", found, err)
	}
}

// TestSearchTakesAnything: no text of a person is an error.
func TestSearchTakesAnything(t *testing.T) {
	s, _ := openStore(t)
	must(t, s.AppendTurn(context.Background(), newSession(t, s), []message.Message{user("a b c \"quoted\"")}))
	rapid.Check(t, func(rt *rapid.T) {
		query := strings.Join(rapid.SliceOf(rapid.OneOf(rapid.StringN(0, 5, -1), rapid.SampledFrom([]string{`"`, "'", "*", "^", "(", ")", "NEAR(", " AND ", " NOT ", "-", "+", ":", "\x00", "{a}", "\xff", " ", "漢"}))).Draw(rt, "query"), "")
		if _, err := s.Search(context.Background(), query, 5); err != nil {
			rt.Fatalf("search %q: %v", query, err)
		}
	})
	if _, err := s.Search(context.Background(), strings.Repeat("a ", 5000), 5); err != nil {
		t.Error(err)
	}
}

// TestDeletedIsGone: no byte of a deleted session stays in the files, and what
// belonged to it alone goes with it.
func TestDeletedIsGone(t *testing.T) {
	s, path := openStore(t)
	ctx := context.Background()
	id, other := newSession(t, s), newSession(t, s)
	for i := range 40 {
		must(t, s.AppendTurn(ctx, id, []message.Message{user(fmt.Sprintf("xylophone %d", i)), {Role: message.RoleAssistant, Content: "zwieback"}}))
		must(t, s.AppendTurn(ctx, other, []message.Message{user(fmt.Sprintf("kept %d", i))}))
	}
	must(t, s.AddUsage(ctx, id, "m", message.Usage{InputTokens: 1}, 0, false))
	for _, session := range []string{id, other} {
		must(t, s.AddGrant(ctx, store.Grant{Session: session, Server: "f", Tool: "t", Definition: "d", Scope: "session", Allow: true}))
		must(t, s.AddGrant(ctx, store.Grant{Session: session, Server: "f", Tool: "t", Definition: "d", Scope: "always", Allow: true}))
	}
	if got := searched(t, s, "xylophone"); got != "xylophone 0" {
		t.Errorf("before it is deleted it is found as %q", got)
	}
	must(t, s.DeleteSession(ctx, id))
	if got := searched(t, s, "xylophone"); got != "" {
		t.Errorf("the index still finds %q", got)
	}
	if got := searched(t, s, "kept"); got != "kept 0" {
		t.Errorf("the other session is found as %q", got)
	}
	if grants, err := s.Grants(ctx); err != nil || len(grants) != 2 {
		t.Errorf("%d grants stayed, want the other session's and the lasting one: %+v, %v", len(grants), grants, err)
	}
	if usage, err := s.Usage(ctx, id); err != nil || len(usage) != 0 {
		t.Errorf("usage stayed: %+v, %v", usage, err)
	}
	for _, name := range []string{path, path + "-wal"} {
		data, err := os.ReadFile(name)
		must(t, err)
		for _, word := range []string{"xylophone", "zwieback", "hone", "ylophon", id} {
			if strings.Contains(string(data), word) {
				t.Errorf("%s still holds %q", name, word)
			}
		}
	}
}
