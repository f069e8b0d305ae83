package desk

import (
	"errors"
	"io/fs"
	"os"

	"hermes/backend/policy"
)

// unrecorded says that an edit is in the file and the lock ledger does not know
// of it, so that nothing holds it when the file is changed from outside.
func unrecorded(action policy.Action, err error) string {
	reason := err
	var onPath *fs.PathError
	var onLink *os.LinkError
	switch {
	case errors.As(err, &onPath):
		reason = onPath.Err
	case errors.As(err, &onLink):
		reason = onLink.Err
	}
	what, then := "the edit", ", so a later change of the file could undo it unnoticed"
	switch action {
	case policy.ActionLock:
		what, then = "the lock", ", so a later change of the file would open it"
	case policy.ActionOpen:
		then = ""
	}
	return what + " is in the file, but Hermes cannot remember it (" + reason.Error() + ")" + then
}
