package transfer

import (
	"fmt"
	"slices"
	"strings"

	"hermes/backend/config"
	"hermes/backend/policy"
)

// block is the value of the key tools that means a filter; nil for an open one,
// which is written by writing nothing. Whatever is no state locks.
func (f Filter) block() *policy.Node {
	switch f.State {
	case policy.StateOpen:
		return nil
	case policy.StateExcept:
		return policy.NewTools(nil, f.Patterns)
	case policy.StateOnly:
		return policy.NewTools(append([]string{}, f.Patterns...), nil)
	}
	return policy.NewTools(nil, nil)
}

// rules are what package policy reads in a filter.
func (f Filter) rules() policy.Rules {
	entry := mapping()
	put(entry, "command", config.Text("x"))
	if block := f.block(); block != nil {
		put(entry, "tools", block)
	}
	return policy.ReadServer(entry)
}

// allows asks package policy about one tool.
func (f Filter) allows(tool string) bool { return f.rules().Tool(tool).Allowed }

// narrow gives a filter that allows nothing that either forbids. Where that
// cannot be said exactly it allows less, and told is false.
func narrow(a, b Filter) (f Filter, exact bool) {
	switch {
	case a.State == policy.StateOpen:
		return b, true
	case b.State == policy.StateOpen:
		return a, true
	case a.State == policy.StateExcept && b.State == policy.StateExcept:
		return Except(once(append(slices.Clone(a.Patterns), b.Patterns...))...), true
	case b.State == policy.StateOnly && a.State == policy.StateExcept:
		a, b = b, a
	case a.State != policy.StateOnly:
		return Only(), true
	}
	exact = true
	kept := []string{}
	for _, pattern := range a.Patterns {
		name, plain := plainName(pattern)
		switch {
		case plain && b.allows(name):
			kept = append(kept, pattern)
		case !plain && slices.Contains(b.Patterns, pattern) && b.State == policy.StateOnly:
			kept = append(kept, pattern)
		case !plain:
			exact = false
		}
	}
	return Only(kept...), exact
}

func once(list []string) []string {
	out := []string{}
	for _, item := range list {
		if !slices.Contains(out, item) {
			out = append(out, item)
		}
	}
	return out
}

// names is a list of tool names as a host's file has it.
type names struct {
	key string
	// given tells that the key is there and not null.
	given bool
	// broken says why the value is no list, empty for one.
	broken string
	// skipped counts items that are no names.
	skipped int
	list    []string
}

func readNames(n *policy.Node, key string) names {
	r := names{key: key, given: !missing(n)}
	if !r.given {
		return r
	}
	if n.Kind != policy.KindSequence {
		r.broken = fmt.Sprintf("`%s` is no list but %s", key, kindName(n))
		return r
	}
	for _, item := range n.Children {
		if !isText(item) || item.Value == "" {
			r.skipped++
			continue
		}
		r.list = append(r.list, item.Value)
	}
	r.list = once(r.list)
	return r
}

// lists says how a host means an allow list and a deny list of plain names.
type lists struct {
	allow, deny names
	// emptyIsAll tells hosts that ask for the length of the allow list instead
	// of its presence.
	emptyIsAll bool
	// emptyUnsure is a remark on an empty list that means nothing allowed.
	emptyUnsure string
}

// filter translates the meaning, and explains itself on the server.
func (l lists) filter(s *Server) {
	for _, r := range []names{l.allow, l.deny} {
		if r.broken != "" {
			s.Filter, s.Meaning = Only(), "cannot be read"
			s.note(r.broken + ": which tools were meant cannot be known, so the server is locked")
			return
		}
	}
	if l.deny.skipped > 0 {
		s.Filter, s.Meaning = Only(), "cannot be read"
		s.note(fmt.Sprintf("`%s` holds something that is no name: what to keep out cannot be known, so the server is locked", l.deny.key))
		return
	}
	if l.allow.skipped > 0 {
		s.note(fmt.Sprintf("`%s` holds something that is no name; it is left out", l.allow.key))
	}
	denied := patterns(l.deny.list)
	empty := l.allow.given && len(l.allow.list) == 0 && l.allow.skipped == 0
	switch {
	case !l.allow.given && len(denied) == 0:
		s.Filter, s.Meaning = Open(), "all tools"
	case !l.allow.given:
		s.Filter, s.Meaning = Except(denied...), fmt.Sprintf("`%s`: all tools but %s", l.deny.key, join(l.deny.list))
	case empty && l.emptyIsAll:
		s.Filter, s.Meaning = Except(denied...), fmt.Sprintf("`%s: []`: all tools", l.allow.key)
		s.note("the list is empty; there it means all tools; write `include: []` here if you meant none")
	case empty:
		s.Filter, s.Meaning = Only(), fmt.Sprintf("`%s: []`: no tool", l.allow.key)
		if l.emptyUnsure != "" {
			s.note(l.emptyUnsure)
		}
	default:
		l.whitelist(s)
	}
}

func (l lists) whitelist(s *Server) {
	var kept, dropped []string
	for _, name := range l.allow.list {
		if slices.Contains(l.deny.list, name) {
			dropped = append(dropped, name)
			continue
		}
		kept = append(kept, name)
	}
	s.Filter, s.Meaning = Only(patterns(kept)...), fmt.Sprintf("`%s`: only %s", l.allow.key, join(l.allow.list))
	if len(dropped) > 0 {
		s.Meaning += fmt.Sprintf(", without %s of `%s`", join(dropped), l.deny.key)
		s.note(fmt.Sprintf("%s stands in both lists; the deny list wins there, so it is left out of the whitelist", join(dropped)))
	}
}

func patterns(list []string) []string {
	out := make([]string, 0, len(list))
	for _, name := range list {
		out = append(out, literal(name))
	}
	return out
}

func join(list []string) string {
	if len(list) == 0 {
		return "(none)"
	}
	return strings.Join(list, ", ")
}

// after gives what is left of a glob once it has matched a prefix: every glob
// that the rest of a name may match then. In a glob * stands for any text and,
// where one is true, ? for one character; everything else for itself.
func after(glob, prefix string, one bool) []string {
	at := map[int]bool{0: true}
	spread := func(i int) {
		for i < len(glob) && glob[i] == '*' {
			at[i+1] = true
			i++
		}
	}
	spread(0)
	for k := 0; k < len(prefix); k++ {
		now := at
		at = map[int]bool{}
		for i := range now {
			switch {
			case i >= len(glob):
			case glob[i] == '*':
				at[i] = true
				spread(i)
			case glob[i] == prefix[k] || one && glob[i] == '?':
				at[i+1] = true
				spread(i + 1)
			}
		}
	}
	var rest []string
	for i := 0; i <= len(glob); i++ {
		// After a star everything that follows is part of what the star leaves.
		if at[i] && !(i > 0 && glob[i-1] == '*' && at[i-1]) {
			rest = append(rest, glob[i:])
		}
	}
	return rest
}

// ours writes a foreign glob in our syntax. one tells whether ? is special
// there; loose whether the host writes _ for every character but letters,
// digits and -, so that a rule that forbids must reach those names as well.
func ours(glob string, one, loose bool) string {
	var b strings.Builder
	for _, r := range glob {
		switch {
		case r == '*', r == '?' && one:
			b.WriteRune(r)
		case r == '[' || r == '?':
			b.WriteString("[" + string(r) + "]")
		case r == '_' && loose:
			b.WriteString("[!a-zA-Z0-9-]")
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}
