package hook

import (
	"encoding/json"
	"time"

	"hermes/backend/message"
)

// Call is one call on its way to a server, with the names of the underlying
// tool: the one the model sees, the one Hermes Agent gives it, and the server's
// own. ID is the entry's own call id, Arguments the JSON object the tool gets.
type Call struct {
	Session, Turn, ID           string
	Public, Plain, Server, Tool string
	Arguments                   json.RawMessage
}

// Outcome is how a call ended, as the session keeps it. ErrorType is a word of
// Hermes Agent's hooks for it, empty for one by Status.
type Outcome struct {
	Status    message.Status
	Content   string
	Duration  time.Duration
	ErrorType string
}

// KindServerLost is the ErrorType of a call whose server ended before it answered.
const KindServerLost = "server_lost"

// Decision is what the hooks say of a call. The zero value blocks.
type Decision int

// The decisions.
const (
	Block Decision = iota
	Allow
	// Ask lets it through where a person says yes to this very call.
	Ask
)

// String is the decision as people and files read it.
func (d Decision) String() string {
	switch d {
	case Allow:
		return "allow"
	case Ask:
		return "ask"
	}
	return "block"
}

// Verdict is the answer of all hooks to one call. Reason is for the model and
// for people, empty for a call that is allowed. Arguments are the changed
// arguments, nil where no hook changed them: whoever sends the call asks rules,
// schema and globs about them again. RuleKey is the grain of "always" that a
// hook names for an Ask, mostly empty.
type Verdict struct {
	Decision  Decision
	Reason    string
	Arguments json.RawMessage
	RuleKey   string
}
