package guard

import (
	"path"
	"slices"
	"strings"
)

// globbed gives a place that a pattern would find. A lone wild card does not
// find names that begin with a dot, as in the shells: else every search of a
// person's folder would touch ours. Where an absolute pattern ends in a name that
// is written out it does, because some programs find them.
func (f *OwnFiles) globbed(pattern string, relative bool) string {
	parts := strings.Split(pattern, "/")
	dots := findsDots(parts, relative)
	for i := range f.spots {
		for _, own := range f.spots[i].keys {
			if globMatches(parts, strings.Split(own, "/"), f.spots[i].Below, dots) {
				return f.spots[i].What
			}
		}
	}
	return ""
}

// findsDots tells whether lone wild cards of a pattern find hidden names.
func findsDots(parts []string, relative bool) bool {
	return !relative && strings.IndexAny(parts[len(parts)-1], "*?[") != 0
}

func hasWild(part string) bool { return strings.ContainsAny(part, "*?[") }

// onlyWild knows the patterns that name everything.
func onlyWild(pattern string) bool { return strings.Trim(pattern, "*?/") == "" }

func isWild(part string) bool { return strings.Trim(part, "*") == "" && part != "" }

// globMatches compares the parts of a pattern with the names of a path; row i
// says how much of the names the first i parts can have found. What goes on
// below a folder of ours may find something there.
func globMatches(pattern, name []string, below, dots bool) bool {
	reached := make([]bool, len(name)+1)
	reached[0] = true
	for _, part := range pattern {
		if below && reached[len(name)] {
			return true
		}
		next := make([]bool, len(name)+1)
		for n := range next {
			hidden := n > 0 && !dots && strings.HasPrefix(name[n-1], ".") && isWild(part)
			switch {
			case part == "**":
				next[n] = reached[n] || n > 0 && next[n-1] && !hidden
			case n > 0:
				next[n] = reached[n-1] && !hidden && partMatches(part, name[n-1])
			}
		}
		if reached = next; !slices.Contains(reached, true) {
			return false
		}
	}
	return reached[len(name)]
}

func partMatches(pattern, name string) bool {
	if ok, err := path.Match(strings.ReplaceAll(pattern, "[!", "[^"), name); err == nil {
		return ok
	}
	// Each program reads a broken pattern its own way.
	before, _, _ := strings.Cut(pattern, "[")
	before = strings.TrimRight(before, "*?")
	return name == pattern || before != "" && strings.HasPrefix(name, before)
}

// bracesAsGlob writes {a,b} as *, which finds at least as much, also within
// each other. Those with spaces in them are no patterns.
func bracesAsGlob(text string) string {
	out := make([]byte, 0, len(text))
	var open []int
	for i := range len(text) {
		c := text[i]
		switch {
		case c == '{':
			open = append(open, len(out))
		case c == ' ' || c == '\n':
			open = open[:0]
		case c == '}' && len(open) > 0:
			out = append(out[:open[len(open)-1]], '*')
			open = open[:len(open)-1]
			continue
		}
		out = append(out, c)
	}
	return string(out)
}
