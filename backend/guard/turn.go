package guard

import (
	"crypto/sha256"
	"fmt"
	"regexp"
	"sync"
	"unicode/utf8"

	"hermes/backend/message"
)

// Limits bound a turn; sizes are in characters.
type Limits struct {
	// HardCap is the most of one result that is kept at all, in its file too.
	HardCap int
	// SpillAt is the size from which a result goes to a file and only its ends,
	// Preview characters of them, to the model.
	SpillAt, Preview int
	// SameFailure is how often a call may fail with the same arguments before
	// it is blocked, SameResult how often in a row the same call may give the
	// same result before the turn ends.
	SameFailure, SameResult int
	// Passes is the most model passes of a turn.
	Passes int
}

// DefaultLimits are those the users of Hermes Agent know, where it has them. A
// file keeps all that one message of a server can bring.
func DefaultLimits() Limits {
	return Limits{HardCap: 64 << 20, SpillAt: 50_000, Preview: 1500, SameFailure: 5, SameResult: 5, Passes: 100}
}

// Options make a Turn. Dir is where large results go (native/spill of the
// home); without one they are cut.
type Options struct {
	Limits   Limits
	Session  string
	Dir      string
	Redactor *Redactor
}

// Turn watches one turn. It is safe for concurrent use. The zero value blocks
// every call and withholds every result.
type Turn struct {
	limits     Limits
	session    string
	dir        string
	redactor   *Redactor
	delimiters *regexp.Regexp

	mu       sync.Mutex
	failures map[[sha256.Size]byte]int
	last     [sha256.Size]byte // the latest call and its result
	repeated int
}

// NewTurn begins to watch a turn.
func NewTurn(o Options) *Turn {
	t := &Turn{limits: o.Limits, session: o.Session, dir: o.Dir, redactor: o.Redactor, delimiters: compileDelimiters(), failures: map[[sha256.Size]byte]int{}}
	if t.redactor == nil {
		t.redactor = NewRedactor(nil)
	}
	return t
}

// Before says why a call may not run, or "". Calls are told apart by name and
// arguments alone, never by what a tool is called.
func (t *Turn) Before(call message.CallEvent) string {
	if t.failures == nil {
		return "Nothing watches this turn, so nothing may run. The call was not sent."
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if n := t.failures[callKey(call)]; n >= t.limits.SameFailure {
		return fmt.Sprintf("This very call failed %d times in this turn. It was not sent again: change the arguments, or try another way.", n)
	}
	return ""
}

// Outcome is a result made fit: Content for the store and the model, Shown for
// people, and Halt, if it is set, why the turn has to end.
type Outcome struct{ Content, Shown, Halt string }

// After makes the result of a call fit to be stored and read: invisible
// characters and secrets out, size bounded, the output of a server fenced.
func (t *Turn) After(call message.CallEvent, status message.Status, content string) Outcome {
	if t.failures == nil {
		withheld := "The result was withheld: nothing watches this turn."
		return Outcome{Content: withheld, Shown: withheld, Halt: "nothing watches this turn"}
	}
	content = t.redactor.Redact(visible(content))
	halt := t.observe(call, status, content)
	if size := utf8.RuneCountInString(content); size > t.limits.SpillAt {
		content = t.spill(call.ID, cut(content, t.limits.HardCap), size)
	}
	out := Outcome{Content: content, Shown: content, Halt: halt}
	if call.Server != "" && len(content) >= minFenced {
		out.Content = t.fence(call.Name, content)
	}
	return out
}

// observe counts, and says why the turn is to end if it only repeats itself.
func (t *Turn) observe(call message.CallEvent, status message.Status, content string) string {
	key := callKey(call)
	sum := sha256.New()
	sum.Write(key[:])
	sum.Write([]byte(status))
	sum.Write([]byte{0})
	sum.Write([]byte(content))
	var seen [sha256.Size]byte
	sum.Sum(seen[:0])

	t.mu.Lock()
	defer t.mu.Unlock()
	if status == message.StatusOK {
		delete(t.failures, key)
	} else {
		t.failures[key]++
	}
	if t.repeated == 0 || seen != t.last {
		t.last, t.repeated = seen, 0
	}
	if t.repeated++; t.repeated >= t.limits.SameResult {
		return fmt.Sprintf("%s was called %d times in a row with the same arguments and gave the same result each time.", call.Name, t.repeated)
	}
	return ""
}

func callKey(call message.CallEvent) [sha256.Size]byte {
	return sha256.Sum256([]byte(call.Name + "\x00" + call.Arguments))
}
