package cli

import (
	"fmt"
	"strings"
	"time"

	"hermes/backend/view"
)

// reasonWidth is how many characters of a reason stand in a row; `--json` has
// all of it.
const reasonWidth = 110

// statusCell is a server's state as a row says it: a mark, a word, and for a
// session that is not as it should be why, and what comes next.
func statusCell(s view.Server, now time.Time) string {
	why := printable(shorten(oneLine(s.Reason), reasonWidth))
	after := func(mark, word string) string {
		if s.Reason == "" {
			return mark + " " + word
		}
		return mark + " " + word + ": " + why
	}
	switch s.Status {
	case view.StatusReady:
		if s.Connection.Lazy && s.Connection.Process != 0 {
			return "✓ enabled, starts at its first call"
		}
		return "✓ enabled"
	case view.StatusDisabled, view.StatusLocked, view.StatusHeld:
		return "✗ " + string(s.Status)
	case view.StatusInvalid:
		return "⚠ invalid"
	case view.StatusStarting:
		if strings.HasPrefix(s.Reason, "starting") {
			return "… " + why
		}
		return after("…", "starting")
	case view.StatusFailed:
		return after("⚠", "failed") + nextTry(s.Connection, now)
	case view.StatusParked:
		return after("⚠", "parked") + nextTry(s.Connection, now)
	case view.StatusNeedsAuth:
		return "⚠ needs auth: hermes mcp login " + printable(s.Name)
	}
	return "✓ " + string(s.Status)
}

// oneLine keeps a reason of several lines in its row.
func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

// nextTry says when a server is tried again and how often it was, where that is
// known.
func nextTry(c view.Connection, now time.Time) string {
	at, err := time.Parse(time.RFC3339, c.NextTry)
	tries := ""
	if c.Attempts > 0 {
		tries = fmt.Sprintf(" (%s so far)", many(c.Attempts, "try", "tries"))
	}
	switch {
	case c.NextTry == "" || err != nil:
		return tries
	case !at.After(now):
		return ", tried again now" + tries
	}
	return ", next try in " + span(at.Sub(now)) + tries
}

func many(n int, one, more string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, more)
}

// span is a duration as people say it, rounded up to what they would count in.
func span(d time.Duration) string {
	switch {
	case d <= 90*time.Second:
		return fmt.Sprintf("%d s", int((d+time.Second-1)/time.Second))
	case d <= 90*time.Minute:
		return fmt.Sprintf("%d min", int((d+time.Minute-1)/time.Minute))
	}
	return fmt.Sprintf("%d h", int((d+time.Hour-1)/time.Hour))
}

// printSession is what a look found out about a server's session.
func (p *printer) printSession(c view.Connection) {
	known := func(label, value string) {
		if value != "" {
			p.line("%s: %s", label, printable(value))
		}
	}
	known("Version", c.Version)
	known("Protocol", c.Protocol)
	if c.LatencyMS > 0 {
		p.line("Latency: %.1f ms", c.LatencyMS)
	}
	if c.MemoryBytes > 0 {
		p.line("Memory: %.0f MB", float64(c.MemoryBytes)/(1<<20))
	}
	if c.Noise > 0 {
		p.line("Dropped: %s on standard output that were no messages", many(c.Noise, "line", "lines"))
	}
}

// printChanged names the tools that a person has not seen yet as they are.
func (p *printer) printChanged(detail view.ServerDetail) {
	server := detail.Server.Name
	if live := detail.Server.Live; len(live.New) > 0 {
		if len(live.New) > shownChanges {
			p.line("New tools: %d, %s: %s", len(live.New), newWords(live), firstNames(server, live.New, false))
		} else {
			p.line("New tools: %s (%s)", firstNames(server, live.New, true), newWords(live))
		}
	}
	var changed []string
	var unfit []view.Tool
	for _, tool := range detail.Tools {
		switch server = tool.Server; {
		case tool.Changed:
			changed = append(changed, tool.Name)
		case tool.Quarantine != "":
			unfit = append(unfit, tool)
		}
	}
	if len(changed) == 1 {
		p.line("Blocked: %s, its definition changed; `hermes mcp changes %s` shows it", printable(changed[0]), printable(server))
	} else if len(changed) > 1 {
		p.line("Blocked: %d tools whose definitions changed: %s; `hermes mcp changes %s` shows how", len(changed), printable(shortList(changed, shownChanges)), printable(server))
	}
	for _, tool := range unfit[:min(len(unfit), shownChanges)] {
		p.line("Blocked: %s, %s", printable(tool.Name), printable(tool.Quarantine))
	}
	if more := len(unfit) - shownChanges; more > 0 {
		p.line("Blocked: %d more that no model can be given; `hermes mcp test %s --json` says why", more, printable(server))
	}
}

// newWords says what the rules make of new tools.
func newWords(live view.Live) string {
	switch on := len(live.New) - live.NewOff; {
	case on == 0:
		return "off"
	case live.NewOff == 0:
		return "on"
	default:
		return fmt.Sprintf("%d on, %d off", on, live.NewOff)
	}
}
