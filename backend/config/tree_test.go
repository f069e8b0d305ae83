package config

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"hermes/backend/policy"
)

// outline writes a tree in one line: kind, tag where it is telling, value,
// @line:column, ^via, &anchor.
func outline(n *policy.Node) string {
	if n == nil {
		return "nil"
	}
	mark := fmt.Sprintf("@%d:%d", n.Line, n.Column)
	if n.Via != "" {
		mark += "^" + n.Via
	}
	if n.Anchor != "" {
		mark += "&" + n.Anchor
	}
	tag := ""
	switch n.Tag {
	case "!!str", "!!map", "!!seq":
	default:
		tag = n.Tag + " "
	}
	switch n.Kind {
	case policy.KindScalar:
		return tag + fmt.Sprintf("%q", n.Value) + mark
	case policy.KindSequence:
		items := make([]string, len(n.Children))
		for i, c := range n.Children {
			items[i] = outline(c)
		}
		return tag + "[" + strings.Join(items, " ") + "]" + mark
	case policy.KindMapping:
		var pairs []string
		for i := 0; i < len(n.Children); i += 2 {
			pairs = append(pairs, outline(n.Children[i])+"="+outline(n.Children[i+1]))
		}
		return tag + "{" + strings.Join(pairs, " ") + "}" + mark
	}
	return "?"
}

func TestTree(t *testing.T) {
	for name, c := range map[string]struct{ yaml, want string }{
		"nothing":          {"", "nil"},
		"comment only":     {"# a\n", "nil"},
		"empty document":   {"---\n", "nil"},
		"null":             {"~\n", "nil"},
		"scalars":          {"a: [42, true, 1.10, on, 2026-01-01, ~, 'x']", `{"a"@1:1=[!!int "42"@1:5 !!bool "true"@1:9 !!float "1.10"@1:15 "on"@1:21 !!timestamp "2026-01-01"@1:25 !!null "~"@1:37 "x"@1:40]@1:4}@1:1`},
		"empty value":      {"a:\nb: 1\n", `{"a"@1:1=!!null ""@1:3 "b"@2:1=!!int "1"@2:4}@1:1`},
		"duplicates stay":  {"a: 1\na: 2\n", `{"a"@1:1=!!int "1"@1:4 "a"@2:1=!!int "2"@2:4}@1:1`},
		"mark and CRLF":    {bom + "a: 1\r\nä: [ö,\r\n x]\r\n", `{"a"@1:1=!!int "1"@1:4 "ä"@2:1=["ö"@2:5 "x"@3:2]@2:4}@1:1`},
		"set":              {"a: !!set {x, y}", `{"a"@1:1=!!set {"x"@1:11=!!null ""@1:12 "y"@1:14=!!null ""@1:15}@1:4}@1:1`},
		"user's tag":       {"a: !foo x", `{"a"@1:1=!foo "x"@1:4}@1:1`},
		"alias":            {"a: &x [p]\nb: *x\n", `{"a"@1:1=["p"@1:8]@1:4&x "b"@2:1=["p"@1:8^x]@2:4^x}@1:1`},
		"alias as key":     {"a: &x p\n*x : q\n", `{"a"@1:1="p"@1:4&x "p"@2:1^x="q"@2:6}@1:1`},
		"merge":            {"b: &b {x: 1, y: 2}\na:\n  y: 3\n  <<: *b\n", `{"b"@1:1={"x"@1:8=!!int "1"@1:11 "y"@1:14=!!int "2"@1:17}@1:4&b "a"@2:1={"y"@3:3=!!int "3"@3:6 "x"@1:8^b=!!int "1"@1:11^b}@3:3}@1:1`},
		"merge list":       {"b: &b {x: 1}\nc: &c {x: 2, z: 3}\na: {<<: [*b, *c]}\n", `{"b"@1:1={"x"@1:8=!!int "1"@1:11}@1:4&b "c"@2:1={"x"@2:8=!!int "2"@2:11 "z"@2:14=!!int "3"@2:17}@2:4&c "a"@3:1={"x"@1:8^b=!!int "1"@1:11^b "z"@2:14^c=!!int "3"@2:17^c}@3:4}@1:1`},
		"merge inline":     {"a: {<<: {x: 1}}", `{"a"@1:1={"x"@1:10^<<=!!int "1"@1:13^<<}@1:4}@1:1`},
		"merge of merge":   {"c: &c {x: 1}\nb: &b {<<: *c, y: 2}\na: {<<: *b}\n", `{"c"@1:1={"x"@1:8=!!int "1"@1:11}@1:4&c "b"@2:1={"y"@2:16=!!int "2"@2:19 "x"@1:8^c=!!int "1"@1:11^c}@2:4&b "a"@3:1={"y"@2:16^b=!!int "2"@2:19^b "x"@1:8^c=!!int "1"@1:11^c}@3:4}@1:1`},
		"merge twice":      {"b: &b {x: 1}\na: {<<: *b, <<: *b}\n", `{"b"@1:1={"x"@1:8=!!int "1"@1:11}@1:4&b "a"@2:1={"<<"@2:5={"x"@1:8^b=!!int "1"@1:11^b}@2:9^b "<<"@2:13={"x"@1:8^b=!!int "1"@1:11^b}@2:17^b}@2:4}@1:1`},
		"duplicate merged": {"b: &b {x: 1, x: 2}\na: {<<: *b}\n", `{"b"@1:1={"x"@1:8=!!int "1"@1:11 "x"@1:14=!!int "2"@1:17}@1:4&b "a"@2:1={"x"@1:8^b=!!int "1"@1:11^b "x"@1:14^b=!!int "2"@1:17^b}@2:4}@1:1`},
		"quoted <<":        {"a: {\"<<\": 1}", `{"a"@1:1={"<<"@1:5=!!int "1"@1:11}@1:4}@1:1`},
		"<< as item":       {"a: [<<]", `{"a"@1:1=["<<"@1:5]@1:4}@1:1`},
		"list as document": {"- a\n", `["a"@1:3]@1:1`},
	} {
		t.Run(name, func(t *testing.T) {
			tree, err := Tree([]byte(c.yaml))
			if err != nil {
				t.Fatal(err)
			}
			if got := outline(tree); got != c.want {
				t.Errorf("\ngot  %s\nwant %s", got, c.want)
			}
		})
	}
}

func TestTreeRefuses(t *testing.T) {
	bomb := "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n"
	for i := 1; i < 12; i++ {
		bomb += fmt.Sprintf("a%d: &a%d [%s]\n", i, i, strings.TrimSuffix(strings.Repeat(fmt.Sprintf("*a%d, ", i-1), 10), ", "))
	}
	for name, c := range map[string]struct {
		yaml         string
		code         string
		line, column int
		says         string
	}{
		"UTF-16":              {"\xff\xfea\x00:\x00", "encoding", 1, 1, "UTF-16"},
		"UTF-16 the other":    {"\xfe\xff\x00a\x00:", "encoding", 1, 1, "UTF-16"},
		"UTF-16 unmarked":     {"a\x00:\x00 \x00b\x00", "syntax", 1, 2, "U+0000"},
		"Latin-1":             {"a: 1\nb: h\xe4\n", "encoding", 2, 5, "0xE4"},
		"control character":   {"a: 1\nb: x\x01y\n", "syntax", 2, 5, "U+0001"},
		"lone star":           {"mcp_servers:\n  d: {tools: {include: [\"*\", *]}}\n", "alias", 2, 30, "`*`"},
		"star with a colon":   {"a: 1\nb: *x:y\n", "alias", 2, 4, "*x"},
		"second document":     {"a: 1\n---\nb: 2\n", "documents", 2, 1, "second YAML document"},
		"empty second":        {"a: 1\n---\n", "documents", 2, 1, "second YAML document"},
		"broken second":       {"a: 1\n---\nb: [\n", "syntax", 3, 4, ""},
		"alias of a glob":     {"mcp_servers:\n  demo:\n    tools: {include: [*_x]}\n", "alias", 3, 23, "*_x"},
		"alias unknown":       {"a: 1\n# *x\nb: '*x'\nc: *x\n", "alias", 4, 4, "*x"},
		"alias of itself":     {"a: &r [*r]\n", "alias", 1, 8, "*r"},
		"merge of itself":     {"a: &r {<<: *r}\n", "alias", 1, 12, "*r"},
		"bomb":                {bomb, "alias", 0, 0, "expand to more than"},
		"depth":               {strings.Repeat("[", 300) + strings.Repeat("]", 300), "size", 1, 202, "deeper"},
		"merge of a scalar":   {"a: {<<: 1}\n", "merge", 1, 9, "mapping"},
		"merge of a list":     {"a: {<<: [x]}\n", "merge", 1, 10, "mapping"},
		"wrong indentation":   {"mcp_servers:\n  demo:\n    command: npx\n   args: []\n", "syntax", 4, 4, ""},
		"bracket not closed":  {"x: 1\na: [b\nc: d\n", "syntax", 3, 1, ""},
		"tab as indentation":  {"a:\n\tb: c\n", "syntax", 2, 1, "tab"},
		"quote not closed":    {"x: 1\na: \"x\n", "syntax", 2, 4, ""},
		"colon in plain text": {"x: 1\na: b: c\n", "syntax", 2, 4, ""},
		"with CRLF and mark":  {bom + "x: 1\r\na: b: c\r\n", "syntax", 2, 4, ""},
		"at sign":             {"x: 1\na: @x\n", "syntax", 2, 4, ""},
	} {
		t.Run(name, func(t *testing.T) {
			tree, err := Tree([]byte(c.yaml))
			var e *ParseError
			if !errors.As(err, &e) || tree != nil {
				t.Fatalf("got %s, %v", outline(tree), err)
			}
			if e.Code != c.code || c.line > 0 && (e.Line != c.line || e.Column != c.column) {
				t.Errorf("got %s at %d:%d, want %s at %d:%d (%v)", e.Code, e.Line, e.Column, c.code, c.line, c.column, e)
			}
			if !strings.Contains(e.Message, c.says) {
				t.Errorf("%q lacks %q", e.Message, c.says)
			}
			if e.Hint == "" || e.Line == 0 {
				t.Errorf("no hint or no place: %+v", e)
			}
		})
	}
}

// The hint has to be what helps: quotes around the name.
func TestGlobHint(t *testing.T) {
	_, err := Tree([]byte("mcp_servers:\n  demo:\n    tools:\n      include: [*_dns_*]\n"))
	var e *ParseError
	if !errors.As(err, &e) || !strings.Contains(e.Hint, `["*_dns_*"]`) || e.Line != 4 || e.Column != 17 {
		t.Fatalf("%+v", e)
	}
}

func TestHugeFileIsRefused(t *testing.T) {
	_, err := Tree([]byte("a: " + strings.Repeat("x", maxFileBytes)))
	var e *ParseError
	if !errors.As(err, &e) || e.Code != "size" {
		t.Fatal(err)
	}
}

func TestTextPlaces(t *testing.T) {
	data := []byte(bom + "aé\r\nb\u2028c\rd\u0085\n")
	x := newText(data)
	for _, c := range []struct{ line, column, offset int }{
		{1, 1, 3}, {1, 2, 4}, {1, 3, 6}, {2, 1, 8}, {3, 1, 12}, {4, 1, 14}, {5, 1, 17}, {6, 1, 18},
	} {
		if got := x.offset(c.line, c.column); got != c.offset {
			t.Errorf("offset(%d, %d) = %d, want %d", c.line, c.column, got, c.offset)
		}
		if line, column := x.position(c.offset); line != c.line || column != c.column {
			t.Errorf("position(%d) = %d:%d, want %d:%d", c.offset, line, column, c.line, c.column)
		}
	}
	for _, c := range []struct{ line, column int }{{0, 1}, {1, 0}, {1, 4}, {7, 1}} {
		if got := x.offset(c.line, c.column); got != -1 {
			t.Errorf("offset(%d, %d) = %d, want none", c.line, c.column, got)
		}
	}
}

func FuzzTree(f *testing.F) {
	for _, seed := range []string{
		"", "a: 1", "mcp_servers: {demo: {tools: {include: []}}}", "a: &x [*x]", "a: {<<: *b}", "\xff\xfe", "a: 1\n---\nb: 2", "? a\n: b\n",
		"mcp_servers:\n  demo:\n    tools:\n      include: [*_x]\n", "a: |+\n  x\n\n", "- [a, {b: c}]\n- !!set {x}\n", "a: \"\\q\"", "%YAML 1.1\n---\na: b\n...\n", "a: b: c", "\t",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		tree, err := Tree(data)
		if err != nil {
			var e *ParseError
			if tree != nil || !errors.As(err, &e) || e.Line < 1 || e.Column < 1 || e.Message == "" {
				t.Fatalf("%v, %+v", tree, err)
			}
			return
		}
		// What could not be read never opens anything: a server is open only
		// where the text has its name.
		for _, name := range policy.ReadFile(tree).Names() {
			if !strings.Contains(string(data), "mcp_servers") && !strings.Contains(string(data), "\\") {
				t.Fatalf("the server %q comes from nowhere", name)
			}
		}
	})
}
