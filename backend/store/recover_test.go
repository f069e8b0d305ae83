package store_test

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"hermes/backend/message"
	"hermes/backend/store"
)

// strict says what a vendor would refuse a history for: it begins with a user,
// speakers alternate, and every call is answered once, right behind its row and
// in the order of the calls, and nothing else is.
func strict(history []message.Message) error {
	before := message.RoleAssistant
	var open []string
	for i, row := range history {
		if row.Role == message.RoleTool {
			if len(open) == 0 || open[0] != row.ToolCallID {
				return fmt.Errorf("row %d answers %q, and %q wait", i, row.ToolCallID, open)
			}
			if row.Status == "" || row.Content == "" {
				return fmt.Errorf("row %d says nothing", i)
			}
			open = open[1:]
			before = message.RoleUser // vendors take results as the other side's words
			continue
		}
		if len(open) > 0 {
			return fmt.Errorf("row %d is of %s, and %q wait", i, row.Role, open)
		}
		if row.Role == before {
			return fmt.Errorf("row %d is of %s, as the one before", i, row.Role)
		}
		before = row.Role
		for _, call := range row.ToolCalls {
			open = append(open, call.ID)
		}
	}
	if len(open) > 0 {
		return fmt.Errorf("%q wait for ever", open)
	}
	return nil
}

// TestStrictRefuses is the judge judged.
func TestStrictRefuses(t *testing.T) {
	for name, rows := range map[string][]message.Message{
		"an assistant first":         {said("x")},
		"two users":                  {user("a"), user("b")},
		"two answers":                {user("a"), said("b"), said("c")},
		"a result of nothing":        {user("a"), said("b"), result("a", "x")},
		"a call without result":      {user("a"), calls("a", "b"), result("a", "x")},
		"a user before the result":   {user("a"), calls("a"), user("x"), result("a", "x")},
		"results out of order":       {user("a"), calls("a", "b"), result("b", "x"), result("a", "x")},
		"a second result":            {user("a"), calls("a"), result("a", "x"), result("a", "x")},
		"a user right behind it":     {user("a"), calls("a"), result("a", "x"), user("b")},
		"a result that says nothing": {user("a"), calls("a"), result("a", "")},
	} {
		if strict(rows) == nil {
			t.Errorf("%s was accepted", name)
		}
	}
	if err := strict([]message.Message{user("a"), calls("a", "b"), result("a", "x"), result("b", "x"), calls("c"), result("c", "x"), said("b"), user("c")}); err != nil {
		t.Error(err)
	}
}

// TestRecoverAnything draws the state in which a program may have died, and
// wants what is told of each call to be what is known of it.
func TestRecoverAnything(t *testing.T) {
	s, path := openStore(t)
	ctx := context.Background()
	other := reopen(t, path)
	rapid.Check(t, func(rt *rapid.T) {
		id := newSession(t, s)
		var want []message.Message
		for n := range rapid.IntRange(0, 2).Draw(rt, "rounds") {
			call := fmt.Sprint("old", n)
			rows := []message.Message{user("q"), calls(call), result(call, "done"), said("a")}
			must(t, s.AppendTurn(ctx, id, rows))
			want = append(want, rows...)
		}
		row := message.Message{Role: message.RoleAssistant, Vendor: "anthropic", Blocks: []json.RawMessage{json.RawMessage(`{"type": "thinking"}`)}}
		for i := range rapid.IntRange(1, 10).Draw(rt, "calls") {
			row.ToolCalls = append(row.ToolCalls, message.ToolCall{ID: fmt.Sprint("c", i), Name: "t", Arguments: "{}", Target: message.Target{
				Name: rapid.SampledFrom([]string{"t", message.ConnectorBatch}).Draw(rt, "name"), ReadOnly: rapid.Bool().Draw(rt, "reads"),
			}})
		}
		must(t, s.AppendTurn(ctx, id, []message.Message{user("now"), row}))
		want = append(want, user("now"), row)
		told := make([]string, len(row.ToolCalls))
		for _, i := range rapid.Permutation(seq(len(row.ToolCalls))).Draw(rt, "order") {
			call := row.ToolCalls[i]
			state := rapid.SampledFrom([]string{"stored", "started", "done", "refused"}).Draw(rt, "state")
			switch {
			case state == "stored":
				told[i] = "interrupted: not started"
			case state == "refused":
				refused := result(call.ID, "no")
				refused.Status = message.StatusDenied
				must(t, s.FinishCall(ctx, id, call.ID, refused))
				told[i] = "denied: no"
				continue
			default:
				must(t, s.MarkStarted(ctx, id, call.ID))
				told[i] = "unknown: whether it took effect is not known"
				switch {
				case call.Target.Name == message.ConnectorBatch:
					told[i] = "unknown: the last may never have been sent"
				case call.Target.ReadOnly:
					told[i] = "unknown: it only reads, so it may be repeated"
				}
			}
			if state == "done" {
				must(t, s.FinishCall(ctx, id, call.ID, result(call.ID, "yes")))
				told[i] = "ok: yes"
			}
		}
		checkRecovered(rt, other, id, want, told)
	})
}

func seq(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i
	}
	return out
}

func checkRecovered(rt *rapid.T, s *store.Store, id string, want []message.Message, told []string) {
	ctx := context.Background()
	history, recovered, release, err := s.Begin(ctx, id)
	must(rt, err)
	release()
	if err := strict(history); err != nil {
		rt.Fatalf("%v: %s", err, contents(history))
	}
	if !reflect.DeepEqual(history[:len(want)], want) {
		rt.Fatalf("what was stored changed: %#v, want %#v", history[:len(want)], want)
	}
	open := 0
	for i, row := range history[len(want):] {
		status, text, _ := strings.Cut(told[i], ": ")
		if string(row.Status) != status || !strings.Contains(row.Content, text) {
			rt.Fatalf("call %d is told as %s: %s, want %s", i, row.Status, row.Content, told[i])
		}
		if status == "unknown" || status == "interrupted" {
			if !reflect.DeepEqual(recovered[open], row) {
				rt.Fatalf("recovered %#v, stored %#v", recovered[open], row)
			}
			open++
		}
	}
	if len(recovered) != open {
		rt.Fatalf("%d rows were recovered, want %d", len(recovered), open)
	}
	again, recovered, release, err := s.Begin(ctx, id)
	must(rt, err)
	release()
	if len(recovered) != 0 || !reflect.DeepEqual(again, history) {
		rt.Fatalf("a second recovery changed something: %s", contents(recovered))
	}
	for i := range told {
		if s.MarkStarted(ctx, id, fmt.Sprint("c", i)) == nil {
			rt.Fatalf("call %d can be sent again", i)
		}
	}
	must(rt, s.AppendTurn(ctx, id, []message.Message{said("back"), user("next")}))
}
