package policy

// State is the word for what a server's rules are (FILTER section 1).
type State string

// The states of a server's rules.
const (
	// StateOpen has no filter: every tool, also those the server adds later.
	StateOpen State = "open"
	// StateOnly is a whitelist; without patterns nothing is registered.
	StateOnly State = "only"
	// StateExcept is a blacklist: everything but the matches.
	StateExcept State = "except"
	// StateInvalid cannot be read as one of the others and denies everything.
	StateInvalid State = "invalid"
)

// Rules are one server's tool rules, as decided by ReadServer or ReadFile.
// They never change; the zero value denies everything and says so.
type Rules struct{ d *decided }

// decided is what Rules point to. It is complete before a Rules value holds it
// and is never written afterwards.
type decided struct {
	state    State
	broken   bool
	outside  bool // what makes the rules invalid stands around the entry
	patterns []pattern
	byText   map[string]int
	globs    []int
	switches [switchCount]written
	untrust  bool
	problems []Problem
	failed   int // index of the problem that makes the state invalid, -1 for none
	at       position
	miss     reason // why a name that matches no pattern is on or off
	wrote    wrote
	hold     *hold      // what is held against the file, nil for nothing
	also     []*decided // further lists that have to let a name through
}

// wrote tells which restricting keys are there, whatever they say. filter is a
// tools block that is not empty.
type wrote struct{ include, exclude, trust, filter bool }

type position struct{ line, column int }

func placeOf(n *Node) position {
	if n == nil {
		return position{}
	}
	return position{n.Line, n.Column}
}

// pattern is one entry of include or exclude.
type pattern struct {
	text  string
	shown string
	at    position
	glob  glob   // nil for a plain name
	exact reason // why a name that is this very text is on or off
	hit   reason // why a name that only the glob matches is on or off
}

// smallList is the number of patterns up to which comparing one by one beats a
// map.
const smallList = 6

// State returns the word for these rules; the zero value is invalid.
func (r Rules) State() State {
	if r.d == nil {
		return StateInvalid
	}
	return r.d.state
}

// Patterns returns the entries of the list that decides, in file order, each
// once; nil under Open and Invalid.
func (r Rules) Patterns() []string {
	if r.d == nil || len(r.d.patterns) == 0 {
		return nil
	}
	out := make([]string, len(r.d.patterns))
	for i := range r.d.patterns {
		out[i] = r.d.patterns[i].text
	}
	return out
}

// Resources tells whether the helpers list_resources and read_resource may be
// called if the server advertises resources.
func (r Rules) Resources() bool { return r.on(switchResources) }

// Prompts tells whether the helpers list_prompts and get_prompt may be called
// if the server advertises prompts.
func (r Rules) Prompts() bool { return r.on(switchPrompts) }

// Locked tells whether nothing of the server can be called: a whitelist without
// patterns and without a helper written on (FILTER section 2). The server's
// process is not started then; the same goes for StateInvalid, which is not
// called locked.
func (r Rules) Locked() bool {
	return r.State() == StateOnly && len(r.d.patterns) == 0 && !r.Resources() && !r.Prompts()
}

// Broken tells whether the server's entry is not a mapping at all (FILTER
// section 2 row 19).
func (r Rules) Broken() bool { return r.d != nil && r.d.broken }

// Untrusted tells whether every call of the server needs a person's consent:
// `trust: untrusted`, or a value that is not known. No key means full trust.
func (r Rules) Untrusted() bool { return r.d == nil || r.d.untrust }

// Problems returns what a person should mend, in file order of reading.
func (r Rules) Problems() []Problem {
	if r.d == nil {
		return nil
	}
	return cloneProblems(r.d.problems)
}

// Line returns the 1-based line of the key that decides, else of the entry; 0
// when there are no positions.
func (r Rules) Line() int {
	if r.d == nil {
		return 0
	}
	return r.d.at.line
}

// Column returns the 1-based column that belongs to Line.
func (r Rules) Column() int {
	if r.d == nil {
		return 0
	}
	return r.d.at.column
}

// Equal tells whether both rules decide alike about everything, now and for
// tools to come. Positions and problems do not count. The zero value is equal to
// itself alone.
func (r Rules) Equal(o Rules) bool {
	if r.State() != o.State() || r.Untrusted() != o.Untrusted() || r.Broken() != o.Broken() || r.IsHeld() != o.IsHeld() {
		return false
	}
	if r.IsHeld() && !r.Restriction().Equal(o.Restriction()) {
		return false
	}
	if r.d == nil || o.d == nil {
		return r.d == o.d
	}
	for s := range r.d.switches {
		if r.d.switches[s].value != o.d.switches[s].value {
			return false
		}
	}
	return r.d.samePatterns(o.d)
}

func (d *decided) samePatterns(o *decided) bool {
	if len(d.patterns) != len(o.patterns) {
		return false
	}
	for i := range d.patterns {
		if o.find(d.patterns[i].text) < 0 {
			return false
		}
	}
	return true
}

// find returns the index of the pattern with exactly this text, -1 for none.
func (d *decided) find(text string) int {
	if d.byText != nil {
		if i, ok := d.byText[text]; ok {
			return i
		}
		return -1
	}
	for i := range d.patterns {
		if d.patterns[i].text == text {
			return i
		}
	}
	return -1
}

// match returns the first pattern that holds the name: its exact text first,
// then the globs in order; -1 for none. An empty name matches nothing.
func (d *decided) match(name string) int {
	if name == "" {
		return -1
	}
	if i := d.find(name); i >= 0 {
		return i
	}
	for _, i := range d.globs {
		if d.patterns[i].glob.match(name) {
			return i
		}
	}
	return -1
}

// setPatterns takes the entries of the deciding list and prepares matching.
func (d *decided) setPatterns(list []pattern) {
	d.patterns = list
	if len(list) > smallList {
		d.byText = make(map[string]int, len(list))
	}
	for i := range list {
		p := &list[i]
		if d.byText != nil {
			d.byText[p.text] = i
		}
		if isGlob(p.text) {
			p.glob = compileGlob(p.text)
			d.globs = append(d.globs, i)
		}
	}
}
