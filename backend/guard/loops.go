package guard

import (
	"crypto/sha256"
	"fmt"
	"maps"
	"slices"
	"strconv"
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
// alone: the names of tools decide nothing. What the calls of one round bring
// counts once, because the model asked for all of it before it saw any.
type loops struct {
	rules     Rules
	failures  map[key]int
	identical map[key]run    // the latest failure of a call, and how often in a row
	failing   map[string]int // by tool
	same      map[key]run    // the latest result of a call, and how often in a row
	ever      map[key]bool   // everything seen
	refused   map[key]int
	refusals  map[string]int // by tool
	recent    []step
	now       round
}

type run struct {
	seen  key
	count int
	reads bool
}

// round is what one answer of the model has asked for so far: what counts once in
// it, the outcomes, and the tools that failed or were refused.
type round struct {
	counted map[key]bool
	tools   map[string]bool
	seen    map[key]bool
	name    string
	// refused is what was refused once too often, "" for nothing.
	refused string
}

func newRound() round {
	return round{counted: map[key]bool{}, tools: map[string]bool{}, seen: map[key]bool{}}
}

func newLoops(rules Rules) *loops {
	return &loops{
		rules: rules, failures: map[key]int{}, identical: map[key]run{}, failing: map[string]int{}, same: map[key]run{},
		ever: map[key]bool{}, refused: map[key]int{}, refusals: map[string]int{}, now: newRound(),
	}
}

// before blocks a call that only failed, or that brings nothing new. What others
// bring gives a call that failed another chance, but not one that fails the same
// way each time.
func (l *loops) before(call key) string {
	if l.rules.Soft {
		return ""
	}
	if n := max(l.failures[call], l.identical[call].count); n >= l.rules.StopAfter.ExactFailure {
		return message.GuardFailed.Text(strconv.Itoa(n))
	}
	if n := l.same[call].count; n >= l.rules.StopAfter.NoProgress {
		return message.GuardSame.Text(strconv.Itoa(n))
	}
	return ""
}

// after counts a call that was carried out, and says what to tell the model. A
// call that was stopped says nothing of the model.
func (l *loops) after(o observation) (note string) {
	if o.status == message.StatusInterrupted || o.status == message.StatusDenied || o.status == message.StatusBlocked {
		return ""
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
		l.failed(o, tell)
	}
	l.now.seen[o.seen], l.now.name = true, o.name
	if what, laps := repeats(append(slices.Clone(l.recent), l.now.step()), o.name); laps >= noteRepeats {
		tell(l.rules.Stalls, "%s Stop repeating this: change the approach, or answer with what you have.", what)
	}
	return strings.Join(notes, "\n")
}

// end closes a round and says why the turn has to end with it, or "".
func (l *loops) end() (halt string) {
	now := l.now
	l.now = newRound()
	if len(now.seen) > 0 {
		l.recent = append(l.recent, now.step())
		l.recent = l.recent[max(0, len(l.recent)-window):]
	}
	if l.rules.Soft {
		return ""
	}
	for _, name := range slices.Sorted(maps.Keys(now.tools)) {
		if n := l.failing[name]; n >= l.rules.StopAfter.SameToolFailure {
			return fmt.Sprintf("%s failed %d times in this turn.", name, n)
		}
	}
	if now.refused != "" {
		return now.refused
	}
	if len(now.seen) > 0 {
		if what, laps := repeats(l.recent, now.name); laps >= haltRepeats {
			return what
		}
	}
	return ""
}

// refuse counts a call that was not let through, or could not be sent.
func (l *loops) refuse(name string, call key) {
	if !l.once(call) {
		return
	}
	l.refused[call]++
	if n := l.refused[call]; n >= l.rules.StopAfter.ExactFailure {
		l.now.refused = fmt.Sprintf("%s was called with the same arguments %d times in this turn and was not let through any time.", name, n)
	}
	if !l.now.tools[name] {
		l.now.tools[name] = true
		l.refusals[name]++
	}
	if n := l.refusals[name]; n >= l.rules.StopAfter.SameToolFailure && l.now.refused == "" {
		l.now.refused = fmt.Sprintf("Calls of %s were not let through in %d rounds of this turn.", name, n)
	}
}

// once is true for the first of the equal calls of a round.
func (l *loops) once(call key) bool {
	first := !l.now.counted[call]
	l.now.counted[call] = true
	return first
}

// succeeded ends the streaks that a success ends. A call that may have changed
// something, and brought something new, gives every other call another chance.
func (l *loops) succeeded(o observation, news bool) {
	delete(l.failures, o.key)
	delete(l.identical, o.key)
	delete(l.failing, o.name)
	delete(l.refused, o.key)
	delete(l.refusals, o.name)
	if news && !o.reads {
		clear(l.failures)
		clear(l.failing)
		clear(l.refusals)
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
	latest, first := l.same[o.key], l.once(o.key)
	if latest.count == 0 || latest.seen != o.seen {
		latest, first = run{seen: o.seen, reads: o.reads}, true
	}
	if first {
		latest.count++
	}
	l.same[o.key] = latest
}

func (l *loops) failed(o observation, tell func(bool, string, ...any)) {
	delete(l.same, o.key)
	if l.once(o.key) {
		l.failures[o.key]++
		latest := l.identical[o.key]
		if latest.seen != o.seen {
			latest = run{seen: o.seen}
		}
		latest.count++
		l.identical[o.key] = latest
	}
	if !l.now.tools[o.name] {
		l.now.tools[o.name] = true
		l.failing[o.name]++
	}
	exact, any := max(l.failures[o.key], l.identical[o.key].count), l.failing[o.name]
	if exact >= l.rules.WarnAfter.ExactFailure {
		tell(l.rules.Warnings, "This very call failed %d times. Do not repeat it as it is.", exact)
	} else if any >= l.rules.WarnAfter.SameToolFailure {
		tell(l.rules.Warnings, "%s failed %d times in this turn, with different arguments. Look at the errors before you call it again, or try another way.", o.name, any)
	}
}
