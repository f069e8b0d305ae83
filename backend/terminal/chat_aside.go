package terminal

import (
	"fmt"
	"io"
	"maps"
	"strings"
	"sync"

	"hermes/backend/view"
)

// Aside takes what the program says beside a conversation, notices and lines of
// its log, so that only the chat writes to the terminal. It is safe for
// concurrent use. Once the chat is over, lines go to where they went without one.
type Aside struct {
	rest io.Writer
	more chan struct{}

	mu   sync.Mutex
	held []remark
	over bool
}

// remark is a notice, or a line of the log where line is not empty.
type remark struct {
	notice view.Problem
	line   string
}

// maxRemarks bounds what is held while the chat is not looking.
const maxRemarks = 1000

// NewAside gives one that is open. What is held at its end, and what comes later,
// is written to rest.
func NewAside(rest io.Writer) *Aside { return &Aside{rest: rest, more: make(chan struct{}, 1)} }

// Notice takes a notice; false says that the chat is over and somebody else has to
// tell it.
func (a *Aside) Notice(p view.Problem) bool { return a.hold(remark{notice: p}) }

// Write takes lines of a log. After the chat its error is that of the rest.
func (a *Aside) Write(lines []byte) (int, error) {
	for line := range strings.SplitSeq(strings.TrimRight(string(lines), "\n"), "\n") {
		if line != "" && !a.hold(remark{line: line}) {
			return a.rest.Write(lines)
		}
	}
	return len(lines), nil
}

func (a *Aside) hold(r remark) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.over {
		return false
	}
	if len(a.held) == maxRemarks {
		a.held = a.held[1:]
	}
	a.held = append(a.held, r)
	select {
	case a.more <- struct{}{}:
	default:
	}
	return true
}

// take gives what is held; nil holds nothing.
func (a *Aside) take() []remark {
	if a == nil {
		return nil
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	out := a.held
	a.held = nil
	return out
}

// End says that the chat is over and writes what it did not show any more.
func (a *Aside) End() {
	a.mu.Lock()
	a.over = true
	a.mu.Unlock()
	for _, r := range a.take() {
		text := r.line
		if text == "" {
			text = Printable(r.notice.Message)
		}
		fmt.Fprintln(a.rest, text)
	}
}

// heardOf is a channel that gets something when there is more; nil never does.
func (a *Aside) heardOf() <-chan struct{} {
	if a == nil {
		return nil
	}
	return a.more
}

// telling is how a problem became known to the person: nobody is told twice of
// the same where it stands in the overview and comes as a notice too.
type telling int

const (
	untold telling = iota
	found          // it stood in the overview
	noticed
)

// The problems of the file as a whole, and the notice of their end.
const codeRepaired = "file.repaired"

func ofFile(p view.Problem) bool { return strings.HasPrefix(p.Code, "file.") && p.Code != codeRepaired }

// keyOf tells problems apart.
func keyOf(p view.Problem) string { return fmt.Sprint(p.Code, " ", p.Message, p.File, p.Line) }

// aside says what came beside the conversation since. A notice is sent once each
// time something happens, so it is said also where the same was said before.
func (t *talk) aside() {
	for _, r := range t.beside.take() {
		if r.line != "" {
			for _, line := range wrap(Printable(r.line), t.width) {
				t.say(t.paint.faint(line))
			}
			continue
		}
		key := keyOf(r.notice)
		was := t.told[key]
		if r.notice.Code == codeRepaired {
			// The same mistake may be made again.
			maps.DeleteFunc(t.told, func(key string, _ telling) bool { return strings.HasPrefix(key, "file.") })
		}
		t.told[key] = noticed
		if was != found {
			t.problem(r.notice)
		}
	}
}
