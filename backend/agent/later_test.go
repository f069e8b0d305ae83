package agent_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"hermes/backend/agent"
	"hermes/backend/message"
)

// up tells whether a server is there.
func (f *tools) up(server string) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.there(server)
}

// there is up with the lock held.
func (f *tools) there(server string) bool {
	starting, ok := f.starting[server]
	if !ok {
		return true
	}
	select {
	case <-starting:
		return !f.failed[server]
	default:
		return false
	}
}

func (f *tools) Await(ctx context.Context, target agent.Target) {
	f.mu.Lock()
	starting := f.starting[target.Awaits]
	f.mu.Unlock()
	select {
	case <-starting:
	case <-ctx.Done():
	}
}

// begin lets a server start, anew where it runs.
func (f *tools) begin(server string, took time.Duration) {
	starting := make(chan struct{})
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.starting == nil {
		f.starting = map[string]chan struct{}{}
	}
	f.starting[server] = starting
	time.AfterFunc(took, func() { close(starting) })
}

// clock writes down when something happened.
type clock struct {
	start time.Time
	mu    sync.Mutex
	at    map[string]time.Duration
}

func newClock() *clock { return &clock{start: time.Now(), at: map[string]time.Duration{}} }

func (c *clock) note(what string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at[what] = time.Since(c.start)
}

func (c *clock) wrong(want map[string]time.Duration) (out []string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for what, at := range want {
		if got, known := c.at[what]; !known || got != at {
			out = append(out, fmt.Sprintf("%s after %v (%v), want %v", what, got, known, at))
		}
	}
	slices.Sort(out)
	return out
}

// startingBatch is five calls, of a server that starts for a minute (t0, t3), of
// one that starts for two (t1), and of one that is there (t2, t4).
func startingBatch(c *clock) *tools {
	servers := []string{"slow", "slower", "there", "slow", "there"}
	f := serversOf(5, func(i int) *tool {
		return &tool{Server: servers[i], run: func(context.Context, agent.Target) agent.Result {
			c.note(fmt.Sprint("t", i))
			time.Sleep(time.Second)
			return agent.Result{Status: message.StatusOK, Content: fmt.Sprint("result ", i)}
		}}
	})
	f.begin("slow", time.Minute)
	f.begin("slower", 2*time.Minute)
	return f
}

// TestOnlyItsOwnCallsWaitForAServer: the turn is stored and told at once, calls of
// a server that is there start at once, those of the others when their own server
// is there, in their order; the notice is told once for each server, and the
// results stand in call order.
func TestOnlyItsOwnCallsWaitForAServer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newClock()
		f := startingBatch(c)
		m := &model{t: t, answers: []answer{{Calls: batchOf(5)}, {Text: "end"}}}
		j := &journal{t: t, fail: func(deed string) error { c.note(deed); return nil }}
		var cards []string
		g := gate{judge: only("t0", "t3", "t4"), ask: func(_ context.Context, calls []agent.Call, put func(string)) []*agent.Denial {
			card := ""
			for _, call := range calls {
				card += " " + call.Target.Public
			}
			cards = append(cards, card)
			put(fmt.Sprint("card", len(cards)))
			return make([]*agent.Denial, len(calls))
		}}
		events := &told{t: t}
		loop := &agent.Loop{Model: m, Tools: f, Journal: j, Gate: g}
		_, err := loop.Run(t.Context(), "s", "q", func(event message.Event) {
			if event.Type == message.EventToolCall {
				c.note("told " + event.Call.Name)
			}
			events.sink(event)
		})
		events.complete()
		if err != nil {
			t.Fatal(err)
		}
		want := map[string]time.Duration{"told t0": 0, "told t4": 0, "t2": 0, "t4": time.Second, "t0": time.Minute, "t3": time.Minute + time.Second, "t1": 2 * time.Minute}
		for _, wrong := range c.wrong(want) {
			t.Error(wrong)
		}
		if got := statuses(inOrder(j.rows)); got != "ok ok ok ok ok" || fmt.Sprint(cards) != "[ t4  t0 t3]" {
			t.Errorf("results %q, cards %q", got, cards)
		}
		lines := strings.Join(events.lines, "\n")
		for _, server := range []string{"slow", "slower"} {
			if n := strings.Count(lines, "notice "+message.ServerAwaited.Text(server)); n != 1 {
				t.Errorf("server %s was announced %d times:\n%s", server, n, lines)
			}
		}
		for i, row := range m.asked[1].Messages[2:] {
			if row.Content != fmt.Sprint("result ", i) {
				t.Errorf("result %d is %q", i, row.Content)
			}
		}
	})
}

// TestEndWhileAServerStarts ends a turn while calls wait for their server, by a
// stop and by a fault of the store: it ends then, and what waited is answered as
// never sent.
func TestEndWhileAServerStarts(t *testing.T) {
	for _, broken := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			ctx, stop := context.WithCancel(t.Context())
			defer stop()
			c := newClock()
			f := startingBatch(c)
			j := &journal{t: t}
			if broken {
				j.fail = func(deed string) error {
					if strings.HasPrefix(deed, "finish ") && time.Since(c.start) == time.Second {
						return errors.New("disk full")
					}
					return nil
				}
			} else {
				time.AfterFunc(10*time.Second, stop)
			}
			loop := &agent.Loop{Model: &model{t: t, answers: []answer{{Calls: batchOf(5)}}}, Tools: f, Journal: j, Gate: gate{}}
			done, events, err := runTurn(ctx, t, loop)
			took := time.Since(c.start)
			loop.Wait()
			lines := strings.Join(events.lines, "\n")
			switch {
			case broken && (err == nil || took != time.Second || strings.Count(lines, message.CallNotRecorded.Text()) < 3):
				t.Errorf("%v after %v:\n%s", err, took, lines)
			case !broken && (err != nil || took != 10*time.Second || done.StopReason != message.StopInterrupted || done.ToolCalls != 5):
				t.Errorf("%+v, %v after %v", done, err, took)
			case !broken && (statuses(inOrder(j.rows)) != "interrupted interrupted ok interrupted ok" || strings.Count(lines, message.CallNotStarted.Text()) != 3):
				t.Errorf("got:\n%s", lines)
			}
			if len(f.sent) > 2 {
				t.Errorf("sent %q", f.sent)
			}
		})
	}
}

// TestServerThatNeverComes: its calls get the answer that stands when the wait is
// over, and go through no gate.
func TestServerThatNeverComes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := startingBatch(newClock())
		f.failed = map[string]bool{"slow": true}
		g := gate{before: func(call agent.Call) (string, *agent.Denial) {
			if call.Target.Server == "slow" {
				t.Errorf("a hook saw %s", call.Target.Public)
			}
			return "", nil
		}}
		j := &journal{t: t}
		loop := &agent.Loop{Model: &model{t: t, answers: []answer{{Calls: batchOf(5)}, {Text: "end"}}}, Tools: f, Journal: j, Gate: g}
		if _, _, err := runTurn(t.Context(), t, loop); err != nil {
			t.Fatal(err)
		}
		if got := statuses(inOrder(j.rows)); got != "error ok ok error ok" {
			t.Errorf("results %q", got)
		}
	})
}

// TestServerThatStartsAnew lets a server start again while a call that is through
// its gates waits for its turn there: it waits for the server, and is sent.
func TestServerThatStartsAnew(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newClock()
		f := serversOf(2, func(i int) *tool { return &tool{Server: "s"} })
		f.known["t0"].run = func(context.Context, agent.Target) agent.Result {
			f.begin("s", time.Minute)
			return agent.Result{Status: message.StatusError, Content: "the server ended"}
		}
		f.known["t1"].run = func(context.Context, agent.Target) agent.Result {
			c.note("t1")
			return agent.Result{Status: message.StatusOK, Content: "done"}
		}
		j := &journal{t: t}
		loop := &agent.Loop{Model: &model{t: t, answers: []answer{{Calls: batchOf(2)}, {Text: "end"}}}, Tools: f, Journal: j, Gate: gate{}}
		if _, _, err := runTurn(t.Context(), t, loop); err != nil {
			t.Fatal(err)
		}
		if got := statuses(inOrder(j.rows)); got != "error ok" || len(c.wrong(map[string]time.Duration{"t1": time.Minute})) > 0 {
			t.Errorf("results %q, %v", got, c.at)
		}
	})
}
