package host

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"hermes/backend/approval"
	"hermes/backend/store"
)

// again puts a grant into the store as another process would, and gives it as it
// stands there.
func again(t *testing.T, h *Host, grant store.Grant) store.Grant {
	t.Helper()
	other := store.New(h.stateFile())
	defer func() { _ = other.Close() }()
	if err := other.AddGrant(t.Context(), grant); err != nil {
		t.Error(err)
	}
	grants, err := other.Grants(t.Context())
	if err != nil || len(grants) != 1 {
		t.Fatal(grants, err)
	}
	return grants[0]
}

// TestGrantsOfOthersWait: a yes that another process stored while a turn runs counts
// in it, and for the clients of the gateway, only on a person's word, and from a
// person's next message on.
func TestGrantsOfOthersWait(t *testing.T) {
	for name, word := range map[string]func(h *Host, id int64) bool{
		"no word": func(*Host, int64) bool { return false },
		"a server's word": func(h *Host, id int64) bool {
			h.heard(fmt.Appendf(nil, `{"word":"grant","grants":[%d]}`, id), false)
			return false
		},
		"of another grant": func(h *Host, id int64) bool {
			h.heard(fmt.Appendf(nil, `{"word":"grant","grants":[%d]}`, id+1), true)
			return false
		},
		"a person's word": func(h *Host, id int64) bool {
			return h.heard(fmt.Appendf(nil, `{"word":"grant","grants":[%d]}`, id), true)
		},
		"a person's reload": func(h *Host, _ int64) bool { return h.heard([]byte(`{"word":"take"}`), true) },
	} {
		t.Run(name, func(t *testing.T) {
			s := newScene(t)
			h := s.open()
			s.check("the yes", s.say(h, Turn{}, all(approval.ScopeAlways), []scripted{send("web", "a")}), "ok", `send {"text":"a"}`, "")
			s.check("it counts", s.say(h, Turn{}, nil, []scripted{send("web", "b")}), "ok", `send {"text":"b"}`, "")
			grants, err := h.Grants(t.Context())
			if err != nil || len(grants) != 1 {
				t.Fatal(grants, err)
			}
			if err := h.RevokeGrants(t.Context(), grants[0].ID); err != nil {
				t.Fatal(err)
			}
			counts := false
			s.note.did = func(string, string) {
				grant := grants[0]
				grant.At = time.Time{}
				counts = word(h, again(t, h, grant).ID)
			}
			want, web := "ok denied", ""
			got := s.say(h, Turn{Typed: time.Now()}, nil, []scripted{send("notes", "x")}, []scripted{send("web", "c")})
			if counts {
				want, web = "ok ok", `send {"text":"c"}`
			}
			s.check("in the turn", got, want, web, `send {"text":"x"}`)
			if result := h.GatewayTools().Call(t.Context(), "mcp__web__send", []byte(`{"text":"g"}`), nil); result.IsError == counts {
				t.Errorf("the gateway: %+v", result)
			}
			s.web.took()
			h.endWork()
			h.work.mu.Lock()
			h.work.rest, h.work.clients = nil, false
			h.work.mu.Unlock()
			s.note.did = nil
			s.check("after a person's message", s.say(h, Turn{Typed: time.Now()}, nil, []scripted{send("web", "d")}), "ok", `send {"text":"d"}`, "")
			if err := h.RevokeGrants(t.Context(), again(t, h, grants[0]).ID); err != nil {
				t.Fatal(err)
			}
			s.check("taken back at once", s.say(h, Turn{}, nil, []scripted{send("web", "e")}), "denied", "", "")
		})
	}
}

// TestGrantsDuringATurnOfOthers: what was said yes to since another process' turn
// began does not count in a turn that no person's word began.
func TestGrantsDuringATurnOfOthers(t *testing.T) {
	s := newScene(t)
	h, other := s.open(), s.open()
	s.check("the yes", s.say(h, Turn{}, all(approval.ScopeAlways), []scripted{send("web", "a")}), "ok", `send {"text":"a"}`, "")
	grants, err := h.Grants(t.Context())
	if err != nil || len(grants) != 1 {
		t.Fatal(grants, err)
	}
	other.work.since = grants[0].At
	s.check("since it began", s.say(other, Turn{}, nil, []scripted{send("web", "b")}), "denied", "", "")
	fresh := s.open()
	fresh.work.since = grants[0].At.Add(time.Second)
	s.check("from before", s.say(fresh, Turn{}, nil, []scripted{send("web", "c")}), "ok", `send {"text":"c"}`, "")
}

// TestGrantsEndWithWhatForbids: a yes to what the policy forbade is over for good, and
// the audit says why; a fault of the file ends none.
func TestGrantsEndWithWhatForbids(t *testing.T) {
	const entry, deny = "trust: untrusted}", "approvals: {timeout: 30}"
	for name, test := range map[string]struct{ from, to, reason string }{
		"a lock":          {entry, "trust: untrusted, tools: {include: []}}", endedForbidden},
		"excluded":        {entry, "trust: untrusted, tools: {exclude: [send]}}", endedForbidden},
		"disabled":        {entry, "trust: untrusted, enabled: false}", endedDisabled},
		"removed":         {"  web: {", "  web2: {", endedRemoved},
		"a deny glob":     {deny, `approvals: {timeout: 30, deny: ["web:send"]}`, endedDenied},
		"a broken file":   {"mcp_servers:", "mcp_servers: [", ""},
		"a broken filter": {entry, "trust: untrusted, tools: [a]}", ""},
		"another tool":    {entry, "trust: untrusted, tools: {exclude: [read]}}", ""},
	} {
		t.Run(name, func(t *testing.T) {
			s := newScene(t)
			h := s.open()
			s.check("the yes", s.say(h, Turn{}, all(approval.ScopeAlways), []scripted{send("web", "a")}), "ok", `send {"text":"a"}`, "")
			s.edit(test.from, test.to)
			h.Reload()
			s.edit(test.to, test.from)
			h.Reload()
			s.ends(h, test.reason)
		})
	}
	t.Run("another definition", func(t *testing.T) {
		s := newScene(t)
		h := s.open()
		s.check("the yes", s.say(h, Turn{}, all(approval.ScopeAlways), []scripted{send("web", "a")}), "ok", `send {"text":"a"}`, "")
		if err := h.Close(); err != nil {
			t.Fatal(err)
		}
		s.web.describe("two")
		h = s.open()
		s.say(h, Turn{}, nil)
		h.endGrants()
		s.web.describe("one")
		s.ends(h, endedDefinition)
	})
}

// ends wants a grant ended for a reason, or there still.
func (s *scene) ends(h *Host, reason string) {
	s.t.Helper()
	grants, err := h.Grants(s.t.Context())
	if err != nil || (len(grants) == 0) != (reason != "") {
		s.t.Fatalf("%+v, %v", grants, err)
	}
	sessions, err := h.Sessions()
	if err != nil {
		s.t.Fatal(err)
	}
	entries, err := sessions.AuditEntries(s.t.Context(), 100)
	if err != nil {
		s.t.Fatal(err)
	}
	var said []string
	for _, e := range entries {
		if e.Event == "grant" {
			said = append(said, e.Server+"/"+e.Tool+" "+e.Decision+" "+e.Reason)
		}
	}
	want := ""
	if reason != "" {
		want = "web/send ended " + reason
	}
	if got := strings.Join(said, "\n"); got != want {
		s.t.Errorf("the audit says %q, want %q (%s)", got, want, filepath.Base(h.stateFile()))
	}
}

// describe changes what the server says of its tools.
func (p *peer) describe(text string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.description = text
}
