package transfer

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"hermes/backend/config"
	"hermes/backend/policy"
)

// FuzzRead feeds any bytes to every reader: none panics, what comes out can be
// planned and written back, and never allows what is not trusted to be there.
func FuzzRead(f *testing.F) {
	files, err := filepath.Glob("testdata/*/*")
	hidden, err2 := filepath.Glob("testdata/*/.[a-z]*")
	if err != nil || err2 != nil {
		f.Fatal(err, err2)
	}
	for _, file := range append(files, hidden...) {
		data, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	for _, text := range []string{"", "{", "[[[[", "{\"mcpServers\":{\"a\":{\"command\":\"x\",\"includeTools\":[[]]}}}", "a: &a [*a]\n", "mcp_servers = 1"} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		_, _ = Detect(Source{Data: data})
		for _, h := range Hosts() {
			r, err := h.Read(Source{Data: data, Beside: [][]byte{data}})
			if err != nil {
				continue
			}
			planner := NewPlanner(nothing)
			for _, s := range r.Servers {
				sound(t, h, planner, s)
			}
		}
	})
}

func sound(t *testing.T, h Host, planner *Planner, s Server) {
	t.Helper()
	if s.Refused != "" {
		return
	}
	p, err := planner.Plan(s, s.Name)
	if err != nil {
		return
	}
	rules := policy.ReadServer(p.Entry)
	if rules.State() != s.Filter.State || !slices.Equal(rules.Patterns(), once(s.Filter.Patterns)) && len(s.Filter.Patterns) > 0 {
		t.Errorf("%s: %q is read as %v, written as %v %q", h.Name, s.Name, s.Filter, rules.State(), rules.Patterns())
	}
	text, err := config.Render("x", p.Entry)
	if err != nil {
		return
	}
	tree, err := config.Tree([]byte(text + "\n"))
	if err != nil {
		t.Errorf("%s: the entry cannot be read back: %v\n%s", h.Name, err, text)
		return
	}
	if again := policy.ReadServer(field(tree, "x")); !again.Equal(rules) {
		t.Errorf("%s: other rules after reading back:\n%s", h.Name, text)
	}
	for _, secret := range p.Secrets {
		if len(secret.Value()) > 12 && strings.Contains(text, secret.Value()) {
			t.Errorf("%s: a secret is in the entry", h.Name)
		}
	}
}

// TestListsNeverWiden writes a list of any names in every host's words and asks
// whether a name that is not on it got in.
func TestListsNeverWiden(t *testing.T) {
	nameGen := rapid.StringMatching(`[a-c*?\[\]!_.-]{1,5}`)
	quote := func(list []string) string {
		data, err := json.Marshal(list)
		if err != nil {
			t.Fatal(err)
		}
		return string(data)
	}
	rapid.Check(t, func(t *rapid.T) {
		allow := rapid.SliceOfN(nameGen, 1, 4).Draw(t, "allow")
		deny := rapid.SliceOfN(nameGen, 0, 3).Draw(t, "deny")
		asked := append(append(rapid.SliceOfN(nameGen, 5, 10).Draw(t, "asked"), allow...), deny...)
		for host, text := range map[string]string{
			"codex":  "[mcp_servers.demo]\ncommand = \"x\"\nenabled_tools = " + quote(allow) + "\ndisabled_tools = " + quote(deny),
			"gemini": `{"mcpServers": {"demo": {"command": "x", "includeTools": ` + quote(allow) + `, "excludeTools": ` + quote(deny) + `}}}`,
			"json":   `{"demo": {"command": "x", "includeTools": ` + quote(allow) + `, "excludeTools": ` + quote(deny) + `}}`,
			"goose":  "extensions: {demo: {type: stdio, cmd: x, available_tools: " + quote(allow) + "}}",
			"docker": "registry: {demo: {ref: ''}}\n\x00demo: " + quote(allow),
		} {
			h, _ := Find(host)
			parts := strings.Split(text, "\x00")
			src := Source{Data: []byte(parts[0])}
			if len(parts) > 1 {
				src.Beside = [][]byte{[]byte(parts[1])}
			}
			r, err := h.Read(src)
			if err != nil || len(r.Servers) != 1 {
				t.Fatalf("%s: %v", text, err)
			}
			f := r.Servers[0].Filter
			if f.State == policy.StateOpen {
				t.Fatalf("%s: a list came in open", text)
			}
			for _, tool := range asked {
				listed := slices.Contains(allow, tool)
				if host != "goose" && host != "docker" {
					listed = listed && !slices.Contains(deny, tool)
				}
				if got := f.allows(tool); got != listed {
					t.Fatalf("%s: %q is %v, want %v", text, tool, got, listed)
				}
			}
		}
	})
}

// TestGlobsNeverWiden compares opencode's own decision, under both orders that
// its releases know, with ours.
func TestGlobsNeverWiden(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		globs := rapid.SliceOfN(rapid.StringMatching(`(d_[a-c*?]{0,3}|\*|d\*|[a-c]_\*)`), 0, 5).Draw(t, "globs")
		globs = once(globs)
		rules := make([]globRule, len(globs))
		for i, g := range globs {
			rules[i] = globRule{g, rapid.Bool().Draw(t, "allow")}
		}
		f, exact := opencodeFilter(rules, "d_")
		for _, tool := range rapid.SliceOfN(rapid.StringMatching(`[a-c.]{1,3}`), 5, 12).Draw(t, "tools") {
			name := "d_" + foreignName(tool)
			last, longest, length := true, true, -1
			for _, r := range rules {
				if !starMatch(r.glob, name) {
					continue
				}
				last = r.allow
				if len(r.glob) >= length {
					longest, length = r.allow, len(r.glob)
				}
			}
			if got := f.allows(tool); got && !(last && longest) {
				t.Fatalf("%v allows %q as %v", rules, tool, f)
			} else if !got && last && longest && exact {
				t.Fatalf("%v forbids %q as %v and claims to be exact", rules, tool, f)
			}
		}
	})
}

func starMatch(glob, name string) bool {
	switch {
	case glob == "":
		return name == ""
	case glob[0] == '*':
		return starMatch(glob[1:], name) || name != "" && starMatch(glob, name[1:])
	case name == "":
		return false
	}
	return (glob[0] == '?' || glob[0] == name[0]) && starMatch(glob[1:], name[1:])
}
