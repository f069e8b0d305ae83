package transfer

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hermes/backend/config"
	"hermes/backend/policy"
)

var update = flag.Bool("update", false, "write the golden files")

// TestGolden imports a file of every host and compares every word of it.
func TestGolden(t *testing.T) {
	for _, h := range Hosts() {
		t.Run(h.Name, func(t *testing.T) {
			src := Source{}
			names, err := filepath.Glob("testdata/" + h.Name + "/*")
			hidden, err2 := filepath.Glob("testdata/" + h.Name + "/.[a-z]*")
			if err != nil || err2 != nil {
				t.Fatal(err, err2)
			}
			for _, name := range append(names, hidden...) {
				data, err := os.ReadFile(name)
				switch base := filepath.Base(name); {
				case err != nil:
					t.Fatal(err)
				case base == "golden":
				case strings.HasPrefix(base, "beside"):
					src.Beside = append(src.Beside, data)
				default:
					src.File, src.Data = base, data
				}
			}
			found, err := Detect(Source{File: src.File, Data: src.Data})
			if h.Name != "goose" && h.Name != "gemini" && h.Name != "cursor" && h.Name != "json" && h.Name != "vscode" && (err != nil || found.Name != h.Name) {
				t.Errorf("detected as %q: %v", found.Name, err)
			}
			r, err := h.Read(src)
			if err != nil {
				t.Fatal(err)
			}
			got := spell(t, r)
			for _, secret := range []string{"fakefake", "fake-"} {
				if strings.Contains(got, secret) {
					t.Errorf("a secret is shown: %s", got)
				}
			}
			path := "testdata/" + h.Name + "/golden"
			if *update {
				if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(path)
			if err != nil || string(want) != got {
				t.Errorf("%v\ngot:\n%s\nwant:\n%s", err, got, want)
			}
		})
	}
}

func spell(t *testing.T, r Reading) string {
	t.Helper()
	var b strings.Builder
	for _, p := range r.Problems {
		fmt.Fprintf(&b, "problem: line %d: %s\n", p.Line, p.Message)
	}
	planner := NewPlanner(nothing)
	for _, s := range r.Servers {
		fmt.Fprintf(&b, "== %s, line %d\n", s.Name, s.Line)
		if s.Refused != "" {
			fmt.Fprintf(&b, "refused: %s\n", s.Refused)
			continue
		}
		p, err := planner.Plan(s, s.Name)
		if err != nil {
			fmt.Fprintf(&b, "refused: %v\n", err)
			continue
		}
		text, err := config.Render(p.Name, p.Entry)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&b, "there: %s\nhere: %s\n", s.Meaning, policy.ReadServer(p.Entry).Row().Text)
		for _, note := range p.Notes {
			fmt.Fprintf(&b, "note: %s\n", note)
		}
		for _, secret := range p.Secrets {
			fmt.Fprintf(&b, "secret: %v %+v %#v\n", secret, secret, secret)
		}
		b.WriteString(text + "\n")
	}
	return b.String()
}

func TestSecretsGetNamesOfTheirOwn(t *testing.T) {
	holds := map[string]string{"API_KEY": "other-value", "SAME_KEY": "same-value"}
	look := func(name string) (string, bool) { v, ok := holds[name]; return v, ok }
	h, _ := Find("json")
	r, err := h.Read(Source{Data: []byte(`{"mcpServers": {
		"one": {"command": "srv", "env": {"API_KEY": "value-of-one", "SAME_KEY": "same-value"}},
		"two": {"command": "srv", "env": {"API_KEY": "value-of-two", "SAME_KEY": "same-value"}},
		"http": {"url": "https://example.com/mcp", "headers": {"authorization": "bearer Bearer tok-1"}},
		"ref": {"command": "srv", "env": {"API_KEY": "${MINE}"}}}}`)})
	if err != nil {
		t.Fatal(err)
	}
	planner := NewPlanner(look)
	want := []string{"API_KEY: ${MCP_ONE_API_KEY}|SAME_KEY: ${SAME_KEY}", "API_KEY: ${MCP_TWO_API_KEY}|SAME_KEY: ${SAME_KEY}",
		"authorization: Bearer ${MCP_HTTP_API_KEY}", "API_KEY: ${MINE}"}
	values := map[string]string{}
	for i, s := range r.Servers {
		p, err := planner.Plan(s, s.Name)
		if err != nil {
			t.Fatal(err)
		}
		text, err := config.Render(p.Name, p.Entry)
		if err != nil {
			t.Fatal(err)
		}
		for _, part := range strings.Split(want[i], "|") {
			if !strings.Contains(strings.ReplaceAll(text, `"`, ""), part) {
				t.Errorf("%s lacks %s:\n%s", s.Name, part, text)
			}
		}
		for _, secret := range p.Secrets {
			values[secret.Name] = secret.Value()
		}
	}
	if len(values) != 3 || values["MCP_ONE_API_KEY"] != "value-of-one" || values["MCP_TWO_API_KEY"] != "value-of-two" || values["MCP_HTTP_API_KEY"] != "tok-1" {
		t.Errorf("%v", values)
	}
}

func TestOverwriteKeepsWhatIsTheUsers(t *testing.T) {
	servers := ourServers(t, "mcp_servers:\n  demo:\n    command: old\n    args: [x]\n    env: {A: b}\n    timeout: 5\n    lazy: true\n    tools: {include: []}\n")
	h, _ := Find("json")
	r, err := h.Read(Source{Data: []byte(`{"demo": {"url": "https://example.com/mcp", "tools": ["a"], "disabled": true}}`)})
	if err != nil {
		t.Fatal(err)
	}
	p, err := NewPlanner(nothing).Plan(r.Servers[0], "demo")
	if err != nil {
		t.Fatal(err)
	}
	set, gone := p.Overwrite(servers["demo"].Entry)
	text, err := config.Render("demo", set)
	if err != nil || text != "demo:\n  url: https://example.com/mcp" || strings.Join(gone, " ") != "command args env" {
		t.Errorf("%v %s %v", err, text, gone)
	}
}
