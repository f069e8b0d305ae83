package guard

import (
	"fmt"
	"html"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"hermes/backend/message"
)

// fence marks a result as data. What looks like the fence inside, or like a note
// of the program, is broken up, so that a result cannot close it.
func (t *Turn) fence(source, text string) string {
	return message.Fence(fileName(source), t.fences.defang(text))
}

// tags are tags of ours, by their names and in the spellings a person would think
// of.
type tags struct {
	names []string
	plain *regexp.Regexp
}

func newTags(names ...string) tags { return tags{names, compileDelimiters(names)} }

// defang breaks up tags of ours, however they are spelled: upper case, full
// width, with characters in between that do not show, as entities. Where a
// spelling is not known, every sign that opens a tag goes.
func (t tags) defang(text string) string {
	if !t.in(text) {
		return text
	}
	text = t.plain.ReplaceAllString(text, "[$1")
	if t.in(text) {
		signs := []string{"&", "+", "%", "+"}
		for _, r := range openers {
			signs = append(signs, string(r), "[")
		}
		for _, escape := range []string{"u", "U", "x", "0", "1"} {
			signs = append(signs, `\`+escape, "[")
		}
		text = strings.NewReplacer(signs...).Replace(text)
	}
	return text
}

// What opens a tag, and what closes one behind that, with what looks the same.
const (
	openers = "<＜﹤‹〈⟨〈˂ᐸ❮❰"
	slashes = `/／⁄∕⧸╱\＼﹨⧵⧹`
)

// fenceTags are the tags that the program itself writes around and behind results.
func fenceTags() tags { return newTags("untrusted_tool_result", "hermes_note") }

// noteTags are those it writes within the fence, in the place of a result.
func noteTags() tags { return newTags("persisted_output") }

// in looks for one of the tags in the plainest form of a text.
func (t tags) in(text string) bool {
	for range maxEscaped { // an escape may be written as escapes
		if strings.Contains(text, "&") {
			text = html.UnescapeString(text)
		}
		d, any := decode(text, false)
		if !any {
			break
		}
		text = d.text
	}
	if text = comparable(text); !isASCII(text) || strings.IndexFunc(text, isControl) >= 0 {
		text = strings.Map(dropUnseen, text)
	}
	for _, name := range t.names {
		first, _, _ := strings.Cut(name, "_")
		for from := 0; ; from += len(first) {
			at := strings.Index(text[from:], first)
			if at < 0 {
				break
			}
			from += at
			before := strings.TrimRightFunc(text[:from], func(r rune) bool { return isBlank(r) || strings.ContainsRune(slashes, r) })
			last, _ := utf8.DecodeLastRuneInString(before)
			if before != "" && strings.ContainsRune(openers, last) && isNamed(text[from:], name) {
				return true
			}
		}
	}
	return false
}

// isNamed says whether a text begins with a name, with anything or nothing that
// separates in the place of its _.
func isNamed(text, name string) bool {
	for word := range strings.SplitSeq(name, "_") {
		text = strings.TrimLeftFunc(text, func(r rune) bool { return r == '_' || r == '-' || isBlank(r) })
		rest, found := strings.CutPrefix(text, word)
		if !found {
			return false
		}
		text = rest
	}
	return true
}

// isBlank names what leaves a gap in a line or ends one.
func isBlank(r rune) bool {
	return r <= ' ' || r == 0x7F || r == 0x2800 || unicode.IsSpace(r) || unicode.IsControl(r)
}

// dropUnseen takes out what shows nothing at all.
func dropUnseen(r rune) rune {
	if isControl(r) || unicode.In(r, unicode.Cf, unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point) {
		return -1
	}
	return r
}

// isControl names control characters that leave no gap.
func isControl(r rune) bool { return unicode.IsControl(r) && !unicode.IsSpace(r) }

// compileDelimiters finds the tags in the spellings a person would think of.
func compileDelimiters(of []string) *regexp.Regexp {
	var names []string
	for _, name := range of {
		var out strings.Builder
		for _, c := range name {
			if c == '_' {
				out.WriteString(`[_＿\s\p{Cf}\x00-\x1f\x7f-]*`)
				continue
			}
			fmt.Fprintf(&out, `[%c%c][\p{Cf}\x00-\x08\x0e-\x1f\x7f]*`, c, c-'a'+'ａ')
		}
		names = append(names, out.String())
	}
	return regexp.MustCompile(`(?i)(?:[` + openers + `]|&(?:amp;)*(?:lt|#0*60|#x0*3c);?|\\u003c)(?:\p{Cf})*([\s\p{Cf}\x00-\x1f\x7f` + regexp.QuoteMeta(slashes) + `]*(?:` + strings.Join(names, "|") + `))`)
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
