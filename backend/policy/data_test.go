package policy_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strconv"
	"strings"
	"testing"

	"gopkg.in/yaml.v3"

	"hermes/backend/config"
	"hermes/backend/policy"
)

var update = flag.Bool("update", false, "write testdata/policy/filter.json and edits.json anew from the rows")

const dataDir = "../../testdata/policy"

// row is one row of the shared data: what a file says and what must follow.
// Everything but the tree is written by hand in testdata/policy/rows.
type row struct {
	Name         string          `json:"name"`
	Ref          string          `json:"ref"`
	YAML         string          `json:"yaml"`
	Server       string          `json:"server"`
	Unreadable   bool            `json:"unreadable"`
	Unknown      bool            `json:"unknown"`
	State        string          `json:"state"`
	Patterns     []string        `json:"patterns"`
	List         string          `json:"list"`
	Row          string          `json:"row"`
	Live         []string        `json:"live"`
	Panel        string          `json:"panel"`
	PanelUnknown string          `json:"panel_unknown,omitempty"`
	Locked       bool            `json:"locked"`
	Broken       bool            `json:"broken"`
	Untrusted    bool            `json:"untrusted"`
	Verdicts     map[string]bool `json:"verdicts"`
	Unmatched    []string        `json:"unmatched"`
	Resources    bool            `json:"resources"`
	Prompts      bool            `json:"prompts"`
	Sampling     bool            `json:"sampling"`
	Elicitation  bool            `json:"elicitation"`
	Problems     []problemRow    `json:"problems"`
	FileProblems []problemRow    `json:"file_problems"`
	Tree         string          `json:"tree"`
}

type problemRow struct {
	Severity string `json:"severity"`
	Code     string `json:"code"`
	Line     int    `json:"line"`
	Column   int    `json:"column"`
}

// source is a row as people write it, with the short forms.
type source struct {
	Name, Ref, Server         string
	YAML, Tools, Entry        *string
	State, List, Row, Panel   string
	PanelUnknown              string `yaml:"panel_unknown"`
	Patterns, Live, Unmatched []string
	On, Helpers               yaml.Node
	New                       bool
	Also                      map[string]bool
	Locked, Broken, Untrusted bool
	Unreadable, Unknown       bool
	Problems                  []string
	FileProblems              []string `yaml:"file_problems"`
}

// newTool is the name that no row lists: a tool the server adds tomorrow.
const newTool = "added_tomorrow"

func readRows(t testing.TB) []row {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dataDir, "rows", "*.yaml"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no rows below %s: %v", dataDir, err)
	}
	var rows []row
	names := map[string]bool{}
	for _, file := range files {
		var sources []source
		readYAML(t, file, &sources)
		for _, s := range sources {
			if names[s.Name] {
				t.Fatalf("%s: two rows are called %q", file, s.Name)
			}
			names[s.Name] = true
			rows = append(rows, s.row(t))
		}
	}
	return rows
}

func readYAML(t testing.TB, file string, into any) {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	dec := yaml.NewDecoder(bytes.NewReader(data))
	dec.KnownFields(true)
	if err := dec.Decode(into); err != nil {
		t.Fatalf("%s: %v", file, err)
	}
}

func (s source) text() string {
	switch {
	case s.YAML != nil:
		return *s.YAML
	case s.Tools != nil:
		return "mcp_servers:\n  demo:\n    command: x\n    tools: " + *s.Tools + "\n"
	default:
		return "mcp_servers:\n  demo: " + *s.Entry + "\n"
	}
}

func (s source) row(t testing.TB) row {
	t.Helper()
	r := row{
		Name: s.Name, Ref: s.Ref, YAML: s.text(), Server: s.Server, Unreadable: s.Unreadable, Unknown: s.Unknown,
		State: s.State, Patterns: filled(s.Patterns), List: s.List, Row: s.Row, Live: s.Live, Panel: s.Panel,
		PanelUnknown: s.PanelUnknown, Locked: s.Locked, Broken: s.Broken, Untrusted: s.Untrusted,
		Unmatched: filled(s.Unmatched), Verdicts: map[string]bool{}, Problems: problems(t, s.Problems), FileProblems: problems(t, s.FileProblems),
	}
	if r.Server == "" {
		r.Server = "demo"
	}
	if r.Live == nil {
		r.Live = []string{"read_file", "write_file", "list_dir", "42"}
	}
	if s.Unreadable {
		r.State, r.List, r.Untrusted = "invalid", "invalid", true
		r.Row = "[invalid: no rules were read for this server, so everything is denied]"
		r.Panel = "no rules were read for this server, so everything is denied; load the configuration again"
	}
	on := words(t, s.On, r.Live)
	for _, name := range r.Live {
		r.Verdicts[name] = slices.Contains(on, name)
	}
	for _, name := range on {
		if !slices.Contains(r.Live, name) {
			t.Fatalf("row %q: %q is on but not live", s.Name, name)
		}
	}
	r.Verdicts[newTool] = s.New
	for name, allowed := range s.Also {
		r.Verdicts[name] = allowed
	}
	helpers := words(t, s.Helpers, []string{"resources", "prompts", "sampling", "elicitation"})
	r.Resources = slices.Contains(helpers, "resources")
	r.Prompts = slices.Contains(helpers, "prompts")
	r.Sampling = slices.Contains(helpers, "sampling")
	r.Elicitation = slices.Contains(helpers, "elicitation")
	r.Tree = treeOf(t, r)
	return r
}

func filled(list []string) []string {
	if list == nil {
		return []string{}
	}
	return list
}

// words reads "all", "none" or a list.
func words(t testing.TB, n yaml.Node, all []string) []string {
	t.Helper()
	switch {
	case n.Kind == 0, n.Value == "none":
		return nil
	case n.Value == "all":
		return all
	}
	var list []string
	if err := n.Decode(&list); err != nil {
		t.Fatalf("line %d: %v", n.Line, err)
	}
	return list
}

// problems reads "severity code line:column".
func problems(t testing.TB, list []string) []problemRow {
	t.Helper()
	out := []problemRow{}
	for _, text := range list {
		f := strings.Fields(text)
		if len(f) != 3 {
			t.Fatalf("%q is no problem", text)
		}
		line, column, _ := strings.Cut(f[2], ":")
		out = append(out, problemRow{f[0], f[1], number(t, line), number(t, column)})
	}
	return out
}

func number(t testing.TB, s string) int {
	t.Helper()
	n, err := strconv.Atoi(s)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// treeOf is what the page gets for a row's server.
func treeOf(t testing.TB, r row) string {
	t.Helper()
	root, err := config.Tree([]byte(r.YAML))
	if (err != nil) != r.Unreadable {
		t.Fatalf("row %q: unreadable is %v, but parsing says %v", r.Name, r.Unreadable, err)
	}
	if err != nil {
		return ""
	}
	return base64.StdEncoding.EncodeToString(policy.ReadFile(root).Encode(r.Server))
}

// sameFile compares generated data with the committed file, or writes it.
func sameFile(t *testing.T, name string, value any) {
	t.Helper()
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", " ")
	if err := enc.Encode(value); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dataDir, name)
	if *update {
		if err := os.WriteFile(path, buf.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	have, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(have, buf.Bytes()) {
		t.Errorf("%s is not what the rows say: run `go test ./backend/policy -run TestData -update` and look at the difference", path)
	}
}

// TestDataIsGenerated keeps the shared file equal to the rows and the trees
// equal to what config makes of their YAML.
func TestDataIsGenerated(t *testing.T) {
	if testing.Short() {
		t.Skip("reads every row as YAML")
	}
	rows := readRows(t)
	if len(rows) < 120 {
		t.Errorf("only %d rows", len(rows))
	}
	sameFile(t, "filter.json", rows)
}

// sharedRows reads the file all runners share.
func sharedRows(t testing.TB) []row {
	t.Helper()
	var rows []row
	readJSON(t, "filter.json", &rows)
	return rows
}

func readJSON(t testing.TB, name string, into any) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(dataDir, name))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, into); err != nil {
		t.Fatal(err)
	}
}

func sortedNames(m map[string]bool) []string {
	names := make([]string, 0, len(m))
	for name := range m {
		names = append(names, name)
	}
	sort.Strings(names)
	return names
}
