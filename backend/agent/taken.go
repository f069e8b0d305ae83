package agent

import (
	"context"
	"fmt"
)

// callIDs is a Journal that holds calls of a session which are not in its history
// any more, because a summary stands for them.
type callIDs interface {
	CallIDs(ctx context.Context, session string) ([]string, error)
}

// take notes the call ids of the session: no new call may have one of them.
func (t *turn) take(ctx context.Context) error {
	for _, row := range t.history {
		for _, call := range row.ToolCalls {
			t.taken[call.ID] = true
		}
	}
	journal, ok := t.loop.Journal.(callIDs)
	if !ok {
		return nil
	}
	ids, err := journal.CallIDs(ctx, t.session)
	if err != nil {
		return fmt.Errorf("read the call ids of the session: %w", err)
	}
	for _, id := range ids {
		t.taken[id] = true
	}
	return nil
}
