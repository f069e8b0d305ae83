package guard_test

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"hermes/backend/guard"
	"hermes/backend/message"
)

// batch is one round: each call with its outcome, and why the turn ends with it.
func batch(turn *guard.Turn, status message.Status, outcomes ...[3]string) (halt, notes string) {
	turn.Round()
	var calls []message.ToolCall
	for i, o := range outcomes {
		calls = append(calls, message.ToolCall{ID: fmt.Sprint(i), Name: o[0], Arguments: o[1], Target: message.Target{Name: o[0]}})
	}
	turn.Asked(calls)
	for i, o := range outcomes {
		call := one(o[0], o[1])
		call.ID = calls[i].ID
		if turn.Before(call) != "" {
			turn.Answered(call.ID, message.StatusBlocked)
			continue
		}
		notes += note(turn.After(call, status, o[2]))
		turn.Answered(call.ID, status)
	}
	return turn.Ended(), notes
}

// TestBatchIsOneStep: the model asked for all of a batch before it saw any of it.
func TestBatchIsOneStep(t *testing.T) {
	for _, status := range []message.Status{message.StatusOK, message.StatusError} {
		var equal, different [][3]string
		for i := range 12 {
			equal = append(equal, [3]string{"a", "{}", "same"})
			different = append(different, [3]string{"a", fmt.Sprint(i), "same"})
		}
		for name, calls := range map[string][][3]string{"equal": equal, "different": different} {
			turn := watch(guard.DefaultRules(), "a")
			halted := 0
			for round := 1; round <= 9 && halted == 0; round++ {
				halt, notes := batch(turn, status, calls...)
				if halt != "" {
					halted = round
				}
				if round == 1 && notes != "" || round == 3 && !strings.Contains(notes, "Stop repeating this") {
					t.Errorf("%s %s: notes of round %d: %q", status, name, round, notes)
				}
			}
			if halted != 5 {
				t.Errorf("%s %s: halted in round %d", status, name, halted)
			}
		}
	}
}

// TestBatchWithNews: what repeats itself beside something new is no loop.
func TestBatchWithNews(t *testing.T) {
	turn := watch(guard.DefaultRules())
	for i := range 30 {
		if halt, _ := batch(turn, message.StatusOK, [3]string{"poll", "{}", "waiting"}, [3]string{"work", fmt.Sprint(i), fmt.Sprint("done ", i)}); halt != "" {
			t.Fatalf("round %d: %s", i, halt)
		}
	}
	turn = watch(guard.DefaultRules())
	for range 4 {
		batch(turn, message.StatusOK, [3]string{"poll", "{}", "waiting"})
	}
	if halt, _ := batch(turn, message.StatusOK, [3]string{"poll", "{}", "waiting"}, [3]string{"work", "1", "news"}); halt != "" {
		t.Errorf("news in the same round: %s", halt)
	}
}

// TestCyclesOfBatches: a lap of rounds ends the turn whatever the order of calls.
func TestCyclesOfBatches(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		turn := watch(guard.DefaultRules())
		size := rapid.IntRange(1, 4).Draw(t, "size")
		for round := range 40 {
			lap := fmt.Sprint(round % size)
			calls := [][3]string{{"a", lap, "same"}, {"b", lap, "same"}, {"b", " " + lap, "same"}}
			if halt, _ := batch(turn, message.StatusOK, rapid.Permutation(calls).Draw(t, "order")...); halt != "" {
				if round+1 != 5*size {
					t.Fatalf("a lap of %d ended after %d rounds: %s", size, round+1, halt)
				}
				return
			}
		}
		t.Fatal("never halted")
	})
}

// TestSameArguments: a call is the same however its arguments are written.
func TestSameArguments(t *testing.T) {
	for _, c := range []struct {
		a, b string
		same bool
	}{
		{`{"a": 1}`, "{\"a\":\n 1}", true}, {`{"a":1,"b":{"c":2,"d":[1, 2]}}`, `{"b":{"d":[1,2],"c":2},"a":1}`, true}, {"", "{}", true}, {`{"a":"\u0041"}`, `{"a":"A"}`, true},
		{`{"a":1}`, `{"a":1.0}`, false}, {`{"a":12345678901234567890}`, `{"a":12345678901234567891}`, false}, {`{"a":[1,2]}`, `{"a":[2,1]}`, false}, {`{"a":"x y"}`, `{"a":"xy"}`, false}, {`{"a":1`, `{"a": 1`, false}, {`{} 1`, `{}`, false},
	} {
		turn := watch(guard.DefaultRules())
		for range 5 {
			turn.After(one("t", c.a), message.StatusError, "no")
		}
		if got := turn.Before(one("t", c.b)) != ""; got != c.same {
			t.Errorf("%s and %s: same is %v", c.a, c.b, got)
		}
	}
}

// TestIdenticalFailure: news of another call is no reason to send again what fails
// the same way each time.
func TestIdenticalFailure(t *testing.T) {
	for text, want := range map[string]int{"no": 5, "no %d": 20} {
		turn, ran := watch(guard.DefaultRules()), 0
		for i := range 20 {
			if turn.Before(one("a", "{}")) == "" {
				ran++
				turn.After(one("a", "{}"), message.StatusError, strings.ReplaceAll(text, "%d", fmt.Sprint(i)))
			}
			turn.After(one("b", fmt.Sprint(i)), message.StatusOK, fmt.Sprint("done ", i))
		}
		if ran != want {
			t.Errorf("%q: it ran %d times", text, ran)
		}
	}
}

// TestRefusedAgain: who calls again and again what is not let through comes to an
// end, and so does one whose every call is.
func TestRefusedAgain(t *testing.T) {
	refuse := func(turn *guard.Turn, status message.Status, arguments string) string {
		turn.Round()
		turn.Asked([]message.ToolCall{{ID: "x", Name: "t", Arguments: arguments}, {ID: "y", Name: "t", Arguments: arguments}})
		turn.Answered("x", status)
		turn.Answered("y", status)
		return turn.Ended()
	}
	for _, status := range []message.Status{message.StatusBlocked, message.StatusDenied, message.StatusError} {
		for pattern, want := range map[string]int{`{"a": %d}`: 8, `{"a": 1}`: 5} {
			turn, halted := watch(guard.DefaultRules()), 0
			for round := 1; round <= 20 && halted == 0; round++ {
				if refuse(turn, status, strings.ReplaceAll(pattern, "%d", fmt.Sprint(round))) != "" {
					halted = round
				}
			}
			if halted != want {
				t.Errorf("%s %s: halted in round %d, want %d", status, pattern, halted, want)
			}
		}
	}
	rules := guard.DefaultRules()
	rules.Soft = true
	soft, stopped := watch(rules), watch(guard.DefaultRules())
	for range 20 {
		if halt := refuse(soft, message.StatusBlocked, "{}") + refuse(stopped, message.StatusInterrupted, "{}"); halt != "" {
			t.Fatal(halt)
		}
	}
	// A failing call that the guard blocks ends the turn as well.
	turn, halt, rounds := watch(guard.DefaultRules(), "read"), "", 0
	for ; halt == "" && rounds < 20; rounds++ {
		halt, _ = batch(turn, message.StatusError, [3]string{"a", "{}", fmt.Sprint("no ", rounds)}, [3]string{"b", fmt.Sprint(rounds), "x"})
	}
	if halt == "" || rounds > 10 {
		t.Errorf("after %d rounds: %q", rounds, halt)
	}
	var zero guard.Turn
	zero.Round()
	zero.Asked([]message.ToolCall{{ID: "x"}})
	zero.Answered("x", message.StatusBlocked)
	if zero.Ended() == "" {
		t.Error("the zero value goes on")
	}
}

// TestLoopsOfBatchesEnd: whatever calls of a few a model puts into its rounds, what
// runs has an end where nothing new comes.
func TestLoopsOfBatchesEnd(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		turn := watch(guard.DefaultRules(), rapid.SliceOf(rapid.SampledFrom([]string{"0", "1", "2", "3"})).Draw(t, "reads")...)
		n := rapid.IntRange(1, 4).Draw(t, "calls")
		status := rapid.SampledFrom([]message.Status{message.StatusOK, message.StatusError}).Draw(t, "status")
		for round := range 200 {
			var calls [][3]string
			for _, i := range rapid.SliceOfN(rapid.IntRange(0, n-1), 1, 6).Draw(t, "round") {
				calls = append(calls, [3]string{fmt.Sprint(i), "{}", "same"})
			}
			if halt, _ := batch(turn, status, calls...); halt != "" {
				if round < 4 {
					t.Fatalf("halted in round %d: %s", round+1, halt)
				}
				return
			}
		}
		t.Fatal("never halted")
	})
}
