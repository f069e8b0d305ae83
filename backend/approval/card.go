package approval

import (
	"fmt"
	"slices"
)

// maxReason bounds what a person may type about a denied call, in characters.
const maxReason = 2000

// distinctCalls tells that there are entries and each has an id of its own.
func distinctCalls(calls []CallAsk) bool {
	seen := map[string]bool{}
	for _, call := range calls {
		if call.Call == "" || seen[call.Call] {
			return false
		}
		seen[call.Call] = true
	}
	return len(calls) > 0
}

// decide reads an answer to a card: one choice for each entry, in its order. A
// choice about an entry that was withdrawn meanwhile is no error, because the face
// may not have seen that; one about an unknown call or of a scope that was not
// offered is.
func (q Question) decide(answer Answer) ([]Choice, error) {
	given := map[string]Choice{}
	for _, choice := range answer.Choices {
		if slices.ContainsFunc(q.gone, func(c Choice) bool { return c.Call == choice.Call }) {
			continue
		}
		at := slices.IndexFunc(q.Calls, func(c CallAsk) bool { return c.Call == choice.Call })
		_, twice := given[choice.Call]
		switch {
		case at < 0:
			return nil, fmt.Errorf("%w: it is about the call %q, which this card does not hold", ErrAnswer, label(choice.Call, maxTitle))
		case twice:
			return nil, fmt.Errorf("%w: it answers the call %q twice", ErrAnswer, label(choice.Call, maxTitle))
		case choice.Allow && !slices.Contains(q.Calls[at].Scopes, choice.Scope):
			return nil, fmt.Errorf("%w: %q is not offered for the call %q", ErrAnswer, label(string(choice.Scope), maxTitle), label(choice.Call, maxTitle))
		}
		kept := Choice{Call: choice.Call, Allow: choice.Allow && answer.Action == ActionAccept, Reason: label(choice.Reason, maxReason)}
		if kept.Allow {
			kept.Scope, kept.Reason = choice.Scope, ""
		}
		given[choice.Call] = kept
	}
	out := make([]Choice, 0, len(q.Calls)+len(q.gone))
	for _, call := range q.Calls {
		choice := given[call.Call]
		choice.Call = call.Call
		out = append(out, choice)
	}
	return append(out, q.gone...), nil
}

// WithdrawCalls takes entries from open cards for which reason says why, such as
// those of a tool that was locked meanwhile; the others stay. A card without
// entries is over.
func (b *Inbox) WithdrawCalls(reason func(CallAsk) string) {
	b.mu.Lock()
	open := slices.Clone(b.open)
	b.mu.Unlock()
	for _, w := range open {
		if w.question.Kind == KindCalls {
			b.withdrawCalls(w, reason)
		}
	}
}

func (b *Inbox) withdrawCalls(w *waiting, reason func(CallAsk) string) {
	b.mu.Lock()
	calls := w.question.Calls
	b.mu.Unlock()
	var gone []Choice
	for _, call := range calls {
		if why := reason(call); why != "" {
			gone = append(gone, Choice{Call: call.Call, Withdrawn: true, Reason: why})
		}
	}
	if len(gone) == 0 {
		return
	}
	b.mu.Lock()
	open := slices.Contains(b.open, w)
	// Another may have withdrawn entries since they were read.
	w.question.Calls = slices.DeleteFunc(slices.Clone(w.question.Calls), func(call CallAsk) bool {
		return slices.ContainsFunc(gone, func(c Choice) bool { return c.Call == call.Call })
	})
	for _, choice := range gone {
		if !slices.ContainsFunc(w.question.gone, func(c Choice) bool { return c.Call == choice.Call }) {
			w.question.gone = append(slices.Clone(w.question.gone), choice)
		}
	}
	left, all := len(w.question.Calls), w.question.gone
	b.mu.Unlock()
	switch {
	case !open:
	case left == 0:
		b.settle(w, Answer{Action: ActionDecline, Choices: all})
	default:
		b.changed()
	}
}
