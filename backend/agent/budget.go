package agent

import (
	"cmp"
	"context"
	"strconv"
	"strings"

	"hermes/backend/message"
)

// lastCall is added to the system prompt of the pass that ends a turn whose
// passes are used up. The tools stay as they were: some vendors refuse a
// conversation with calls and without tools.
const lastCall = "\n\nThis turn has used all the passes it may take. No tool will be run any more. Answer now, with what you know: say what was done, what was found, and what is left to do."

// lastWord asks once more for an answer when the passes are used up (hermes-agent
// reference 5.2). Calls in it are not run and not kept. Where no answer can be
// had, the turn ends without one.
func (t *turn) lastWord(ctx context.Context) (message.StopReason, error) {
	if err := ctx.Err(); err != nil {
		return message.StopInterrupted, err
	}
	t.emit(message.Notice(message.PassesUsed, strconv.Itoa(t.passes)))
	t.closing = lastCall
	answer, err := t.ask(ctx)
	switch {
	case err != nil && ctx.Err() != nil:
		return message.StopInterrupted, ctx.Err()
	case err != nil:
		t.emit(message.Notice(message.NoAnswer, t.redacted(err)))
		return message.StopBudget, nil
	}
	if said := strings.TrimSpace(answer.Content); len(answer.ToolCalls) > 0 || said == "" {
		answer = Turn{Content: cmp.Or(said, unanswered)}
	}
	if _, err := t.answer(ctx, answer); err != nil {
		return message.StopError, err
	}
	return message.StopBudget, nil
}
