package config

import (
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"hermes/backend/policy"
)

func TestParseEnv(t *testing.T) {
	got := parseEnv([]byte(bom + "# a comment\r\nA=1\r\nexport B=two words  # note\n  C = x#y \nD='single # ${A} \\n'\nE=\"a\\nb\\t\\\"q\\\" \\$x \\z\"\n" +
		"F=\nG=\"\"\nH='two\nlines'\nnot a line\n=x\n1A=x\nI=\"not closed\nJ='it\\'s'\nA=2\nK=a=b=c\nexport\tL=tab\nM=v # n\nN=#c\nexport O\nP=\"x\" # note\nQ=last"))
	want := map[string]string{
		"A": "2", "B": "two words", "C": "x#y", "D": "single # ${A} \\n", "E": "a\nb\t\"q\" $x \\z", "F": "", "G": "", "H": "two\nlines",
		"I": "\"not closed", "J": "it's", "K": "a=b=c", "L": "tab", "M": "v", "N": "", "P": "x", "Q": "last",
	}
	if !reflect.DeepEqual(got, want) {
		for name := range want {
			if got[name] != want[name] {
				t.Errorf("%s = %q, want %q", name, got[name], want[name])
			}
		}
		t.Errorf("got %q", got)
	}
}

func FuzzParseEnv(f *testing.F) {
	f.Add([]byte("A=1\nB='x\ny'\nexport C=\"\\\""))
	f.Fuzz(func(t *testing.T, data []byte) {
		for name := range parseEnv(data) {
			if !isEnvName(name) {
				t.Fatalf("name %q", name)
			}
		}
	})
}

func TestExpand(t *testing.T) {
	h := home(t, `mcp_servers:
  demo:
    command: ~/bin/${NAME}
    args: ["${userHome}/x", "${env:NAME}", "${ NAME }", "${/}", "$NAME", "${", "${}", "${workspaceFolder}", "a${NAME}b${BOTH}"]
    env: {K: "${BOTH}", "${NAME}": plain}
    cwd: "~"
  web: {url: "https://${HOST}/mcp", headers: {Authorization: "Bearer ${SECRET}"}}
  own: {builtin: files, root: data}
  abs: {builtin: files, root: /srv}
  unset: {command: x, args: ["${NOPE}", "${EMPTY}", "${NOPE}"], env: {A: "${NOPE:-default}"}}
`)
	put(t, h.Env(), "BOTH=from-file\nSECRET=s3cret-value\nEMPTY=\n")
	s := Open(h, Options{Getenv: env("HOME", "/home/u", "NAME", "tool", "BOTH", "from-process", "HOST", "x.example", "EMPTY", "")}).Load()
	working, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	c, err := s.Expand(server(t, s, "demo").Conn)
	if err != nil {
		t.Fatal(err)
	}
	if c.Command != "/home/u/bin/tool" || c.Cwd != "/home/u" {
		t.Errorf("%q %q", c.Command, c.Cwd)
	}
	if want := []string{"/home/u/x", "tool", "tool", "/", "$NAME", "${", "${}", working, "atoolbfrom-file"}; !slices.Equal(c.Args, want) {
		t.Errorf("args %q", c.Args)
	}
	if want := map[string]string{"K": "from-file", "${NAME}": "plain"}; !reflect.DeepEqual(c.Env, want) {
		t.Errorf("env %q", c.Env)
	}
	if template := server(t, s, "demo").Conn; template.Command != "~/bin/${NAME}" || template.Env["K"] != "${BOTH}" {
		t.Error("the template was changed")
	}
	if c, err := s.Expand(server(t, s, "web").Conn); err != nil || c.URL != "https://x.example/mcp" || c.Headers["Authorization"] != "Bearer s3cret-value" {
		t.Errorf("%+v %v", c, err)
	}
	if c, _ := s.Expand(server(t, s, "own").Conn); c.Root != filepath.Join(h.Dir, "data") {
		t.Errorf("root %q", c.Root)
	}
	if c, _ := s.Expand(server(t, s, "abs").Conn); c.Root != "/srv" {
		t.Errorf("root %q", c.Root)
	}
	c, err = s.Expand(server(t, s, "unset").Conn)
	var r *Refused
	if !errors.As(err, &r) || !reflect.DeepEqual(c, Connection{}) {
		t.Fatalf("%+v, %v", c, err)
	}
	if all := r.Message + r.Hint; !strings.Contains(all, "${NOPE}, ${EMPTY}, ${NOPE:-default}") || !strings.Contains(all, h.Env()) || strings.Contains(all, "s3cret") {
		t.Error(all)
	}
}

func TestTargetMasksSecrets(t *testing.T) {
	for name, c := range map[string]struct {
		conn Connection
		want string
	}{
		"plain":        {Connection{Transport: "stdio", Command: "npx", Args: []string{"-y", "@modelcontextprotocol/server-filesystem", "/srv/data"}}, "npx -y @modelcontextprotocol/server-filesystem /srv/data"},
		"reference":    {Connection{Transport: "stdio", Command: "x", Args: []string{"--token", "${TOKEN}", "--api-key=${KEY}"}}, "x --token ${TOKEN} --api-key=${KEY}"},
		"after a flag": {Connection{Transport: "stdio", Command: "x", Args: []string{"--api-key", "abc", "--token", "--verbose", "-k", "v"}}, "x --api-key *** --token --verbose -k v"},
		"assignment":   {Connection{Transport: "stdio", Command: "docker", Args: []string{"run", "-e", "GITHUB_TOKEN=abc", "-e", "MODE=fast", "--password=hunter2"}}, "docker run -e GITHUB_TOKEN=*** -e MODE=fast --password=***"},
		"known key":    {Connection{Transport: "stdio", Command: "x", Args: []string{"sk-abcdefghijklmnop", "ghp_0123456789abcdef", "skip"}}, "x *** *** skip"},
		"header":       {Connection{Transport: "stdio", Command: "mcp-remote", Args: []string{"https://h/x", "--header", "Authorization: Bearer abc123", "X-Api-Key:abc"}}, "mcp-remote https://h/x --header Authorization: *** X-Api-Key:***"},
		"url":          {Connection{Transport: "http", URL: "https://user:pw@h.example/a/b?token=abc&mode=fast&q=sk-abcdefghijkl#frag"}, "https://user:***@h.example/a/b?token=***&mode=fast&q=***#***"},
		"url token":    {Connection{Transport: "sse", URL: "https://tok@h/mcp/4f9d8a7b6c5e4f3a2b1c0d9e8f7a6b5c/sse"}, "https://***@h/mcp/***/sse"},
		"url ref":      {Connection{Transport: "http", URL: "https://${HOST}/mcp?key=${KEY}"}, "https://${HOST}/mcp?key=${KEY}"},
		"url in arg":   {Connection{Transport: "stdio", Command: "x", Args: []string{"postgres://u:secret@db/x", "DSN=postgres://u:secret@db/x", "--url=https://u:secret@h/"}}, "x postgres://u:***@db/x DSN=*** --url=https://u:***@h/"},
		"builtin":      {Connection{Transport: "builtin", Builtin: "files", Root: "/srv"}, "built-in files /srv"},
		"nothing":      {Connection{}, ""},
	} {
		if got := c.conn.Target(); got != c.want {
			t.Errorf("%s:\ngot  %s\nwant %s", name, got, c.want)
		}
	}
}

func TestSecrets(t *testing.T) {
	h := home(t, `model: {api_key: literal-model-key, default: m}
custom_providers: [{name: a, base_url: "http://x", key_env: NAMED_KEY}]
mcp_servers:
  demo:
    command: x
    args: ["${ARG_TOKEN}", "${HOME}/x"]
    env: {API_TOKEN: literal-env-token, MODE: not-a-secret, SHORT_KEY: abc}
    headers: {Authorization: "Bearer literal-bearer"}
`)
	put(t, h.Env(), "FILE_KEY=value-of-file\nTINY=1234567\nHERMES_MODEL=gpt-4o-mini-2024\n")
	f := Open(h, Options{Getenv: env("HOME", "/home/someone", "ARG_TOKEN", "value-of-arg", "NAMED_KEY", "value-of-named", "OTHER", "value-of-other")})
	if f.Secrets() != nil {
		t.Error("secrets before the first load")
	}
	f.Load()
	got := f.Secrets()
	for _, want := range []string{"value-of-file", "value-of-arg", "value-of-named", "literal-model-key", "literal-env-token", "Bearer literal-bearer", "literal-bearer"} {
		if !slices.Contains(got, want) {
			t.Errorf("%q is missing in %q", want, got)
		}
	}
	for _, unwanted := range []string{"1234567", "/home/someone", "value-of-other", "not-a-secret", "abc", "gpt-4o-mini-2024"} {
		if slices.Contains(got, unwanted) {
			t.Errorf("%q is no secret", unwanted)
		}
	}
}

func TestFindHome(t *testing.T) {
	root := t.TempDir()
	profile := filepath.Join(root, ".hermes", "profiles", "work")
	if err := os.MkdirAll(profile, 0o700); err != nil {
		t.Fatal(err)
	}
	working, _ := os.Getwd()
	for name, c := range map[string]struct {
		profile string
		env     []string
		dir     string
		is      string
	}{
		"default":              {"", []string{"HOME", root}, filepath.Join(root, ".hermes"), ""},
		"variable":             {"", []string{"HOME", root, "HERMES_HOME", "/srv/h"}, "/srv/h", ""},
		"variable with ~":      {"", []string{"HOME", root, "HERMES_HOME", "~/h"}, filepath.Join(root, "h"), ""},
		"variable relative":    {"", []string{"HOME", root, "HERMES_HOME", "h"}, filepath.Join(working, "h"), ""},
		"profile":              {"work", []string{"HOME", root}, profile, "work"},
		"profile by variable":  {"", []string{"HOME", root, "HERMES_HOME", profile}, profile, "work"},
		"profile beside":       {"work", []string{"HOME", "/none", "HERMES_HOME", filepath.Join(root, ".hermes", "profiles", "other")}, profile, "work"},
		"profile below a home": {"work", []string{"HOME", "/none", "HERMES_HOME", filepath.Join(root, ".hermes")}, profile, "work"},
		"default from profile": {"default", []string{"HOME", "/none", "HERMES_HOME", profile}, filepath.Join(root, ".hermes"), ""},
	} {
		h, err := FindHome(c.profile, env(c.env...))
		if err != nil || h.Dir != c.dir || h.Profile != c.is {
			t.Errorf("%s: %+v, %v", name, h, err)
		}
	}
	for _, bad := range []string{"nosuch", "../work", "a/b", "", "-x", strings.Repeat("x", 65)} {
		if bad == "" {
			continue
		}
		var r *Refused
		if h, err := FindHome(bad, env("HOME", root)); !errors.As(err, &r) || r.Hint == "" {
			t.Errorf("%q: %+v, %v", bad, h, err)
		}
	}
	h := Home{Dir: root}
	if h.Config() != filepath.Join(root, "config.yaml") || h.Env() != filepath.Join(root, ".env") || h.Native() != filepath.Join(root, "native") || !h.Exists() {
		t.Errorf("%+v", h)
	}
}

func TestShellSplitRefusesWhatIsNotClosed(t *testing.T) {
	for _, text := range []string{"it's", `say "x`, `end \`} {
		if out, err := argsText(text); err == nil {
			t.Errorf("%q: %q", text, out)
		}
	}
	if out, err := argsText(`{"a": 1}`); err == nil {
		t.Errorf("%q", out)
	}
}

func TestRenderedScalarsReadBack(t *testing.T) {
	for _, name := range []string{
		"", "a", "on", "Yes", "null", "~", "42", "0x1F", "1.10", "2026-01-01", "a: b", "a #b", "- a", "*x", "&x", "!x", "|", ">", "@x", "`x`", "%x", "it's", `say "x"`, `back\slash`,
		"tab\there", "line\nbreak", "cr\rhere", "nul\x00here", "bell\x07", "nel\u0085here", "ls\u2028ps\u2029", bom + "mark", "größe", "名前", "😀", "rtl\u202eabc", " lead", "trail ", "a,b", "[x]", "{x}", "?x", "x:", ":x", "<<", "=", "12:30", "_x", ".x", "a-b.c/d",
	} {
		for _, style := range []int{0, 1, 2, 3} {
			text, err := renderScalar(scalarIn(name, style))
			if err != nil {
				t.Fatalf("%q: %v", name, err)
			}
			for _, form := range []string{"x: [%]\n", "x:\n- %\n", "x: {% : y}\n", "x: %\n"} {
				tree, err := Tree([]byte(strings.Replace(form, "%", text, 1)))
				if err != nil {
					t.Fatalf("%q as %s in %q: %v", name, text, form, err)
				}
				n := tree.Children[1]
				if len(n.Children) > 0 {
					n = n.Children[0]
				}
				if n.Value != name || n.Tag != "!!str" {
					t.Errorf("%q as %s in %q reads back as %s %q", name, text, form, n.Tag, n.Value)
				}
			}
		}
	}
	if text, err := renderScalar(scalarIn("bad\xff", 0)); err == nil {
		t.Errorf("a name that is not UTF-8 became %s", text)
	}
}

func scalarIn(name string, style int) *policy.Node {
	styles := []policy.Style{policy.StyleNone, policy.StylePlain, policy.StyleSingleQuoted, policy.StyleDoubleQuoted}
	return &policy.Node{Kind: policy.KindScalar, Tag: "!!str", Value: name, Style: styles[style]}
}
