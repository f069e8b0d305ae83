package guard_test

import (
	"fmt"
	"strings"
	"testing"

	"hermes/backend/guard"
	"hermes/backend/message"
)

// TestParts: the entries of one call count one by one, in any order and company,
// and what was never sent counts as refused.
func TestParts(t *testing.T) {
	turn := watch(guard.DefaultRules())
	whole := one("batch", "{}")
	bad := guard.Part{Call: one("bad", `{"a":1}`), Status: message.StatusError, Content: "no", Carried: true}
	for i := 1; i <= 5; i++ {
		good := guard.Part{Call: one("good", fmt.Sprint(i)), Status: message.StatusOK, Content: fmt.Sprint("done ", i), Carried: true}
		parts := []guard.Part{good, bad}
		if i%2 == 0 {
			parts = []guard.Part{bad, good}
		}
		if reason := turn.Before(bad.Call); reason != "" {
			t.Fatalf("blocked before round %d: %s", i, reason)
		}
		out := turn.AfterParts(whole, "both", parts)
		if told := strings.Contains(note(out), fmt.Sprintf("Entry %d: This very call failed %d times", 2-(i+1)%2, i)); told != (i >= 2) {
			t.Errorf("round %d: note %q", i, note(out))
		}
	}
	if turn.Before(bad.Call) == "" {
		t.Error("what failed five times may run again")
	}
	if reason := turn.Before(whole); reason != "" {
		t.Errorf("the whole was counted: %s", reason)
	}

	turn = watch(guard.DefaultRules())
	turn.Round()
	halt := ""
	for i := 1; halt == "" && i < 9; i++ {
		turn.RefusedParts("id", []guard.Part{{Call: one("closed", `{}`), Status: message.StatusDenied}, {Call: one("other", fmt.Sprint(i)), Status: message.StatusInterrupted}})
		if halt = turn.Ended(); halt != "" && i != 5 {
			t.Errorf("halted after %d refusals: %s", i, halt)
		}
		turn.Round()
	}
	if !strings.Contains(halt, "closed was called with the same arguments 5 times") {
		t.Errorf("halt %q", halt)
	}
}
