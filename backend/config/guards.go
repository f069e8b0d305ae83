package config

import (
	"fmt"
	"slices"
	"strings"

	"hermes/backend/policy"
)

// guardKeys are the sections that keep servers and calls back, with the keys in
// them that do. Events of hooks are looked at where hooks are read.
func guardKeys() [][]string {
	return [][]string{
		{"mcp", "client", "stdio_servers"}, {"platform_toolsets", "cli"}, {"agent", "disabled_toolsets"},
		{"approvals", "mode", "deny", "timeout"}, {"hooks"},
	}
}

// spelling is one way in which a key stands in the file.
type spelling struct {
	key, value *policy.Node
	exact      bool
}

// guards gives the sections that restrict as one tree in which each key stands
// once. YAML lets the last of two count, and a key in another spelling means
// nothing: either way a restriction would be gone that somebody wrote. So every
// way counts, and of two the stricter.
func (r *restrictionReader) guards(root *policy.Node) *policy.Node {
	if root == nil || root.Kind != policy.KindMapping {
		return root
	}
	out := mappingLike(root)
	for _, keys := range guardKeys() {
		found := r.ways(root, "", keys[0])
		if len(found) == 0 {
			continue
		}
		out.Children = append(out.Children, renamed(found[0].key, keys[0]), r.section(keys, found))
	}
	return out
}

// section gathers what all ways of writing a section say.
func (r *restrictionReader) section(keys []string, found []spelling) *policy.Node {
	all := mappingLike(found[0].value)
	for _, w := range found {
		if isNull(w.value) {
			continue
		}
		if w.value.Kind != policy.KindMapping {
			return w.value // cannot be read, and is told so
		}
		for i := 0; i+1 < len(w.value.Children); i += 2 {
			key, value := w.value.Children[i], w.value.Children[i+1]
			if !w.exact && keys[0] == "approvals" && isOff(value) {
				continue // a section in another spelling lifts nothing
			}
			all.Children = append(all.Children, key, value)
		}
	}
	if len(keys) == 1 {
		return all
	}
	out := mappingLike(all)
	for _, name := range keys[1:] {
		if found := r.ways(all, keys[0], name); len(found) > 0 {
			out.Children = append(out.Children, renamed(found[0].key, name), strictest(keys[0]+"."+name, found))
		}
	}
	return out
}

// ways finds a key of a mapping in every spelling, and tells what is odd. Keys
// with another letter in them are told and count as nothing.
func (r *restrictionReader) ways(n *policy.Node, owner, name string) []spelling {
	var found, exact []spelling
	path := strings.TrimPrefix(owner+"."+name, ".")
	for i := 0; i+1 < len(n.Children); i += 2 {
		key := n.Children[i]
		if key.Kind != policy.KindScalar {
			continue
		}
		w := spelling{key, n.Children[i+1], key.Value == name}
		switch {
		case w.exact:
			exact = append(exact, w)
			found = append(found, w)
		case lettersOf(key.Value) == lettersOf(name):
			r.nearGuard(key, path, "is not read by every Hermes; what it forbids is forbidden here all the same")
			found = append(found, w)
		case owner+name != "mcp" && isSlip(key.Value, name):
			r.nearGuard(key, path, "is not a key that Hermes knows and has no effect")
		}
	}
	if len(exact) > 1 {
		first, last := exact[0].key, exact[len(exact)-1].key
		r.problems = append(r.problems, Problem{
			Severity: policy.SeverityError, Code: "restriction.twice", Params: []string{path, fmt.Sprint(first.Line), fmt.Sprint(last.Line)},
			Message: fmt.Sprintf("`%s` stands twice, on lines %d and %d; what either of them forbids is forbidden", path, first.Line, last.Line),
			Hint:    "write it once: Hermes Agent reads the last one alone",
			File:    r.file, Line: last.Line, Column: last.Column,
		})
	}
	return found
}

func (r *restrictionReader) nearGuard(key *policy.Node, meant, is string) {
	r.problems = append(r.problems, Problem{
		Severity: policy.SeverityWarning, Code: "restriction.near_key", Params: []string{key.Value, meant},
		Message: fmt.Sprintf("the key %q %s", key.Value, is), Hint: fmt.Sprintf("did you mean %s?", meant),
		File: r.file, Line: key.Line, Column: key.Column,
	})
}

// strictest is the value that counts of those written under one key.
func strictest(path string, found []spelling) *policy.Node {
	if len(found) == 1 && (found[0].exact || path != "approvals.mode") {
		return found[0].value
	}
	switch path {
	case "approvals.deny", "agent.disabled_toolsets":
		return union(found)
	case "approvals.mode":
		for _, w := range found {
			switch {
			case !isOff(w.value):
				return w.value
			case !w.exact: // it lifts nothing
				return &policy.Node{Kind: policy.KindScalar, Tag: "!!null", Line: w.key.Line, Column: w.key.Column}
			}
		}
	case "mcp.client", "mcp.stdio_servers":
		for _, w := range found {
			if on, ok := boolLike(w.value); !isUnset(w.value) && (!on || !ok) {
				return w.value
			}
		}
	case "platform_toolsets.cli":
		// Two lists of what may run: nobody can say which was meant.
		return &policy.Node{Kind: policy.KindMapping, Tag: "!!map", Line: found[0].key.Line, Column: found[0].key.Column}
	}
	return found[len(found)-1].value
}

// union is a list of what several lists name; one that cannot be read is given
// instead, so that it is told.
func union(found []spelling) *policy.Node {
	out := &policy.Node{Kind: policy.KindSequence, Tag: "!!seq", Line: found[0].value.Line, Column: found[0].value.Column}
	for _, w := range found {
		list, ok := words(w.value)
		switch {
		case !ok && w.value.Kind == policy.KindScalar:
			out.Children = append(out.Children, w.value) // a glob that begins with a bracket
		case !ok:
			return w.value
		case w.value != nil && w.value.Kind == policy.KindSequence:
			out.Children = append(out.Children, w.value.Children...)
		default:
			for _, text := range list {
				out.Children = append(out.Children, &policy.Node{Kind: policy.KindScalar, Tag: "!!str", Value: text, Line: w.value.Line, Column: w.value.Column})
			}
		}
	}
	return out
}

func isOff(mode *policy.Node) bool {
	switch strings.ToLower(scalarText(mode)) {
	case "off", "false", "no":
		return true
	}
	return false
}

func mappingLike(n *policy.Node) *policy.Node {
	out := &policy.Node{Kind: policy.KindMapping, Tag: "!!map"}
	if n != nil {
		out.Line, out.Column = n.Line, n.Column
	}
	return out
}

func renamed(key *policy.Node, name string) *policy.Node {
	out := *key
	out.Value = name
	return &out
}

// meantEvent is the event that a key below `hooks` was meant to name, empty for
// none: in another spelling, or as another program calls it.
func meantEvent(written string) (event string, sure bool) {
	letters := lettersOf(written)
	for _, known := range []string{EventPreToolCall, EventPostToolCall} {
		if letters == lettersOf(known) || letters == strings.Replace(lettersOf(known), "call", "use", 1) {
			return known, true
		}
	}
	for _, known := range []string{EventPreToolCall, EventPostToolCall} {
		if isSlip(written, known) {
			return known, false
		}
	}
	return "", false
}

// MeantEvent is the event that the key of a hook that does not run here was meant
// to be, empty where it is one of another program.
func (h HookRule) MeantEvent() string {
	meant, _ := meantEvent(h.Event)
	return meant
}

// nearEvent tells of hooks under a key that was meant to name another event. What
// hooks before a call were meant to judge is refused: nothing else asks them.
func (r *restrictionReader) nearEvent(key, value *policy.Node, meant string, sure bool) {
	if !sure || meant != EventPreToolCall {
		r.nearGuard(key, "hooks."+meant, "is not an event that Hermes knows, so its hooks do not run")
		return
	}
	r.nearGuard(key, "hooks."+meant, "is not an event that Hermes knows; the calls its hooks were to judge are refused")
	for _, item := range items(value) {
		g := gate{line: item.Line, reason: fmt.Sprintf("a hook stands under `hooks.%s`, which was meant to be `%s`; what it was to judge is refused", key.Value, meant)}
		if text := scalarText(at(item, "matcher")); text != "" && text != "*" {
			g.match, _ = wholeMatch(text) // without one that can be read it holds every call
		}
		r.out.gates = append(r.out.gates, g)
	}
}

// doubled tells the first key of a hook that stands in it more than once.
func doubled(item *policy.Node, names ...string) string {
	seen := map[string]bool{}
	for i := 0; i+1 < len(item.Children); i += 2 {
		name := item.Children[i].Value
		if seen[name] && slices.Contains(names, name) {
			return name
		}
		seen[name] = true
	}
	return ""
}
