package store_test

import (
	"context"
	"errors"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"hermes/backend/message"
	"hermes/backend/store"
)

func said(text string) message.Message {
	return message.Message{Role: message.RoleAssistant, Content: text}
}

func TestCompact(t *testing.T) {
	s, path := openStore(t)
	ctx := context.Background()
	id := newSession(t, s)
	must(t, s.AppendTurn(ctx, id, []message.Message{user("rhubarb"), calls("a", "b"), result("a", "one"), result("b", "two"), said("first"), user("second"), calls("c"), result("c", "three"), said("last")}))
	whole, err := s.Rows(ctx, id)
	must(t, err)
	must(t, s.Compact(ctx, id, user("what was said"), 3))
	for _, s := range []*store.Store{s, reopen(t, path)} {
		history, err := s.Messages(ctx, id)
		must(t, err)
		// Three rows are call, result and answer: the cut is before the call.
		if got := contents(history); got != "user; assistant; tool c ok; assistant" || history[0].Content != "what was said" {
			t.Errorf("the history is %s", got)
		}
		rows, err := s.Rows(ctx, id)
		must(t, err)
		if len(rows) != len(whole)+1 || !rows[6].Summary || rows[6].Content != "what was said" {
			t.Fatalf("%d rows, the seventh %+v", len(rows), rows[6])
		}
		for i, want := range whole {
			got := rows[i+i/6]
			if got.Active != (i >= 6) || got.Summary || !reflect.DeepEqual(got.Message, want.Message) || got.At != want.At {
				t.Errorf("row %d is %+v, want %+v", i, got, want)
			}
		}
	}
	if got := searched(t, s, "rhubarb"); got != "rhubarb" {
		t.Errorf("a row behind a summary is found as %q", got)
	}
	if got := searched(t, s, `"what was said"`); got != "" {
		t.Errorf("the summary is found: %q", got)
	}
	if session, err := s.Session(ctx, id); err != nil || session.Messages != len(whole) {
		t.Errorf("%d messages, %v", session.Messages, err)
	}
	ids, err := s.CallIDs(ctx, id)
	must(t, err)
	if strings.Join(ids, "") != "abc" {
		t.Errorf("the ids taken are %v", ids)
	}
	if err := s.Compact(ctx, id, user("again"), 3); !errors.Is(err, store.ErrNothingToCompact) {
		t.Errorf("a summary of a summary alone: %v", err)
	}
	must(t, s.AppendTurn(ctx, id, []message.Message{user("third"), calls("d")}))
	if err := s.Compact(ctx, id, user("too early"), 1); err == nil || !strings.Contains(err.Error(), "call d has no result") {
		t.Errorf("compacted while a call is open: %v", err)
	}
	must(t, s.FinishCall(ctx, id, "d", result("d", "four")))
	must(t, s.Compact(ctx, id, user("all of it"), 1))
	history, err := s.Messages(ctx, id)
	must(t, err)
	if got := contents(history); got != "user; assistant; tool d ok" {
		t.Errorf("the history is %s", got)
	}
	for _, bad := range []message.Message{{Role: message.RoleTool, Content: "x"}, {Role: message.RoleSystem}, calls("e")} {
		if err := s.Compact(ctx, id, bad, 1); err == nil {
			t.Errorf("%s was taken as a summary", contents([]message.Message{bad}))
		}
	}
	if err := s.Compact(ctx, "nobody", user("x"), 1); !errors.Is(err, store.ErrUnknownSession) {
		t.Errorf("got %v", err)
	}
}

// TestCompactKeepsRows is the property that whatever is compacted how often, no
// kept row changes by a byte, no pair is parted, speakers alternate, and all
// rows stay in their order.
func TestCompactKeepsRows(t *testing.T) {
	s, _ := openStore(t)
	ctx := context.Background()
	rapid.Check(t, func(rt *rapid.T) {
		id := newSession(t, s)
		var all []message.Message
		for n := range rapid.IntRange(1, 4).Draw(rt, "times") {
			rows := drawHistory(rt)
			for i := range rows {
				for k := range rows[i].ToolCalls {
					rows[i].ToolCalls[k].ID += string(rune('0' + n))
				}
				if rows[i].ToolCallID != "" {
					rows[i].ToolCallID += string(rune('0' + n))
				}
			}
			rows = append(rows, said("end"))
			must(t, s.AppendTurn(ctx, id, rows))
			all = append(all, rows...)
			keep := rapid.IntRange(0, len(rows)+2).Draw(rt, "keep")
			before, err := s.Messages(ctx, id)
			must(t, err)
			err = s.Compact(ctx, id, user("summary"), keep)
			if errors.Is(err, store.ErrNothingToCompact) {
				continue
			}
			must(t, err)
			history, err := s.Messages(ctx, id)
			must(t, err)
			if len(history) < min(keep, len(before)) {
				rt.Fatalf("%d rows are left of %d, want %d", len(history), len(before), keep)
			}
			if !reflect.DeepEqual(history[0], user("summary")) || history[1].Role != message.RoleAssistant {
				rt.Fatalf("the history begins with %s", contents(history))
			}
			if tail := before[len(before)-len(history)+1:]; !reflect.DeepEqual(history[1:], tail) {
				rt.Fatalf("the kept rows are %#v, want %#v", history[1:], tail)
			}
		}
		rows, err := s.Rows(ctx, id)
		must(t, err)
		var stored []message.Message
		for _, row := range rows {
			if !row.Summary {
				stored = append(stored, row.Message)
			}
		}
		if !reflect.DeepEqual(stored, all) {
			rt.Fatalf("stored are %s, want %s", contents(stored), contents(all))
		}
	})
}
