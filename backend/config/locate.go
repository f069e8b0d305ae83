package config

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	goccy "github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/parser"
)

// maxLocateBytes bounds the second parser, which is slower than the first and
// only runs to find a place.
const maxLocateBytes = 1 << 20

// locate turns yaml.v3's refusal into an error with a place. yaml.v3 often
// names no line or a wrong one, so the place comes from our own look at the
// bytes or from a second parser; the words stay those of yaml.v3, because they
// never quote values.
func locate(data []byte, refusal error) *ParseError {
	reported, message := splitLine(refusal.Error())
	e := &ParseError{Code: "syntax", Message: message, Line: max(reported, 1), Column: 1}
	e.Hint = "correct the file by hand"
	text := newText(data)

	if at, r := badCharacter(data); at >= 0 {
		e.Line, e.Column = text.position(at)
		e.Message = fmt.Sprintf("the character U+%04X is not allowed in YAML", r)
		e.Hint = "remove it; it is usually invisible in an editor"
		return e
	}
	if name, found := strings.CutPrefix(message, "unknown anchor '"); found {
		name = "*" + strings.TrimSuffix(name, "' referenced")
		if at := findStar(data, func(word string) bool {
			rest, found := strings.CutPrefix(word, name)
			return found && (rest == "" || !isAliasName(rest[:1]))
		}); at >= 0 {
			e.Line, e.Column = text.position(at)
		}
		e.Code = "alias"
		e.Message = fmt.Sprintf("`%s` is read as a YAML alias, but no anchor `&%s` stands before it", name, name[1:])
		e.Hint = quoteHint(name)
		return e
	}
	if strings.Contains(message, "expected alphabetic or numeric character") {
		if at := findStar(data, func(word string) bool { return !isAliasName(word[1:]) }); at >= 0 {
			name := starWord(data, at)
			e.Code = "alias"
			e.Line, e.Column = text.position(at)
			e.Message = fmt.Sprintf("`%s` is read as a YAML alias, and that is no name for one", name)
			e.Hint = quoteHint(name)
			return e
		}
	}
	if at := indentTab(data); at >= 0 && strings.Contains(message, "cannot start any token") {
		e.Line, e.Column = text.position(at)
		e.Message = "a tab is used for indentation"
		e.Hint = "YAML is indented with spaces; replace the tab"
		return e
	}
	if strings.Contains(message, "incompatible YAML document") {
		if at, directive := versionLine(data); at >= 0 {
			e.Line, e.Column = text.position(at)
			e.Hint = "remove the line `" + directive + "`; the rest is read as it is"
			return e
		}
	}
	if line, column, ok := secondOpinion(data); ok {
		e.Line, e.Column = line, column
	}
	return e
}

// splitLine takes yaml.v3's "yaml: line 3: words" apart.
func splitLine(s string) (int, string) {
	s = strings.TrimPrefix(s, "yaml: ")
	rest, found := strings.CutPrefix(s, "line ")
	if !found {
		return 0, s
	}
	number, words, found := strings.Cut(rest, ": ")
	line, err := strconv.Atoi(number)
	if !found || err != nil {
		return 0, s
	}
	return line, words
}

// badCharacter gives the offset of the first character that YAML does not
// allow, or -1.
func badCharacter(data []byte) (int, rune) {
	start := 0
	if bytes.HasPrefix(data, []byte(bom)) {
		start = len(bom)
	}
	for at := start; at < len(data); {
		r, n := utf8.DecodeRune(data[at:])
		switch {
		case r == '\t', r == '\n', r == '\r', r >= 0x20 && r <= 0x7e, r == 0x85, r >= 0xa0 && r <= 0xfffd && r != 0xfeff, r >= 0x10000:
		default:
			return at, r
		}
		at += n
	}
	return -1, 0
}

// versionLine gives the offset and the words of the first line that says which
// version of YAML the file is written in, or -1.
func versionLine(data []byte) (int, string) {
	at := 0
	for line := range bytes.Lines(data) {
		words := bytes.TrimPrefix(line, []byte(bom))
		if bytes.HasPrefix(words, []byte("%YAML")) {
			return at + len(line) - len(words), strings.Join(strings.Fields(string(words))[:min(2, len(bytes.Fields(words)))], " ")
		}
		at += len(line)
	}
	return -1, ""
}

// indentTab gives the offset of the first tab that stands between the start of
// a line and its text, or -1.
func indentTab(data []byte) int {
	atStart := true
	for i, c := range data {
		switch {
		case c == '\n' || c == '\r':
			atStart = true
		case c == ' ' && atStart:
		case c == '\t' && atStart:
			return i
		default:
			atStart = false
		}
	}
	return -1
}

func quoteHint(name string) string {
	return fmt.Sprintf("what begins with * needs quotes, for example [\"%s\"]", name)
}

// findStar gives the offset of the first word that begins with * where a value
// can begin and for which wanted is true, or -1. Quotes and comments are looked
// at line by line, which is enough to point a person to the place.
func findStar(data []byte, wanted func(word string) bool) int {
	var quote byte
	begins := true // a value can begin here
	for i := 0; i < len(data); i++ {
		c := data[i]
		switch {
		case c == '\n' || c == '\r':
			quote, begins = 0, true
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '#' && (i == 0 || isSpace(data[i-1]) || data[i-1] == '\n'):
			for i+1 < len(data) && data[i+1] != '\n' {
				i++
			}
		case begins && (c == '"' || c == '\''):
			quote, begins = c, false
		case begins && c == '*':
			if wanted(starWord(data, i)) {
				return i
			}
			begins = false
		case strings.IndexByte("[{,:-?", c) >= 0:
			begins = true
		case !isSpace(c):
			begins = false
		}
	}
	return -1
}

// starWord gives the word at an offset, up to what ends a plain word.
func starWord(data []byte, at int) string {
	end := at + 1
	for end < len(data) && !isSpace(data[end]) && strings.IndexByte(",]}\n\r", data[end]) < 0 {
		end++
	}
	return string(data[at:end])
}

func isAliasName(s string) bool {
	for i := 0; i < len(s); i++ {
		c := s[i]
		if !(c >= '0' && c <= '9' || c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z' || c == '_' || c == '-') {
			return false
		}
	}
	return s != ""
}

// secondOpinion asks the second parser where the fault is. It may accept what
// yaml.v3 refuses, or fail in its own way: then there is no opinion.
func secondOpinion(data []byte) (line, column int, ok bool) {
	if len(data) > maxLocateBytes || brackets(data) > maxLocateBrackets {
		return 0, 0, false
	}
	defer func() {
		if recover() != nil {
			ok = false
		}
	}()
	_, err := parser.ParseBytes(bytes.TrimPrefix(data, []byte(bom)), 0)
	var syntax goccy.Error
	if !errors.As(err, &syntax) {
		return 0, 0, false
	}
	t := syntax.GetToken()
	if t == nil || t.Position == nil || t.Position.Line < 1 || t.Position.Column < 1 {
		return 0, 0, false
	}
	return t.Position.Line, t.Position.Column, true
}
