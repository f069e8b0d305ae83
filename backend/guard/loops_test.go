package guard_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"hermes/backend/guard"
	"hermes/backend/message"
)

func watch(rules guard.Rules, reads ...string) *guard.Turn {
	return guard.NewTurn(guard.Options{Limits: guard.DefaultLimits(), Rules: rules, Redactor: guard.NewRedactor(nil), Reads: func(c message.CallEvent) bool {
		for _, name := range reads {
			if c.Name == name {
				return true
			}
		}
		return false
	}})
}

// one is a call of a tool by name, with its arguments.
func one(tool, arguments string) message.CallEvent {
	return message.CallEvent{ID: tool + arguments, Name: tool, Server: "s", Tool: tool, Arguments: arguments}
}

// note is what the model is told behind a result.
func note(out guard.Outcome) string {
	_, note, _ := strings.Cut(out.Content, "<hermes_note>\n")
	return note
}

func TestToolThatKeepsFailing(t *testing.T) {
	turn := watch(guard.DefaultRules())
	for i := 1; i <= 8; i++ {
		out := turn.After(one("a", fmt.Sprint(i)), message.StatusError, fmt.Sprint("no ", i))
		if told := note(out) != ""; told != (i >= 3) || (out.Halt != "") != (i == 8) {
			t.Errorf("failure %d: note %q, halt %q", i, note(out), out.Halt)
		}
	}
	turn = watch(guard.DefaultRules(), "read")
	for i := range 30 {
		if out := turn.After(one("a", fmt.Sprint(i)), message.StatusError, fmt.Sprint("no ", i)); out.Halt != "" {
			t.Fatalf("halted at %d: %s", i, out.Halt)
		}
		if i%4 == 3 { // something was changed
			turn.After(one("b", fmt.Sprint(i)), message.StatusOK, fmt.Sprint("done ", i))
		}
	}
	turn = watch(guard.DefaultRules(), "read")
	halt := ""
	for i := range 10 { // reading changes nothing
		halt += turn.After(one("a", fmt.Sprint(i)), message.StatusError, fmt.Sprint("no ", i)).Halt
		turn.After(one("read", fmt.Sprint(i)), message.StatusOK, fmt.Sprint("text ", i))
	}
	if halt == "" {
		t.Error("reading in between keeps a failing tool alive")
	}
}

func TestReadsWithoutProgress(t *testing.T) {
	turn := watch(guard.DefaultRules(), "read")
	call := one("read", "{}")
	for i := 1; i <= 5; i++ {
		if why := turn.Before(call); why != "" {
			t.Fatalf("blocked at %d: %s", i, why)
		}
		out := turn.After(call, message.StatusOK, "same")
		turn.After(one("read", fmt.Sprint(i)), message.StatusOK, fmt.Sprint("other ", i))
		if told := strings.Contains(note(out), "same result"); told != (i >= 2) {
			t.Errorf("%d: %q", i, note(out))
		}
	}
	if why := turn.Before(call); !strings.Contains(why, "same result 5 times") {
		t.Errorf("the sixth read: %q", why)
	}
	turn.After(one("write", "{}"), message.StatusOK, "written")
	if why := turn.Before(call); why != "" {
		t.Errorf("after a change: %s", why)
	}
}

func TestCycles(t *testing.T) {
	for size := 1; size <= 4; size++ {
		turn := watch(guard.DefaultRules())
		halted := 0
		for i := range 40 {
			out := turn.After(one(fmt.Sprint("t", i%size), "{}"), message.StatusOK, "same")
			if size > 1 && i+1 == 3*size && note(out) == "" {
				t.Errorf("size %d: no note at the third lap", size)
			}
			if out.Halt != "" {
				halted = i + 1
				break
			}
		}
		if halted != 5*size {
			t.Errorf("a lap of %d ended after %d calls", size, halted)
		}
	}
}

// TestOrderWithinABatch: calls of one batch end in any order.
func TestOrderWithinABatch(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		turn := watch(guard.DefaultRules())
		names := []string{"a", "b", "c", "d"}[:rapid.IntRange(1, 4).Draw(t, "size")]
		for lap := 1; ; lap++ {
			halt := ""
			for _, name := range rapid.Permutation(names).Draw(t, "order") {
				halt += turn.After(one(name, "{}"), message.StatusOK, "same").Halt
			}
			if halt != "" {
				if lap < 4 { // the end of one lap and the beginning of the next may look like one
					t.Fatalf("halted in lap %d", lap)
				}
				return
			}
			if lap > 5 {
				t.Fatalf("still running in lap %d", lap)
			}
		}
	})
}

// TestWorkIsNeverHalted: whoever learns something new with every call, or
// changes the arguments and gets an answer, is left alone.
func TestWorkIsNeverHalted(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		turn := watch(guard.DefaultRules(), "a")
		for i := range rapid.IntRange(1, 200).Draw(t, "calls") {
			call := one(rapid.SampledFrom([]string{"a", "b", "c"}).Draw(t, "tool"), fmt.Sprint(i/2))
			if why := turn.Before(call); why != "" {
				t.Fatal(why)
			}
			if out := turn.After(call, message.StatusOK, fmt.Sprint("result ", i)); out.Halt != "" || note(out) != "" {
				t.Fatalf("%q %q", out.Halt, note(out))
			}
		}
	})
}

// TestLoopsEnd: a model that knows only a few calls, whose results do not
// change, comes to an end: it is halted, or nothing it asks for runs any more.
func TestLoopsEnd(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		turn := watch(guard.DefaultRules(), rapid.SliceOf(rapid.SampledFrom([]string{"0", "1", "2", "3", "4", "5"})).Draw(t, "reads")...)
		calls := rapid.IntRange(1, 6).Draw(t, "calls")
		failing := rapid.IntRange(0, 63).Draw(t, "failing")
		ran := 0
		for range 400 {
			i := rapid.IntRange(0, calls-1).Draw(t, "call")
			call := one(fmt.Sprint(i), "{}")
			if turn.Before(call) != "" {
				continue
			}
			status := message.StatusOK
			if failing>>i&1 == 1 {
				status = message.StatusError
			}
			ran++
			if turn.After(call, status, "same").Halt != "" {
				break
			}
		}
		// The first answer of each call may give the others another chance.
		if ran > 5*calls*(calls+1) {
			t.Fatalf("%d calls ran", ran)
		}
	})
}

func TestSoftRules(t *testing.T) {
	rules := guard.DefaultRules()
	rules.Soft = true
	turn := watch(rules)
	for i := range 30 {
		if why := turn.Before(one("a", "{}")); why != "" {
			t.Fatal(why)
		}
		if out := turn.After(one("a", "{}"), message.StatusError, "no"); out.Halt != "" || i > 2 && !strings.Contains(note(out), "Stop repeating this") {
			t.Fatalf("%+v", out)
		}
	}
	rules.Warnings, rules.Stalls = false, false
	turn = watch(rules)
	for range 9 {
		if out := turn.After(one("a", "{}"), message.StatusError, "no"); note(out) != "" {
			t.Fatal(note(out))
		}
	}
	turn = watch(guard.Rules{})
	if turn.Before(one("a", "{}")) == "" {
		t.Error("rules nobody gave let calls run")
	}
}

func TestStoppedCallsSayNothing(t *testing.T) {
	turn := watch(guard.DefaultRules())
	for range 20 {
		if out := turn.After(one("a", "{}"), message.StatusInterrupted, "stopped"); out.Halt != "" || note(out) != "" {
			t.Fatalf("%+v", out)
		}
	}
}

func TestRepeatedResult(t *testing.T) {
	dir := t.TempDir() + "/spill"
	turn := newTurn(t, dir)
	text := strings.Repeat("line of a result\n", 40)
	turn.After(one("a", "1"), message.StatusOK, text)
	out := turn.After(one("b", "2"), message.StatusOK, text)
	if len(out.Content) > 300 || !strings.Contains(out.Content, "call a1 above") || !strings.Contains(out.Content, spilled(t, dir, "s1-a1-")) || strings.Contains(out.Content, "line of") {
		t.Errorf("%s", out.Content)
	}
	turn.Forget()
	if out := turn.After(one("c", "3"), message.StatusOK, text); !strings.Contains(out.Content, "line of") {
		t.Errorf("what the model no longer has is not given: %s", out.Content)
	}
	short := strings.Repeat("x", 511)
	turn = watch(guard.DefaultRules())
	turn.After(one("a", "1"), message.StatusOK, short)
	if out := turn.After(one("b", "2"), message.StatusOK, short); !strings.Contains(out.Content, short) {
		t.Errorf("%s", out.Content)
	}
}

func TestRoundBudget(t *testing.T) {
	limits := guard.DefaultLimits()
	limits.Round, limits.Preview = 1000, 50
	turn := guard.NewTurn(guard.Options{Limits: limits, Rules: guard.DefaultRules(), Session: "s", Dir: t.TempDir() + "/spill", Redactor: guard.NewRedactor(nil)})
	give := func(i int) bool {
		return strings.Contains(turn.After(one("a", fmt.Sprint(i)), message.StatusOK, strings.Repeat(fmt.Sprint(i), 400)).Content, "persisted-output")
	}
	if give(1) || give(2) || !give(3) {
		t.Error("the third result of a round should go to a file, and no earlier one")
	}
	turn.Round()
	if give(4) {
		t.Error("a new round has its own budget")
	}
	if got := guard.DefaultLimits().Within(100_000); got.SpillAt != 15_000 || got.Round != 30_000 {
		t.Errorf("%+v", got)
	}
	if got := guard.DefaultLimits().Within(1_000); got.SpillAt != 8_000 || got.Round != 16_000 {
		t.Errorf("%+v", got)
	}
	if got := guard.DefaultLimits().Within(0); got != guard.DefaultLimits() {
		t.Errorf("%+v", got)
	}
}

func TestTurnFromManyGoroutines(t *testing.T) {
	turn := watch(guard.DefaultRules())
	var all sync.WaitGroup
	for i := range 20 {
		all.Go(func() {
			call := one(fmt.Sprint("t", i), "{}")
			turn.Before(call)
			turn.Round()
			if out := turn.After(call, message.StatusOK, strings.Repeat(fmt.Sprint("result ", i), 100)); out.Halt != "" {
				t.Error(out.Halt)
			}
			turn.Forget()
		})
	}
	all.Wait()
}
