package host

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"hermes/backend/approval"
	"hermes/backend/config"
	"hermes/backend/message"
)

// scripted is one call of the scripted model.
type scripted struct{ Name, Arguments string }

// scene is a home with two servers of the same tools, `web` that is not trusted
// and `notes` that is, a scripted model, and a person.
type scene struct {
	t    *testing.T
	home string
	web  *peer
	note *peer

	mu     sync.Mutex
	rounds [][]scripted // what the model calls in each pass; then it answers
	passes int
	model  string
}

// peer is one MCP server of the scene; sent are the calls that reached it.
type peer struct {
	mu          sync.Mutex
	sent        []string
	description string
	url         string
	did         func(tool, arguments string) // what a call brings about
}

func newPeer(t *testing.T) *peer {
	p := &peer{description: "one"}
	handler := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server {
		p.mu.Lock()
		defer p.mu.Unlock()
		server := mcp.NewServer(&mcp.Implementation{Name: "peer", Version: "1"}, nil)
		no := false
		for name, hints := range map[string]*mcp.ToolAnnotations{"send": nil, "read": {ReadOnlyHint: true, OpenWorldHint: &no}} {
			server.AddTool(&mcp.Tool{Name: name, Description: p.description, InputSchema: map[string]any{"type": "object"}, Annotations: hints},
				func(_ context.Context, request *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
					p.mu.Lock()
					defer p.mu.Unlock()
					p.sent = append(p.sent, name+" "+string(request.Params.Arguments))
					if p.did != nil {
						p.did(name, string(request.Params.Arguments))
					}
					return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "done"}}}, nil
				})
		}
		return server
	}, &mcp.StreamableHTTPOptions{Stateless: true, JSONResponse: true})
	listener := httptest.NewServer(handler)
	t.Cleanup(listener.Close)
	p.url = listener.URL
	return p
}

// took gives what arrived since it was asked last.
func (p *peer) took() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	slices.Sort(p.sent)
	out := strings.Join(p.sent, "; ")
	p.sent = nil
	return out
}

func newScene(t *testing.T) *scene {
	t.Helper()
	s := &scene{t: t, home: filepath.Join(t.TempDir(), "home"), web: newPeer(t), note: newPeer(t)}
	model := httptest.NewServer(http.HandlerFunc(s.answer))
	t.Cleanup(model.Close)
	s.model = model.URL
	if err := os.MkdirAll(s.home, 0o700); err != nil {
		t.Fatal(err)
	}
	s.file("")
	return s
}

// file writes the configuration, with more at its end.
func (s *scene) file(more string) {
	s.t.Helper()
	text := fmt.Sprintf("mcp_servers:\n  web: {url: %q, trust: untrusted}\n  notes: {url: %q}\nmodel: {provider: openai, default: scripted, base_url: %q, api_key: test-key-of-no-worth}\n%s", s.web.url, s.note.url, s.model, cmp.Or(more, "approvals: {timeout: 30}\n"))
	if err := os.WriteFile(filepath.Join(s.home, "config.yaml"), []byte(text), 0o600); err != nil {
		s.t.Fatal(err)
	}
}

// answer is the model.
func (s *scene) answer(w http.ResponseWriter, _ *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	w.Header().Set("Content-Type", "text/event-stream")
	event := func(choice map[string]any) {
		data, _ := json.Marshal(map[string]any{"choices": []any{choice}})
		fmt.Fprintf(w, "data: %s\n\n", data)
	}
	finish := "stop"
	if s.passes < len(s.rounds) {
		finish = "tool_calls"
		var calls []any
		for i, c := range s.rounds[s.passes] {
			calls = append(calls, map[string]any{"index": i, "id": fmt.Sprintf("c%d_%d", s.passes, i), "type": "function", "function": map[string]any{"name": c.Name, "arguments": c.Arguments}})
		}
		event(map[string]any{"index": 0, "delta": map[string]any{"tool_calls": calls}})
	} else {
		event(map[string]any{"index": 0, "delta": map[string]any{"content": "It is done."}})
	}
	s.passes++
	event(map[string]any{"index": 0, "delta": map[string]any{}, "finish_reason": finish})
	fmt.Fprint(w, "data: [DONE]\n\n")
}

// open starts the program on the home.
func (s *scene) open() *Host {
	s.t.Helper()
	h := New(Options{Home: config.Home{Dir: s.home}, Version: "test", Getenv: func(string) string { return "" }, Logger: slog.New(slog.DiscardHandler)})
	s.t.Cleanup(func() { _ = h.Close() }) // a test may have closed it before
	return h
}

// turn is what became of one question to the agent.
type turn struct {
	session  string
	statuses string
	contents []string
	cards    []approval.Question
}

// say runs a turn in which the model makes these calls, and answers every card
// with person; nil is nobody.
func (s *scene) say(h *Host, ask Turn, person func(approval.Question) approval.Answer, rounds ...[]scripted) turn {
	s.t.Helper()
	s.mu.Lock()
	s.rounds, s.passes = rounds, 0
	s.mu.Unlock()
	var out turn
	ctx, cancel := context.WithCancel(s.t.Context())
	var answering sync.WaitGroup
	if person != nil {
		leave := h.Attend()
		signals := h.Subscribe(ctx)
		answering.Go(func() {
			defer leave()
			for range signals {
				for _, q := range h.Questions() {
					if ok, err := h.Answer(q.ID, person(q)); err != nil {
						s.t.Errorf("answered %v, %v", ok, err)
					} else if ok {
						out.cards = append(out.cards, q)
					}
				}
			}
		})
	}
	ask.Text, ask.Wait = "go on", true
	statuses := map[string]string{}
	var order []string
	done, err := h.Ask(s.t.Context(), ask, func(session string, e message.Event) {
		out.session = session
		switch e.Type {
		case message.EventToolCall:
			order = append(order, e.Call.ID)
		case message.EventToolResult:
			statuses[e.Result.ID] = string(e.Result.Status)
			out.contents = append(out.contents, e.Result.Content)
		}
	})
	cancel()
	answering.Wait()
	if err != nil || done.StopReason != message.StopEnd {
		s.t.Fatalf("%+v %v", done, err)
	}
	for _, id := range order {
		out.statuses = strings.TrimSpace(out.statuses + " " + statuses[id])
	}
	return out
}

// all allows each entry of a card, for one scope or the longest that is offered.
func all(scope approval.Scope) func(approval.Question) approval.Answer {
	return func(q approval.Question) approval.Answer {
		answer := approval.Answer{Action: approval.ActionAccept}
		for _, c := range q.Calls {
			offered := scope
			if !slices.Contains(c.Scopes, scope) {
				offered = c.Scopes[len(c.Scopes)-1]
			}
			answer.Choices = append(answer.Choices, approval.Choice{Call: c.Call, Allow: true, Scope: offered})
		}
		return answer
	}
}

// never is a person who must not be asked.
func (s *scene) never(q approval.Question) approval.Answer {
	s.t.Errorf("a person was asked about %+v", q.Calls)
	return approval.Answer{Action: approval.ActionDecline}
}

func send(server, text string) scripted {
	return scripted{"mcp__" + server + "__send", `{"text":"` + text + `"}`}
}

// check wants the statuses of a turn and what reached the servers.
func (s *scene) check(what string, got turn, statuses, web, notes string) {
	s.t.Helper()
	if w, n := s.web.took(), s.note.took(); got.statuses != statuses || w != web || n != notes {
		s.t.Errorf("%s: %q, web got %q, notes got %q; want %q, %q, %q\n%s", what, got.statuses, w, n, statuses, web, notes, strings.Join(got.contents, "\n"))
	}
}

// audited lists the decisions that were kept, oldest first.
func (s *scene) audited(h *Host) string {
	s.t.Helper()
	sessions, err := h.Sessions()
	if err != nil {
		s.t.Fatal(err)
	}
	entries, err := sessions.AuditEntries(s.t.Context(), 100)
	if err != nil {
		s.t.Fatal(err)
	}
	var out []string
	for _, e := range slices.Backward(entries) {
		if e.Event == "approval" {
			out = append(out, e.Server+"/"+e.Tool+" "+e.Decision+" "+e.Reason)
		}
	}
	return strings.Join(out, "\n")
}

// TestCardOfABatch mixes the answers of one card; what needs nobody is not on it.
func TestCardOfABatch(t *testing.T) {
	s := newScene(t)
	h := s.open()
	got := s.say(h, Turn{}, func(q approval.Question) approval.Answer {
		return approval.Answer{Action: approval.ActionAccept, Choices: []approval.Choice{
			{Call: q.Calls[0].Call, Allow: true, Scope: approval.ScopeOnce}, {Call: q.Calls[1].Call, Reason: "not that one"}}}
	}, []scripted{send("web", "a"), send("notes", "b"), send("web", "c"), {"mcp__web__read", "{}"}})
	s.check("a mix", got, "ok ok denied denied", `send {"text":"a"}`, `send {"text":"b"}`)
	if len(got.cards) != 1 || len(got.cards[0].Calls) != 3 || got.cards[0].Session != got.session || got.cards[0].Server != "web" {
		t.Fatalf("%+v", got.cards)
	}
	entry := got.cards[0].Calls[0]
	if entry.Public != "mcp__web__send" || entry.Definition == "" || len(entry.Why) != 1 || entry.Why[0].Code != approval.WhyUntrusted || len(entry.Scopes) != 3 || !strings.Contains(entry.Why[0].Text, "config.yaml:2") {
		t.Errorf("%+v", entry)
	}
	if !strings.Contains(strings.Join(got.contents, "\n"), "A person denied this call and said: not that one.") {
		t.Errorf("the model was told %q", got.contents)
	}
	want := "web/send allow by a person; once; asked for untrusted\nweb/send deny by a person; asked for untrusted\nweb/read deny by a person; asked for untrusted"
	if audit := s.audited(h); audit != want {
		t.Errorf("audit:\n%s\nwant:\n%s", audit, want)
	}
	if grants, err := h.Grants(t.Context()); err != nil || len(grants) != 0 {
		t.Errorf("once left %+v, %v", grants, err)
	}
	s.check("nobody", s.say(h, Turn{}, nil, []scripted{send("web", "d"), send("notes", "e")}), "denied ok", "", `send {"text":"e"}`)
	if audit := s.audited(h); !strings.HasSuffix(audit, "web/send deny by nobody; asked for untrusted") {
		t.Error(audit)
	}
	s.check("yolo", s.say(h, Turn{Yolo: true}, s.never, []scripted{send("web", "f")}), "ok", `send {"text":"f"}`, "")
	if audit := s.audited(h); !strings.HasSuffix(audit, "web/send allow by yolo; asked for untrusted") {
		t.Error(audit)
	}
	s.file("approvals: {timeout: 0.05}\n")
	h.Reload()
	leave := h.Attend() // a face that shows cards to nobody
	defer leave()
	s.check("time", s.say(h, Turn{}, nil, []scripted{send("web", "g")}), "denied", "", "")
	if audit := s.audited(h); !strings.HasSuffix(audit, "web/send deny by timeout; asked for untrusted") {
		t.Error(audit)
	}
}

// TestGrantsHold follows a yes for good through a restart to each of its ends.
func TestGrantsHold(t *testing.T) {
	for name, test := range map[string]struct {
		change func(s *scene, h *Host)
		yolo   bool
		holds  bool
		status string
	}{
		"nothing changed": {func(*scene, *Host) {}, false, true, "ok"},
		"the definition changed": {func(s *scene, h *Host) {
			s.web.mu.Lock()
			s.web.description = "another"
			s.web.mu.Unlock()
		}, false, false, "denied"},
		"another program": {func(s *scene, _ *Host) {
			s.web.url += "/other"
			s.file("")
		}, false, false, "denied"},
		"a deny glob":            {func(s *scene, _ *Host) { s.file("approvals: {deny: [\"web:send\"]}\n") }, false, false, "blocked"},
		"a deny glob, with yolo": {func(s *scene, _ *Host) { s.file("approvals: {deny: [\"web:send\"]}\n") }, true, false, "blocked"},
		"revoked": {func(s *scene, h *Host) {
			grants, err := h.Grants(s.t.Context())
			if err != nil || len(grants) != 1 {
				s.t.Fatal(grants, err)
			}
			if err := h.RevokeGrants(s.t.Context(), grants[0].ID); err != nil {
				s.t.Fatal(err)
			}
		}, false, false, "denied"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newScene(t)
			h := s.open()
			first := s.say(h, Turn{}, all(approval.ScopeAlways), []scripted{send("web", "a")})
			s.check("the yes", first, "ok", `send {"text":"a"}`, "")
			s.check("the same program", s.say(h, Turn{}, s.never, []scripted{send("web", "b")}), "ok", `send {"text":"b"}`, "")
			if standing := h.Gated(t.Context(), "web", "send"); standing.Granted == 0 || standing.Refused != "" {
				t.Errorf("%+v", standing)
			}
			if standing := h.Gated(t.Context(), "web", "read"); standing.Granted != 0 || !strings.Contains(standing.Asks, "a person is asked") {
				t.Errorf("%+v", standing)
			}
			if err := h.Close(); err != nil {
				t.Fatal(err)
			}
			again := s.open()
			test.change(s, again)
			if err := again.Close(); err != nil {
				t.Fatal(err)
			}
			again = s.open()
			got := s.say(again, Turn{Yolo: test.yolo}, nil, []scripted{send("web", "c")})
			want := ""
			if test.holds {
				want = `send {"text":"c"}`
			}
			s.check("after a restart", got, test.status, want, "")
			result := again.GatewayTools().Call(t.Context(), "mcp__web__send", []byte(`{"text":"g"}`), nil)
			if result.IsError == test.holds {
				t.Errorf("the gateway: %+v", result)
			}
		})
	}
}

// TestTaint asks once more about what may harm after a result of a server that
// nobody vouches for, in that conversation alone, and still after a restart.
func TestTaint(t *testing.T) {
	s := newScene(t)
	h := s.open()
	first := s.say(h, Turn{}, all(approval.ScopeAlways), []scripted{send("notes", "a"), {"mcp__web__read", "{}"}}, []scripted{send("notes", "b"), {"mcp__notes__read", "{}"}})
	s.check("tainted by its own turn", first, "ok ok ok ok", "read {}", `read {}; send {"text":"a"}; send {"text":"b"}`)
	if len(first.cards) != 2 || len(first.cards[1].Calls) != 1 || first.cards[1].Calls[0].Why[0].Code != approval.WhyTainted || slices.Contains(first.cards[1].Calls[0].Scopes, approval.ScopeAlways) {
		t.Fatalf("%+v", first.cards)
	}
}

// TestTaintOfASibling: the calls of one answer were made before any of them had a
// result, so none of them taints another.
func TestTaintOfASibling(t *testing.T) {
	s := newScene(t)
	h := s.open()
	s.check("the yes", s.say(h, Turn{}, all(approval.ScopeAlways), []scripted{send("web", "a")}), "ok", `send {"text":"a"}`, "")
	var batch []scripted
	for range 5 {
		batch = append(batch, send("web", "b"))
	}
	got := s.say(h, Turn{}, s.never, append(batch, send("notes", "c")))
	s.check("one answer", got, "ok ok ok ok ok ok", strings.Repeat(`send {"text":"b"}; `, 4)+`send {"text":"b"}`, `send {"text":"c"}`)
}

// TestTaintLasts: a conversation that is taken up again still holds the result.
func TestTaintLasts(t *testing.T) {
	s := newScene(t)
	h := s.open()
	first := s.say(h, Turn{}, all(approval.ScopeOnce), []scripted{{"mcp__web__read", "{}"}})
	s.check("the result", first, "ok", "read {}", "")
	if err := h.Close(); err != nil {
		t.Fatal(err)
	}
	h = s.open()
	second := s.say(h, Turn{Session: first.session}, all(approval.ScopeSession), []scripted{send("notes", "a")}, []scripted{send("notes", "b")})
	s.check("taken up again", second, "ok ok", "", `send {"text":"a"}; send {"text":"b"}`)
	if len(second.cards) != 1 {
		t.Errorf("asked %d times, want once", len(second.cards))
	}
	s.check("another conversation", s.say(h, Turn{}, s.never, []scripted{send("notes", "c")}), "ok", "", `send {"text":"c"}`)
	s.check("with yolo", s.say(h, Turn{Session: first.session, Yolo: true}, s.never, []scripted{send("notes", "d")}), "ok", "", `send {"text":"d"}`)
}

// TestOwnFilesAsk: a call that names files of ours asks whatever else holds.
func TestOwnFilesAsk(t *testing.T) {
	s := newScene(t)
	h := s.open()
	path := filepath.Join(s.home, "config.yaml")
	got := s.say(h, Turn{Yolo: true}, all(approval.ScopeOnce), []scripted{send("notes", path)})
	s.check("a yes", got, "ok", "", `send {"text":"`+path+`"}`)
	if len(got.cards) != 1 || !slices.Equal(got.cards[0].Calls[0].Scopes, []approval.Scope{approval.ScopeOnce}) || got.cards[0].Calls[0].Why[0].Code != approval.WhyOwnFiles {
		t.Errorf("%+v", got.cards)
	}
	s.check("nobody", s.say(h, Turn{Yolo: true}, nil, []scripted{send("notes", path)}), "denied", "", "")
	if result := h.GatewayTools().Call(t.Context(), "mcp__notes__send", []byte(`{"text":"`+path+`"}`), nil); !result.IsError {
		t.Errorf("the gateway: %+v", result)
	}
	s.check("the gateway", turn{}, "", "", "")
}

// TestSecretsOnACard are not shown, and the call is made with them.
func TestSecretsOnACard(t *testing.T) {
	s := newScene(t)
	h := s.open()
	secret := "test-key-of-no-worth"
	got := s.say(h, Turn{}, all(approval.ScopeOnce), []scripted{send("web", secret)})
	s.check("sent as it is", got, "ok", `send {"text":"`+secret+`"}`, "")
	if shown := got.cards[0].Calls[0].Arguments; strings.Contains(shown, secret) || !strings.Contains(shown, `{"text":"`) {
		t.Errorf("the card shows %q", shown)
	}
}

// TestLockedWhileAPersonReads takes one entry from an open card; the yes to the
// other counts.
func TestLockedWhileAPersonReads(t *testing.T) {
	s := newScene(t)
	h := s.open()
	got := s.say(h, Turn{}, func(q approval.Question) approval.Answer {
		if len(q.Calls) == 2 {
			s.file("")
			text, err := os.ReadFile(filepath.Join(s.home, "config.yaml"))
			if err != nil {
				t.Error(err)
			}
			locked := strings.Replace(string(text), "trust: untrusted}", "trust: untrusted, tools: {include: [read]}}", 1)
			if err := os.WriteFile(filepath.Join(s.home, "config.yaml"), []byte(locked), 0o600); err != nil {
				t.Error(err)
			}
			h.Reload()
		}
		return all(approval.ScopeOnce)(q)
	}, []scripted{send("web", "a"), {"mcp__web__read", "{}"}})
	s.check("one was locked", got, "denied ok", "read {}", "")
}
