package agent_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"hermes/backend/agent"
	"hermes/backend/message"
)

// batchOf is a tool_call of n entries t0, t1, ...
func batchOf(n int) []message.ToolCall {
	var entries []string
	for i := range n {
		entries = append(entries, fmt.Sprintf(`{"name":"t%d","arguments":{}}`, i))
	}
	return []message.ToolCall{toolCall("batch", batch(entries...))}
}

// serversOf gives each entry a tool of the server and rule that of says.
func serversOf(n int, of func(i int) *tool) *tools {
	f := &tools{known: map[string]*tool{}}
	for i := range n {
		f.known[fmt.Sprintf("t%d", i)] = of(i)
	}
	return f
}

// statuses lists the status of each tool row in order.
func statuses(rows []message.Message) string {
	var out []string
	for _, row := range rows {
		if row.Role == message.RoleTool {
			out = append(out, string(row.Status))
		}
	}
	return strings.Join(out, " ")
}

// runTurn runs one turn with everything in memory and checks the laws every
// turn keeps.
func runTurn(ctx context.Context, t *testing.T, loop *agent.Loop) (message.DoneEvent, *told, error) {
	t.Helper()
	events := &told{t: t}
	done, err := loop.Run(ctx, "s", "q", events.sink)
	events.complete()
	return done, events, err
}

// TestOrder lets calls take random times on servers with random rules: results
// stand in call order in the next request, calls of one server keep their
// order unless the server says otherwise, and nothing waits that need not.
func TestOrder(t *testing.T) {
	for seed := range uint64(60) {
		synctest.Test(t, func(t *testing.T) {
			random := rand.New(rand.NewPCG(seed, 1))
			const n = 10
			type span struct {
				from, to time.Time
				took     time.Duration
			}
			spans := make([]span, n)
			f := serversOf(n, func(i int) *tool {
				took := time.Duration(random.IntN(300)+1) * time.Millisecond
				return &tool{Server: fmt.Sprint(random.IntN(3)), Overlap: agent.Overlap(random.IntN(3)),
					run: func(context.Context, agent.Target) agent.Result {
						spans[i].from = time.Now()
						time.Sleep(took) // virtual
						spans[i].to, spans[i].took = time.Now(), took
						return agent.Result{Status: message.StatusOK, Content: fmt.Sprint("result ", i)}
					}}
			})
			m := &model{t: t, answers: []answer{{Calls: batchOf(n)}, {Text: "end"}}}
			j := &journal{t: t}
			began := time.Now()
			if done, _, err := runTurn(t.Context(), t, &agent.Loop{Model: m, Tools: f, Journal: j, Gate: gate{}}); err != nil || done.StopReason != message.StopEnd {
				t.Fatalf("got %v, %v", done, err)
			}
			results := m.asked[1].Messages[2:]
			for i, call := range m.asked[1].Messages[1].ToolCalls {
				if results[i].ToolCallID != call.ID || results[i].Content != fmt.Sprint("result ", i) {
					t.Errorf("seed %d: result %d is %v", seed, i, results[i])
				}
			}
			overlap := func(i, k int) bool { return spans[i].from.Before(spans[k].to) && spans[k].from.Before(spans[i].to) }
			for i := range n {
				a := f.known[fmt.Sprintf("t%d", i)]
				start := began // when it may start at the earliest
				for k := range i {
					b := f.known[fmt.Sprintf("t%d", k)]
					if a.Server != b.Server || a.Overlap == agent.Free || b.Overlap == agent.Free || a.Overlap == agent.WithReads && b.Overlap == agent.WithReads {
						continue
					}
					if overlap(i, k) || spans[i].from.Before(spans[k].to) {
						t.Errorf("seed %d: call %d began before call %d had ended", seed, i, k)
					}
					if spans[k].to.After(start) {
						start = spans[k].to
					}
				}
				if !spans[i].from.Equal(start) {
					t.Errorf("seed %d: call %d waited %v for nothing", seed, i, spans[i].from.Sub(start))
				}
			}
		})
	}
}

// TestStoreFailure fails each write in turn: what is not recorded does not
// run, every told call has its terminal event, and the turn ends.
func TestStoreFailure(t *testing.T) {
	fault := errors.New("disk full")
	for _, test := range []struct {
		deed  string
		nth   int
		sent  int
		told  string
		asked int
	}{
		{"append", 1, 0, "", 0},
		{"append", 2, 0, "", 1},
		{"start batch", 1, 0, "interrupted interrupted interrupted", 1},
		{"start " + childID(1), 1, 1, "ok interrupted interrupted", 1},
		{"finish batch", 1, 1, "unknown interrupted interrupted", 1},
		{"append", 3, 3, "ok ok ok", 2},
	} {
		t.Run(fmt.Sprintf("%s %d", test.deed, test.nth), func(t *testing.T) {
			n := 0
			j := &journal{t: t, fail: func(deed string) error {
				if deed == test.deed {
					if n++; n >= test.nth {
						return fault
					}
				}
				return nil
			}}
			f := serversOf(3, func(int) *tool { return &tool{Server: "one", Result: "done"} })
			m := &model{t: t, answers: []answer{{Text: "on it", Calls: batchOf(3)}, {Text: "end"}}}
			done, events, err := runTurn(t.Context(), t, &agent.Loop{Model: m, Tools: f, Journal: j, Gate: gate{}})
			if !errors.Is(err, fault) || done.StopReason != message.StopError {
				t.Errorf("got %v, %v", done, err)
			}
			if len(f.sent) != test.sent || len(m.asked) != test.asked {
				t.Errorf("%d calls were sent, %d passes asked; want %d and %d", len(f.sent), len(m.asked), test.sent, test.asked)
			}
			var told []string
			for _, line := range events.lines {
				if word := strings.Fields(line); word[0] == "result" {
					told = append(told, word[2])
				}
				if test.deed == "append" && test.nth == 2 && (strings.HasPrefix(line, "call") || strings.HasPrefix(line, "text")) {
					t.Errorf("shown although it is not stored: %s", line)
				}
			}
			if got := strings.Join(told, " "); got != test.told {
				t.Errorf("told %q, want %q", got, test.told)
			}
			if !slices.ContainsFunc(events.lines, func(l string) bool { return strings.HasPrefix(l, "error ") && strings.Contains(l, "disk full") }) {
				t.Errorf("nobody was told: %q", events.lines)
			}
		})
	}
}

func childID(i int) string {
	text := fmt.Sprintf(`{"calls": [{"name": "t%d", "arguments": {}}]}`, i)
	return message.DeterministicCallID("tool_call", "batch"+text, i)
}

func TestDurableFirst(t *testing.T) {
	j := &journal{t: t}
	f := serversOf(2, func(i int) *tool {
		return &tool{Server: fmt.Sprint(i), run: func(_ context.Context, target agent.Target) agent.Result {
			j.mu.Lock()
			defer j.mu.Unlock()
			for id, state := range j.states {
				if state == "" {
					t.Errorf("%s runs and %s is not stored", target.Public, id)
				}
			}
			if len(j.states) != 2 {
				t.Errorf("%s runs and %d of 2 calls are stored", target.Public, len(j.states))
			}
			return agent.Result{Status: message.StatusOK, Content: "x"}
		}}
	})
	loop := &agent.Loop{Model: &model{t: t, answers: []answer{{Text: "a b", Calls: batchOf(2)}, {Text: "end"}}}, Tools: f, Journal: j, Gate: gate{}}
	shown := 0
	_, err := loop.Run(t.Context(), "s", "q", func(e message.Event) {
		stored := len(j.stored())
		if e.Type == message.EventText && !e.Provisional || e.Type == message.EventToolCall {
			shown++
			if stored < 2 {
				t.Errorf("%s was shown with %d rows stored", e.Type, stored)
			}
		}
	})
	if err != nil || shown != 4 {
		t.Errorf("%d things were shown, %v", shown, err)
	}
}

func TestHaltAndBudget(t *testing.T) {
	f := &tools{known: map[string]*tool{"t": {Server: "s", Result: "same"}}}
	again := func(i int) answer {
		return answer{Calls: []message.ToolCall{{ID: fmt.Sprint(i), Name: "t", Arguments: "{}"}}}
	}
	n := 0
	halting := gate{settle: func(r agent.Result) agent.Result {
		if n++; n == 2 {
			r.Halt = "it only repeats itself."
		}
		r.Shown = "for people"
		return r
	}}
	j := &journal{t: t}
	done, events, err := runTurn(t.Context(), t, &agent.Loop{Model: &model{t: t, answers: []answer{again(0), again(1)}}, Tools: f, Journal: j, Gate: halting})
	if err != nil || done.StopReason != message.StopLoop || j.rows[len(j.rows)-1].Content != "I stopped here: it only repeats itself." {
		t.Errorf("got %v, %v; %q", done, err, events.lines)
	}
	if !slices.Contains(events.lines, "result 0 ok for people") || j.rows[2].Content != "same" {
		t.Errorf("what is shown and what is stored: %q, %q", events.lines, j.rows[2].Content)
	}
}

// TestEnded: a round is judged when all of its calls have their results.
func TestEnded(t *testing.T) {
	f := &tools{known: map[string]*tool{"t": {Server: "s", Result: "same"}}}
	j := &journal{t: t}
	loop := &agent.Loop{Model: &model{t: t, answers: []answer{{Calls: batchOf(5)}}}, Tools: f, Journal: j, Gate: gate{}, Ended: func() string {
		return fmt.Sprintf("%d rows are stored.", len(j.stored()))
	}}
	done, events, err := runTurn(t.Context(), t, loop)
	if rows := j.stored(); err != nil || done.StopReason != message.StopLoop || rows[len(rows)-1].Content != "I stopped here: 7 rows are stored." {
		t.Errorf("got %v, %v; %q", done, err, events.lines)
	}
}

// TestBudget: the pass behind the last one asks for an answer and runs nothing.
func TestBudget(t *testing.T) {
	f := &tools{known: map[string]*tool{"t": {Server: "s", Result: "same"}}}
	again := func(i int) answer {
		return answer{Calls: []message.ToolCall{{ID: fmt.Sprint(i), Name: "t", Arguments: "{}"}}}
	}
	more := again(3)
	more.Text, more.Vendor, more.Blocks = "I need more.", "x", []json.RawMessage{[]byte(`{}`)}
	for name, c := range map[string]struct {
		last answer
		want string
	}{
		"answers": {answer{Text: "That is all."}, "That is all."},
		"calls":   {more, "I need more."},
		"nothing": {answer{}, "This turn ended before I could answer."},
	} {
		j := &journal{t: t}
		done, events, err := runTurn(t.Context(), t, &agent.Loop{Model: &model{t: t, answers: []answer{again(0), again(1), again(2), c.last}}, Tools: f, Journal: j, Gate: gate{}, MaxPasses: 3})
		last := j.rows[len(j.rows)-1]
		if err != nil || done.StopReason != message.StopBudget || done.ModelPasses != 4 || done.ToolCalls != 3 || last.Content != c.want || last.ToolCalls != nil || last.Blocks != nil {
			t.Errorf("%s: got %v, %v; %q; %+v", name, done, err, events.lines, last)
		}
	}
}

// TestZeroLoopDenies: a loop without one of its ports asks and runs nothing.
func TestZeroLoopDenies(t *testing.T) {
	m, f, j, g := &model{t: t}, &tools{}, &journal{t: t}, gate{}
	for name, loop := range map[string]*agent.Loop{
		"nothing": {}, "no model": {Tools: f, Journal: j, Gate: g}, "no tools": {Model: m, Journal: j, Gate: g},
		"no journal": {Model: m, Tools: f, Gate: g}, "no gate": {Model: m, Tools: f, Journal: j},
	} {
		if _, _, err := runTurn(t.Context(), t, loop); err == nil || len(j.wrote) > 0 {
			t.Errorf("%s: %v, wrote %q", name, err, j.wrote)
		}
	}
}

// TestCarelessPorts: a tool without a status, a denial that says ok and a tool
// that panics are not successes.
func TestCarelessPorts(t *testing.T) {
	f := serversOf(3, func(i int) *tool { return &tool{Server: fmt.Sprint(i)} })
	f.known["t1"].run = func(context.Context, agent.Target) agent.Result { panic("secret detail") }
	f.known["t2"].Gate = "no"
	j := &journal{t: t}
	loop := &agent.Loop{Model: &model{t: t, answers: []answer{{Calls: batchOf(3)}, {Text: "end"}}}, Tools: f, Journal: j, Gate: okGate()}
	if _, events, err := runTurn(t.Context(), t, loop); err != nil || strings.Contains(strings.Join(events.lines, " "), "secret detail") {
		t.Errorf("%v; %q", err, events.lines)
	}
	if got := statuses(inOrder(j.rows)); got != "error unknown denied" {
		t.Errorf("results %q", got)
	}
}

// okGate calls its refusals ok.
func okGate() gate {
	return gate{judge: func(call agent.Call) agent.Judgement {
		judgement := gate{}.Judge(context.Background(), call)
		if judgement.Denial != nil {
			judgement.Denial.Status = message.StatusOK
		}
		return judgement
	}}
}

func TestErrorsAreRedacted(t *testing.T) {
	loop := &agent.Loop{Model: &model{t: t, answers: []answer{{Error: "401 for key hunter2"}}}, Tools: &tools{}, Journal: &journal{t: t}, Gate: gate{},
		Redact: func(s string) string { return strings.ReplaceAll(s, "hunter2", "[redacted]") }}
	_, events, _ := runTurn(t.Context(), t, loop)
	if events.lines[0] != "error 401 for key [redacted]" {
		t.Errorf("told %q", events.lines)
	}
}

// TestPolicyOfNow: a tool that is locked while an approval or an earlier call
// takes its time is not called any more.
func TestPolicyOfNow(t *testing.T) {
	for _, test := range []struct {
		name string
		lock func(f *tools, lock func()) agent.Gate
	}{
		{"while a person is asked", func(_ *tools, lock func()) agent.Gate { return lockingGate(lock) }},
		{"while an earlier call runs", func(f *tools, lock func()) agent.Gate {
			f.known["t0"].run = func(context.Context, agent.Target) agent.Result {
				lock()
				return agent.Result{Status: message.StatusOK, Content: "done"}
			}
			return gate{}
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			f := serversOf(2, func(int) *tool { return &tool{Server: "one", Result: "done"} })
			g := test.lock(f, func() {
				f.mu.Lock()
				defer f.mu.Unlock()
				f.known["t1"].Deny = "config.yaml:3: locked just now"
			})
			j := &journal{t: t}
			loop := &agent.Loop{Model: &model{t: t, answers: []answer{{Calls: batchOf(2)}, {Text: "end"}}}, Tools: f, Journal: j, Gate: g}
			if _, _, err := runTurn(t.Context(), t, loop); err != nil {
				t.Fatal(err)
			}
			if got := statuses(inOrder(j.rows)); got != "ok denied" || len(f.sent) != 1 {
				t.Errorf("results %q, sent %q", got, f.sent)
			}
		})
	}
}

// lockingGate lets a reload happen while the second call's card is read.
func lockingGate(lock func()) gate {
	return gate{judge: only("t1"), ask: func(_ context.Context, calls []agent.Call, put func(string)) []*agent.Denial {
		put("card")
		lock()
		return make([]*agent.Denial, len(calls))
	}}
}
