package mcp

import (
	"cmp"
	"regexp"
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

// suspicious gives the values whose names say that they are secret, as people
// also write into the file itself.
func suspicious(values map[string]string) []string {
	telltale := regexp.MustCompile(`(?i)(key|token|secret|passw|credential|authorization|cookie)`)
	var secrets []string
	for name, value := range values {
		if !telltale.MatchString(name) {
			continue
		}
		if _, bare, ok := strings.Cut(value, " "); ok && len(bare) >= shortestSecret {
			// "Bearer abc": the server may write the token alone.
			secrets = append(secrets, bare)
		}
		secrets = append(secrets, value)
	}
	return secrets
}

// newRedactor takes pairs of a template and what it was expanded to, and
// secrets as they are. Of a pair the secret is the part that came from
// variables.
func newRedactor(expanded map[string]string, more []string) redactor {
	secrets := slices.DeleteFunc(slices.Clone(more), func(s string) bool { return len(s) < shortestSecret })
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
