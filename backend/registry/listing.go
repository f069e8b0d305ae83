package registry

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// form is how much of the catalogue stands in the description of tool_search
// (reference hermes-agent 1.3, with the signatures of DESIGN section 5 before
// all others).
type form uint8

const (
	formNone       form = iota // nothing, or only that tools exist
	formGroups                 // a count for each server
	formMixed                  // names, and counts for the largest servers
	formNames                  // names
	formFull                   // names and what they do, in a few words
	formSignatures             // names, parameters and what they do
)

// Runes of a description in the listing; a small catalogue has room for more.
const (
	listedSentence = 60
	roomySentence  = 160
)

// group is one server of a listing.
type group struct {
	label   string
	entries []*Entry
}

// listing is the text of a catalogue in the richest form that fits a budget.
// It depends on nothing but the entries, so it is the same bytes every time.
func (c *Catalog) listing(budget int) (string, form) {
	if budget <= 0 {
		return "", formNone
	}
	groups := c.groups()
	unavailable := c.unavailable()
	signatures := map[string]string{} // by public name: two forms need them
	for _, try := range []struct {
		form form
		line func(*Entry) string
	}{
		{formSignatures, signatureLine(roomySentence, signatures)},
		{formSignatures, signatureLine(listedSentence, signatures)},
		{formFull, sentenceLine},
	} {
		if text, ok := write(groups, unavailable, budget, try.line); ok {
			return text, try.form
		}
	}
	return c.collapse(groups, unavailable, budget)
}

// write gives every tool a line, and up as soon as they do not fit.
func write(groups []group, unavailable string, budget int, line func(*Entry) string) (string, bool) {
	var b strings.Builder
	size := utf8.RuneCountInString(unavailable)
	add := func(text string) bool {
		b.WriteString(text)
		size += utf8.RuneCountInString(text)
		return tokens(size) <= budget
	}
	for _, g := range groups {
		if !add(g.label + ":\n") {
			return "", false
		}
		for _, e := range g.entries {
			if !add(line(e)) {
				return "", false
			}
		}
	}
	b.WriteString(unavailable)
	return b.String(), tokens(size) <= budget
}

// collapse lists names alone, and replaces those of the largest servers by a
// count, one after the other, until the rest fits.
func (c *Catalog) collapse(groups []group, unavailable string, budget int) (string, form) {
	parts := make([]string, len(groups))
	total := utf8.RuneCountInString(unavailable)
	for i, g := range groups {
		var b strings.Builder
		writeNames(g, &b)
		parts[i] = b.String()
		total += utf8.RuneCountInString(parts[i])
	}
	if tokens(total) <= budget {
		return strings.Join(parts, "") + unavailable, formNames
	}
	order := make([]int, len(groups))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		if by := cmp.Compare(len(groups[b].entries), len(groups[a].entries)); by != 0 {
			return by
		}
		return cmp.Compare(groups[a].label, groups[b].label)
	})
	for n, i := range order {
		total -= utf8.RuneCountInString(parts[i])
		parts[i] = fmt.Sprintf("- %s: %s, names not listed\n", groups[i].label, count(len(groups[i].entries), "tool"))
		total += utf8.RuneCountInString(parts[i])
		if tokens(total) <= budget {
			if n == len(order)-1 {
				return strings.Join(parts, "") + unavailable, formGroups
			}
			return strings.Join(parts, "") + unavailable, formMixed
		}
	}
	return "", formNone
}

func (c *Catalog) groups() []group {
	byServer := map[string]*group{}
	var servers []string
	for i := range c.entries {
		e := &c.entries[i]
		g := byServer[e.Server]
		if g == nil {
			g = &group{label: label(e.Server)}
			byServer[e.Server] = g
			servers = append(servers, e.Server)
		}
		g.entries = append(g.entries, e)
	}
	slices.Sort(servers)
	out := make([]group, len(servers))
	for i, name := range servers {
		out[i] = *byServer[name]
	}
	return out
}

// label is a server's name on one line of a listing.
func label(server string) string {
	return strings.Join(strings.Fields(cut(clean(server), 60)), " ")
}

func (c *Catalog) unavailable() string {
	var b strings.Builder
	for _, server := range c.pending {
		fmt.Fprintf(&b, "- %s: not connected right now, its tools are not known\n", label(server))
	}
	return b.String()
}

func signatureLine(limit int, signatures map[string]string) func(*Entry) string {
	return func(e *Entry) string {
		text, ok := signatures[e.Public]
		if !ok {
			text = signature(parameterTree(e.Schema))
			signatures[e.Public] = text
		}
		return "- " + e.Public + text + " - " + sentence(e.Description, limit) + "\n"
	}
}

func sentenceLine(e *Entry) string {
	return "- " + e.Public + " - " + sentence(e.Description, listedSentence) + "\n"
}

func writeNames(g group, b *strings.Builder) {
	fmt.Fprintf(b, "- %s:", g.label)
	for i, e := range g.entries {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteByte(' ')
		b.WriteString(e.Public)
	}
	b.WriteByte('\n')
}

func count(n int, word string) string {
	if n == 1 {
		return "1 " + word
	}
	return fmt.Sprintf("%d %ss", n, word)
}
