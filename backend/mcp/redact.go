package mcp

import (
	"cmp"
	"slices"
	"strings"
)

// redactor replaces the values a person keeps out of the file by stars, in
// everything we write about a server: its log, its state, its errors.
type redactor struct {
	replacer *strings.Replacer
}

// shortestSecret keeps common words such as "true" readable.
const shortestSecret = 8

// newRedactor takes pairs of a template and what it was expanded to. The secret
// is the part of the value that came from variables.
func newRedactor(expanded map[string]string) redactor {
	var secrets []string
	for template, value := range expanded {
		start, end := strings.Index(template, "${"), strings.LastIndex(template, "}")
		if template == value || start < 0 || end < start {
			continue
		}
		tail := template[end+1:]
		if len(value) < start+len(tail) {
			continue
		}
		if secret := value[start : len(value)-len(tail)]; len(secret) >= shortestSecret {
			secrets = append(secrets, secret)
		}
	}
	if len(secrets) == 0 {
		return redactor{}
	}
	// A longer secret first: one may hold another.
	slices.SortFunc(secrets, func(a, b string) int { return cmp.Compare(len(b), len(a)) })
	var list []string
	for _, secret := range slices.Compact(secrets) {
		list = append(list, secret, "***")
	}
	return redactor{replacer: strings.NewReplacer(list...)}
}

func (r redactor) clean(text string) string {
	if r.replacer == nil {
		return text
	}
	return r.replacer.Replace(text)
}
