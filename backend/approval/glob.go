package approval

import (
	"slices"
	"unicode/utf8"
)

// globMatch is Python's fnmatch over a whole text, the rule approvals.deny was
// written for: * and ? also match slashes and line ends, [!x] negates, an
// unclosed [ stands for itself, and there is no escape.
func globMatch(pattern, text string) bool {
	p, t := 0, 0
	starP, starT := -1, 0
	for t < len(text) {
		if p < len(pattern) && pattern[p] == '*' {
			starP, starT = p, t
			p++
			continue
		}
		if n, size := matchOne(pattern[p:], text[t:]); n > 0 {
			p, t = p+n, t+size
			continue
		}
		if starP < 0 {
			return false
		}
		_, size := utf8.DecodeRuneInString(text[starT:])
		starT += size
		p, t = starP+1, starT
	}
	for p < len(pattern) && pattern[p] == '*' {
		p++
	}
	return p == len(pattern)
}

// matchOne matches the first character of text against the first element of
// pattern; n is the length of that element, 0 for no match.
func matchOne(pattern, text string) (n, size int) {
	if pattern == "" {
		return 0, 0
	}
	char, size := utf8.DecodeRuneInString(text)
	switch pattern[0] {
	case '?':
		return 1, size
	case '[':
		if set, n := class(pattern); n > 0 {
			if set(char) {
				return n, size
			}
			return 0, 0
		}
	}
	want, n := utf8.DecodeRuneInString(pattern)
	if want == char {
		return n, size
	}
	return 0, 0
}

// class reads a set such as [a-z!]; n is 0 when it is not closed.
func class(pattern string) (set func(rune) bool, n int) {
	members := []rune(pattern[1:])
	negate := len(members) > 0 && members[0] == '!'
	if negate {
		members = members[1:]
	}
	end := -1
	if len(members) > 0 { // a ] in first place is a member
		end = slices.Index(members[1:], ']') + 1
	}
	if end <= 0 {
		return nil, 0
	}
	members = members[:end]
	n = 1 + len(string(members)) + 1
	if negate {
		n++
	}
	return func(char rune) bool {
		hit := false
		for i := 0; i < len(members); i++ {
			if i+2 < len(members) && members[i+1] == '-' {
				hit = hit || members[i] <= char && char <= members[i+2]
				i += 2
				continue
			}
			hit = hit || members[i] == char
		}
		return hit != negate
	}, n
}
