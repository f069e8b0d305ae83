package config

import (
	"strings"
	"unicode"

	"hermes/backend/policy"
)

// nearTop warns of a slip of the pen in the one key of the file that holds all
// servers: with it no server is known, and nothing else says why.
func nearTop(file string, root *policy.Node) []Problem {
	if root == nil || root.Kind != policy.KindMapping {
		return nil
	}
	r := &entryReader{file: file}
	for i := 0; i+1 < len(root.Children); i += 2 {
		r.near(root.Children[i], "file.near_key", "the file", keyServers)
	}
	return r.problems
}

// nearKeys warns of slips of the pen in the keys of a server that say whether
// and how it runs; those of the tool rules are policy's matter.
func (r *entryReader) nearKeys() {
	if r.entry == nil || r.entry.Kind != policy.KindMapping {
		return
	}
	for i := 0; i+1 < len(r.entry.Children); i += 2 {
		r.near(r.entry.Children[i], "server.near_key", "a server", "enabled", "command", "url")
	}
}

func (r *entryReader) near(key *policy.Node, code, owner string, known ...string) {
	if key.Kind != policy.KindScalar {
		return
	}
	for _, name := range known {
		if !isSlip(key.Value, name) {
			continue
		}
		r.complain(policy.SeverityWarning, code, key, "did you mean "+name+"?", "%q is not a key of %s and has no effect", key.Value, owner)
		r.problems[len(r.problems)-1].Params = []string{key.Value, name}
		return
	}
}

// isSlip tells a key that was meant to be another one: the same letters with
// other case, blanks, hyphens or underscores, or one letter wrong, missing, too
// many or swapped with its neighbour. Short names allow only the former, because
// one letter makes another word of them, such as uri of url.
func isSlip(written, known string) bool {
	if written == known || len(written) > 2*len(known) {
		return false
	}
	a, b := lettersOf(written), lettersOf(known)
	if a == b {
		return true
	}
	if len(known) < 5 {
		return false
	}
	for len(a) > 0 && len(b) > 0 && a[0] == b[0] {
		a, b = a[1:], b[1:]
	}
	for len(a) > 0 && len(b) > 0 && a[len(a)-1] == b[len(b)-1] {
		a, b = a[:len(a)-1], b[:len(b)-1]
	}
	return len(a) <= 1 && len(b) <= 1 || len(a) == 2 && len(b) == 2 && a[0] == b[1] && a[1] == b[0]
}

// lettersOf leaves out what separates words, and case.
func lettersOf(key string) string {
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune("_- \t", r) {
			return -1
		}
		return unicode.ToLower(r)
	}, key)
}
