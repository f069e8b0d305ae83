package guard

import "strings"

// maxShells is how many shells may stand within each other.
const maxShells = 8

// shell looks at a text as a shell would read it: words with their quotes and
// escapes taken away, and the texts of shells within them. A word that is left
// as it was has been looked at before.
func (s *search) shell(text string, depth int) {
	if depth > maxShells {
		s.found = unreadable
		return
	}
	look := func(word string) bool {
		s.whole(word, false)
		if s.found == "" && len(word) < len(text) && strings.ContainsAny(word, quoting) {
			s.shell(word, depth+1)
		} else if s.found == "" && strings.ContainsAny(word, " \t\n") {
			s.split(word)
		}
		return s.found == ""
	}
	shellWords(text, false, look)
	if !strings.Contains(text, "\n") {
		return
	}
	// A quote in a comment, or in a text that the shell passes on, is none.
	if s.found == "" && strings.Contains(text, "#") {
		shellWords(text, true, look)
	}
	for line := range strings.Lines(text) {
		if s.found != "" {
			return
		}
		shellWords(line, true, look)
	}
}

// quoting are the signs that make the words of a shell differ from what stands
// between spaces.
const quoting = "'\"\\"

// shellWords gives the words of a command without their quotes and escapes: ”,
// "", $”, \ before a sign and before the end of a line. A quote that is not
// closed goes on to the end. Comments can be left out.
func shellWords(text string, comments bool, yield func(string) bool) {
	var word strings.Builder
	quote, begun := byte(0), false
	for i := 0; i < len(text); i++ {
		c := text[i]
		switch {
		case c == '\\' && quote != '\'' && i+1 < len(text):
			begun = true
			i++
			switch {
			case text[i] == '\n':
			case text[i] == '\r' && i+1 < len(text) && text[i+1] == '\n':
				i++
			case quote == '"' && strings.IndexByte("$`\"\\", text[i]) < 0:
				word.WriteByte('\\')
				word.WriteByte(text[i])
			default:
				word.WriteByte(text[i])
			}
		case quote != 0 && c == quote:
			quote = 0
		case quote == 0 && (c == '\'' || c == '"'):
			quote, begun = c, true
		case quote == 0 && c == '$' && i+1 < len(text) && (text[i+1] == '\'' || text[i+1] == '"'):
		case quote == 0 && (c <= ' ' || strings.IndexByte(";|&<>()`", c) >= 0):
			if (begun || word.Len() > 0) && !yield(word.String()) {
				return
			}
			word.Reset()
			begun = false
		case quote == 0 && c == '#' && comments && !begun && word.Len() == 0:
			end := strings.IndexByte(text[i:], '\n')
			if end < 0 {
				return
			}
			i += end
		default:
			word.WriteByte(c)
		}
	}
	if word.Len() > 0 {
		yield(word.String())
	}
}

func percentDecoded(text string) string {
	if !strings.Contains(text, "%") {
		return text
	}
	var out strings.Builder
	for i := 0; i < len(text); i++ {
		if text[i] == '%' && i+2 < len(text) && isHex(text[i+1]) && isHex(text[i+2]) {
			out.WriteByte(unhex(text[i+1])<<4 | unhex(text[i+2]))
			i += 2
			continue
		}
		out.WriteByte(text[i])
	}
	return out.String()
}

func isHex(c byte) bool { return c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'f' }

func unhex(c byte) byte {
	if c <= '9' {
		return c - '0'
	}
	return c | 0x20 - 'a' + 10
}
