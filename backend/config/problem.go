package config

import (
	"errors"
	"fmt"

	"hermes/backend/policy"
)

// Problem is something in the file, or around it, that a person should mend,
// with the place and the next step. Line and Column are 1-based, 0 when the
// problem has no place in the file. Code is stable, see the Code constants for
// those that callers branch on.
type Problem struct {
	Severity     policy.Severity
	Code         string
	Params       []string
	Message      string
	Hint         string
	File         string
	Line, Column int
	// was are the rules that a CodeOpened compares those of now with.
	was policy.Rules
}

// The codes of MayRun's answers and of the file's own state.
const (
	// CodeUnknown: the file has no server of that name.
	CodeUnknown = "server.unknown"
	// CodeDisabled: `enabled` is off.
	CodeDisabled = "server.disabled"
	// CodeInvalid: the tool rules or the entry cannot be read, so everything is
	// denied.
	CodeInvalid = "server.invalid"
	// CodeLocked: nothing of the server can be called.
	CodeLocked = "server.locked"
	// CodeBlocked: a restriction of DESIGN invariant 12 keeps the server from
	// running.
	CodeBlocked = "server.blocked"
	// CodeConnection: the entry does not say how to reach the server.
	CodeConnection = "server.connection"
	// CodeHeld: the file opens the server, and a restriction whose key is gone is
	// held all the same.
	CodeHeld = "server.held"
	// CodeHeldTwin: the server starts the same program as one that is locked or
	// held, so that one's restriction is held for it.
	CodeHeldTwin = "server.held_twin"
	// CodeHeldRewritten: held, and the keys stand in the file again with something
	// else. CodeHeldPartly: some of them do. CodeHeldTwinRewritten: the same for
	// the restriction of another server.
	CodeHeldRewritten     = "server.held_rewritten"
	CodeHeldPartly        = "server.held_partly"
	CodeHeldTwinRewritten = "server.held_twin_rewritten"
	// CodeLedger: the lock ledger cannot be read. CodeHoldOff: the file turns
	// holding off and no command of ours confirmed that.
	// CodeLedgerFolder: a link, or no folder, stands in the place of our own.
	CodeLedger       = "ledger.unreadable"
	CodeLedgerFolder = "ledger.folder"
	CodeHoldOff      = "ledger.hold_off"
	// CodeOpened: a change from outside allows more than before.
	CodeOpened = "server.opened"
	// CodeBroken: the file cannot be read; CodeGone: it vanished or became
	// empty while Hermes runs. The last good rules stay in force.
	CodeBroken = "file.broken"
	CodeGone   = "file.gone"
)

// Located gives a problem of package policy the name of the file it is in.
func Located(file string, p policy.Problem) Problem {
	return Problem{
		Severity: p.Severity, Code: p.Code, Params: p.Params,
		Message: p.Message, Hint: p.Hint,
		File: file, Line: p.Line, Column: p.Column,
	}
}

// IsHeld tells whether the problem is that a restriction is held.
func (p Problem) IsHeld() bool {
	switch p.Code {
	case CodeHeld, CodeHeldTwin, CodeHeldRewritten, CodeHeldPartly, CodeHeldTwinRewritten:
		return true
	}
	return false
}

// ErrUnknownServer says that the file has no server of the name an edit is for.
var ErrUnknownServer = errors.New("unknown server")

// Conflict says that the file is no longer the one a person looked at: nothing
// was written. Seen and Now are revisions; Now is empty when the file is gone.
type Conflict struct {
	File      string
	Seen, Now string
}

// Error says what happened and what to do next.
func (c *Conflict) Error() string {
	if c.Now == "" {
		return fmt.Sprintf("%s is gone since you looked at it; nothing was written", c.File)
	}
	return fmt.Sprintf("%s changed since you looked at it; nothing was written. Look again and repeat the edit", c.File)
}

// Refused is an answer to a person that says what was not done, why, where and
// what to do next. It unwraps to the cause where there is one, such as a
// *policy.Refusal or a *ParseError.
type Refused struct {
	Message      string
	Hint         string
	File         string
	Line, Column int
	Cause        error
}

// Error gives the message with its place, without the hint.
func (r *Refused) Error() string {
	switch {
	case r.File == "":
		return r.Message
	case r.Line == 0:
		return fmt.Sprintf("%s: %s", r.File, r.Message)
	}
	return fmt.Sprintf("%s:%d:%d: %s", r.File, r.Line, r.Column, r.Message)
}

// Unwrap gives the cause.
func (r *Refused) Unwrap() error { return r.Cause }
