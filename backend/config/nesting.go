package config

import (
	"bytes"
	"fmt"
)

const (
	// maxRunningDepth bounds the nesting that a look at the bytes finds, before
	// a parser sees them: parsers take quadratic time for deep nesting. It is far
	// above maxDepth, because the look does not know quotes and comments.
	maxRunningDepth = 1_000
	// maxLocateBrackets bounds what the second parser is given, closed or not.
	maxLocateBrackets = 10_000
)

// tooDeep is the refusal of a file whose nesting no setting needs.
func tooDeep(line, column int) *ParseError {
	return &ParseError{
		Code:    "size",
		Message: fmt.Sprintf("the file is nested deeper than %d levels", maxDepth),
		Hint:    "flatten it; no setting needs that depth",
		Line:    line, Column: column,
	}
}

// checkNesting refuses brackets nested without end and lines that begin as many
// block lists or keys, `- - - -` or `? ? ? ?`, in one pass over the bytes. It
// does not know quotes and comments, so it may refuse a text full of opening
// brackets, which denies.
func checkNesting(data []byte) error {
	depth, run := 0, 0
	for i, c := range data {
		switch c {
		case '[', '{':
			depth++
		case ']', '}':
			depth = max(depth-1, 0)
		}
		switch {
		case (c == '-' || c == '?' || c == ':') && i+1 < len(data) && isSpace(data[i+1]):
			run++
		case !isSpace(c):
			run = 0
		}
		if depth > maxRunningDepth || run > maxRunningDepth {
			return tooDeep(newText(data).position(i))
		}
	}
	return nil
}

// brackets counts what can open a level inside a line.
func brackets(data []byte) int {
	return bytes.Count(data, []byte("[")) + bytes.Count(data, []byte("{"))
}
