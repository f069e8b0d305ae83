package agent_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"hermes/backend/agent"
	"hermes/backend/message"
)

func TestStop(t *testing.T) {
	for _, test := range []struct {
		name     string
		stopAt   func(stop func(), f *tools, m *model)
		statuses string
		sent     int
	}{
		{"before the model answers", func(stop func(), _ *tools, m *model) {
			m.during = func(context.Context) { stop() }
		}, "", 0},
		{"during the first call", func(stop func(), f *tools, _ *model) {
			f.known["t0"].run = func(ctx context.Context, _ agent.Target) agent.Result {
				stop()
				<-ctx.Done()
				return agent.Failed(ctx.Err(), true)
			}
		}, "unknown interrupted interrupted interrupted", 1},
		{"between two calls", func(stop func(), f *tools, _ *model) {
			f.known["t1"].run = func(context.Context, agent.Target) agent.Result {
				stop()
				return agent.Result{Status: message.StatusOK, Content: "it was quicker than the stop"}
			}
		}, "ok ok interrupted interrupted", 2},
		{"during a call that had not been sent", func(stop func(), f *tools, _ *model) {
			f.known["t0"].run = func(ctx context.Context, _ agent.Target) agent.Result {
				stop()
				<-ctx.Done()
				return agent.Failed(ctx.Err(), false)
			}
		}, "interrupted interrupted interrupted interrupted", 1},
		{"after the last call", func(stop func(), f *tools, _ *model) {
			f.known["t3"].run = func(context.Context, agent.Target) agent.Result {
				stop()
				return agent.Result{Status: message.StatusOK, Content: "the last"}
			}
		}, "ok ok ok ok", 4},
	} {
		t.Run(test.name, func(t *testing.T) {
			ctx, stop := context.WithCancel(context.Background())
			defer stop()
			f := serversOf(4, func(int) *tool { return &tool{Server: "one", Result: "done"} })
			m := &model{t: t, answers: []answer{{Calls: batchOf(4)}}}
			test.stopAt(stop, f, m)
			j := &journal{t: t}
			done, events, err := runTurn(ctx, t, &agent.Loop{Model: m, Tools: f, Journal: j, Gate: gate{}})
			if err != nil || done.StopReason != message.StopInterrupted {
				t.Errorf("got %v, %v; want an interrupted turn without an error", done, err)
			}
			if got := statuses(inOrder(j.rows)); got != test.statuses {
				t.Errorf("results %q, want %q\n%s", got, test.statuses, strings.Join(events.lines, "\n"))
			}
			if len(f.sent) != test.sent {
				t.Errorf("%d calls were sent, want %d: %q", len(f.sent), test.sent, f.sent)
			}
		})
	}
}

// TestStopWhileAPersonIsAsked stops while a card is open: the call that needed
// nobody runs on, those on the card never start.
func TestStopWhileAPersonIsAsked(t *testing.T) {
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	asked := make(chan struct{})
	f := serversOf(3, func(i int) *tool { return &tool{Server: fmt.Sprint(i), Result: "done"} })
	f.known["t0"].run = func(context.Context, agent.Target) agent.Result {
		<-asked // it started although a later call waits for its approval
		stop()
		return agent.Result{Status: message.StatusOK, Content: "first"}
	}
	j := &journal{t: t}
	loop := &agent.Loop{Model: &model{t: t, answers: []answer{{Calls: batchOf(3)}}}, Tools: f, Journal: j, Gate: askingGate(asked)}
	if done, _, err := runTurn(ctx, t, loop); err != nil || done.StopReason != message.StopInterrupted {
		t.Errorf("got %v, %v", done, err)
	}
	if got := statuses(inOrder(j.rows)); got != "ok interrupted interrupted" {
		t.Errorf("results %q", got)
	}
}

// inOrder sorts tool rows by the calls they answer, as a store does.
func inOrder(rows []message.Message) []message.Message {
	place := map[string]int{}
	for _, row := range rows {
		for _, call := range row.ToolCalls {
			place[call.ID] = len(place)
		}
	}
	out := slices.Clone(rows)
	slices.SortStableFunc(out, func(a, b message.Message) int {
		if a.Role != message.RoleTool || b.Role != message.RoleTool {
			return 0
		}
		return place[a.ToolCallID] - place[b.ToolCallID]
	})
	return out
}

// askingGate puts the second and the third call before a person, who does not
// answer until the turn is stopped.
func askingGate(asked chan struct{}) gate {
	return gate{judge: only("t1", "t2"), ask: func(ctx context.Context, _ []agent.Call, put func(string)) []*agent.Denial {
		put("card")
		close(asked)
		<-ctx.Done()
		return []*agent.Denial{{Status: message.StatusDenied, Reason: "nobody answered"}, nil}
	}}
}

// only lets the calls of some tools need a person.
func only(names ...string) func(agent.Call) agent.Judgement {
	return func(call agent.Call) agent.Judgement {
		if slices.Contains(names, call.Target.Public) {
			return agent.Judgement{Ruling: agent.NeedsPerson}
		}
		return agent.Judgement{Ruling: agent.Run}
	}
}

// TestStuckCall: a call that ignores the stop is answered for after the grace,
// and what it returns later changes nothing.
func TestStuckCall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, stop := context.WithCancel(t.Context())
		wake := make(chan struct{})
		f := serversOf(2, func(int) *tool { return &tool{Server: "one", Result: "done"} })
		f.known["t0"].run = func(context.Context, agent.Target) agent.Result {
			stop()
			<-wake
			return agent.Result{Status: message.StatusOK, Content: "too late"}
		}
		j := &journal{t: t}
		loop := &agent.Loop{Model: &model{t: t, answers: []answer{{Calls: batchOf(2)}}}, Tools: f, Journal: j, Gate: gate{}}
		began := time.Now()
		if done, _, err := runTurn(ctx, t, loop); err != nil || done.StopReason != message.StopInterrupted {
			t.Errorf("got %v, %v", done, err)
		}
		if took := time.Since(began); took != agent.DefaultGrace {
			t.Errorf("the stop took %v, want the grace of %v", took, agent.DefaultGrace)
		}
		close(wake)
		loop.Wait()
		if got := statuses(inOrder(j.rows)); got != "unknown interrupted" {
			t.Errorf("results %q", got)
		}
		if len(f.sent) != 1 {
			t.Errorf("sent %q", f.sent)
		}
	})
}
