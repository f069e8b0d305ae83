package terminal

import (
	"slices"
	"strconv"
	"strings"
)

// past is what was typed, as up and down walk through it. The draft is what was in
// the line before.
type past struct {
	texts []string
	at    int
	draft string
}

func newPast(texts []string) past { return past{texts: texts, at: len(texts)} }

// add remembers a text for this chat.
func (p *past) add(text string) {
	if !strings.HasPrefix(text, " ") && (len(p.texts) == 0 || p.texts[len(p.texts)-1] != text) {
		p.texts = append(p.texts, text)
	}
	p.at, p.draft = len(p.texts), ""
}

// walk gives the text one step before or after; false where there is none.
func (p *past) walk(by int, now string) (string, bool) {
	to := p.at + by
	if to < 0 || to > len(p.texts) {
		return "", false
	}
	if p.at == len(p.texts) {
		p.draft = now
	}
	p.at = to
	if to == len(p.texts) {
		return p.draft, true
	}
	return p.texts[to], true
}

// complete gives what a command line could go on with: the line as far as it is
// certain, and the candidates where there are several.
func (t *talk) complete(line string) (string, []string) {
	head, last := "", line
	if i := strings.LastIndexByte(line, ' '); i >= 0 {
		head, last = line[:i+1], line[i+1:]
	}
	var found []string
	for _, word := range t.words(strings.TrimSpace(head)) {
		if strings.HasPrefix(word, last) {
			found = append(found, word)
		}
	}
	switch len(found) {
	case 0:
		return line, nil
	case 1:
		return head + found[0] + " ", nil
	}
	common := found[0]
	for _, word := range found[1:] {
		for !strings.HasPrefix(word, common) {
			common = common[:len(common)-1]
		}
	}
	return head + common, found
}

// words are those that can follow the beginning of a command line.
func (t *talk) words(head string) []string {
	var out []string
	name, rest, _ := strings.Cut(head, " ")
	switch name {
	case "":
		for _, c := range commands() {
			out = append(out, c.name)
		}
	case "/tools":
		for _, s := range t.servers {
			if rest == "" && Printable(s.Name) == s.Name {
				out = append(out, s.Name)
			}
		}
	case "/show":
		for _, c := range t.calls {
			out = append(out, strconv.Itoa(c.number))
		}
	case "/approve":
		out = []string{"once", "session", "always"}
	case "/yolo":
		out = []string{"on", "off"}
	}
	slices.Sort(out)
	return out
}
