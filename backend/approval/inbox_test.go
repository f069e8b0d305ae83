package approval_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"hermes/backend/approval"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func question(server string) approval.Question {
	return approval.Question{Kind: approval.KindElicitation, Server: server, Message: "Which one?", Wait: time.Minute}
}

// asked puts a question in the background and gives its answer when it is there.
func asked(ctx context.Context, b *approval.Inbox, q approval.Question) <-chan approval.Answer {
	out := make(chan approval.Answer, 1)
	go func() {
		answer, _ := b.Ask(ctx, q)
		out <- answer
	}()
	return out
}

// TestInbox follows one question to each of its ends.
func TestInbox(t *testing.T) {
	for name, test := range map[string]struct {
		do     func(t *testing.T, b *approval.Inbox, id string, cancel func())
		action approval.Action
		reason string
		after  time.Duration
	}{
		"accepted": {do: func(t *testing.T, b *approval.Inbox, id string, _ func()) {
			if ok, err := b.Answer(id, approval.Answer{Action: approval.ActionAccept}); !ok || err != nil {
				t.Error(ok, err)
			}
			if ok, err := b.Answer(id, approval.Answer{Action: approval.ActionDecline}); ok || err != nil {
				t.Errorf("a second answer counted: %v %v", ok, err)
			}
		}, action: approval.ActionAccept},
		"declined": {do: func(_ *testing.T, b *approval.Inbox, id string, _ func()) {
			_, _ = b.Answer(id, approval.Answer{Action: approval.ActionDecline, Content: json.RawMessage(`{"a":1}`)})
		}, action: approval.ActionDecline},
		"an answer to another question": {do: func(t *testing.T, b *approval.Inbox, id string, _ func()) {
			if ok, _ := b.Answer(id+"x", approval.Answer{Action: approval.ActionAccept}); ok {
				t.Error("it counted")
			}
		}, action: approval.ActionDecline, reason: "within 1m0s", after: time.Minute},
		"answers that do not fit leave it open": {do: func(t *testing.T, b *approval.Inbox, id string, _ func()) {
			for _, bad := range []approval.Answer{{}, {Action: "yes"}, {Action: approval.ActionAccept, Content: json.RawMessage(`{"x":1}`)}} {
				if ok, err := b.Answer(id, bad); ok || !errors.Is(err, approval.ErrAnswer) {
					t.Errorf("%+v: %v %v", bad, ok, err)
				}
			}
			if len(b.Open()) != 1 {
				t.Error("it is not open any more")
			}
		}, action: approval.ActionDecline, reason: "within", after: time.Minute},
		"time":      {action: approval.ActionDecline, reason: "nobody answered", after: time.Minute},
		"cancelled": {do: func(_ *testing.T, _ *approval.Inbox, _ string, cancel func()) { cancel() }, action: approval.ActionCancel, reason: "taken back"},
		"withdrawn": {do: func(_ *testing.T, b *approval.Inbox, _ string, _ func()) {
			b.Withdraw(func(q approval.Question) string { return "locked: " + q.Server })
		}, action: approval.ActionDecline, reason: "locked: demo"},
		"closed": {do: func(_ *testing.T, b *approval.Inbox, _ string, _ func()) { b.Close() }, action: approval.ActionDecline, reason: "ending"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var changes atomic.Int32
				b := approval.NewInbox(func() { changes.Add(1) })
				defer b.Listen()()
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				began := time.Now()
				answer := asked(ctx, b, question("demo"))
				synctest.Wait()
				open := b.Open()
				if len(open) != 1 || open[0].ID == "" || !open[0].Expires.Equal(began.Add(time.Minute)) || changes.Load() != 1 {
					t.Fatalf("%d changes, open: %+v", changes.Load(), open)
				}
				if test.do != nil {
					test.do(t, b, open[0].ID, cancel)
				}
				got := <-answer
				if got.Action != test.action || !strings.Contains(got.Reason, test.reason) || (got.Content == nil) == (test.action == approval.ActionAccept) {
					t.Errorf("got %+v", got)
				}
				if took := time.Since(began); took != test.after {
					t.Errorf("it took %s, want %s", took, test.after)
				}
				if len(b.Open()) != 0 || changes.Load() != 2 {
					t.Errorf("after the end: %d changes, open: %+v", changes.Load(), b.Open())
				}
			})
		})
	}
}

// TestNobodyIsAsked holds the questions that are no before anybody sees them.
func TestNobodyIsAsked(t *testing.T) {
	listened := func() *approval.Inbox {
		b := approval.NewInbox(nil)
		b.Listen()
		return b
	}
	left := listened()
	once := left.Listen()
	once()
	once() // the other face is still there
	closed := listened()
	closed.Close()
	none, long, form, hurried := question("demo"), question("demo"), question("demo"), question("demo")
	none.Kind = ""
	long.Message = strings.Repeat("ü", approval.MaxMessage+1)
	form.Schema = make(json.RawMessage, approval.MaxSchema+1)
	hurried.Wait = 0
	for name, test := range map[string]struct {
		b      *approval.Inbox
		q      approval.Question
		reason string
		err    error
	}{
		"headless":      {approval.NewInbox(nil), question("demo"), "nobody can be asked", nil},
		"closed":        {closed, question("demo"), "ending", nil},
		"one face left": {left, hurried, "none", nil},
		"no time":       {listened(), hurried, "none", nil},
		"no kind":       {listened(), none, "who asks", approval.ErrQuestion},
		"long message":  {listened(), long, "4000", approval.ErrQuestion},
		"long form":     {listened(), form, "32768", approval.ErrQuestion},
	} {
		answer, err := test.b.Ask(t.Context(), test.q)
		// Nobody was asked, so nobody said no; a question that is none is refused.
		want := approval.ActionCancel
		if test.err != nil {
			want = approval.ActionDecline
		}
		if answer.Action != want || !strings.Contains(answer.Reason, test.reason) || !errors.Is(err, test.err) {
			t.Errorf("%s: %+v, %v", name, answer, err)
		}
	}
}

// TestFlood lets one server ask more than may be open; another is not hindered.
func TestFlood(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := approval.NewInbox(nil)
		defer b.Listen()()
		var all []<-chan approval.Answer
		for range approval.MaxOpen {
			all = append(all, asked(t.Context(), b, question("flood")))
		}
		synctest.Wait()
		if answer, err := b.Ask(t.Context(), question("flood")); !errors.Is(err, approval.ErrBusy) || answer.Action != approval.ActionDecline {
			t.Errorf("one too many: %+v, %v", answer, err)
		}
		all = append(all, asked(t.Context(), b, question("other")))
		synctest.Wait()
		if n := len(b.Open()); n != approval.MaxOpen+1 {
			t.Errorf("%d are open", n)
		}
		b.Close()
		for _, one := range all {
			<-one
		}
	})
}

// TestRace lets many faces answer at once: one wins, the others are told.
func TestRace(t *testing.T) {
	b := approval.NewInbox(nil)
	defer b.Listen()()
	for range 50 {
		answer := asked(t.Context(), b, question("demo"))
		for len(b.Open()) == 0 {
			select {
			case got := <-answer:
				t.Fatalf("answered by nobody: %+v", got)
			default:
			}
		}
		id := b.Open()[0].ID
		var wins sync.Map
		var faces sync.WaitGroup
		for i := range 20 {
			faces.Go(func() {
				action := approval.ActionAccept
				if i%2 == 0 {
					action = approval.ActionDecline
				}
				if ok, err := b.Answer(id, approval.Answer{Action: action}); ok && err == nil {
					wins.Store(i, action)
				}
			})
		}
		faces.Wait()
		got, n := <-answer, 0
		wins.Range(func(_, action any) bool {
			n++
			if action != got.Action {
				t.Errorf("%v won, the server was told %v", action, got.Action)
			}
			return true
		})
		if n != 1 {
			t.Fatalf("%d answers won", n)
		}
	}
}

// TestHostileText shows what a reader would not see.
func TestHostileText(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := approval.NewInbox(nil)
		defer b.Listen()()
		q := question("demo")
		q.Message = "Delete\u202e txt\u200b \x1b[31mall\U000e0041?\nline\xff"
		answer := asked(t.Context(), b, q)
		synctest.Wait()
		if got, want := b.Open()[0].Message, `Delete\u202e txt\u200b \x1b[31mall`+`\U000e0041?`+"\nline\ufffd"; got != want {
			t.Errorf("got %q, want %q", got, want)
		}
		b.Close()
		<-answer
	})
}
