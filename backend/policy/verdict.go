package policy

import (
	"strconv"
	"strings"
)

// Verdict answers "may this be called now, and why (not)" (FILTER section 4).
// The zero value denies. Rule is the code of the rule that decided, Reason the
// sentence for people; Line and Column point at what decided in the file, to
// which the caller adds the file's name.
type Verdict struct {
	Allowed      bool
	Rule         string
	Reason       Words
	Line, Column int
}

// Helper is one of the tools Hermes generates for a server that advertises
// resources or prompts.
type Helper string

// The helpers. Include and exclude do not speak about them; the keys resources
// and prompts do.
const (
	HelperListResources Helper = "list_resources"
	HelperReadResource  Helper = "read_resource"
	HelperListPrompts   Helper = "list_prompts"
	HelperGetPrompt     Helper = "get_prompt"
)

// Helpers lists the four helpers in the order they are shown.
func Helpers() [4]Helper {
	return [4]Helper{HelperListResources, HelperReadResource, HelperListPrompts, HelperGetPrompt}
}

func (h Helper) key() (s int, ok bool) {
	switch h {
	case HelperListResources, HelperReadResource:
		return switchResources, true
	case HelperListPrompts, HelperGetPrompt:
		return switchPrompts, true
	}
	return 0, false
}

// reason is a sentence about a name, prepared when the rules are read, so that
// a verdict only puts the name in.
type reason struct {
	rule          string
	code          string
	before, after string
	named         bool     // the sentence holds the name
	params        []string // the parameters that follow the name
}

const whyPrefix = "why."

// prepareReason renders the catalogue's text with a mark where parameter 0, the
// name, will stand.
func prepareReason(rule string, params ...string) reason {
	const mark = "\x00"
	code := whyPrefix + rule
	text := render(code, append([]string{mark}, params...))
	re := reason{rule: rule, code: code, params: params}
	re.before, re.after, re.named = strings.Cut(text, mark)
	return re
}

// fixedReason is a reason that is the same for every name.
func fixedReason(rule string, params ...string) reason {
	code := whyPrefix + rule
	return reason{rule: rule, code: code, before: render(code, params), params: params}
}

func (re *reason) words(name string) Words {
	if !re.named {
		return Words{Code: re.code, Params: cloneStrings(re.params), Text: re.before}
	}
	shown := show(name)
	params := append([]string{shown}, re.params...)
	return Words{Code: re.code, Params: params, Text: re.before + shown + re.after}
}

func (re *reason) verdict(name string, allowed bool, at position) Verdict {
	return Verdict{Allowed: allowed, Rule: re.rule, Reason: re.words(name), Line: at.line, Column: at.column}
}

// Allows answers like Tool(name).Allowed and makes no words.
func (r Rules) Allows(name string) bool {
	if r.d == nil || name == "" {
		return false
	}
	switch r.d.state {
	case StateOpen:
		return true
	case StateOnly:
		return r.d.match(name) >= 0 && r.d.passes(name)
	case StateExcept:
		return r.d.match(name) < 0 && r.d.passes(name)
	}
	return false
}

// Tool answers whether the server's tool with this raw MCP name may be called
// now. It is asked when tools are registered and again at every call.
func (r Rules) Tool(name string) Verdict {
	d := r.d
	if d == nil {
		return noRules()
	}
	if name == "" {
		re := fixedReason("no_name")
		return re.verdict("", false, d.at)
	}
	if d.hold != nil {
		return d.hold.verdict(d.hold.file.Tool(name), r.Allows(name), d.hold.firm.Allows(name))
	}
	if d.state == StateOnly || d.state == StateExcept {
		if i := d.match(name); i >= 0 {
			p := &d.patterns[i]
			if p.text == name {
				return p.exact.verdict("", d.state == StateOnly, p.at)
			}
			return p.hit.verdict(name, d.state == StateOnly, p.at)
		}
	}
	return d.miss.verdict(name, d.state == StateOpen || d.state == StateExcept, d.at)
}

// verdict is the file's own where the file forbids, and where what is held says
// nothing about the name; else it names the ledger beside the file, or the change
// that waits. firm tells whether the name is allowed apart from what waits.
func (h *hold) verdict(file Verdict, allowed, firm bool) Verdict {
	rule := "held"
	switch {
	case allowed:
		rule = "held_on"
	case firm:
		rule = "waits"
	case h.other:
		rule = "held_other"
	}
	lists := false
	for _, t := range h.lost {
		lists = lists || t.State != StateOpen && !t.Waits
	}
	if !file.Allowed || allowed && !lists {
		return file
	}
	re := fixedReason(rule, h.since, show(h.server))
	return re.verdict("", allowed, position{file.Line, file.Column})
}

func noRules() Verdict {
	re := fixedReason("no_rules")
	return re.verdict("", false, position{})
}

// Helper answers whether a helper may be called now, if the server advertises
// the capability.
func (r Rules) Helper(h Helper) Verdict {
	s, ok := h.key()
	if !ok {
		re := fixedReason("unknown_helper", show(string(h)))
		return re.verdict("", false, position{})
	}
	return r.switchVerdict(s)
}

// Sampling answers whether the server may ask for a model's completion.
func (r Rules) Sampling() Verdict { return r.switchVerdict(switchSampling) }

// SamplingWritten answers whether sampling is allowed and the file itself writes
// it on. The runtime asks this one: a completion costs the person money, so it is
// off until somebody wrote otherwise, also where a filter says nothing.
func (r Rules) SamplingWritten() bool {
	return r.Sampling().Allowed && r.File().d.switches[switchSampling].value == toggleOn
}

// Elicitation answers whether the server may ask the person something.
func (r Rules) Elicitation() Verdict { return r.switchVerdict(switchElicitation) }

func (r Rules) switchVerdict(s int) Verdict {
	d := r.d
	if d == nil {
		return noRules()
	}
	if d.hold != nil {
		return d.hold.verdict(d.hold.file.switchVerdict(s), r.on(s), d.hold.firm.on(s))
	}
	if d.state == StateInvalid {
		return d.miss.verdict("", false, d.at)
	}
	w, at := d.switches[s], d.at
	rule := "not_written"
	switch {
	case w.value == toggleOn:
		rule, at = "written_on", w.at
	case w.value == toggleOff:
		rule, at = "written_off", w.at
	case d.state != StateOnly:
		rule = "default_on"
	}
	re := fixedReason(rule, switchKey(s))
	return re.verdict("", r.on(s), at)
}

// missReason says why a name that matches no pattern is on or off.
func (d *decided) missReason() reason {
	count := strconv.Itoa(len(d.patterns))
	switch d.state {
	case StateOpen:
		return fixedReason("open")
	case StateOnly:
		if len(d.patterns) == 0 {
			return fixedReason("empty_include")
		}
		return prepareReason(d.globbed("not_included"), count)
	case StateExcept:
		return prepareReason(d.globbed("not_excluded"), count)
	}
	return fixedReason("invalid", d.problems[d.failed].Message)
}

func (d *decided) globbed(rule string) string {
	if len(d.globs) > 0 {
		return rule + "_glob"
	}
	return rule
}

// prepareHits writes the reasons for names that match a pattern.
func (d *decided) prepareHits() {
	rule := "include"
	if d.state == StateExcept {
		rule = "excluded"
	}
	for i := range d.patterns {
		p := &d.patterns[i]
		p.exact = fixedReason(rule, p.shown)
		if p.glob != nil {
			p.hit = prepareReason(rule+"_glob", p.shown)
		}
	}
}

// Count is how many of a server's live tools are on. Unmatched are the patterns
// that match none of them.
type Count struct {
	Allowed, Total int
	Unmatched      []string
}

// Live counts the rules' effect on the names a server offers now. A name that
// the server offers twice counts once.
func (r Rules) Live(names []string) Count {
	var c Count
	seen := make(map[string]bool, len(names))
	var used []bool
	if r.d != nil {
		used = make([]bool, len(r.d.patterns))
	}
	for _, name := range names {
		if seen[name] {
			continue
		}
		seen[name] = true
		c.Total++
		if r.Allows(name) {
			c.Allowed++
		}
		for i := range used {
			used[i] = used[i] || r.d.patterns[i].matches(name)
		}
	}
	for i := range used {
		if !used[i] {
			c.Unmatched = append(c.Unmatched, r.d.patterns[i].text)
		}
	}
	return c
}

func (p *pattern) matches(name string) bool {
	return name != "" && (p.text == name || (p.glob != nil && p.glob.match(name)))
}

// HeldBy returns the pattern with wildcards that holds this name on (Only) or
// off (Except), so that switching the name alone would be refused; "" when only
// plain names or nothing decide.
func (r Rules) HeldBy(name string) string {
	if r.d == nil {
		return ""
	}
	for _, i := range r.d.globs {
		if p := &r.d.patterns[i]; p.matches(name) {
			return p.text
		}
	}
	return ""
}
