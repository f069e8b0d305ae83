package policy

import "strconv"

// The keys this package reads. Nothing else in the program looks at them.
const (
	keyServers     = "mcp_servers"
	keyTools       = "tools"
	keyInclude     = "include"
	keyExclude     = "exclude"
	keyResources   = "resources"
	keyPrompts     = "prompts"
	keyTrust       = "trust"
	keySampling    = "sampling"
	keyElicitation = "elicitation"
	keyEnabled     = "enabled"
)

// ReadServer decides the rules of one server from its entry alone (FILTER
// section 2). It never fails: what cannot be read denies everything and is told
// in Problems.
func ReadServer(entry *Node) Rules { return readEntry(entry, entry, nil) }

// readEntry reads an entry that stands at a place. A non-nil fault, found
// around the entry, makes the rules invalid whatever the entry says.
func readEntry(at, entry *Node, fault *Problem) Rules {
	r := &reader{d: &decided{state: StateOpen, failed: -1, at: placeOf(at)}}
	if fault != nil {
		r.problem(*fault)
		r.d.outside = true
	}
	r.entry(entry)
	r.finish()
	return Rules{r.d}
}

// reader collects one server's rules.
type reader struct{ d *decided }

func (r *reader) warn(code string, at *Node, params ...string) {
	r.problem(newProblem(SeverityWarning, code, at, params...))
}

func (r *reader) fail(code string, at *Node, params ...string) {
	r.problem(newProblem(SeverityError, code, at, params...))
}

func (r *reader) problem(p Problem) {
	if p.Severity == SeverityError && r.d.failed < 0 {
		r.d.failed = len(r.d.problems)
	}
	r.d.problems = append(r.d.problems, p)
}

func (r *reader) entry(entry *Node) {
	if entry == nil || entry.Kind == KindNone {
		r.d.broken = true
		r.fail("entry.damaged", entry)
		return
	}
	if !fits(entry) {
		r.fail("entry.size", entry)
		return
	}
	if !isMapping(entry) {
		r.d.broken = true
		r.fail("entry.shape", entry, kindWord(entry))
		return
	}
	whole := r.pairs(entry)
	r.trustOf(entry)
	if !whole {
		_, r.d.wrote.filter = child(entry, keyTools)
		return
	}
	for i := 0; i < len(entry.Children); i += 2 {
		key, value := entry.Children[i], entry.Children[i+1]
		if key.Kind != KindScalar {
			continue
		}
		switch key.Value {
		case keyTools:
			r.d.wrote.filter = !isNull(value)
			r.tools(key, value)
		case keyTrust:
		case keySampling:
			r.readFeature(switchSampling, key, value)
		case keyElicitation:
			r.readFeature(switchElicitation, key, value)
		case keyInclude, keyExclude:
			r.warn("entry.misplaced", key, key.Value)
		default:
			if known := nearKey(key.Value, keyTools, keyTrust, keySampling, keyElicitation); known != "" {
				r.warn("entry.near_key", key, show(key.Value), known)
			} else if known = nearKey(key.Value, keyInclude, keyExclude); known != "" {
				r.warn("entry.misplaced", key, show(key.Value))
			}
		}
	}
}

func (r *reader) tools(key, tools *Node) {
	r.d.at = placeOf(key)
	if isNull(tools) {
		return
	}
	if !isMapping(tools) {
		r.fail("tools.shape", tools, kindWord(tools))
		return
	}
	if !r.pairs(tools) {
		return
	}
	var include, exclude, includeKey, excludeKey *Node
	for i := 0; i < len(tools.Children); i += 2 {
		k, v := tools.Children[i], tools.Children[i+1]
		if k.Kind != KindScalar {
			continue
		}
		switch k.Value {
		case keyInclude:
			includeKey, include = k, v
			r.d.wrote.include = true
		case keyExclude:
			excludeKey, exclude = k, v
			r.d.wrote.exclude = true
		case keyResources:
			r.readSwitch(switchResources, k, v)
		case keyPrompts:
			r.readSwitch(switchPrompts, k, v)
		default:
			if known := nearKey(k.Value, keyInclude, keyExclude, keyResources, keyPrompts); known != "" {
				r.warn("tools.near_key", k, show(k.Value), known)
			}
		}
	}
	switch {
	case include != nil:
		r.include(includeKey, include)
		if exclude != nil {
			r.warn("exclude.ignored", excludeKey)
		}
	case exclude != nil:
		r.exclude(excludeKey, exclude)
	}
}

// pairs checks that a mapping is made of whole pairs and holds no key twice
// (FILTER section 2 row 16); what came through a merge key is already left out
// where a written key beats it.
func (r *reader) pairs(m *Node) bool {
	if len(m.Children)%2 != 0 {
		r.fail("entry.damaged", m)
		return false
	}
	first := map[string]*Node{}
	ok := true
	for i := 0; i < len(m.Children); i += 2 {
		key, value := m.Children[i], m.Children[i+1]
		if key == nil || value == nil || key.Kind == KindNone || value.Kind == KindNone {
			r.fail("entry.damaged", m)
			return false
		}
		if key.Kind != KindScalar {
			continue
		}
		if before := first[key.Value]; before != nil {
			r.fail("duplicate.key", key, show(key.Value), strconv.Itoa(before.Line), strconv.Itoa(key.Line))
			ok = false
			continue
		}
		first[key.Value] = key
	}
	return ok
}

// finish settles the state and prepares the reason for names that match no
// pattern.
func (r *reader) finish() {
	d := r.d
	if d.failed >= 0 {
		d.state = StateInvalid
		d.patterns, d.byText, d.globs = nil, nil, nil
		p := &d.problems[d.failed]
		if p.Line > 0 {
			d.at = position{p.Line, p.Column}
		}
	}
	d.miss = d.missReason()
	d.prepareHits()
}

// nearKey returns the one of the keys that a person probably meant, "" for none.
func nearKey(written string, keys ...string) string {
	for _, known := range keys {
		if isNear(written, known) {
			return known
		}
	}
	return ""
}
