package policy

import (
	"strings"
	"unicode/utf8"
)

// glob is a compiled shell pattern over a whole name (FILTER section 2): *
// stands for any text, ? for one character, [abc], [a-z] and [!a] for one
// character of a class. An unclosed [ is literal, a backslash is no escape, case
// counts, and / and . are characters like any other.
type glob []globToken

type globOp uint8

const (
	globText globOp = iota
	globOne
	globMany
	globClass
)

type globToken struct {
	op     globOp
	text   string
	negate bool
	ranges []globRange
}

type globRange struct{ low, high rune }

// isGlob tells whether a pattern is more than the name it spells.
func isGlob(pattern string) bool { return strings.ContainsAny(pattern, "*?[") }

func compileGlob(pattern string) glob {
	var g glob
	text := 0
	flush := func(end int) {
		if end > text {
			g = append(g, globToken{op: globText, text: pattern[text:end]})
		}
	}
	for i := 0; i < len(pattern); {
		switch pattern[i] {
		case '*':
			flush(i)
			if len(g) == 0 || g[len(g)-1].op != globMany {
				g = append(g, globToken{op: globMany})
			}
			i++
			text = i
		case '?':
			flush(i)
			g = append(g, globToken{op: globOne})
			i++
			text = i
		case '[':
			end := classEnd(pattern, i+1)
			if end == 0 {
				i++
				continue
			}
			flush(i)
			g = append(g, compileClass(pattern[i+1:end]))
			i = end + 1
			text = i
		default:
			i++
		}
	}
	flush(len(pattern))
	return g
}

// classEnd finds the bracket that closes a class whose inside starts at i, 0 for
// none; a bracket that comes first, or right after the !, is a member.
func classEnd(pattern string, i int) int {
	if i < len(pattern) && pattern[i] == '!' {
		i++
	}
	if i >= len(pattern) {
		return 0
	}
	end := strings.IndexByte(pattern[i+1:], ']')
	if end < 0 {
		return 0
	}
	return i + 1 + end
}

// compileClass reads the inside of a class. A hyphen makes a range unless it
// comes first or last, or follows directly on a range; a range that runs
// backwards holds nothing.
func compileClass(inside string) globToken {
	t := globToken{op: globClass}
	if strings.HasPrefix(inside, "!") {
		t.negate = true
		inside = inside[1:]
	}
	members := []rune(inside)
	for i := 0; i < len(members); {
		if i+2 < len(members) && members[i+1] == '-' {
			t.ranges = append(t.ranges, globRange{members[i], members[i+2]})
			i += 3
			continue
		}
		t.ranges = append(t.ranges, globRange{members[i], members[i]})
		i++
	}
	return t
}

// match goes back only to the latest *, so it takes at most the product of both
// lengths, whatever the pattern.
func (g glob) match(name string) bool {
	t, n := 0, 0
	star, from := -1, 0
	for {
		if t == len(g) {
			if n == len(name) {
				return true
			}
		} else if g[t].op == globMany {
			star, from = t, n
			t++
			continue
		} else if w := g[t].step(name[n:]); w > 0 {
			n += w
			t++
			continue
		}
		if star < 0 || from >= len(name) {
			return false
		}
		_, w := utf8.DecodeRuneInString(name[from:])
		from += w
		n, t = from, star+1
	}
}

// step returns how many bytes of s the token takes, 0 for no match.
func (t *globToken) step(s string) int {
	if s == "" {
		return 0
	}
	if t.op == globText {
		if strings.HasPrefix(s, t.text) {
			return len(t.text)
		}
		return 0
	}
	r, w := utf8.DecodeRuneInString(s)
	// A broken byte is one character, but no member of a class.
	member := t.holds(r) && !(r == utf8.RuneError && w == 1)
	if t.op == globOne || member != t.negate {
		return w
	}
	return 0
}

func (t *globToken) holds(r rune) bool {
	for _, g := range t.ranges {
		if r >= g.low && r <= g.high {
			return true
		}
	}
	return false
}
