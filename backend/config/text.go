package config

import (
	"bytes"
	"unicode/utf8"
)

// bom is the byte order mark of UTF-8. yaml.v3 does not count it as a column.
const bom = "\xef\xbb\xbf"

// text maps between the parser's lines and columns and byte offsets. Lines end
// where the parser says: at LF, CRLF, CR, NEL, LS and PS.
type text struct {
	data   []byte
	starts []int // offset of each line's first character, the mark skipped
}

func newText(data []byte) *text {
	t := &text{data: data}
	start := 0
	if bytes.HasPrefix(data, []byte(bom)) {
		start = len(bom)
	}
	t.starts = append(t.starts, start)
	for at := start; at < len(data); {
		n := breakAt(data, at)
		if n == 0 {
			at++
			continue
		}
		at += n
		t.starts = append(t.starts, at)
	}
	return t
}

// breakAt gives the length of the line break at an offset, 0 for none.
func breakAt(data []byte, at int) int {
	if at >= len(data) {
		return 0
	}
	switch data[at] {
	case '\n':
		return 1
	case '\r':
		if at+1 < len(data) && data[at+1] == '\n' {
			return 2
		}
		return 1
	case 0xc2:
		if at+1 < len(data) && data[at+1] == 0x85 {
			return 2
		}
	case 0xe2:
		if at+2 < len(data) && data[at+1] == 0x80 && (data[at+2] == 0xa8 || data[at+2] == 0xa9) {
			return 3
		}
	}
	return 0
}

// offset gives the byte offset of a 1-based line and column, or -1 when the
// text has no such place. One past the last character of a line is a place.
func (t *text) offset(line, column int) int {
	if line < 1 || line > len(t.starts) || column < 1 {
		return -1
	}
	at, end := t.starts[line-1], t.lineEnd(line)
	for ; column > 1; column-- {
		if at >= end {
			return -1
		}
		_, n := utf8.DecodeRune(t.data[at:])
		at += n
	}
	return at
}

// position gives the 1-based line and column of a byte offset.
func (t *text) position(at int) (line, column int) {
	line = t.line(at)
	return line, utf8.RuneCount(t.data[t.starts[line-1]:max(at, t.starts[line-1])]) + 1
}

// line gives the 1-based line that holds a byte offset.
func (t *text) line(at int) int {
	low, high := 0, len(t.starts)
	for high-low > 1 {
		if middle := (low + high) / 2; t.starts[middle] <= at {
			low = middle
		} else {
			high = middle
		}
	}
	return low + 1
}

// lineEnd gives the offset of a line's break, or of the end of the text.
func (t *text) lineEnd(line int) int {
	if line >= len(t.starts) {
		return len(t.data)
	}
	end := t.starts[line]
	for n := 3; n >= 1; n-- {
		if at := end - n; at >= t.starts[line-1] && breakAt(t.data, at) == n {
			return at
		}
	}
	return end
}

// nextLine gives the offset where the following line begins, or the end of the
// text.
func (t *text) nextLine(line int) int {
	if line >= len(t.starts) {
		return len(t.data)
	}
	return t.starts[line]
}
