package policy_test

import (
	"regexp"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"hermes/backend/policy"
)

// only is a whitelist of one pattern.
func only(pattern string) policy.Rules {
	return policy.ReadServer(dict(policy.StyleFlow, key("tools"), dict(policy.StyleFlow, key("include"), list(scalar("!!str", pattern, policy.StyleDoubleQuoted)))))
}

// TestGlobsAsInPython compares with what fnmatch.fnmatchcase of CPython 3
// answers, because the same file is read by a program that uses it. The exact
// text of a pattern matches as well, which fnmatch alone does not say.
func TestGlobsAsInPython(t *testing.T) {
	var rows [][3]any
	readJSON(t, "globs.json", &rows)
	if len(rows) < 800 {
		t.Errorf("only %d rows", len(rows))
	}
	for _, r := range rows {
		pattern, name, want := r[0].(string), r[1].(string), r[2].(bool)
		if have := only(pattern).Allows(name); have != (want || pattern == name) {
			t.Errorf("pattern %q, name %q: have %v, want %v", pattern, name, have, want)
		}
	}
}

// TestGlobsAsRegexps compares with a translation to regular expressions.
func TestGlobsAsRegexps(t *testing.T) {
	alphabet := rapid.SampledFrom([]rune("aabbcz-]![[**?^\\.+&~|ä\n"))
	cases, matched := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		pattern := rapid.StringOfN(alphabet, 0, 10, -1).Draw(t, "pattern")
		name := rapid.StringOfN(alphabet, 0, 10, -1).Draw(t, "name")
		if rapid.Bool().Draw(t, "near") {
			name = strings.NewReplacer("*", rapid.StringOfN(alphabet, 0, 3, -1).Draw(t, "many"), "?", "b").Replace(pattern)
		}
		want := name != "" && (pattern == name || regexp.MustCompile(translate(pattern)).MatchString(name))
		if have := only(pattern).Allows(name); have != want {
			t.Fatalf("pattern %q, name %q: have %v, want %v (%s)", pattern, name, have, want, translate(pattern))
		}
		cases++
		if want {
			matched++
		}
	})
	if matched < cases/10 {
		t.Errorf("only %d of %d random names matched", matched, cases)
	}
}

// translate writes a glob as a regular expression, class by class.
func translate(pattern string) string {
	var b strings.Builder
	b.WriteString(`(?s)\A`)
	runes := []rune(pattern)
	for i := 0; i < len(runes); i++ {
		switch runes[i] {
		case '*':
			b.WriteString(`.*`)
		case '?':
			b.WriteString(`.`)
		case '[':
			end := i + 1
			if end < len(runes) && runes[end] == '!' {
				end++
			}
			for end++; end < len(runes) && runes[end] != ']'; end++ {
			}
			if end >= len(runes) {
				b.WriteString(`\[`)
				continue
			}
			b.WriteString(class(runes[i+1 : end]))
			i = end
		default:
			b.WriteString(regexp.QuoteMeta(string(runes[i])))
		}
	}
	b.WriteString(`\z`)
	return b.String()
}

func class(members []rune) string {
	negated := members[0] == '!'
	if negated {
		members = members[1:]
	}
	hex := func(r rune) string { return `\x{` + strings.ToLower(hexOf(r)) + `}` }
	var b strings.Builder
	for i := 0; i < len(members); i++ {
		if i+2 < len(members) && members[i+1] == '-' {
			if members[i] <= members[i+2] {
				b.WriteString(hex(members[i]) + "-" + hex(members[i+2]))
			}
			i += 2
			continue
		}
		b.WriteString(hex(members[i]))
	}
	switch {
	case b.Len() == 0 && negated:
		return `.`
	case b.Len() == 0:
		return `[^\x{0}-\x{10FFFF}]`
	case negated:
		return "[^" + b.String() + "]"
	}
	return "[" + b.String() + "]"
}

func hexOf(r rune) string {
	const digits = "0123456789abcdef"
	out := ""
	for ; r > 0; r /= 16 {
		out = string(digits[r%16]) + out
	}
	return out
}

// TestInvalidBytesDoNotMatchEachOther: bytes that are no text are compared as
// they are and not as the mark that replaces them.
func TestInvalidBytesDoNotMatchEachOther(t *testing.T) {
	if only("\xff*").Allows("\xfe") || only("\xff").Allows("\xfe") {
		t.Error("different bytes match")
	}
	if !only("\xff*").Allows("\xffa") {
		t.Error("the same bytes do not match")
	}
	if only("[\ufffd]").Allows("\xff") {
		t.Error("the replacement mark in a class matches a broken byte")
	}
}

// TestGlobsTakeLittleTime: a pattern with many stars against a long name that
// does not match goes back only to the latest star.
func TestGlobsTakeLittleTime(t *testing.T) {
	pattern := strings.Repeat("*a", 200) + "b"
	name := strings.Repeat("a", 20_000)
	if only(pattern).Allows(name) {
		t.Error("matches")
	}
}
