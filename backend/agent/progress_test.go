package agent_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"hermes/backend/agent"
	"hermes/backend/message"
)

// TestProgress tells how far a call is with its id and without secrets, and
// stores nothing of it.
func TestProgress(t *testing.T) {
	f := serversOf(1, func(int) *tool {
		return &tool{Server: "one", Result: "done", reports: []message.ProgressEvent{{ID: "made up", Done: 1, Total: 3, Text: "key hunter2"}, {Done: 2}}}
	})
	j := &journal{t: t}
	loop := &agent.Loop{Model: &model{t: t, answers: []answer{{Calls: batchOf(1)}, {Text: "ok"}}}, Tools: f, Journal: j, Gate: gate{},
		Redact: func(text string) string { return strings.ReplaceAll(text, "hunter2", "***") }}
	_, events, err := runTurn(context.Background(), t, loop)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, line := range events.lines {
		if strings.HasPrefix(line, "progress ") {
			got = append(got, line[strings.Index(line, " ")+1:])
		}
	}
	id := j.stored()[1].ToolCalls[0].ID
	if want := []string{id + " 1 of 3 key ***", id + " 2 of 0 "}; !slices.Equal(got, want) {
		t.Errorf("told %q, want %q", got, want)
	}
	if text := strings.Join(listing(j.rows), "\n"); strings.Contains(text, "hunter2") || strings.Contains(text, "***") {
		t.Errorf("progress was stored:\n%s", text)
	}
}

// TestProgressAfterAStop stops a turn whose call goes on: what it reports later
// is told nobody.
func TestProgressAfterAStop(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, stop := context.WithCancel(context.Background())
		defer stop()
		f := serversOf(1, func(int) *tool {
			return &tool{Server: "one", reports: []message.ProgressEvent{{Done: 1}}, run: func(context.Context, agent.Target) agent.Result {
				stop()
				time.Sleep(time.Hour)
				return agent.Result{Status: message.StatusOK}
			}}
		})
		j := &journal{t: t}
		loop := &agent.Loop{Model: &model{t: t, answers: []answer{{Calls: batchOf(1)}}}, Tools: f, Journal: j, Gate: gate{}}
		_, events, err := runTurn(ctx, t, loop)
		told := len(events.lines)
		loop.Wait()
		if err != nil || len(events.lines) != told {
			t.Errorf("%v; told after the end: %q", err, events.lines[told:])
		}
	})
}
