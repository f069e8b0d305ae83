package approval_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"hermes/backend/approval"
)

// card is a question about three calls.
func card() approval.Question {
	q := approval.Question{Kind: approval.KindCalls, Session: "s", Wait: time.Minute}
	for _, id := range []string{"a", "b", "c"} {
		q.Calls = append(q.Calls, approval.CallAsk{Call: id, Server: "web", Tool: id, Arguments: "{\"x\":\"\u202e\"}", Scopes: []approval.Scope{approval.ScopeOnce, approval.ScopeSession}})
	}
	return q
}

func yes(call string, scope approval.Scope) approval.Choice {
	return approval.Choice{Call: call, Allow: true, Scope: scope}
}

// TestCard follows a card to each of its ends.
func TestCard(t *testing.T) {
	accept := func(choices ...approval.Choice) approval.Answer {
		return approval.Answer{Action: approval.ActionAccept, Choices: choices}
	}
	lock := func(ids ...string) func(*approval.Inbox) {
		return func(b *approval.Inbox) {
			b.WithdrawCalls(func(call approval.CallAsk) string {
				if strings.Contains(strings.Join(ids, " "), call.Call) {
					return "locked"
				}
				return ""
			})
		}
	}
	for _, test := range []struct {
		name   string
		before func(b *approval.Inbox)
		answer *approval.Answer
		unfit  bool
		want   string
	}{
		{"a mix", nil, new(accept(yes("c", approval.ScopeSession), yes("a", approval.ScopeOnce), approval.Choice{Call: "b", Reason: "not \u202ethis"})), false, "accept a once; b no not \\u202ethis; c session;"},
		{"what is not named is denied", nil, new(accept(yes("b", approval.ScopeOnce))), false, "accept a no ; b once; c no ;"},
		{"declined as a whole", nil, new(approval.Answer{Action: approval.ActionDecline, Choices: []approval.Choice{yes("a", approval.ScopeOnce), {Call: "b", Reason: "no"}}}), false, "decline a no ; b no no; c no ;"},
		{"an unknown call", nil, new(accept(yes("d", approval.ScopeOnce))), true, "decline nobody answered within 1m0s"},
		{"a scope that is not offered", nil, new(accept(yes("a", approval.ScopeAlways))), true, "decline nobody answered within 1m0s"},
		{"no scope", nil, new(accept(yes("a", ""))), true, "decline nobody answered within 1m0s"},
		{"twice", nil, new(accept(yes("a", approval.ScopeOnce), approval.Choice{Call: "a"})), true, "decline nobody answered within 1m0s"},
		{"one is locked meanwhile", lock("b"), new(accept(yes("a", approval.ScopeOnce), yes("b", approval.ScopeOnce))), false, "accept a once; c no ; b withdrawn locked;"},
		{"all are locked meanwhile", lock("a", "b", "c"), nil, false, "decline a withdrawn locked; b withdrawn locked; c withdrawn locked;"},
		{"time", nil, nil, false, "decline nobody answered within 1m0s"},
		{"the end", func(b *approval.Inbox) { b.Close() }, nil, false, "decline the program is ending"},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := approval.NewInbox(nil)
				defer b.Listen()()
				q := card()
				answer := asked(t.Context(), b, q)
				synctest.Wait()
				id := b.Open()[0].ID
				if got := b.Open()[0].Calls[0].Arguments; got != `{"x":"\u202e"}` || q.Calls[0].Arguments == got {
					t.Errorf("shown %q, to be called %q", got, q.Calls[0].Arguments)
				}
				if test.before != nil {
					test.before(b)
				}
				if test.answer != nil {
					if ok, err := b.Answer(id, *test.answer); ok == test.unfit || errors.Is(err, approval.ErrAnswer) != test.unfit {
						t.Errorf("answered %v, %v", ok, err)
					}
				}
				a := <-answer
				got := string(a.Action) + " " + a.Reason
				for _, c := range a.Choices {
					switch {
					case c.Allow:
						got += fmt.Sprintf("%s %s; ", c.Call, c.Scope)
					case c.Withdrawn:
						got += fmt.Sprintf("%s withdrawn %s; ", c.Call, c.Reason)
					default:
						got += fmt.Sprintf("%s no %s; ", c.Call, c.Reason)
					}
				}
				if strings.TrimSpace(got) != test.want {
					t.Errorf("got %q, want %q", got, test.want)
				}
			})
		})
	}
}

// TestCardThatIsNone: a card without entries, or with two of one id, is no card.
func TestCardThatIsNone(t *testing.T) {
	b := approval.NewInbox(nil)
	defer b.Listen()()
	for name, change := range map[string]func(*approval.Question){
		"no calls": func(q *approval.Question) { q.Calls = nil },
		"one id":   func(q *approval.Question) { q.Calls[1].Call = "a" },
		"no id":    func(q *approval.Question) { q.Calls[1].Call = "" },
	} {
		q := card()
		change(&q)
		if answer, err := b.Ask(t.Context(), q); !errors.Is(err, approval.ErrQuestion) || answer.Action != approval.ActionDecline {
			t.Errorf("%s: %+v, %v", name, answer, err)
		}
	}
}
