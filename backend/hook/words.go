package hook

import (
	"errors"
	"strings"
	"unicode/utf8"
)

// errQuote is a command whose quotes do not close.
var errQuote = errors.New("a quote in it is not closed")

// errEmpty is a command without a word.
var errEmpty = errors.New("it names no program")

// split takes a command apart like a shell without running one: blanks part
// words, quotes and backslashes keep them together, and nothing is expanded but
// a ~ that begins a word outside quotes. home is what it stands for.
func split(command, home string) ([]string, error) {
	var words []string
	var word strings.Builder
	const outside = rune(0)
	begun, quote, bare := false, outside, true
	put := func(r rune) {
		word.WriteRune(r)
		begun = true
	}
	end := func() {
		if begun {
			words = append(words, expandHome(word.String(), home, bare))
		}
		word.Reset()
		begun, bare = false, true
	}
	if !utf8.ValidString(command) {
		return nil, errors.New("it is no valid UTF-8")
	}
	runes := []rune(command)
	for i := 0; i < len(runes); i++ {
		r := runes[i]
		switch {
		case r == 0:
			return nil, errors.New("it holds a zero byte")
		case quote != outside && r == quote:
			quote = outside
		case quote == '\'':
			put(r)
		case r == '\\' && i+1 < len(runes) && (quote == outside || runes[i+1] == '"' || runes[i+1] == '\\'):
			if i++; !begun {
				bare = false
			}
			put(runes[i])
		case r == '\\' && i+1 == len(runes):
			return nil, errors.New("it ends with a backslash")
		case quote != outside:
			put(r)
		case r == '\'' || r == '"':
			if quote = r; !begun {
				bare = false
			}
			begun = true
		case r == ' ' || r == '\t' || r == '\n' || r == '\r':
			end()
		default:
			put(r)
		}
	}
	if quote != outside {
		return nil, errQuote
	}
	end()
	if len(words) == 0 || words[0] == "" {
		return nil, errEmpty
	}
	return words, nil
}

func expandHome(word, home string, bare bool) string {
	if bare && home != "" && (word == "~" || strings.HasPrefix(word, "~/")) {
		return home + word[1:]
	}
	return word
}
