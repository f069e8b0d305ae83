package terminal

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"hermes/backend/view"
)

// The kinds of questions (view.Question).
const (
	kindCalls       = "calls"
	kindElicitation = "elicitation"
)

// card is one question about calls while a person looks at it. Every call is
// denied until it is allowed by a key of its own.
type card struct {
	q       view.Question
	cursor  int
	choices []view.AnswerChoice
	note    string
	// armed is when keys begin to count: what was typed before the card was seen
	// must not answer it.
	armed bool
	// read is what is read of the call at the cursor, nil for none.
	read *pages
}

func newCard(q view.Question) *card {
	c := &card{q: q}
	for _, call := range q.Calls {
		c.choices = append(c.choices, view.AnswerChoice{Call: call.Call})
	}
	return c
}

// act is what a key on a card asks its owner to do.
type act int

const (
	actNone act = iota
	actSend
	actReason
	actCommand
)

func (c *card) key(name string) act {
	c.note = ""
	if c.read != nil {
		if c.read.key(name) {
			c.read = nil
		}
		return actNone
	}
	switch name {
	case "up", "k":
		c.cursor = max(c.cursor-1, 0)
	case "down", "j":
		c.cursor = min(c.cursor+1, len(c.choices)-1)
	case "o":
		c.allow(c.cursor, "once")
	case "s":
		c.allow(c.cursor, "session")
	case "a":
		c.allow(c.cursor, "always")
	case "d":
		c.deny(c.cursor, "")
	case "space":
		if c.choices[c.cursor].Allow {
			c.deny(c.cursor, "")
		} else {
			c.allow(c.cursor, "once")
		}
	case "r":
		c.deny(c.cursor, c.choices[c.cursor].Reason)
		return actReason
	case "v":
		c.read = &pages{}
	case "/":
		return actCommand
	case "enter":
		return actSend
	case "esc":
		for i := range c.choices {
			c.deny(i, c.choices[i].Reason)
		}
		return actSend
	}
	return actNone
}

// allow takes a scope that is offered; another one is told and changes nothing.
func (c *card) allow(i int, scope string) bool {
	if !slices.Contains(c.q.Calls[i].Scopes, scope) {
		c.note = "Not offered for this call: " + scope + ". Offered: " + strings.Join(c.q.Calls[i].Scopes, ", ") + "."
		return false
	}
	c.choices[i].Allow, c.choices[i].Scope, c.choices[i].Reason = true, scope, ""
	return true
}

func (c *card) deny(i int, reason string) {
	c.choices[i].Allow, c.choices[i].Scope, c.choices[i].Reason = false, "", reason
}

func (c *card) answer() view.Answer {
	answer := view.Answer{ID: c.q.ID, Action: "decline", Choices: slices.Clone(c.choices)}
	if slices.ContainsFunc(c.choices, func(choice view.AnswerChoice) bool { return choice.Allow || choice.Reason != "" }) {
		answer.Action = "accept"
	}
	return answer
}

// verdict says what was decided, in words.
func (c *card) verdict() string {
	var words []string
	for i, choice := range c.choices {
		word := "denied"
		if choice.Allow {
			word = "allowed " + choice.Scope
		}
		words = append(words, callName(c.q.Calls[i])+" "+word)
	}
	return strings.Join(words, ", ")
}

func callName(q view.QuestionCall) string {
	return Printable(q.Server) + "/" + Printable(q.Tool)
}

// head is the first line of a card, or more on a narrow screen: how many calls
// wait, and until when.
func (c *card) head(width int) []string {
	words := counted(len(c.q.Calls), "call waits for you", "calls wait for you")
	until := deadline(c.q.Expires)
	if until == "" {
		return wrap("▌ "+words, width)
	}
	if line := "▌ " + words + ", denied at " + until; cells(line) <= width {
		return []string{line}
	}
	return wrap("▌ "+counted(len(c.q.Calls), "call", "calls")+", denied at "+until, width)
}

func deadline(expires string) string {
	at, err := time.Parse(time.RFC3339, expires)
	if err != nil {
		return ""
	}
	return at.Local().Format(time.TimeOnly)
}

// says are the server's own words about a call, which prove nothing.
func says(q view.QuestionCall) string {
	var words []string
	for _, hint := range []struct {
		set     *bool
		yes, no string
	}{{q.ReadOnly, "only reads", "writes"}, {q.Destructive, "destructive", "not destructive"}, {q.OpenWorld, "reaches out (open world)", "stays inside"}} {
		if hint.set == nil {
			continue
		}
		if *hint.set {
			words = append(words, hint.yes)
		} else {
			words = append(words, hint.no)
		}
	}
	if len(words) == 0 {
		return ""
	}
	return "server says: " + strings.Join(words, ", ")
}

// lines draws the card in at most height lines. Until when there is time and how
// to answer have their place first; between them is what room is left for the
// calls, the one at the cursor with its arguments and why a person is asked.
func (c *card) lines(p paint, width, height int) []string {
	var out []string
	for _, line := range c.head(width) {
		out = append(out, p.warn(line))
	}
	keys := c.keys(width, max(min(height/2, height-len(out)-2), 1))
	room := max(height-len(out)-len(keys), 1)
	if c.read != nil {
		out = append(out, c.read.lines(c.q.Calls[c.cursor], p, width, room)...)
	} else {
		out = append(out, c.rows(p, width, room)...)
	}
	for _, line := range keys {
		out = append(out, p.faint(line))
	}
	return out
}

// keys is what may be typed, in at most that many lines.
func (c *card) keys(width, limit int) []string {
	items := []string{"ENTER answer", "ESC deny all", "SPACE yes/no", "o once", "s session", "a always", "d deny", "r reason", "v all"}
	var lines []string
	switch {
	case !c.armed:
		lines = wrap("keys count as soon as you stop typing", width)
	case c.read != nil:
		lines = flow([]string{"ESC back to the card", "SPACE on", "b back", "g start", "G end"}, width)
	case c.note != "":
		lines = wrap(c.note, width)
	default:
		lines = flow(items, width)
	}
	return lines[:min(len(lines), limit)]
}

// flow puts items into lines without breaking one.
func flow(items []string, width int) []string {
	lines := []string{items[0]}
	for _, item := range items[1:] {
		last := &lines[len(lines)-1]
		if longer := *last + " · " + item; cells(longer) <= width {
			*last = longer
			continue
		}
		lines = append(lines, item)
	}
	return lines
}

// rows are the calls around the cursor in at most room lines.
func (c *card) rows(p paint, width, room int) []string {
	detail := c.detail(c.cursor, p, width, max(min(room-1, max(room-len(c.q.Calls), 3)), 0))
	var out []string
	end := 0
	for i := range c.q.Calls {
		out = append(out, c.row(i, p, width))
		if i == c.cursor {
			out = append(out, detail...)
			end = len(out)
		}
	}
	from := min(max(end-room, 0), c.cursor)
	return out[from:min(len(out), from+room)]
}

func (c *card) row(i int, p paint, width int) string {
	mark, word := "[ ]", p.bad("deny")
	if choice := c.choices[i]; choice.Allow {
		mark, word = "[x]", p.good(choice.Scope)
	} else if choice.Reason != "" {
		word = p.bad("deny: ") + Printable(choice.Reason)
	}
	lead := "  "
	if i == c.cursor {
		lead = "> "
	}
	line := lead + mark + " " + strconv.Itoa(i+1) + " " + p.bold(callName(c.q.Calls[i])) + "  " + word
	if room := width - cells(line) - 2; i != c.cursor && room >= 8 {
		line += "  " + p.faint(cutTo(Printable(compact(c.q.Calls[i].Arguments)), room))
	}
	return cutTo(line, width)
}

// detail is what has to be seen before a yes: words first, arguments in what room
// is left.
func (c *card) detail(i int, p paint, width, room int) []string {
	if room <= 0 {
		return nil
	}
	words := c.reasons(i, p, width)
	if most := max(room*2/3, 1); len(words) > most {
		words = append(words[:most-1], cutTo(words[most-1], width-2)+" …")
	}
	arguments := c.q.Calls[i].Arguments
	if left := room - len(words); left > 0 {
		return append(before("      ", ends(pretty(arguments, width-6), arguments, left, "v reads all")), words...)
	}
	return words
}

// reasons are the server's words about a call and why a person is asked.
func (c *card) reasons(i int, p paint, width int) []string {
	call := c.q.Calls[i]
	var words []string
	if text := says(call); text != "" {
		words = append(words, before("      ", wrap(p.warn(text), width-6))...)
	}
	for _, why := range call.Why {
		words = append(words, indented("      why: ", Printable(why.Text), width)...)
	}
	return words
}

// text draws the whole card for the line mode, with how to answer it.
func (c *card) text(p paint, width int) []string {
	var out []string
	for _, line := range c.head(width) {
		out = append(out, p.warn(line))
	}
	for i, call := range c.q.Calls {
		out = append(out, fmt.Sprintf("%d  %s", i+1, callName(call)))
		out = append(out, before("      ", ends(pretty(call.Arguments, width-6), call.Arguments, 40, fmt.Sprintf("/show %d shows all", i+1)))...)
		out = append(out, c.reasons(i, p, width)...)
	}
	return append(out, wrap("Answer with "+cardWays+" What is not named is denied.", width)...)
}

// cardWays is how a card is answered by words.
const cardWays = "/approve [NUMBERS] [once|session|always] or /deny [REASON]."

// yesOrNo tells that a line was meant as an answer and is none, also numbers alone: a yes has to name
// what it allows.
func yesOrNo(line string) bool {
	numbers := strings.FieldsFunc(line, func(r rune) bool { return strings.ContainsRune(" ,.)#", r) })
	if len(numbers) > 0 && !slices.ContainsFunc(numbers, func(n string) bool { return strings.Trim(n, "0123456789") != "" }) {
		return true
	}
	return slices.Contains([]string{"y", "yes", "n", "no", "ok", "okay", "approve", "deny", "allow", "once", "session", "always"}, strings.ToLower(strings.TrimRight(line, ".!")))
}

// whole is a call of the card with all of its arguments; number counts from 1.
func (c *card) whole(number, width int) []string {
	call := c.q.Calls[number-1]
	return append([]string{"Arguments of " + callName(call) + ", " + counted(len(call.Arguments), "byte", "bytes") + ":"}, before("  ", pretty(call.Arguments, width-2))...)
}

// approve reads `/approve [NUMBERS] [SCOPE]`; problem says what is wrong.
func (c *card) approve(words []string) (problem string) {
	scope := "once"
	if n := len(words); n > 0 && slices.Contains([]string{"once", "session", "always"}, words[n-1]) {
		scope, words = words[n-1], words[:n-1]
	}
	named := make([]bool, len(c.choices))
	for i := range named {
		named[i] = len(words) == 0
	}
	for _, word := range words {
		n := index(word)
		if n < 1 || n > len(named) {
			return fmt.Sprintf("%q is neither a number from 1 to %d nor once, session or always.", word, len(named))
		}
		named[n-1] = true
	}
	for i, yes := range named {
		if yes && !slices.Contains(c.q.Calls[i].Scopes, scope) {
			return fmt.Sprintf("%d %s cannot be allowed %s; offered: %s.", i+1, callName(c.q.Calls[i]), scope, strings.Join(c.q.Calls[i].Scopes, ", "))
		}
	}
	for i, yes := range named {
		if yes {
			c.allow(i, scope)
		} else {
			c.deny(i, c.choices[i].Reason)
		}
	}
	return ""
}
