package config

import (
	"errors"
	"slices"
	"testing"

	"hermes/backend/policy"
)

func TestValue(t *testing.T) {
	number := func(s string) *policy.Node { return typed("!!int", s) }
	for text, want := range map[string]*policy.Node{
		"":                      Text(""),
		"npx":                   Text("npx"),
		" two words ":           Text(" two words "),
		"true":                  typed("!!bool", "true"),
		"False":                 typed("!!bool", "false"),
		"yes":                   Text("yes"),
		"on":                    Text("on"),
		"null":                  typed("!!null", "null"),
		"~":                     Text("~"),
		"5":                     number("5"),
		"-5":                    number("-5"),
		"+5":                    Text("+5"),
		"05":                    Text("05"),
		"0x1f":                  Text("0x1f"),
		"1_000":                 Text("1_000"),
		"1:20":                  Text("1:20"),
		"0.5":                   typed("!!float", "0.5"),
		"1.10":                  Text("1.10"),
		"1e3":                   Text("1e3"),
		".inf":                  Text(".inf"),
		"99999999999999999999":  Text("99999999999999999999"),
		"2026-01-01":            Text("2026-01-01"),
		"[]":                    List(),
		" [ ] ":                 List(),
		`["a"]`:                 List("a"),
		"[a, 5, '5', yes, no]":  {Kind: policy.KindSequence, Tag: "!!seq", Children: []*policy.Node{Text("a"), number("5"), Text("5"), Text("yes"), Text("no")}},
		"[a, [b, {c: d}]]":      {Kind: policy.KindSequence, Tag: "!!seq", Children: []*policy.Node{Text("a"), {Kind: policy.KindSequence, Tag: "!!seq", Children: []*policy.Node{Text("b"), Map("c", "d")}}}},
		"{}":                    Map(),
		"{a: b, 1: [c], yes: }": {Kind: policy.KindMapping, Tag: "!!map", Children: slices.Concat(Map("a", "b").Children, Map("1", []string{"c"}).Children, Map("yes", typed("!!null", "null")).Children)},
		`{"a": {"b": 1}}`:       Map("a", Map("b", 1)),
		`"[]"`:                  Text("[]"),
		`'{a: b}'`:              Text("{a: b}"),
		`"a" b`:                 Text(`"a" b`),
		`"a`:                    Text(`"a`),
		"'5'":                   Text("5"),
		"*x":                    Text("*x"),
		"a: b":                  Text("a: b"),
		"- a":                   Text("- a"),
		"a\nb":                  Text("a\nb"),
	} {
		got, err := Value(text)
		if err != nil || !sameValue(got, want) {
			t.Errorf("%q is %s %v %v, want %s %v", text, tagOf(got), got, err, tagOf(want), want)
		}
	}
	for _, text := range []string{"[", "[a", "{a: b", "[a] b", "{a", "[*x]", "[&x a]", "[!!int a]", "{<<: {a: b}}", "{a: 1, a: 2}"} {
		var r *Refused
		if got, err := Value(text); err == nil {
			if _, err = bare(got, 0); !errors.As(err, &r) {
				t.Errorf("%q is %v, want a refusal", text, got)
			}
		} else if !errors.As(err, &r) || r.Hint == "" {
			t.Errorf("%q: %v", text, err)
		}
	}
}

func TestPaths(t *testing.T) {
	for text, want := range map[string][]string{
		"a":               {"a"},
		"a.b.c":           {"a", "b", "c"},
		`a."b.c".d`:       {"a", "b.c", "d"},
		`'a.b'`:           {"a.b"},
		`"".x`:            {"", "x"},
		`"a\"b\\c"`:       {`a"b\c`},
		`it's`:            {"it's"},
		"a b.größe":       {"a b", "größe"},
		`mcp_servers."🙂"`: {"mcp_servers", "🙂"},
	} {
		got, err := ParsePath(text)
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("%s is %q, %v", text, got, err)
		}
		if again, err := ParsePath(FormatPath(want)); err != nil || !slices.Equal(again, want) {
			t.Errorf("%q is written %s and read %q, %v", want, FormatPath(want), again, err)
		}
	}
	for _, text := range []string{"", ".", "a.", ".a", "a..b", `"a`, `"a"b`, `a."b`} {
		var r *Refused
		if got, err := ParsePath(text); !errors.As(err, &r) || r.Hint == "" {
			t.Errorf("%q is %q, %v", text, got, err)
		}
	}
}

func TestMasked(t *testing.T) {
	tree, err := Tree([]byte(`model: {api_key: sk-abcdefghijklmn, key_env: X}
mcp_servers:
  demo:
    args: [--token, hunter2hunter2, -y, "https://u:hunter2@example.com"]
    env: {A: plain, API_KEY: "${API_KEY}", PASSWORD: hunter2, OTHER: sk-abcdefghijklmn}
    headers: {Authorization: Bearer hunter2, X-Plain: 5}
list: [{token: hunter2}]
`))
	if err != nil {
		t.Fatal(err)
	}
	const want = `model:
  api_key: "***"
  key_env: X
mcp_servers:
  demo:
    args: [--token, "***", -y, "https://u:***@example.com"]
    env:
      A: plain
      API_KEY: "${API_KEY}"
      PASSWORD: "***"
      OTHER: "***"
    headers:
      Authorization: "***"
      X-Plain: 5
list:
  - token: "***"`
	if got := WriteYAML(Masked(nil, tree)); got != want {
		t.Errorf("%s", got)
	}
	path := []string{"mcp_servers", "demo", "args", "1"}
	if got := WriteYAML(Masked(path[:3], Lookup(tree, path[:3]))); got != `[--token, "***", -y, "https://u:***@example.com"]` {
		t.Errorf("%s", got)
	}
}
