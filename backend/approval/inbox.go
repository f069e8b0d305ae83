package approval

import (
	"context"
	"crypto/rand"
	"fmt"
	"slices"
	"sync"
	"time"
)

// Inbox puts questions before a person, on every face at once. The first answer
// wins. Everything that is no answer is no: the time is over, nobody listens, the
// program ends. Its methods may be called from any goroutine.
type Inbox struct {
	// changed is told after every change of what is open, outside of the lock.
	changed func()

	mu     sync.Mutex
	closed bool
	faces  int
	open   []*waiting
}

// waiting is an open question. settled is closed once answer is set.
type waiting struct {
	question Question
	answer   Answer
	settled  chan struct{}
}

// NewInbox makes an Inbox without questions. changed is called after each change
// of what is open, from any goroutine; it must return soon. It may be nil.
func NewInbox(changed func()) *Inbox {
	if changed == nil {
		changed = func() {}
	}
	return &Inbox{changed: changed}
}

// Listen says that a face shows questions to a person, until the returned
// function is called. While nobody listens a question is cancelled at once: no
// person said no.
func (b *Inbox) Listen() (leave func()) {
	b.mu.Lock()
	b.faces++
	b.mu.Unlock()
	return sync.OnceFunc(func() {
		b.mu.Lock()
		b.faces--
		b.mu.Unlock()
	})
}

// Ask puts a question and waits for what becomes of it. The end of its time is a
// decline, the end of ctx a cancel. ErrBusy and ErrQuestion are questions nobody
// was shown; their answer is a decline too.
func (b *Inbox) Ask(ctx context.Context, q Question) (Answer, error) {
	return b.Put(ctx, q, func(string) {})
}

// Put is Ask that says under which id the question is open, before any face hears
// of it.
func (b *Inbox) Put(ctx context.Context, q Question, opened func(id string)) (Answer, error) {
	w, answer, err := b.put(ctx, q)
	if w == nil {
		return answer, err
	}
	opened(w.question.ID)
	b.changed()
	late := time.NewTimer(q.Wait)
	defer late.Stop()
	select {
	case <-w.settled:
	case <-ctx.Done():
		b.settle(w, Answer{Action: ActionCancel, Reason: "the question was taken back"})
	case <-late.C:
		b.settle(w, Answer{Action: ActionDecline, Reason: fmt.Sprintf("nobody answered within %s", q.Wait)})
	}
	return w.answer, nil
}

// put opens a question, or says what becomes of one that is not opened.
func (b *Inbox) put(ctx context.Context, q Question) (*waiting, Answer, error) {
	no := func(reason string) Answer { return Answer{Action: ActionDecline, Reason: reason} }
	unasked := func(reason string) Answer { return Answer{Action: ActionCancel, Reason: reason} }
	q, err := q.check()
	if err != nil {
		return nil, no(err.Error()), err
	}
	if ctx.Err() != nil {
		return nil, Answer{Action: ActionCancel, Reason: "the question was taken back"}, nil
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	of := 0
	for _, w := range b.open {
		// A conversation has one card at a time; only servers can flood.
		if q.Kind != KindCalls && w.question.Kind != KindCalls && w.question.Server == q.Server {
			of++
		}
	}
	switch {
	case b.closed:
		return nil, unasked("the program is ending"), nil
	case b.faces == 0:
		return nil, unasked("nobody can be asked here: neither a page nor a terminal shows questions"), nil
	case q.Wait <= 0:
		return nil, unasked("the time for an answer is none"), nil
	case of >= MaxOpen:
		return nil, no(ErrBusy.Error()), ErrBusy
	}
	q.ID, q.Asked = rand.Text(), time.Now()
	q.Expires = q.Asked.Add(q.Wait)
	w := &waiting{question: q, settled: make(chan struct{})}
	b.open = append(b.open, w)
	return w, Answer{}, nil
}

// settle gives a question its answer if it has none yet; it tells whether this
// was the first.
func (b *Inbox) settle(w *waiting, answer Answer) bool {
	b.mu.Lock()
	at := slices.Index(b.open, w)
	if at >= 0 {
		b.open = slices.Delete(b.open, at, at+1)
		w.answer = answer
		close(w.settled)
	}
	b.mu.Unlock()
	if at >= 0 {
		b.changed()
	}
	return at >= 0
}

// Open gives the questions that wait, oldest first.
func (b *Inbox) Open() []Question {
	b.mu.Lock()
	defer b.mu.Unlock()
	out := make([]Question, len(b.open))
	for i, w := range b.open {
		out[i] = w.question
	}
	return out
}

// Answer answers a question. It is false for one that is not open any more:
// another face was first, or the time is over. An answer that does not fit is
// ErrAnswer, and the question stays open.
func (b *Inbox) Answer(id string, answer Answer) (bool, error) {
	b.mu.Lock()
	at := slices.IndexFunc(b.open, func(w *waiting) bool { return w.question.ID == id })
	if at < 0 {
		b.mu.Unlock()
		return false, nil
	}
	w := b.open[at]
	question := w.question
	b.mu.Unlock()
	given := Answer{Action: answer.Action}
	switch answer.Action {
	case ActionAccept, ActionDecline, ActionCancel:
	default:
		return false, fmt.Errorf("%w: it neither accepts nor declines", ErrAnswer)
	}
	switch {
	case question.Kind == KindCalls:
		choices, err := question.decide(answer)
		if err != nil {
			return false, err
		}
		given.Choices = choices
	case answer.Action == ActionAccept:
		content, err := question.Form.Check(answer.Content)
		if err != nil {
			return false, err
		}
		given.Content = content
	}
	return b.settle(w, given), nil
}

// Withdraw declines every open question for which reason says why, such as those
// of a server that was locked meanwhile.
func (b *Inbox) Withdraw(reason func(Question) string) {
	b.mu.Lock()
	open := slices.Clone(b.open)
	b.mu.Unlock()
	for _, w := range open {
		b.mu.Lock()
		question := w.question
		b.mu.Unlock()
		if why := reason(question); why != "" {
			b.settle(w, Answer{Action: ActionDecline, Reason: why})
		}
	}
}

// Close declines what is open and everything that is asked later.
func (b *Inbox) Close() {
	b.mu.Lock()
	b.closed = true
	b.mu.Unlock()
	b.Withdraw(func(Question) string { return "the program is ending" })
}
