package guard

import (
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"

	"hermes/backend/message"
)

// Rules say what is done about a model that repeats itself (hermes-agent
// reference 5.1). The zero value stops everything at once.
type Rules struct {
	// Warnings adds notes to results that follow failures and calls without
	// progress, Stalls to results that repeat themselves.
	Warnings, Stalls bool
	// Soft blocks no call and ends no turn: there are only notes.
	Soft bool
	// WarnAfter and StopAfter are the counts from which that is done.
	WarnAfter, StopAfter Counts
}

// Counts are how often something may happen in a turn: a call failing with the
// same arguments, a tool failing whatever its arguments, a call giving the same
// result again.
type Counts struct{ ExactFailure, SameToolFailure, NoProgress int }

// DefaultRules are those of Hermes Agent for a turn that nobody watches.
func DefaultRules() Rules {
	return Rules{Warnings: true, Stalls: true, WarnAfter: Counts{2, 3, 2}, StopAfter: Counts{5, 8, 5}}
}

// What repeats itself, one result or a lap of up to maxCycle, is noted and ends
// the turn after so many times; window is how far one looks back.
const (
	noteRepeats = 3
	haltRepeats = 5
	maxCycle    = 4
	window      = 64
)

type key = [sha256.Size]byte

// observation is what is known of one call that was carried out: key is the call,
// seen the call with its outcome.
type observation struct {
	name   string
	key    key
	seen   key
	status message.Status
	reads  bool
}

// loops counts what repeats itself in a turn. It looks at calls and results
// alone: the names of tools decide nothing.
type loops struct {
	rules    Rules
	failures map[key]int
	failing  map[string]int // by tool
	same     map[key]run    // the latest result of a call, and how often in a row
	ever     map[key]bool   // everything seen
	recent   []key
}

type run struct {
	seen  key
	count int
	reads bool
}

func newLoops(rules Rules) *loops {
	return &loops{rules: rules, failures: map[key]int{}, failing: map[string]int{}, same: map[key]run{}, ever: map[key]bool{}}
}

// before blocks a call that only failed, or that brings nothing new.
func (l *loops) before(call key) string {
	if l.rules.Soft {
		return ""
	}
	if n := l.failures[call]; n >= l.rules.StopAfter.ExactFailure {
		return fmt.Sprintf("This very call failed %d times in this turn. It was not sent again: change the arguments, or try another way.", n)
	}
	if n := l.same[call].count; n >= l.rules.StopAfter.NoProgress {
		return fmt.Sprintf("This very call gave the same result %d times and nothing changed in between. It was not sent again: use the result you have, or try another way.", n)
	}
	return ""
}

// after counts a call that was carried out, and says what to tell the model and
// whether the turn has to end. A call that was stopped says nothing of the model.
func (l *loops) after(o observation) (note, halt string) {
	if o.status == message.StatusInterrupted || o.status == message.StatusDenied || o.status == message.StatusBlocked {
		return "", ""
	}
	news := !l.ever[o.seen]
	l.ever[o.seen] = true
	var notes []string
	tell := func(on bool, format string, args ...any) {
		if on {
			notes = append(notes, fmt.Sprintf(format, args...))
		}
	}
	if o.status == message.StatusOK {
		l.succeeded(o, news)
		n := l.same[o.key].count
		tell(l.rules.Warnings && n >= l.rules.WarnAfter.NoProgress, "This call gave the same result %d times. Use the result you have, or change the call.", n)
	} else {
		halt = l.failed(o, tell)
	}
	l.recent = append(l.recent, o.seen)
	l.recent = l.recent[max(0, len(l.recent)-window):]
	for size := 1; size <= maxCycle; size++ {
		laps := laps(l.recent, size)
		if laps < noteRepeats {
			continue
		}
		what := fmt.Sprintf("%s was called %d times in a row with the same arguments and gave the same result each time.", o.name, laps)
		if size > 1 {
			what = fmt.Sprintf("The same %d calls were made %d times in a row and gave the same results each time.", size, laps)
		}
		tell(l.rules.Stalls, "%s Stop repeating this: change the approach, or answer with what you have.", what)
		if laps >= haltRepeats && !l.rules.Soft && halt == "" {
			halt = what
		}
		break
	}
	return strings.Join(notes, "\n"), halt
}

// succeeded ends the streaks that a success ends. A call that may have changed
// something, and brought something new, gives every other call another chance.
func (l *loops) succeeded(o observation, news bool) {
	delete(l.failures, o.key)
	delete(l.failing, o.name)
	if news && !o.reads {
		clear(l.failures)
		clear(l.failing)
		clear(l.same)
	}
	if news {
		// What a tool does that says nothing of itself is told from what came of
		// it: as long as anything new is learned, it may be waited for.
		for call, run := range l.same {
			if !run.reads {
				delete(l.same, call)
			}
		}
	}
	latest := l.same[o.key]
	if latest.count == 0 || latest.seen != o.seen {
		latest = run{seen: o.seen, reads: o.reads}
	}
	latest.count++
	l.same[o.key] = latest
}

func (l *loops) failed(o observation, tell func(bool, string, ...any)) (halt string) {
	l.failures[o.key]++
	l.failing[o.name]++
	delete(l.same, o.key)
	exact, any := l.failures[o.key], l.failing[o.name]
	if exact >= l.rules.WarnAfter.ExactFailure {
		tell(l.rules.Warnings, "This very call failed %d times. Do not repeat it as it is.", exact)
	} else if any >= l.rules.WarnAfter.SameToolFailure {
		tell(l.rules.Warnings, "%s failed %d times in this turn, with different arguments. Look at the errors before you call it again, or try another way.", o.name, any)
	}
	if !l.rules.Soft && any >= l.rules.StopAfter.SameToolFailure {
		return fmt.Sprintf("%s failed %d times in this turn.", o.name, any)
	}
	return ""
}

// laps is how often the last size outcomes were there in a row, in any order
// within a lap: calls of one batch end in any order.
func laps(recent []key, size int) int {
	if len(recent) < size {
		return 0
	}
	lap := sorted(recent[len(recent)-size:])
	if size > 1 && lap[0] == lap[size-1] {
		return 0 // the same thing again and again is no cycle
	}
	count := 1
	for end := len(recent) - size; end >= size && slices.Equal(lap, sorted(recent[end-size:end])); end -= size {
		count++
	}
	return count
}

func sorted(lap []key) []key {
	out := slices.Clone(lap)
	slices.SortFunc(out, func(a, b key) int { return strings.Compare(string(a[:]), string(b[:])) })
	return out
}
