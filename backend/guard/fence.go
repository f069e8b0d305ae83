package guard

import (
	"regexp"
	"strings"

	"hermes/backend/message"
)

// minFenced is the shortest result worth a fence, in bytes.
const minFenced = 32

// fence marks a result as data. What looks like the fence inside is broken up,
// so that a result cannot close it.
func (t *Turn) fence(source, text string) string {
	text = t.delimiters.ReplaceAllStringFunc(text, func(tag string) string { return "&lt;" + tag[1:] })
	return message.Fence(fileName(source), text)
}

// compileDelimiters finds the fence's own tags, however they are spelled.
func compileDelimiters() *regexp.Regexp {
	return regexp.MustCompile(`(?i)<\s*/?\s*untrusted_tool_result`)
}

// visible takes out the characters of Unicode's tag block: no person sees them,
// and a model reads them.
func visible(text string) string {
	if !strings.Contains(text, "\xf3\xa0") { // how all of them begin in UTF-8
		return text
	}
	return strings.Map(func(r rune) rune {
		if isTag(r) {
			return -1
		}
		return r
	}, text)
}

func isTag(r rune) bool { return r >= 0xE0000 && r <= 0xE007F }
