package guard

import (
	"fmt"
	"html"
	"regexp"
	"strings"

	"hermes/backend/message"
)

// minFenced is the shortest result worth a fence, in bytes.
const minFenced = 32

// fence marks a result as data. What looks like the fence inside, or like a note
// of the program, is broken up, so that a result cannot close it.
func (t *Turn) fence(source, text string) string {
	return message.Fence(fileName(source), t.defang(text))
}

// defang breaks up tags of ours, however they are spelled: upper case, full
// width, with characters in between that do not show, as entities. Where a
// spelling is not known, every sign that opens a tag goes.
func (t *Turn) defang(text string) string {
	if !t.looksLikeATag(text) {
		return text
	}
	text = t.delimiters.ReplaceAllString(text, "[$1")
	if t.looksLikeATag(text) {
		text = strings.NewReplacer("<", "[", "＜", "[", "﹤", "[", "&", "+", `\u`, "[").Replace(text)
	}
	return text
}

// tagNames are the names of the tags that the program itself writes around and
// behind results.
func tagNames() []string { return []string{"untrusted_tool_result", "hermes_note"} }

// looksLikeATag looks for a tag of ours in the plainest form of a text.
func (t *Turn) looksLikeATag(text string) bool {
	for range 3 { // an entity may be written as entities
		if !strings.Contains(text, "&") {
			break
		}
		text = html.UnescapeString(text)
	}
	text = comparable(text)
	text = strings.ReplaceAll(text, `\u003c`, "<")
	for _, name := range tagNames() {
		first, _, _ := strings.Cut(name, "_")
		for from := 0; ; {
			at := strings.Index(text[from:], first)
			if at < 0 {
				break
			}
			from += at
			squeezed := strings.Map(dropSeparators, text[from:min(len(text), from+4*len(name))])
			if strings.HasPrefix(squeezed, strings.Map(dropSeparators, name)) && strings.HasSuffix(strings.TrimRight(text[max(0, from-64):from], "/\\ \t\r\n"), "<") {
				return true
			}
			from += len(first)
		}
	}
	return false
}

func dropSeparators(r rune) rune {
	if r == '_' || r == '-' || r <= ' ' {
		return -1
	}
	return r
}

// compileDelimiters finds the tags in the spellings a person would think of.
func compileDelimiters() *regexp.Regexp {
	var names []string
	for _, name := range tagNames() {
		var out strings.Builder
		for _, c := range name {
			if c == '_' {
				out.WriteString(`[_＿\s\p{Cf}-]*`)
				continue
			}
			fmt.Fprintf(&out, `[%c%c]\p{Cf}*`, c, c-'a'+'ａ')
		}
		names = append(names, out.String())
	}
	return regexp.MustCompile(`(?i)(?:<|＜|﹤|&(?:amp;)*(?:lt|#0*60|#x0*3c);?|\\u003c)(?:\p{Cf})*([\s\p{Cf}/／⁄∕\\]*(?:` + strings.Join(names, "|") + `))`)
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

// shown writes out, for people, the characters that turn text around or do not
// show. The joiners of emoji and of some scripts stay; the model gets all of them
// as they came, because they may be what the text is about.
func shown(text string) string {
	if isASCII(text) || strings.IndexFunc(text, deceives) < 0 {
		return text
	}
	var out strings.Builder
	for _, r := range text {
		if deceives(r) {
			fmt.Fprintf(&out, "<U+%04X>", r)
			continue
		}
		out.WriteRune(r)
	}
	return out.String()
}

func deceives(r rune) bool {
	return r == 0x200B || r >= 0x202A && r <= 0x202E || r >= 0x2060 && r <= 0x206F || r == 0xFEFF
}
