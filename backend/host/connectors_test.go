package host

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"hermes/backend/approval"
	"hermes/backend/config"
	"hermes/backend/message"
)

const gateToken = "token-of-the-connectors-gateway"

// gatePeer is a connectors gateway; sent are the calls that reached it, in order.
type gatePeer struct {
	mu   sync.Mutex
	url  string
	sent []string
	// at is called while a call is at the gateway.
	at func(tool string)
	// description is what list says of mail__send, required what it needs; without a
	// description it knows no tool.
	description, required string
	// listed counts the requests for descriptions; mute refuses them.
	listed       int
	broken, mute bool
}

func newGatePeer(t *testing.T) *gatePeer {
	p := &gatePeer{description: "Sends mail.", at: func(string) {}}
	server := httptest.NewServer(http.HandlerFunc(p.answer))
	t.Cleanup(server.Close)
	p.url = server.URL
	return p
}

func (p *gatePeer) answer(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	if r.Header.Get("Authorization") != "Bearer "+gateToken {
		w.WriteHeader(http.StatusUnauthorized)
		return
	}
	var asked struct {
		Name      string          `json:"name"`
		Names     []string        `json:"names"`
		Queries   []string        `json:"queries"`
		Arguments json.RawMessage `json:"arguments"`
	}
	_ = json.Unmarshal(body, &asked)
	p.mu.Lock()
	at, description, required, broken, mute := p.at, p.description, p.required, p.broken, p.mute
	switch r.URL.Path {
	case "/list":
		p.listed++
	case "/search":
		p.sent = append(p.sent, "search "+strings.Join(asked.Queries, ","))
	default:
		p.sent = append(p.sent, strings.TrimPrefix(r.URL.Path, "/")+" "+asked.Name+string(asked.Arguments))
	}
	p.mu.Unlock()
	switch r.URL.Path {
	case "/search":
		if broken {
			w.WriteHeader(http.StatusBadGateway)
			return
		}
		_, _ = fmt.Fprintf(w, `{"results":[%s]}`, strings.TrimSuffix(strings.Repeat(`{"tools":[{"name":"connectors__mail__send","description":"Sends mail."},{"name":"mcp__web__send"}]},`, len(asked.Queries)), ","))
	case "/list":
		switch {
		case mute:
			w.WriteHeader(http.StatusBadGateway)
		case description == "":
			_, _ = io.WriteString(w, `{"tools":[]}`)
		default:
			_, _ = fmt.Fprintf(w, `{"tools":[{"name":"connectors__mail__send","description":%q,"parameters":{"type":"object","properties":{"to":{"type":"string"}},"required":[%s]}}]}`, description, required)
		}
	case "/execute":
		at(asked.Name)
		switch asked.Name {
		case "connectors__mail__lost":
			_, _ = io.WriteString(w, `{"error":{"code":"CONNECTION_REQUIRED","message":"connect mail first","connector":"mail","hint":"open the gateway"}}`)
		case "connectors__mail__garbled":
			_, _ = io.WriteString(w, `{"response":`)
		case "connectors__mail__leak":
			_, _ = io.WriteString(w, `{"response":"`+r.Header.Get("Authorization")+`"}`)
		default:
			_, _ = fmt.Fprintf(w, `{"response":{"echo":%s},"account":"me@mail","success_count":99}`, asked.Arguments)
		}
	}
}

func (p *gatePeer) took() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	out := strings.Join(p.sent, "; ")
	p.sent = nil
	return out
}

// batch is a tool_call of several entries.
func batch(entries ...string) scripted {
	var calls []string
	for _, entry := range entries {
		name, arguments, _ := strings.Cut(entry, " ")
		calls = append(calls, fmt.Sprintf(`{"name":%q,"arguments":%s}`, name, arguments))
	}
	return scripted{message.NameToolCall, `{"calls":[` + strings.Join(calls, ",") + `]}`}
}

// dispatched reads the answer to a dispatch.
func dispatched(t *testing.T, content string) hostedAnswer {
	t.Helper()
	var out hostedAnswer
	if err := json.Unmarshal([]byte(message.Unfence(content)), &out); err != nil {
		t.Fatalf("%v: %s", err, content)
	}
	return out
}

// told is each entry's answer in short.
func (a hostedAnswer) told() string {
	var out []string
	for i, r := range a.Results {
		text := string(r.Response)
		if r.Error != nil {
			text = r.Error.Code
		}
		if r.Index != i {
			text += "!"
		}
		out = append(out, text)
	}
	return fmt.Sprintf("%s (%d %d %d)", strings.Join(out, " "), a.Success, a.Errors, a.Total)
}

func connectorScene(t *testing.T, more string) (*scene, *gatePeer, *Host) {
	s, p := newScene(t), newGatePeer(t)
	s.file(fmt.Sprintf("connectors: {url: %q, token: '${GATE_TOKEN}', trust: full}\n%s", p.url, more))
	return s, p, s.connected()
}

// connected starts the program with the token in its environment.
func (s *scene) connected() *Host {
	h := New(Options{Home: config.Home{Dir: s.home}, Version: "test", Logger: slog.New(slog.DiscardHandler), Getenv: func(name string) string {
		if name == "GATE_TOKEN" {
			return gateToken
		}
		return ""
	}})
	s.t.Cleanup(func() { _ = h.Close() })
	return h
}

// TestDispatch: one call, one request for each entry in order, each answer at its
// place, and counters of our own.
func TestDispatch(t *testing.T) {
	s, p, h := connectorScene(t, "")
	got := s.say(h, Turn{}, s.never, []scripted{batch(`connectors__mail__send {"n":1}`, `connectors__mail__lost {}`, `connectors__nonsense {}`, `connectors__mail__garbled {}`, `connectors__mail__send {"n":2}`)})
	answer := dispatched(t, got.contents[0])
	if answer.told() != `{"echo":{"n":1}} CONNECTION_REQUIRED TOOL_NOT_FOUND PROVIDER_ERROR {"echo":{"n":2}} (2 3 5)` || got.statuses != "unknown" {
		t.Errorf("%s: %s", got.statuses, answer.told())
	}
	if e := answer.Results[1].Error; e.Connector != "mail" || e.Hint != "open the gateway" || answer.Results[0].Account != "me@mail" {
		t.Errorf("%s", got.contents[0])
	}
	if sent := p.took(); sent != `execute connectors__mail__send{"n":1}; execute connectors__mail__lost{}; execute connectors__mail__garbled{}; execute connectors__mail__send{"n":2}` {
		t.Errorf("sent %s", sent)
	}
}

func TestDispatchShapes(t *testing.T) {
	s, p, h := connectorScene(t, "")
	eleven := make([]string, 11)
	for i := range eleven {
		eleven[i] = `connectors__mail__send {}`
	}
	got := s.say(h, Turn{}, s.never, []scripted{batch(eleven...), {"connectors__mail__send", `{"direct":1}`}, batch(`connectors__mail__send {"single":1}`), batch(`connectors__mail__send {"mixed":1}`, `mcp__notes__send {"text":"x"}`)})
	if got.statuses != "error ok ok ok ok" || !strings.Contains(got.contents[0], "too many calls: 11 > max 10") {
		t.Errorf("%s\n%s", got.statuses, strings.Join(got.contents, "\n"))
	}
	for i, want := range []string{"", `{"echo":{"direct":1}} (1 0 1)`, `{"echo":{"single":1}} (1 0 1)`, `{"echo":{"mixed":1}} (1 0 1)`} {
		if want != "" && !slices.ContainsFunc(got.contents[1:], func(c string) bool { return strings.Contains(c, "results") && dispatched(t, c).told() == want }) {
			t.Errorf("%d: nothing is %s: %s", i, want, strings.Join(got.contents, "\n"))
		}
	}
	sent := strings.Split(p.took(), "; ")
	slices.Sort(sent)
	if strings.Join(sent, "; ") != `execute connectors__mail__send{"direct":1}; execute connectors__mail__send{"mixed":1}; execute connectors__mail__send{"single":1}` || s.note.took() != `send {"text":"x"}` {
		t.Errorf("sent %s", sent)
	}
}

// TestDispatchStopped: what was not sent when the turn stops is never sent and
// says so; what is at the gateway may have happened.
func TestDispatchStopped(t *testing.T) {
	s, p, h := connectorScene(t, "")
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	var count atomic.Int32
	p.at = func(string) {
		if count.Add(1) == 2 {
			stop()
		}
	}
	s.rounds = [][]scripted{{batch(`connectors__mail__send {"n":1}`, `connectors__mail__send {"n":2}`, `connectors__mail__send {"n":3}`, `connectors__mail__send {"n":4}`)}}
	var result message.ResultEvent
	if _, err := h.Ask(ctx, Turn{Text: "go on", Wait: true}, func(_ string, e message.Event) {
		if e.Type == message.EventToolResult {
			result = e.Result
		}
	}); err != nil {
		t.Fatal(err)
	}
	answer := dispatched(t, result.Content)
	if sent := p.took(); strings.Contains(sent, `"n":3`) || strings.Contains(sent, `"n":4`) {
		t.Errorf("sent %s", sent)
	}
	told := answer.told()
	// The second answer may have come before the end of the connection was seen.
	if told != `{"echo":{"n":1}} PROVIDER_ERROR INTERRUPTED INTERRUPTED (1 3 4)` && told != `{"echo":{"n":1}} {"echo":{"n":2}} INTERRUPTED INTERRUPTED (2 2 4)` {
		t.Errorf("%s", told)
	}
}

// TestDispatchOnACard: each entry has its line, and a no touches one of them.
func TestDispatchOnACard(t *testing.T) {
	s, p := newScene(t), newGatePeer(t)
	p.description = ""
	s.file(fmt.Sprintf("connectors: {url: %q, token: '${GATE_TOKEN}'}\n", p.url))
	h := s.connected()
	person := func(q approval.Question) approval.Answer {
		answer := approval.Answer{Action: approval.ActionAccept}
		for i, c := range q.Calls {
			answer.Choices = append(answer.Choices, approval.Choice{Call: c.Call, Allow: i != 1, Scope: approval.ScopeOnce, Reason: "not that one"})
		}
		return answer
	}
	got := s.say(h, Turn{}, person, []scripted{batch(`connectors__mail__send {"n":1}`, `connectors__mail__send {"n":2}`, `connectors__mail__send {"n":3}`), send("web", "a")})
	answer := dispatched(t, got.contents[slices.IndexFunc(got.contents, func(c string) bool { return strings.Contains(c, "results") })])
	if answer.told() != `{"echo":{"n":1}} DENIED {"echo":{"n":3}} (2 1 3)` || !strings.Contains(answer.Results[1].Error.Message, "not that one") {
		t.Errorf("%s: %+v", answer.told(), answer.Results[1].Error)
	}
	if len(got.cards) != 1 || len(got.cards[0].Calls) != 4 || got.cards[0].Calls[0].Why[0].Code != approval.WhyUntrusted {
		t.Fatalf("%+v", got.cards)
	}
	if scopes := got.cards[0].Calls[0].Scopes; len(scopes) != 1 {
		t.Errorf("a yes for more than a call to a tool nobody described: %v", scopes)
	}
	if sent := p.took(); sent != `execute connectors__mail__send{"n":1}; execute connectors__mail__send{"n":3}` {
		t.Errorf("sent %s", sent)
	}
	// Nobody is there.
	got = s.say(h, Turn{}, nil, []scripted{batch(`connectors__mail__send {"n":1}`, `connectors__mail__send {"n":2}`)})
	if answer = dispatched(t, got.contents[0]); answer.told() != "DENIED DENIED (0 2 2)" || got.statuses != "denied" || p.took() != "" {
		t.Errorf("%s: %s", got.statuses, answer.told())
	}
}

// TestAlwaysForAConnector: a yes for good is bound to what the gateway said of the
// tool.
func TestAlwaysForAConnector(t *testing.T) {
	s, p := newScene(t), newGatePeer(t)
	p.required = `"to"`
	s.file(fmt.Sprintf("connectors: {url: %q, token: '${GATE_TOKEN}'}\n", p.url))
	h := s.connected()
	describe := scripted{message.NameToolDescribe, `{"names":["connectors__mail__send"]}`}
	call := batch(`connectors__mail__send {"to":"x"}`)
	if got := s.say(h, Turn{}, all(approval.ScopeAlways), []scripted{describe}, []scripted{call}); len(got.cards) != 1 || len(got.cards[0].Calls[0].Scopes) != 3 {
		t.Fatalf("%+v", got)
	}
	s.say(h, Turn{}, s.never, []scripted{call})
	grants, err := h.Grants(t.Context())
	if err != nil || len(grants) != 1 || h.GrantVoid(grants[0]) != "" {
		t.Fatalf("%+v, %v", grants, err)
	}
	grants[0].Identity = hostedIdentity + "another"
	if void := h.GrantVoid(grants[0]); !strings.Contains(void, "another address") {
		t.Errorf("void: %q", void)
	}
	p.mu.Lock()
	p.description = "Sends mail and keeps a copy."
	p.mu.Unlock()
	if got := s.say(h, Turn{}, all(approval.ScopeOnce), []scripted{describe}, []scripted{call}); len(got.cards) != 1 {
		t.Errorf("a changed tool is not asked about: %+v", got)
	}
	// What was described is checked here.
	p.took()
	got := s.say(h, Turn{}, s.never, []scripted{batch(`connectors__mail__send {}`)})
	if answer := dispatched(t, got.contents[0]); answer.told() != "TOOL_ERROR (0 1 1)" || !strings.Contains(answer.Results[0].Error.Message, "missing required argument(s): to") || p.took() != "" {
		t.Errorf("%s", got.contents[0])
	}
}

// TestFirstCallIsChecked: arguments are checked by the gateway's schema before a tool
// was ever described; it is asked once for all entries, and never about one that is
// forbidden. Where it does not say, nothing is sent.
func TestFirstCallIsChecked(t *testing.T) {
	s, p, h := connectorScene(t, "approvals: {deny: ['*secret-place*']}\n")
	p.required = `"to"`
	call := batch(`connectors__mail__send {}`, `connectors__mail__send {"to":7}`, `connectors__mail__send {"to":"x"}`, `connectors__mail__lost {}`)
	for range 2 {
		got := s.say(h, Turn{}, s.never, []scripted{call})
		answer := dispatched(t, got.contents[0])
		if answer.told() != `TOOL_ERROR TOOL_ERROR {"echo":{"to":"x"}} CONNECTION_REQUIRED (1 3 4)` || !strings.Contains(answer.Results[0].Error.Message, "missing required argument(s): to") || !strings.Contains(answer.Results[1].Error.Message, "NOT invoked") {
			t.Errorf("%s", got.contents[0])
		}
		if sent := p.took(); sent != `execute connectors__mail__send{"to":"x"}; execute connectors__mail__lost{}` {
			t.Errorf("sent %s", sent)
		}
	}
	if p.listed != 1 {
		t.Errorf("the gateway was asked %d times for descriptions", p.listed)
	}

	s, p, h = connectorScene(t, "approvals: {deny: ['*secret-place*']}\n")
	p.mute = true
	got := s.say(h, Turn{}, s.never, []scripted{batch(`connectors__mail__send {"to":"secret-place"}`, `connectors__mail__send {"to":"x"}`)})
	answer := dispatched(t, got.contents[0])
	if answer.told() != "DENIED PROVIDER_ERROR (0 2 2)" || p.took() != "" || p.listed != 1 || !strings.Contains(answer.Results[1].Error.Message, "could not be checked, so nothing of this entry was sent") {
		t.Errorf("%s", got.contents[0])
	}
	p.mute = false
	if got := s.say(h, Turn{}, s.never, []scripted{batch(`connectors__mail__send {"to":"x"}`)}); got.statuses != "ok" {
		t.Errorf("what failed once fails for good: %+v", got)
	}
}

// TestEntriesAreCounted: an entry that fails again and again is blocked alone,
// whatever stands beside it in each batch.
func TestEntriesAreCounted(t *testing.T) {
	s, p, h := connectorScene(t, "tool_loop_guardrails: {hard_stop_enabled: true}\n")
	var rounds [][]scripted
	for i := range 6 {
		entries := []string{fmt.Sprintf(`connectors__mail__send {"n":%d}`, i), `connectors__mail__lost {"a":1}`}
		if i%2 == 1 {
			slices.Reverse(entries)
		}
		rounds = append(rounds, []scripted{batch(entries...)})
	}
	got := s.say(h, Turn{}, s.never, rounds...)
	if len(got.contents) != 6 {
		t.Fatalf("%+v", got)
	}
	last := dispatched(t, got.contents[5])
	if last.told() != `DENIED {"echo":{"n":5}} (1 1 2)` || !strings.Contains(last.Results[0].Error.Message, "failed 5 times") {
		t.Errorf("%s", got.contents[5])
	}
	if sent := p.took(); strings.Count(sent, "mail__lost") != 5 || strings.Count(sent, "mail__send") != 6 {
		t.Errorf("sent %s", sent)
	}
}

// TestRulesForConnectors: deny globs and own files count for one entry.
func TestRulesForConnectors(t *testing.T) {
	s, p, h := connectorScene(t, "approvals: {deny: ['*secret-place*']}\n")
	got := s.say(h, Turn{Yolo: true}, s.never, []scripted{batch(`connectors__mail__send {"to":"secret-place"}`, `connectors__mail__send {"to":"x"}`)})
	if answer := dispatched(t, got.contents[0]); answer.told() != `DENIED {"echo":{"to":"x"}} (1 1 2)` || !strings.Contains(answer.Results[0].Error.Message, "approvals.deny") {
		t.Errorf("%s", got.contents[0])
	}
	own := filepath.Join(s.home, "config.yaml")
	got = s.say(h, Turn{}, func(q approval.Question) approval.Answer {
		if len(q.Calls) != 1 || q.Calls[0].Why[0].Code != approval.WhyOwnFiles {
			t.Errorf("%+v", q.Calls)
		}
		return approval.Answer{Action: approval.ActionDecline}
	}, []scripted{batch(`connectors__mail__send {"file":"`+own+`"}`, `connectors__mail__send {"to":"y"}`)})
	if answer := dispatched(t, got.contents[0]); answer.told() != `DENIED {"echo":{"to":"y"}} (1 1 2)` || len(got.cards) != 1 {
		t.Errorf("%s", got.contents[0])
	}
	p.took()
	// A result of the gateway taints where it is not trusted, and does not where it is.
	if held := s.say(h, Turn{Session: got.session}, s.never, []scripted{send("notes", "z")}); held.statuses != "ok" {
		t.Errorf("%+v", held)
	}
}

// TestNoGateway: without an address, or turned off, every name is refused with the
// reason and nothing is offered.
func TestNoGateway(t *testing.T) {
	for name, c := range map[string]struct{ file, reason string }{
		"no address": {"", "connectors.url"},
		"off":        {"connectors: {url: URL, token: '${GATE_TOKEN}'}\ntools: {connectors: {enabled: false}}\n", "tools.connectors.enabled"},
		"no token":   {"connectors: {url: URL, token: '${NOT_SET_ANYWHERE}'}\n", "NOT_SET_ANYWHERE"},
	} {
		t.Run(name, func(t *testing.T) {
			s, p := newScene(t), newGatePeer(t)
			s.file(strings.Replace(c.file, "URL", p.url, 1))
			got := s.say(s.connected(), Turn{Yolo: true}, s.never, []scripted{batch(`connectors__mail__send {}`, `connectors__mail__send {}`)},
				[]scripted{{message.NameToolSearch, `{"queries":["mail"]}`}, {message.NameToolDescribe, `{"names":["connectors__mail__send"]}`}})
			if got.statuses != "denied ok ok" || !strings.Contains(got.contents[0], c.reason) || p.took() != "" {
				t.Errorf("%s\n%s", got.statuses, strings.Join(got.contents, "\n"))
			}
			if all := strings.Join(got.contents[1:], "\n"); !strings.Contains(all, "not_found") || strings.Contains(all, `"source":"connectors"`) {
				t.Error(all)
			}
		})
	}
}

// TestGatewayTakenAway removes the address in the middle of a dispatch.
func TestGatewayTakenAway(t *testing.T) {
	s, p, h := connectorScene(t, "")
	p.at = func(string) {
		s.file("")
		h.Reload()
	}
	got := s.say(h, Turn{}, s.never, []scripted{batch(`connectors__mail__send {"n":1}`, `connectors__mail__send {"n":2}`)})
	if answer := dispatched(t, got.contents[0]); answer.told() != `{"echo":{"n":1}} DENIED (1 1 2)` || p.took() != `execute connectors__mail__send{"n":1}` {
		t.Errorf("%s", got.contents[0])
	}
}

// TestRuleDuringADispatch forbids an entry while an earlier one is at the gateway.
func TestRuleDuringADispatch(t *testing.T) {
	s, p, h := connectorScene(t, "")
	p.at = func(string) {
		s.file(fmt.Sprintf("connectors: {url: %q, token: '${GATE_TOKEN}', trust: full}\napprovals: {deny: ['*secret-place*']}\n", p.url))
		h.Reload()
	}
	got := s.say(h, Turn{}, s.never, []scripted{batch(`connectors__mail__send {"to":"a"}`, `connectors__mail__send {"to":"secret-place"}`, `connectors__mail__send {"to":"b"}`)})
	if answer := dispatched(t, got.contents[0]); answer.told() != `{"echo":{"to":"a"}} DENIED {"echo":{"to":"b"}} (2 1 3)` || strings.Contains(p.took(), "secret-place") {
		t.Errorf("%s", got.contents[0])
	}
}

func TestConnectorLookups(t *testing.T) {
	s, p, h := connectorScene(t, "")
	p.required = `"to"`
	search := func(query string, limit int) scripted {
		return scripted{message.NameToolSearch, fmt.Sprintf(`{"queries":[%q],"limit":%d}`, query, limit)}
	}
	got := s.say(h, Turn{}, s.never, []scripted{search("mail", 5)})
	if !strings.Contains(got.contents[0], `"matches":["connectors__mail__send"]`) || !strings.Contains(got.contents[0], `"source":"connectors"`) || !strings.Contains(got.contents[0], `"source_name":"mail"`) {
		t.Error(got.contents[0])
	}
	if sent := p.took(); sent != "search mail" {
		t.Errorf("asked %s", sent)
	}
	// No room is left, so nobody is asked.
	got = s.say(h, Turn{}, s.never, []scripted{search("mcp__web__send", 1)})
	if sent := p.took(); sent != "" || !strings.Contains(got.contents[0], `"matches":["mcp__web__send"]`) {
		t.Errorf("asked %s: %s", sent, got.contents[0])
	}
	p.mu.Lock()
	p.broken = true
	p.mu.Unlock()
	got = s.say(h, Turn{}, s.never, []scripted{search("send", 5)}, []scripted{{message.NameToolDescribe, `{"names":["connectors__mail__send","mcp__web__send","connectors__mail__other"]}`}})
	if !strings.Contains(got.contents[0], `"connectors":{"error":`) || !strings.Contains(got.contents[0], "mcp__web__send") {
		t.Error(got.contents[0])
	}
	if c := got.contents[1]; !strings.Contains(c, `"not_found":["connectors__mail__other"]`) || !strings.Contains(c, `"required":["to"]`) || !strings.Contains(c, "mcp__web__send") {
		t.Error(c)
	}
}

// TestConnectorSecrets: the token is nowhere in what is told and stored.
func TestConnectorSecrets(t *testing.T) {
	s, _, h := connectorScene(t, "")
	got := s.say(h, Turn{}, s.never, []scripted{batch(`connectors__mail__leak {}`)})
	if strings.Contains(strings.Join(got.contents, ""), gateToken) {
		t.Error(got.contents)
	}
	if err := h.Close(); err != nil {
		t.Fatal(err)
	}
	if err := filepath.WalkDir(s.home, func(path string, d os.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			if data, _ := os.ReadFile(path); strings.Contains(string(data), gateToken) {
				t.Errorf("%s holds the token", path)
			}
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}
}

// TestUnauthorizedGateway answers without a key.
func TestUnauthorizedGateway(t *testing.T) {
	s, p := newScene(t), newGatePeer(t)
	s.file(fmt.Sprintf("connectors: {url: %q, trust: full}\n", p.url))
	got := s.say(s.connected(), Turn{}, s.never, []scripted{batch(`connectors__mail__send {}`)})
	if answer := dispatched(t, got.contents[0]); answer.told() != "CONNECTION_REQUIRED (0 1 1)" || got.statuses != "error" {
		t.Errorf("%s", got.contents[0])
	}
}
