package provider

import "unicode/utf8"

// pieces turns the pieces of a JSON string into text that can be shown at
// once. It holds back what a piece cut in two: the first half of a surrogate
// pair (\ud83d) or the first bytes of a UTF-8 sequence.
type pieces struct{ held []byte }

func (p *pieces) add(in []byte) string {
	p.held = append(p.held, in...)
	cut := len(p.held) - unfinished(p.held)
	out := unescape(p.held[:cut])
	p.held = append(p.held[:0], p.held[cut:]...)
	return out
}

func (p *pieces) flush() string {
	out := unescape(p.held)
	p.held = nil
	return out
}

// unfinished counts the bytes at the end of in that need the next piece.
func unfinished(in []byte) int {
	const escape = len(`\ud83d`)
	if n := len(in); n >= escape && in[n-escape] == '\\' && isHighSurrogate(in[n-escape+1:]) {
		slashes := 0
		for i := n - escape; i >= 0 && in[i] == '\\'; i-- {
			slashes++
		}
		if slashes%2 == 1 {
			return escape
		}
	}
	for n := 1; n < utf8.UTFMax && n <= len(in); n++ {
		c := in[len(in)-n]
		if c < utf8.RuneSelf {
			return 0
		}
		if utf8.RuneStart(c) {
			if utf8.FullRune(in[len(in)-n:]) {
				return 0
			}
			return n
		}
	}
	return 0
}

func isHighSurrogate(in []byte) bool {
	if in[0] != 'u' || in[1] != 'd' && in[1] != 'D' {
		return false
	}
	switch in[2] {
	case '8', '9', 'a', 'A', 'b', 'B':
		return true
	}
	return false
}
