package message

import (
	"slices"
	"strings"
)

// between parts two things that are said in one sentence.
const between = "; "

// The beginnings of codes of one kind: what to do after a failure, and how a server
// stands.
const (
	adviceCodes = "advice."
	stateCodes  = "state."
)

// Recognise takes a text of the program apart into what it says. A result is
// stored as the text that the model read, so its codes are found in the text; both
// come from one list, so that they cannot come apart. What stands beside something
// that is known and is not known itself has no code. It is empty for a text of
// which nothing is known.
func Recognise(text string) []Saying {
	for at := strings.LastIndex(text, between); at >= 0; at = strings.LastIndex(text[:at], between) {
		advice, ok := recognise(text[at+len(between):], adviceCodes)
		if !ok {
			continue
		}
		said := Recognise(text[:at])
		if said == nil {
			said = []Saying{{Text: text[:at]}}
		}
		return append(said, advice)
	}
	said, ok := recognise(text, "")
	if !ok {
		return nil
	}
	return append([]Saying{said}, besides(said)...)
}

// besides is what a saying holds that is said beside it.
func besides(said Saying) []Saying {
	var out []Saying
	for _, p := range parts(said.Code.template()) {
		if !p.beside || p.at >= len(said.Params) || said.Params[p.at] == "" {
			continue
		}
		for _, text := range strings.Split(said.Params[p.at], between) {
			if state, ok := recognise(text, stateCodes); ok {
				out = append(out, state)
				continue
			}
			found := Recognise(text)
			if found == nil {
				found = []Saying{{Text: text}}
			}
			out = append(out, found...)
		}
	}
	return out
}

// recognise finds the code whose English a text is: of several that fit, the one
// that leaves the least to its parameters. What is of one kind alone is only looked
// for where that kind stands.
func recognise(text, kind string) (best Saying, ok bool) {
	least := 0
	for _, t := range Codes() {
		code := string(t.Code)
		if !strings.HasPrefix(code, kind) || kind == "" && (strings.HasPrefix(code, adviceCodes) || strings.HasPrefix(code, stateCodes)) {
			continue
		}
		params, fits := match(parts(t.Text), text)
		open := 0
		for _, param := range params {
			open += len(param)
		}
		if fits && (!ok || open < least) {
			best, least, ok = Saying{Code: t.Code, Params: params, Text: text}, open, true
		}
	}
	return best, ok
}

// match reads the parameters out of a text. A template that chooses between forms
// is written by us alone and never read.
func match(template []part, text string) (params []string, ok bool) {
	var found []string
	for i, p := range template {
		if p.at < 0 {
			var fits bool
			if text, fits = strings.CutPrefix(text, p.text); !fits {
				return nil, false
			}
			continue
		}
		if p.one != "" || p.many != "" {
			return nil, false
		}
		next := template[i+1].text // a text follows each place
		at := len(text)
		switch {
		case i+2 == len(template):
			at = len(text) - len(next)
		case next != "":
			at = strings.Index(text, next)
		}
		if at < 0 {
			return nil, false
		}
		found = slices.Grow(found, p.at+1)
		for len(found) <= p.at {
			found = append(found, "")
		}
		found[p.at], text = text[:at], text[at:]
	}
	return found, text == ""
}
