package host

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"hermes/backend/builtin"
	"hermes/backend/config"
	"hermes/backend/message"
	"hermes/backend/policy"
	"hermes/backend/store"
)

func TestMain(m *testing.M) {
	if home := os.Getenv(asOther); home != "" {
		os.Exit(runOther(home))
	}
	goleak.VerifyTestMain(m)
}

// demoHost runs the embedded default with its servers connected.
func demoHost(t testing.TB, edit func(string) string) *Host {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "home")
	if err := builtin.DemoHome(dir); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "config.yaml")
	if edit != nil {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(edit(string(text))), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	h := New(Options{Home: config.Home{Dir: dir}, Version: "test", Getenv: func(string) string { return "" }, Logger: slog.New(slog.DiscardHandler)})
	t.Cleanup(func() {
		if err := h.Close(); err != nil {
			t.Error(err)
		}
	})
	if err := h.Start(); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	for _, missing := range h.Wait(ctx) {
		if missing != "noisy" {
			t.Fatalf("%s is missing: %+v", missing, h.Status(missing))
		}
	}
	h.refresh()
	return h
}

func offered(h *Host, public string) bool {
	_, verdict := h.Catalog().Resolve(public)
	return verdict.Allowed
}

// TestEditsReachTheTools turns tools off and on through the file: the catalogue
// follows the edit at once, and an outside edit through a reload.
func TestEditsReachTheTools(t *testing.T) {
	h := demoHost(t, nil)
	const name = "mcp__files__read_file"
	if !offered(h, name) {
		t.Fatal("an open server does not offer its tool")
	}
	apply := func(intent policy.Intent) {
		t.Helper()
		if _, err := h.Apply(t.Context(), config.Edit{Server: "files", Intent: intent}); err != nil {
			t.Fatal(err)
		}
	}
	apply(policy.Intent{Action: policy.ActionOff, Tool: "read_file"})
	if offered(h, name) || !offered(h, "mcp__files__list_directory") {
		t.Fatal("turning one tool off did not turn off just that one")
	}
	apply(policy.Intent{Action: policy.ActionLock})
	if offered(h, "mcp__files__list_directory") {
		t.Fatal("a locked server offers a tool")
	}
	apply(policy.Intent{Action: policy.ActionOn, Tool: "read_file"})
	h.waitFor(t.Context(), "files")
	if !offered(h, name) || offered(h, "mcp__files__list_directory") {
		t.Fatal("releasing one tool did not release just that one")
	}
}

// TestBrokenFileChangesNothing breaks the file while the program runs: what was
// denied stays denied, what was allowed stays allowed, and the problem is shown.
func TestBrokenFileChangesNothing(t *testing.T) {
	h := demoHost(t, func(text string) string {
		return strings.Replace(text, "    builtin: files\n", "    builtin: files\n    tools: {include: [read_file]}\n", 1)
	})
	path := h.Home().Config()
	if err := os.WriteFile(path, []byte("mcp_servers: [\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	h.Reload()
	if !offered(h, "mcp__files__read_file") || offered(h, "mcp__files__write_file") {
		t.Fatal("a broken file changed the rules in force")
	}
	if snap := h.Snapshot(); !snap.Broken || len(snap.Problems) == 0 {
		t.Fatalf("a broken file is not shown: %+v", snap.Problems)
	}
}

// TestGates asks both doors, the agent's and the gateway's, for calls that a
// restriction of the file gates: they are refused with the place, and nothing
// reaches the tracker.
func TestGates(t *testing.T) {
	for name, change := range map[string]string{
		"untrusted": "",
		"hook":      "hooks:\n  pre_tool_call:\n    - matcher: mcp__tickets__.*\n      command: guard.sh\n",
		"deny glob": "approvals: {deny: [\"mcp__tickets__*\"]}\n",
		"bad hooks": "hooks: 42\n",
	} {
		t.Run(name, func(t *testing.T) {
			h := demoHost(t, func(text string) string {
				if name == "untrusted" {
					return strings.Replace(text, "    builtin: tickets\n", "    builtin: tickets\n    trust: untrusted\n", 1)
				}
				return text + change
			})
			events := map[message.EventType][]message.Event{}
			done, err := h.Ask(t.Context(), Turn{Text: "Skim these files and file a ticket", Wait: true}, func(_ string, e message.Event) {
				events[e.Type] = append(events[e.Type], e)
			})
			if err != nil || done.ToolCalls != 3 || len(events[message.EventToolResult]) != 3 {
				t.Fatalf("%v %+v %+v", err, done, events[message.EventToolResult])
			}
			refused := 0
			for _, e := range events[message.EventToolResult] {
				if e.Result.Status == message.StatusBlocked || e.Result.Status == message.StatusDenied {
					refused++
					if !strings.Contains(e.Result.Content, "config.yaml") {
						t.Errorf("the refusal does not say where: %s", e.Result.Content)
					}
				}
			}
			if refused == 0 {
				t.Error("nothing was refused")
			}
			result := h.GatewayTools().Call(t.Context(), "mcp__tickets__create_ticket", []byte(`{"title":"x"}`), nil)
			if !result.IsError {
				t.Errorf("the gateway let the call through: %+v", result)
			}
			if _, err := os.Stat(filepath.Join(h.Home().Dir, "tracker", "tickets.jsonl")); !os.IsNotExist(err) {
				t.Errorf("a ticket was filed: %v", err)
			}
		})
	}
}

// TestGatewayDoors calls what is denied through every name the gateway could
// be given.
func TestGatewayDoors(t *testing.T) {
	h := demoHost(t, func(text string) string {
		return strings.Replace(text, "    builtin: tickets\n", "    builtin: tickets\n    tools: {include: [list_tickets]}\n", 1)
	})
	for _, name := range []string{"mcp__tickets__create_ticket", "create_ticket", "MCP__tickets__create-ticket", "tickets:create_ticket", "tool_call", ""} {
		result := h.GatewayTools().Call(t.Context(), name, []byte(`{"title":"x","calls":[{"name":"mcp__tickets__create_ticket","arguments":{"title":"x"}}]}`), nil)
		if !result.IsError {
			t.Errorf("%q went through: %+v", name, result)
		}
	}
	if result := h.GatewayTools().Call(t.Context(), "mcp__tickets__list_tickets", nil, nil); result.IsError {
		t.Errorf("an allowed call was refused: %+v", result)
	}
}

// TestSessions keeps a session across turns, refuses a second turn at a time,
// and replays it as events.
func TestSessions(t *testing.T) {
	h := demoHost(t, nil)
	done, err := h.Ask(t.Context(), Turn{Text: "help"}, func(string, message.Event) {})
	if err != nil || done.StopReason != message.StopEnd {
		t.Fatalf("%v %+v", err, done)
	}
	again, err := h.Ask(t.Context(), Turn{Session: done.Session, Text: "help"}, func(string, message.Event) {})
	if err != nil || again.Session != done.Session || again.Messages <= done.Messages {
		t.Fatalf("%v %+v", err, again)
	}
	events, err := h.Replay(t.Context(), done.Session)
	if err != nil || len(events) < 4 {
		t.Fatalf("%v %+v", err, events)
	}
	if _, err := h.Ask(t.Context(), Turn{Session: "no-such-session", Text: "help"}, func(string, message.Event) {}); !errors.Is(err, store.ErrUnknownSession) {
		t.Fatalf("an unknown session: %v", err)
	}
}

// TestStartWritesNothing starts a server that has something to log on a home
// that was never edited: the log is there to read and no file is made.
func TestStartWritesNothing(t *testing.T) {
	h := demoHost(t, func(text string) string {
		return strings.Replace(text, "mcp_servers:\n", "mcp_servers:\n  noisy: {command: sh, args: [-c, 'echo words of mine >&2; exit 1']}\n", 1)
	})
	if log := strings.Join(h.Log("noisy"), "\n"); !strings.Contains(log, "words of mine") {
		t.Errorf("the log does not hold what the server said: %q", log)
	}
	if _, err := os.Stat(h.Home().Native()); !os.IsNotExist(err) {
		t.Errorf("our folder was made: %v", err)
	}
}

// TestBackgroundTurn sends a turn as the page does and follows its signals.
func TestBackgroundTurn(t *testing.T) {
	h := demoHost(t, nil)
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	signals := h.Subscribe(ctx)
	session, err := h.Send(Turn{Text: "Skim these files and file a ticket"})
	if err != nil {
		t.Fatal(err)
	}
	results := 0
	for s := range signals {
		if s.Topic != TopicChat || s.Session != session {
			continue
		}
		if s.Event.Type == message.EventToolResult {
			results++
		}
		if s.Event.Type == message.EventDone {
			if results != 3 || s.Event.Done.StopReason != message.StopEnd {
				t.Fatalf("%d results, %+v", results, s.Event.Done)
			}
			return
		}
	}
	t.Fatal("the turn never ended")
}

// BenchmarkEditToTools is an outside edit of the file until the catalogue says
// so: the watcher's quiet period is part of it.
func BenchmarkEditToTools(b *testing.B) {
	h := demoHost(b, nil)
	if err := h.Watch(); err != nil {
		b.Fatal(err)
	}
	path := h.Home().Config()
	text, err := os.ReadFile(path)
	if err != nil {
		b.Fatal(err)
	}
	signals := h.Subscribe(b.Context())
	n := 0
	for b.Loop() {
		n++
		rules := "    tools: {include: [read_file, t" + strconv.Itoa(n) + "]}\n"
		edited := strings.Replace(string(text), "    builtin: files\n", "    builtin: files\n"+rules, 1)
		if err := os.WriteFile(path, []byte(edited), 0o600); err != nil {
			b.Fatal(err)
		}
		for s := range signals {
			server, _ := h.Snapshot().Server("files")
			if s.Topic == TopicConfig && server.Rules.Tool("t"+strconv.Itoa(n)).Allowed {
				break
			}
		}
	}
	b.ReportMetric(float64(b.Elapsed().Milliseconds())/float64(b.N), "ms/edit")
}
