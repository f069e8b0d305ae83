package approval

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"
	"unicode/utf8"
)

// Kind says what a question is about.
type Kind string

// The kinds: a server that asks a person for the values of a form, and calls that
// need a person's yes, one card for all calls of a batch.
const (
	KindElicitation Kind = "elicitation"
	KindCalls       Kind = "calls"
)

// Scope is how long an answer about a call counts.
type Scope string

// The scopes. Session ends with the conversation; Always is kept, for the same
// definition of the tool and only while the policy allows it.
const (
	ScopeOnce    Scope = "once"
	ScopeSession Scope = "session"
	ScopeAlways  Scope = "always"
)

// Why is one reason for which a call needs a person, as a code for the page and an
// English sentence.
type Why struct{ Code, Text string }

// CallAsk is one entry of a card of calls. Definition is the hash of the tool's
// definition (package pin); Scopes are those a person may choose. ReadOnly,
// Destructive and OpenWorld are the server's own words, nil where it said nothing.
type CallAsk struct {
	Call                             string
	Public, Server, Tool             string
	Arguments                        string
	Definition                       string
	Why                              []Why
	Scopes                           []Scope
	ReadOnly, Destructive, OpenWorld *bool
	// Handle is the asker's own; the Inbox only carries it.
	Handle any
}

// Choice is what a person decided about one entry. Reason is told to the model
// where the call is denied; Withdrawn is set by the Inbox where nobody decided and
// the entry was taken back for that Reason. The zero value denies.
type Choice struct {
	Call      string
	Allow     bool
	Scope     Scope
	Reason    string
	Withdrawn bool
}

// Question is something a person is asked. Message is text for people and is
// never markup. Session is the chat that is waiting for it, where that is known.
// Wait is how long a person may take; no time at all is no. ID, Asked and Expires
// are set by the Inbox.
type Question struct {
	ID      string
	Kind    Kind
	Server  string
	Session string
	Message string
	// Schema is the form as it was sent, Form what was read of it.
	Schema json.RawMessage
	Form   Form
	// Calls are the entries of a card of KindCalls.
	Calls []CallAsk
	Wait  time.Duration

	// gone are the choices of entries that were withdrawn.
	gone []Choice

	Asked, Expires time.Time
}

// Action is what a person did with a question.
type Action string

// The actions. Cancel is a question that was left without an answer.
const (
	ActionAccept  Action = "accept"
	ActionDecline Action = "decline"
	ActionCancel  Action = "cancel"
)

// Answer is what became of a question. Content is the object of the form's
// values, for ActionAccept alone; Reason says why nobody was asked, or that the
// time was over. The zero value accepts nothing.
//
// For KindCalls an accept carries Choices, one for each entry that is decided; an
// entry without one is denied. What Ask gives back has one for each entry, also
// for those that were withdrawn meanwhile, unless Reason says why there is none.
type Answer struct {
	Action  Action
	Content json.RawMessage
	Choices []Choice
	Reason  string
}

// The bounds of what one server may put before a person.
const (
	// MaxOpen is how many questions of one server wait at once.
	MaxOpen = 3
	// MaxMessage bounds a message, in characters.
	MaxMessage = 4000
	// MaxSchema bounds the schema of a form, in bytes.
	MaxSchema = 32 << 10
	// MaxContent bounds an answer, in bytes.
	MaxContent = 64 << 10
)

// ErrBusy is the error of a server that has too many questions open already.
var ErrBusy = errors.New("too many questions of this server wait for an answer")

// ErrQuestion is the error of a question that cannot be put before a person.
var ErrQuestion = errors.New("the question cannot be asked")

// ErrAnswer is the error of an answer that does not fit its question, which
// stays open.
var ErrAnswer = errors.New("the answer does not fit")

// check makes a question fit to be shown.
func (q Question) check() (Question, error) {
	switch {
	case q.Kind == KindCalls && !distinctCalls(q.Calls):
		return q, fmt.Errorf("%w: it does not say which calls it is about", ErrQuestion)
	case q.Kind == "" || q.Server == "" && q.Kind != KindCalls:
		return q, fmt.Errorf("%w: it does not say who asks for what", ErrQuestion)
	case utf8.RuneCountInString(q.Message) > MaxMessage:
		return q, fmt.Errorf("%w: its message is longer than %d characters", ErrQuestion, MaxMessage)
	case len(q.Schema) > MaxSchema:
		return q, fmt.Errorf("%w: its form is longer than %d bytes", ErrQuestion, MaxSchema)
	}
	q.Message = visible(q.Message, true)
	q.Calls = slices.Clone(q.Calls)
	for i := range q.Calls {
		q.Calls[i].Arguments = visible(q.Calls[i].Arguments, true)
	}
	return q, nil
}
