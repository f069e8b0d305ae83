package guard

import (
	"crypto/sha256"
	"sync"
	"unicode/utf8"

	"hermes/backend/message"
)

// Options make a Turn. Dir is where large results go (native/spill of the
// home); without one they are cut. Reads says that a tool only reads, or may be
// called again without another effect: by its hints, where its server is
// trusted (DESIGN section 5). Nil says no of every tool; then what a call does is
// judged by what came of it.
type Options struct {
	Limits   Limits
	Rules    Rules
	Session  string
	Dir      string
	Redactor *Redactor
	Reads    func(message.CallEvent) bool
}

// Turn watches one turn. It is safe for concurrent use. The zero value blocks
// every call and withholds every result.
type Turn struct {
	limits        Limits
	session       string
	dir           string
	redactor      *Redactor
	fences, notes tags
	reads         func(message.CallEvent) bool

	mu    sync.Mutex
	loops *loops
	// sent are the results of some length that the model has read, by content.
	sent map[[sha256.Size]byte]copied
	// round is how many characters of results this round has brought.
	round int
	// rounds is set where somebody tells when a round begins and ends; asked are
	// its calls without a result.
	rounds bool
	asked  map[string]asked
}

// copied is the first of several equal results.
type copied struct{ id, path string }

// NewTurn begins to watch a turn.
func NewTurn(o Options) *Turn {
	t := &Turn{limits: o.Limits, session: o.Session, dir: o.Dir, redactor: o.Redactor, fences: fenceTags(), notes: noteTags(), reads: o.Reads, loops: newLoops(o.Rules), sent: map[[sha256.Size]byte]copied{}}
	if t.redactor == nil {
		t.redactor = NewRedactor(nil)
	}
	return t
}

// Before says why a call may not run, or "". Calls are told apart by name and
// arguments alone, never by what a tool is called.
func (t *Turn) Before(call message.CallEvent) string {
	if t.loops == nil {
		return message.GuardUnwatched.Text()
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.loops.before(callKey(call))
}

// Forget is told that the model no longer has the results it read: a result
// that is the same as one of them is then given in full.
func (t *Turn) Forget() {
	t.mu.Lock()
	defer t.mu.Unlock()
	clear(t.sent)
}

// Outcome is a result made fit: Content for the store and the model, Shown for
// people, and Halt, if it is set, why the turn has to end. Where rounds are told,
// Ended says that.
type Outcome struct{ Content, Shown, Halt string }

// After makes the result of a call fit to be stored and read: invisible
// characters and secrets out, size bounded, the output of a server fenced, and
// behind it a note where the model repeats itself.
func (t *Turn) After(call message.CallEvent, status message.Status, content string) Outcome {
	return t.settle(call, content, func(read measured) (string, string) { return t.observe(call, status, read) })
}

// settle is After; count says what to tell the model about its calls.
func (t *Turn) settle(call message.CallEvent, content string, count func(measured) (note, halt string)) Outcome {
	if t.loops == nil {
		withheld := "The result was withheld: nothing watches this turn."
		return Outcome{Content: withheld, Shown: withheld, Halt: "nothing watches this turn"}
	}
	content = t.redactor.Redact(visible(content))
	read := measured{text: content, size: utf8.RuneCountInString(content), sum: sumOf(content)}
	note, halt := count(read)
	reference := t.repeated(call, read)
	if reference != "" {
		content = reference
	} else {
		content = t.fit(call, read)
	}
	out := Outcome{Content: content, Shown: shown(content), Halt: halt}
	if reference == "" && call.Server != "" && content != "" {
		out.Content = t.fence(call.Name, content)
	}
	out.Content = message.Noted(out.Content, note)
	return out
}

// measured is a result with what is looked up of it more than once: it may be
// tens of megabytes long.
type measured struct {
	text string
	size int // in characters
	sum  [sha256.Size]byte
}

// sumOf does not copy the whole of a text.
func sumOf(text string) (sum [sha256.Size]byte) {
	hash := sha256.New()
	var part [32 << 10]byte
	for len(text) > 0 {
		n := copy(part[:], text)
		hash.Write(part[:n])
		text = text[n:]
	}
	hash.Sum(sum[:0])
	return sum
}

func (t *Turn) observe(call message.CallEvent, status message.Status, content measured) (note, halt string) {
	seen := t.observed(call, status, content.sum)
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.asked, call.ID)
	note = t.loops.after(seen)
	if !t.rounds {
		halt = t.loops.end()
	}
	return note, halt
}

// minRepeated is the shortest result that is not given twice, in characters.
const minRepeated = 512

// repeated gives what stands for a result that the model has already read.
func (t *Turn) repeated(call message.CallEvent, content measured) string {
	if call.Server == "" || content.size < minRepeated {
		return ""
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	first, known := t.sent[content.sum]
	if !known {
		t.sent[content.sum] = copied{id: call.ID}
		return ""
	}
	return message.SameAs(first.id, content.size, first.path)
}

// fit bounds a result: what is large, or too much for what its round may still
// bring, goes to a file.
func (t *Turn) fit(call message.CallEvent, content measured) string {
	t.mu.Lock()
	large := content.size > t.limits.SpillAt || t.limits.Round > 0 && content.size > t.limits.Preview && t.round+content.size > t.limits.Round
	if !large {
		t.round += content.size
	}
	t.mu.Unlock()
	if !large {
		return t.notes.defang(content.text)
	}
	text, path := t.spill(call.ID, cut(content.text, t.limits.HardCap), content.size)
	t.mu.Lock()
	defer t.mu.Unlock()
	t.round += utf8.RuneCountInString(text)
	if t.sent[content.sum].id == call.ID {
		t.sent[content.sum] = copied{id: call.ID, path: path}
	}
	return text
}
