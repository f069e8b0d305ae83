package host

import (
	"context"
	"errors"

	"hermes/backend/approval"
	"hermes/backend/mcp"
)

// errNoPerson is the error of what only a person does.
var errNoPerson = errors.New("a program that a server or a hook started is no person")

// unmanned says why nobody is asked there.
const unmanned = "nobody can be asked here: a server or a hook started this program"

// StartedBy names the server or the hook that started this program, empty for a
// person's own (mcp.StartedBy).
func (h *Host) StartedBy() string { return mcp.StartedBy(h.variable) }

// put asks a person, where there can be one: whoever sits before a program that a
// server or a hook started answers its own questions.
func (h *Host) put(ctx context.Context, question approval.Question, opened func(id string)) (approval.Answer, error) {
	if h.StartedBy() != "" {
		return approval.Answer{Action: approval.ActionCancel, Reason: unmanned}, nil
	}
	return h.inbox.Put(ctx, question, opened)
}
