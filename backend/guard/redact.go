package guard

import (
	"regexp"
	"slices"
	"strings"
)

const redacted = "[redacted]"

// shape is a kind of token that is secret whatever it belongs to: a fixed
// beginning, which is cheap to look for, and the rest.
type shape struct {
	prefix string
	rest   *regexp.Regexp
}

// newShapes lists the prefixes of known issuers, bearer headers, JSON web
// tokens, private keys and passwords in URLs.
func newShapes() []shape {
	var out []shape
	for _, family := range []struct{ prefixes, rest string }{
		{"sk-", `[A-Za-z0-9_-]{16,}`},
		{"gho_ ghp_ ghu_ ghs_ ghr_", `[A-Za-z0-9]{20,}`},
		{"github_pat_", `[A-Za-z0-9_]{20,}`},
		{"glpat-", `[A-Za-z0-9_-]{16,}`},
		{"xoxa- xoxb- xoxe- xoxo- xoxp- xoxr- xoxs-", `[A-Za-z0-9-]{10,}`},
		{"AKIA ASIA", `[0-9A-Z]{16}`},
		{"AIza", `[0-9A-Za-z_-]{30,}`},
		{"npm_ hf_", `[A-Za-z0-9]{30,}`},
		{"pypi-", `[A-Za-z0-9_-]{30,}`},
		{"ya29.", `[A-Za-z0-9_-]{20,}`},
		{"eyJ", `[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}`},
		{"Bearer bearer BEARER", `\s+[A-Za-z0-9._~+/=-]{16,}`},
		{"-----BEGIN", `[A-Z ]* PRIVATE KEY-----(?s:.*?)(?:-----END[A-Z ]* PRIVATE KEY-----|\z)`},
		{"://", `[^/\s:@"']+:[^/\s@"']{3,}@`},
	} {
		rest := regexp.MustCompile(`\A(?:` + family.rest + `)`)
		for prefix := range strings.FieldsSeq(family.prefixes) {
			out = append(out, shape{prefix, rest})
		}
	}
	return out
}

// replace masks every token of this shape.
func (s shape) replace(text string) string {
	var out strings.Builder
	done, from := 0, 0
	for {
		at := strings.Index(text[from:], s.prefix)
		if at < 0 {
			break
		}
		at += from
		from = at + len(s.prefix)
		if at > 0 && isWord(s.prefix[0]) && isWord(text[at-1]) {
			continue // the middle of a word
		}
		if match := s.rest.FindStringIndex(text[from:]); match != nil {
			end := from + match[1]
			out.WriteString(text[done:at])
			out.WriteString(s.mask(text[from:end]))
			done, from = end, end
		}
	}
	if done == 0 {
		return text
	}
	out.WriteString(text[done:])
	return out.String()
}

// mask keeps what kind of secret stood there, and leaves words alone that only
// begin like one.
func (s shape) mask(rest string) string {
	switch s.prefix {
	case "sk-":
		if !strings.ContainsAny(rest, "0123456789") {
			return s.prefix + rest
		}
	case "://":
		user, _, _ := strings.Cut(rest, ":")
		return s.prefix + user + ":" + redacted + "@"
	case "Bearer", "bearer", "BEARER":
		return s.prefix + " " + redacted
	}
	return redacted
}

func isWord(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z'
}

// Redactor takes secrets out of text: the exact values it was given, and
// whatever has the shape of a token. It is immutable; a nil one keeps nothing
// back and is not to be used.
type Redactor struct {
	values *strings.Replacer
	shapes []shape
}

// minSecret is the shortest value that is taken out wherever it stands; a
// shorter one would tear holes into ordinary words.
const minSecret = 8

// NewRedactor makes a redactor for the exact values of a home's secrets.
func NewRedactor(values []string) *Redactor {
	secrets := slices.DeleteFunc(slices.Clone(values), func(v string) bool { return len(v) < minSecret })
	// A value that contains another one has to be tried first.
	slices.SortFunc(secrets, func(a, b string) int { return len(b) - len(a) })
	pairs := make([]string, 0, 2*len(secrets))
	for _, secret := range secrets {
		pairs = append(pairs, secret, redacted)
	}
	return &Redactor{values: strings.NewReplacer(pairs...), shapes: newShapes()}
}

// Redact returns text without secrets.
func (r *Redactor) Redact(text string) string {
	text = r.values.Replace(text)
	for _, shape := range r.shapes {
		text = shape.replace(text)
	}
	return text
}
