package agent_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"hermes/backend/agent"
	"hermes/backend/message"
)

// TestCardHoldsUpItsLaneAlone puts the first and the third of five calls before a
// person: what needs nobody and goes elsewhere does not wait for the answer, what
// goes to the same server does, and a denial touches one entry.
func TestCardHoldsUpItsLaneAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		servers := []string{"a", "a", "b", "c", "b"}
		var mu sync.Mutex
		began := map[string]time.Duration{}
		start := time.Now()
		f := serversOf(5, func(i int) *tool {
			return &tool{Server: servers[i], run: func(context.Context, agent.Target) agent.Result {
				mu.Lock()
				defer mu.Unlock()
				began[fmt.Sprintf("t%d", i)] = time.Since(start)
				return agent.Result{Status: message.StatusOK, Content: "done"}
			}}
		})
		var card []string
		g := gate{judge: only("t0", "t2"), ask: func(_ context.Context, calls []agent.Call, put func(string)) []*agent.Denial {
			put("card")
			for _, call := range calls {
				card = append(card, call.Target.Public)
			}
			time.Sleep(time.Minute) // virtual: a person reads
			return []*agent.Denial{nil, {Status: message.StatusDenied, Reason: "a person said no"}}
		}}
		j := &journal{t: t}
		loop := &agent.Loop{Model: &model{t: t, answers: []answer{{Calls: batchOf(5)}, {Text: "end"}}}, Tools: f, Journal: j, Gate: g}
		_, events, err := runTurn(t.Context(), t, loop)
		if err != nil {
			t.Fatal(err)
		}
		if got := statuses(inOrder(j.rows)); got != "ok ok denied ok ok" || strings.Join(card, " ") != "t0 t2" {
			t.Errorf("results %q, card %q", got, card)
		}
		want := map[string]time.Duration{"t0": time.Minute, "t1": time.Minute, "t3": 0, "t4": time.Minute}
		for name, at := range want {
			if began[name] != at {
				t.Errorf("%s began after %v, want %v", name, began[name], at)
			}
		}
		put, settled := slices.Index(events.lines, "approval card put t0 t2"), slices.Index(events.lines, "approval card settled t0 t2")
		if put < 0 || settled < put {
			t.Errorf("told %q", events.lines)
		}
	})
}

// TestHookChangesArguments sends what a hook made of a call, after the policy and
// the schema saw it; the stored call stays as the model wrote it.
func TestHookChangesArguments(t *testing.T) {
	for _, test := range []struct {
		name, changed  string
		spoil          func(f *tools)
		status         string
		sent, resolved string
	}{
		{"changed", `{"path":"safe","mode":"x"}`, nil, "ok", `t0 {"path":"safe","mode":"x"}`, `{"path":"safe","mode":"x"}`},
		{"unchanged", `{"path":"p"}`, nil, "ok", `t0 {"path":"p"}`, ""},
		{"denied once changed", `{"path":"safe"}`, func(f *tools) { f.known["t0"].DenyChanged = "not there" }, "denied", "", ""},
		{"invalid once changed", `{"path":1}`, func(f *tools) { f.known["t0"].SchemaChanged = "path: not a text" }, "error", "", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			f := serversOf(1, func(int) *tool { return &tool{Server: "one", Result: "done", Written: `{"path":"p"}`} })
			if test.spoil != nil {
				test.spoil(f)
			}
			judged := ""
			g := gate{
				before: func(agent.Call) (string, *agent.Denial) { return test.changed, nil },
				judge: func(call agent.Call) agent.Judgement {
					judged = call.Target.Arguments
					return agent.Judgement{Ruling: agent.Run}
				},
			}
			j := &journal{t: t}
			calls := []message.ToolCall{{ID: "c", Name: "t0", Arguments: `{"path":"p"}`}}
			loop := &agent.Loop{Model: &model{t: t, answers: []answer{{Calls: calls}, {Text: "end"}}}, Tools: f, Journal: j, Gate: g}
			_, events, err := runTurn(t.Context(), t, loop)
			if err != nil {
				t.Fatal(err)
			}
			if got := statuses(j.rows); got != test.status || strings.Join(f.sent, ";") != test.sent {
				t.Errorf("status %q, sent %q", got, f.sent)
			}
			if test.resolved != "" && judged != test.resolved {
				t.Errorf("the gate judged %q", judged)
			}
			if got := j.rows[1].ToolCalls[0].Arguments; got != `{"path":"p"}` {
				t.Errorf("the stored call is %q", got)
			}
			told := strings.Contains(j.rows[2].Content, "A hook changed the arguments of this call: ") && strings.Contains(strings.Join(events.lines, "\n"), "A hook changed")
			if told != (test.name != "unchanged") || strings.Contains(j.rows[2].Content, "safe") {
				t.Errorf("the row says %q", j.rows[2].Content)
			}
		})
	}
}

// TestFaultyGate lets each method of the gate fail: a call it fails for is not
// sent, its siblings go on, and nobody waits for ever.
func TestFaultyGate(t *testing.T) {
	fault := func(call agent.Call) bool {
		if call.Target.Public == "t1" {
			panic("secret detail")
		}
		return true
	}
	for name, test := range map[string]struct {
		gate gate
		want string
		sent int
	}{
		"before":  {gate{before: func(c agent.Call) (string, *agent.Denial) { fault(c); return "", nil }}, "ok error ok", 2},
		"judge":   {gate{judge: func(c agent.Call) agent.Judgement { fault(c); return agent.Judgement{Ruling: agent.Run} }}, "ok error ok", 2},
		"confirm": {gate{confirm: func(c agent.Call) *agent.Denial { fault(c); return nil }}, "ok error ok", 2},
		"after":   {gate{after: func(c agent.Call, _ agent.Result, _ time.Duration) { fault(c) }}, "ok ok ok", 3},
		"settle": {gate{settle: func(r agent.Result) agent.Result {
			if r.Content == "1" {
				panic("secret detail")
			}
			return r
		}}, "ok unknown ok", 3},
		"ask":                  {gate{judge: only("t1"), ask: func(context.Context, []agent.Call, func(string)) []*agent.Denial { panic("secret detail") }}, "ok error ok", 2},
		"ask, too few answers": {gate{judge: only("t1"), ask: func(context.Context, []agent.Call, func(string)) []*agent.Denial { return nil }}, "ok error ok", 2},
		"the zero judgement":   {gate{judge: func(agent.Call) agent.Judgement { return agent.Judgement{} }}, "denied denied denied", 0},
		"confirm says no":      {gate{confirm: func(agent.Call) *agent.Denial { return &agent.Denial{Reason: "locked"} }}, "denied denied denied", 0},
	} {
		f := serversOf(3, func(i int) *tool { return &tool{Server: fmt.Sprint(i), Result: fmt.Sprint(i)} })
		j := &journal{t: t}
		loop := &agent.Loop{Model: &model{t: t, answers: []answer{{Calls: batchOf(3)}, {Text: "end"}}}, Tools: f, Journal: j, Gate: test.gate}
		_, events, err := runTurn(t.Context(), t, loop)
		if err != nil || strings.Contains(strings.Join(events.lines, " ")+strings.Join(listing(j.rows), " "), "secret detail") {
			t.Errorf("%s: %v; %q", name, err, events.lines)
		}
		if got := statuses(inOrder(j.rows)); got != test.want || len(f.sent) != test.sent {
			t.Errorf("%s: results %q, sent %q", name, got, f.sent)
		}
	}
}

// fate is what random chance has in store for one call.
type fate struct {
	before, judge, answer, confirm, run int
	took                                time.Duration
}

// observer counts what the gate is told after each call.
type observer struct {
	mu    sync.Mutex
	after map[string][]message.Status
}

func (o *observer) tell(call agent.Call, result agent.Result, _ time.Duration) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.after[call.ID] = append(o.after[call.ID], result.Status)
}

// TestRoundLaws runs random batches through random outcomes of every gate, with
// random faults of the store, stops at random moments and servers that start for a
// random time: each call id gets one row, one terminal event and one word to the
// observers, all of one status, the rows stand in call order, nothing is sent that
// was refused or whose server is not there, one call at a time is at the gates,
// calls of one server keep their order, and no call waits for another's server.
func TestRoundLaws(t *testing.T) {
	for seed := range uint64(400) {
		synctest.Test(t, func(t *testing.T) { roundLaws(t, seed) })
	}
}

func roundLaws(t *testing.T, seed uint64) {
	random := rand.New(rand.NewPCG(seed, 7))
	n := 2 + random.IntN(9)
	fates := make([]fate, n)
	overlaps, servers := make([]agent.Overlap, n), make([]string, n)
	for i := range fates {
		fates[i] = fate{random.IntN(8), random.IntN(4), random.IntN(3), random.IntN(10), random.IntN(6), time.Duration(random.IntN(200)) * time.Millisecond}
		overlaps[i], servers[i] = agent.Overlap(random.IntN(3)), fmt.Sprint(random.IntN(3))
	}
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	if random.IntN(2) == 0 {
		defer time.AfterFunc(time.Duration(random.IntN(700)+random.IntN(2)*random.IntN(4000))*time.Millisecond, stop).Stop()
	}
	starts := map[string]time.Duration{}
	for server := range 3 {
		if random.IntN(2) == 0 {
			// Half of them when everything else is long over.
			starts[fmt.Sprint(server)] = time.Duration(random.IntN(400)+random.IntN(2)*6000) * time.Millisecond
		}
	}
	began := time.Now()
	atGates, entered := &atomic.Int32{}, map[int]time.Duration{}
	alone := func() func() {
		if atGates.Add(1) != 1 {
			t.Errorf("seed %d: two calls are at the gates at once", seed)
		}
		return func() { atGates.Add(-1) }
	}
	index := func(call agent.Call) int {
		var i int
		_, _ = fmt.Sscanf(call.Target.Public, "t%d", &i)
		return i
	}
	type span struct{ from, to time.Time }
	var mu sync.Mutex
	ran := map[int]span{}
	f := serversOf(n, func(i int) *tool {
		return &tool{Server: servers[i], Overlap: overlaps[i], run: func(ctx context.Context, _ agent.Target) agent.Result {
			s := span{from: time.Now()}
			if s.from.Sub(began) < starts[servers[i]] {
				t.Errorf("seed %d: call %d was sent to a server that is not there", seed, i)
			}
			defer func() {
				s.to = time.Now()
				mu.Lock()
				defer mu.Unlock()
				ran[i] = s
			}()
			if fates[i].run == 0 {
				panic("a fault")
			}
			select {
			case <-time.After(fates[i].took):
			case <-ctx.Done():
				return agent.Failed(ctx.Err(), true)
			}
			return agent.Result{Status: message.StatusOK, Content: fmt.Sprint("result ", i)}
		}}
	})
	seen := &observer{after: map[string][]message.Status{}}
	var asked atomic.Int32
	for server, took := range starts {
		f.begin(server, took)
	}
	g := gate{
		before: func(call agent.Call) (string, *agent.Denial) {
			defer alone()()
			if _, twice := entered[index(call)]; twice {
				t.Errorf("seed %d: hooks saw call %d twice", seed, index(call))
			}
			entered[index(call)] = time.Since(began)
			switch fates[index(call)].before {
			case 0:
				return "", &agent.Denial{Status: message.StatusBlocked, Reason: "a hook says no"}
			case 1:
				return `{"changed":true}`, nil
			case 2:
				time.Sleep(50 * time.Millisecond) // a hook that takes its time
			}
			return "", nil
		},
		judge: func(call agent.Call) agent.Judgement {
			defer alone()()
			return agent.Judgement{Ruling: agent.Ruling(min(fates[index(call)].judge, 2))}
		},
		ask: func(ctx context.Context, calls []agent.Call, put func(string)) []*agent.Denial {
			put(fmt.Sprint("card", asked.Add(1)))
			select {
			case <-time.After(time.Duration(100+seed%200) * time.Millisecond):
			case <-ctx.Done():
			}
			out := make([]*agent.Denial, len(calls))
			for k, call := range calls {
				if fates[index(call)].answer == 0 {
					out[k] = &agent.Denial{Reason: "no"}
				}
			}
			return out
		},
		confirm: func(call agent.Call) *agent.Denial {
			if fates[index(call)].confirm == 0 {
				return &agent.Denial{Reason: "locked"}
			}
			return nil
		},
		after: seen.tell,
	}
	fault := -1
	if random.IntN(4) == 0 {
		fault = random.IntN(2 * n)
	}
	writes := 0
	j := &journal{t: t, fail: func(deed string) error {
		if strings.HasPrefix(deed, "start ") || strings.HasPrefix(deed, "finish ") {
			if writes++; writes == fault {
				return errors.New("disk full")
			}
		}
		return nil
	}}
	m := &model{t: t, answers: []answer{{Calls: batchOf(n)}, {Text: "end"}}}
	loop := &agent.Loop{Model: m, Tools: f, Journal: j, Gate: g}
	done, events, err := runTurn(ctx, t, loop)
	loop.Wait()
	if len(j.rows) < 2 {
		return // stopped before the model answered
	}
	if fault < 0 && err != nil || done.ToolCalls != n || int(asked.Load()) > 1+len(starts) {
		t.Errorf("seed %d: %v, %d calls, %d cards", seed, err, done.ToolCalls, asked.Load())
	}
	var calls []message.ToolCall
	for _, row := range j.rows {
		calls = append(calls, row.ToolCalls...)
	}
	told := map[string]string{}
	for _, line := range events.lines {
		if words := strings.Fields(line); words[0] == "result" {
			told[words[1]] += words[2]
		}
	}
	rows := map[string]message.Status{}
	for _, row := range j.rows {
		if row.Role == message.RoleTool {
			rows[row.ToolCallID] = row.Status
		}
	}
	for i, call := range calls {
		status, stored := rows[call.ID]
		if !stored && fault < 0 || stored && told[call.ID] != string(status) {
			t.Errorf("seed %d: call %d has the row %q and was told %q", seed, i, status, told[call.ID])
		}
		if len(seen.after[call.ID]) != 1 || string(seen.after[call.ID][0]) != told[call.ID] {
			t.Errorf("seed %d: observers of call %d heard %q, told was %q", seed, i, seen.after[call.ID], told[call.ID])
		}
		fate := fates[i]
		_, sent := ran[i]
		// The hooks of all calls together take 500 ms at most.
		if at, known := entered[i]; known && (at < starts[servers[i]] || at > starts[servers[i]]+500*time.Millisecond) {
			t.Errorf("seed %d: call %d came to the gates after %v, its server after %v", seed, i, at, starts[servers[i]])
		} else if sent && !known {
			t.Errorf("seed %d: call %d was sent past the gates", seed, i)
		}
		if sent && (fate.before == 0 || fate.judge == 0 || fate.judge >= 2 && fate.answer == 0 || fate.confirm == 0) {
			t.Errorf("seed %d: call %d was refused and sent", seed, i)
		}
		if status == message.StatusOK && !sent || sent && (status == message.StatusDenied || status == message.StatusBlocked || status == message.StatusInterrupted) {
			t.Errorf("seed %d: call %d is %s, sent %v", seed, i, status, sent)
		}
		for k := range i {
			earlier, also := ran[k]
			if !sent || !also || servers[i] != servers[k] || overlaps[i] == agent.Free || overlaps[k] == agent.Free || overlaps[i] == agent.WithReads && overlaps[k] == agent.WithReads {
				continue
			}
			if ran[i].from.Before(earlier.to) {
				t.Errorf("seed %d: call %d began before call %d had ended", seed, i, k)
			}
		}
	}
	if len(m.asked) == 2 {
		results := m.asked[1].Messages[2:]
		for i, call := range calls {
			if results[i].ToolCallID != call.ID {
				t.Errorf("seed %d: result %d is of %s", seed, i, results[i].ToolCallID)
			}
		}
	}
	if raw, err := json.Marshal(j.rows); err != nil || len(raw) == 0 {
		t.Error(err)
	}
}

// TestStopDuringAHook stops the turn while a hook of the second call runs: that
// call and the third are not started, no card is put, the first is as it was.
func TestStopDuringAHook(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	seen := &observer{after: map[string][]message.Status{}}
	first := make(chan struct{})
	f := serversOf(3, func(i int) *tool { return &tool{Server: fmt.Sprint(i), Result: "done"} })
	f.known["t0"].run = func(context.Context, agent.Target) agent.Result {
		close(first)
		return agent.Result{Status: message.StatusOK, Content: "first"}
	}
	g := gate{
		before: func(call agent.Call) (string, *agent.Denial) {
			if call.Target.Public == "t1" {
				<-first
				stop()
			}
			return "", nil
		},
		judge: only("t1", "t2"),
		ask: func(context.Context, []agent.Call, func(string)) []*agent.Denial {
			t.Error("a card was put after the stop")
			return nil
		},
		after: seen.tell,
	}
	j := &journal{t: t}
	loop := &agent.Loop{Model: &model{t: t, answers: []answer{{Calls: batchOf(3)}}}, Tools: f, Journal: j, Gate: g}
	if done, _, err := runTurn(ctx, t, loop); err != nil || done.StopReason != message.StopInterrupted {
		t.Errorf("got %v, %v", done, err)
	}
	loop.Wait()
	if got := statuses(inOrder(j.rows)); got != "ok interrupted interrupted" || len(f.sent) != 1 || len(seen.after) != 3 {
		t.Errorf("results %q, sent %q, observers heard of %d calls", got, f.sent, len(seen.after))
	}
}
