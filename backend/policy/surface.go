package policy

import (
	"strconv"
	"strings"
)

// helperWords names the helpers that are on under a whitelist, "" for none.
// Under the other states they are on by default and are not mentioned (FILTER
// section 3).
func (r Rules) helperWords() string {
	if r.State() != StateOnly {
		return ""
	}
	var on []string
	if r.Resources() {
		on = append(on, keyResources)
	}
	if r.Prompts() {
		on = append(on, keyPrompts)
	}
	return strings.Join(on, ", ")
}

// withHelpers makes words whose catalogue entry has a second form for helpers
// that are on.
func (r Rules) withHelpers(code string, params ...string) Words {
	if h := r.helperWords(); h != "" {
		return newWords(code+"_helpers", append(params, h)...)
	}
	return newWords(code, params...)
}

// List returns the words of `hermes mcp list`, such as `0 selected` (FILTER
// section 3, second column).
func (r Rules) List() Words {
	count := strconv.Itoa(r.size())
	if r.IsHeld() {
		return r.heldWords(count)
	}
	switch r.State() {
	case StateOpen:
		return newWords("list.open")
	case StateOnly:
		return r.withHelpers("list.only", count)
	case StateExcept:
		return newWords("list.except", count)
	default:
		return newWords("list.invalid")
	}
}

// heldWords say what is in force and that the file says something else.
func (r Rules) heldWords(count string) Words {
	switch r.State() {
	case StateOpen:
		return newWords("list.held_open")
	case StateOnly:
		return r.withHelpers("list.held_only", count)
	case StateExcept:
		return newWords("list.held_except", count)
	}
	return newWords("list.held_invalid")
}

// Row returns the words of a server's row in `hermes tools`, such as
// `[include only: (none)]` (FILTER section 3, third column).
func (r Rules) Row() Words {
	if r.IsHeld() {
		return r.List()
	}
	switch r.State() {
	case StateOpen:
		return newWords("row.open")
	case StateOnly:
		if r.size() == 0 {
			return r.withHelpers("row.only_none")
		}
		return r.withHelpers("row.only", showAll(r.Patterns()))
	case StateExcept:
		return newWords("row.except", showAll(r.Patterns()))
	default:
		message, _ := r.fault()
		return newWords("row.invalid", message)
	}
}

// Panel returns the words of the panel, such as `Locked - 0 of 12` (FILTER
// section 3, last column). Live are the server's tools, if they are known.
// Where a pattern has wildcards the words do not promise what a new tool will
// be.
func (r Rules) Panel(live []string, known bool) Words {
	var allowed, total string
	suffix := "_unknown"
	if known {
		c := r.Live(live)
		allowed, total, suffix = strconv.Itoa(c.Allowed), strconv.Itoa(c.Total), ""
	}
	if r.IsHeld() {
		return r.d.hold.panel(allowed, total, suffix)
	}
	count := strconv.Itoa(r.size())
	globs := ""
	if r.d != nil && len(r.d.globs) > 0 {
		globs = "_globs"
	}
	switch r.State() {
	case StateOpen:
		if known {
			return newWords("panel.open", total)
		}
		return newWords("panel.open_unknown")
	case StateOnly:
		switch {
		case r.Locked() && known:
			return newWords("panel.locked", total)
		case r.Locked():
			return newWords("panel.locked_unknown")
		case known:
			return r.withHelpers("panel.only"+globs, allowed, total)
		}
		return r.withHelpers("panel.only"+globs+suffix, count)
	case StateExcept:
		if known {
			return newWords("panel.except"+globs, allowed, total)
		}
		return newWords("panel.except"+globs+suffix, count)
	default:
		message, hint := r.fault()
		return newWords("panel.invalid", message, hint)
	}
}

// panel says what is held, or that a change waits, and what of the live tools is
// on; the numbers are empty where they are not known.
func (h *hold) panel(allowed, total, suffix string) Words {
	counts := []string{allowed, total}
	if suffix != "" {
		counts = nil
	}
	switch {
	case !h.firm.IsHeld():
		return newWords("panel.waits"+suffix, counts...)
	case h.other:
		return newWords("panel.held_other"+suffix, append(counts, h.since)...)
	}
	return newWords("panel.held"+suffix, append(counts, h.since)...)
}

func (r Rules) size() int {
	if r.d == nil {
		return 0
	}
	return len(r.d.patterns)
}

// fault returns what makes the rules invalid and what to write instead.
func (r Rules) fault() (message, hint string) {
	if r.d == nil || r.d.failed < 0 {
		return template("why.no_rules"), template("why.no_rules.hint")
	}
	p := &r.d.problems[r.d.failed]
	return p.Message, p.Hint
}
