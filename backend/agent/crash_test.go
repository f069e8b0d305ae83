package agent_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"hermes/backend/agent"
	"hermes/backend/message"
	"hermes/backend/store"
)

// crashJournal kills the program at its n-th deed: before it for an odd n,
// right after it for an even one.
type crashJournal struct {
	*store.Store
	at, now int
}

func (j *crashJournal) point() {
	if j.now++; j.now == j.at {
		self, err := os.FindProcess(os.Getpid())
		if err == nil {
			err = self.Kill() // SIGKILL: nothing of ours runs any more
		}
		fmt.Fprintln(os.Stderr, "still alive:", err)
		select {}
	}
}

func (j *crashJournal) AppendTurn(ctx context.Context, session string, rows []message.Message) error {
	j.point()
	defer j.point()
	return j.Store.AppendTurn(ctx, session, rows)
}

func (j *crashJournal) MarkStarted(ctx context.Context, session, id string) error {
	j.point()
	defer j.point()
	return j.Store.MarkStarted(ctx, session, id)
}

func (j *crashJournal) FinishCall(ctx context.Context, session, id string, row message.Message) error {
	j.point()
	defer j.point()
	return j.Store.FinishCall(ctx, session, id, row)
}

// crashChild is the program that dies: a batch of four with side effects, each
// written into a file the moment it happens.
func crashChild() {
	at := os.Getenv("HERMES_TEST_CRASH_AT")
	if at == "" {
		return
	}
	n, err := strconv.Atoi(at)
	check := func(err error) {
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
	check(err)
	home, session := os.Getenv("HERMES_TEST_HOME"), os.Getenv("HERMES_TEST_SESSION")
	s, err := store.Open(filepath.Join(home, "state.db"))
	check(err)
	f := serversOf(4, func(int) *tool {
		return &tool{Server: "one", run: func(_ context.Context, target agent.Target) agent.Result {
			effects, err := os.OpenFile(filepath.Join(home, "effects"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
			check(err)
			_, err = fmt.Fprintln(effects, target.Public)
			check(err)
			check(effects.Close())
			return agent.Result{Status: message.StatusOK, Content: "done"}
		}}
	})
	m := &model{answers: []answer{{Calls: batchOf(4)}, {Text: "all four"}}}
	loop := &agent.Loop{Model: m, Tools: f, Journal: &crashJournal{Store: s, at: n}, Gate: gate{}}
	_, err = loop.Run(context.Background(), session, "go", func(message.Event) {})
	check(err)
	check(s.Close())
	os.Exit(0)
}

// TestKillAtEveryWrite kills the program before and after each write of a turn
// with four side effects, and goes on with the session: one row per call id,
// nothing runs twice, and no row says less than what happened.
func TestKillAtEveryWrite(t *testing.T) {
	const writes = 1 + 1 + 4*2 + 1
	for at := 1; at <= 2*writes+1; at++ {
		t.Run(fmt.Sprint(at), func(t *testing.T) {
			home := t.TempDir()
			s, err := store.Open(filepath.Join(home, "state.db"))
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			session, err := s.CreateSession(t.Context(), store.Session{})
			if err != nil {
				t.Fatal(err)
			}
			cmd := exec.Command(os.Args[0])
			cmd.Env = append(os.Environ(), "HERMES_TEST_CRASH_AT="+strconv.Itoa(at), "HERMES_TEST_HOME="+home, "HERMES_TEST_SESSION="+session)
			out, err := cmd.CombinedOutput()
			if survived := err == nil; survived != (at > 2*writes) {
				t.Fatalf("the program ended with %v, %s", err, out)
			}
			m := &model{t: t, answers: []answer{{Text: "I am back"}}}
			events := &told{t: t}
			loop := &agent.Loop{Model: m, Tools: serversOf(4, func(int) *tool { return &tool{Server: "one", Deny: "nothing may run again"} }), Journal: s, Gate: gate{}}
			if done, err := loop.Run(t.Context(), session, "go on", events.sink); err != nil || done.ToolCalls != 0 {
				t.Fatalf("going on: %v, %v", done, err)
			}
			rows, err := s.Messages(t.Context(), session)
			if err != nil {
				t.Fatal(err)
			}
			effects, err := os.ReadFile(filepath.Join(home, "effects"))
			if err != nil && !os.IsNotExist(err) {
				t.Fatal(err)
			}
			checkAfterCrash(t, rows, string(effects))
			for id, n := range events.calls {
				if n != 1 {
					t.Errorf("call %s was told of %d times", id, n)
				}
			}
		})
	}
}

func checkAfterCrash(t *testing.T, rows []message.Message, effects string) {
	t.Helper()
	public, results := map[string]string{}, map[string]message.Status{}
	for i, row := range rows {
		for _, call := range row.ToolCalls {
			public[call.ID] = call.Target.Name
		}
		if row.Role == message.RoleTool {
			if _, twice := results[row.ToolCallID]; twice {
				t.Errorf("call %s has two rows", row.ToolCallID)
			}
			results[row.ToolCallID] = row.Status
		}
		if i > 0 && row.Role == rows[i-1].Role && row.Role != message.RoleTool {
			t.Errorf("two %s rows in a row", row.Role)
		}
	}
	if len(results) != len(public) || len(public) != 0 && len(public) != 4 {
		t.Errorf("%d results of %d calls", len(results), len(public))
	}
	for id, name := range public {
		ran := strings.Count(effects, name+"\n")
		switch status := results[id]; {
		case ran > 1:
			t.Errorf("%s ran %d times", name, ran)
		case ran == 1 && status != message.StatusOK && status != message.StatusUnknown,
			ran == 0 && status != message.StatusInterrupted && status != message.StatusUnknown:
			t.Errorf("%s ran %d times and its row says %s", name, ran, status)
		}
	}
	if len(public) == 0 && effects != "" {
		t.Errorf("%q ran and no call is stored", effects)
	}
}
