package config

import (
	"maps"
	"slices"
	"strings"
)

// Preview gives the state that a change would bring, without writing a byte:
// what a person is asked about can be looked at first. Variables stand for ones
// that `.env` does not have yet.
func (f *File) Preview(c Change, variables map[string]string) (*Snapshot, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	r, after, err := f.prepare(attempt{
		seen: c.Seen,
		plan: func(doc *document) (*document, error) { return planChange(f.home.Config(), doc, c.Steps) },
	})
	if err != nil {
		return nil, err
	}
	if after == nil {
		after = r.doc
	}
	scope := *r.scope
	scope.file = maps.Clone(scope.file)
	if scope.file == nil {
		scope.file = map[string]string{}
	}
	maps.Copy(scope.file, variables)
	return f.inForce(build(f.home, after, digest(after.data), &scope, r.env)), nil
}

// AuthVariables gives the variables that the headers of a connection take their
// credentials from, in the order of the headers' names.
func (c Connection) AuthVariables() []string {
	var out []string
	for _, name := range sortedKeys(c.Headers) {
		if !carriesCredentials(name) {
			continue
		}
		for _, variable := range references(c.Headers[name]) {
			if !slices.Contains(out, variable) {
				out = append(out, variable)
			}
		}
	}
	return out
}

// AuthHeaders gives the headers that carry credentials as `Name: value`. A value
// that is not made of references alone is masked whole.
func (c Connection) AuthHeaders() []string {
	var out []string
	for _, name := range sortedKeys(c.Headers) {
		if !carriesCredentials(name) {
			continue
		}
		value := c.Headers[name]
		if !onlyReferences(value) {
			value = "***"
		}
		out = append(out, name+": "+value)
	}
	return out
}

func carriesCredentials(header string) bool {
	lower := strings.ToLower(header)
	return namesSecret(header) || strings.Contains(lower, "auth") || strings.Contains(lower, "key")
}

// onlyReferences tells a value such as `Bearer ${TOKEN}`: nothing but references
// and the word for the scheme.
func onlyReferences(value string) bool {
	if scheme, rest, found := strings.Cut(strings.TrimSpace(value), " "); found && isScheme(scheme) {
		value = rest
	}
	value = strings.TrimSpace(value)
	if value == "" {
		return false
	}
	for value != "" {
		body, found := strings.CutPrefix(value, "${")
		if !found {
			return false
		}
		_, rest, closed := strings.Cut(body, "}")
		if !closed {
			return false
		}
		value = rest
	}
	return true
}
