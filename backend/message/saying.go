package message

import "strings"

// Code names one thing the program says of a turn. A page that speaks another
// language says it from the code and the parameters; the English is made here.
type Code string

// Saying is one thing that is said: Text is its English, and all there is where
// Code is empty.
type Saying struct {
	Code   Code
	Params []string
	Text   string
}

// Template is the English of a code. {n} is a place for parameter n, {n:one|many}
// one of two forms by whether it is "1", and {*n} a place for what is said beside
// it: in another language it follows as sayings of its own.
type Template struct {
	Code Code
	Text string
}

// Say says a code.
func Say(code Code, params ...string) Saying {
	return Saying{Code: code, Params: params, Text: code.Text(params...)}
}

// Text is the English of a code.
func (c Code) Text(params ...string) string { return fill(c.template(), params) }

// Failure is a Saying as an error.
type Failure struct{ Saying }

// Error is its English.
func (f Failure) Error() string { return f.Text }

// Fail says a code as an error.
func Fail(code Code, params ...string) error { return Failure{Say(code, params...)} }

// Notice is the event that tells people something. There is no other way to make
// one, so that none is without its code.
func Notice(code Code, params ...string) Event { return Told(Say(code, params...)) }

// Told is Notice for what is said already, with what is said beside it where that
// is known by other codes.
func Told(said Saying, beside ...Saying) Event {
	if len(beside) == 0 {
		beside = besides(said)
	}
	return Event{Type: EventNotice, Text: said.Text, Said: append([]Saying{said}, beside...)}
}

// Heard is the notice of a text that came ready made, with its codes where they are
// known.
func Heard(text string) Event {
	return Event{Type: EventNotice, Text: text, Said: Recognise(text)}
}

// Codes are all codes with their English.
func Codes() []Template {
	var out []Template
	for line := range strings.Lines(sayings) {
		if code, text, ok := strings.Cut(strings.TrimSuffix(line, "\n"), "\t"); ok {
			out = append(out, Template{Code: Code(code), Text: strings.ReplaceAll(text, `\n`, "\n")})
		}
	}
	return out
}

func (c Code) template() string {
	_, text, ok := strings.Cut(sayings, "\n"+string(c)+"\t")
	if !ok || c == "" {
		return string(c)
	}
	text, _, _ = strings.Cut(text, "\n")
	return strings.ReplaceAll(text, `\n`, "\n")
}

// part is a piece of a template: text, or a place for parameter at.
type part struct {
	text      string
	at        int // -1 for text
	one, many string
	beside    bool
}

// parts takes a template apart. A brace that is no place is part of the text.
func parts(text string) []part {
	var out []part
	plain := ""
	for text != "" {
		before, rest, opened := strings.Cut(text, "{")
		plain += before
		if !opened {
			break
		}
		inside, after, closed := strings.Cut(rest, "}")
		name, forms, two := strings.Cut(strings.TrimPrefix(inside, "*"), ":")
		if !closed || len(name) != 1 || name[0] < '0' || name[0] > '9' {
			plain, text = plain+"{", rest
			continue
		}
		p := part{at: int(name[0] - '0'), beside: strings.HasPrefix(inside, "*")}
		if two {
			p.one, p.many, _ = strings.Cut(forms, "|")
		}
		out, plain, text = append(out, part{text: plain, at: -1}, p), "", after
	}
	return append(out, part{text: plain, at: -1})
}

func fill(template string, params []string) string {
	var b strings.Builder
	for _, p := range parts(template) {
		value := ""
		if p.at >= 0 && p.at < len(params) {
			value = params[p.at]
		}
		switch {
		case p.at < 0:
			b.WriteString(p.text)
		case p.one == "" && p.many == "":
			b.WriteString(value)
		case value == "1":
			b.WriteString(p.one)
		default:
			b.WriteString(p.many)
		}
	}
	return b.String()
}
