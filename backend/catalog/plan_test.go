package catalog

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hermes/backend/config"
)

func manifest(t *testing.T, replace ...string) Manifest {
	t.Helper()
	m, err := Read([]byte(strings.NewReplacer(replace...).Replace(sample)))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// install runs a plan against a file and gives what the file says then.
func install(t *testing.T, before string, r Request) (after string, plan Plan) {
	t.Helper()
	home := config.Home{Dir: t.TempDir()}
	if before != "" {
		write(t, home.Config(), before)
	}
	file := config.Open(home, config.Options{Getenv: func(string) string { return "" }})
	snap := file.Load()
	if sv, ok := snap.Server(r.Manifest.Name); ok {
		r.Existing = sv.Entry
	}
	plan, err := Make(r)
	if err != nil {
		t.Fatal(err)
	}
	if len(plan.Steps) > 0 {
		if _, err := file.Change(context.Background(), config.Change{Steps: plan.Steps}); err != nil {
			t.Fatal(err)
		}
	}
	data, err := os.ReadFile(home.Config())
	if err != nil && before != "" {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(home.Dir, ".env")); err == nil {
		t.Error("a plan wrote .env")
	}
	return string(data), plan
}

func notes(p Plan) string { return strings.Join(p.Notes, "\n") }

func TestPlanOfANewEntry(t *testing.T) {
	after, plan := install(t, "# mine\nmodel: m\n", Request{Manifest: manifest(t), Values: map[string]string{"DEMO_TOKEN": "abc-secret"}})
	want := `# mine
model: m
mcp_servers:
  demo:
    command: npx
    args: [-y, "@scope/demo@1.2.3", "${DEMO_ROOT}"]
    env:
      MODE: quiet
      DEMO_TOKEN: "${DEMO_TOKEN}"
    enabled: true
    trust: untrusted
    tools:
      include: [read_file, list]
`
	if after != want {
		t.Errorf("%s", after)
	}
	if len(plan.Secrets) != 2 || plan.Secrets[0] != (Secret{"DEMO_TOKEN", "abc-secret"}) || plan.Secrets[1] != (Secret{"DEMO_ROOT", "/srv"}) || strings.Contains(after, "abc-secret") {
		t.Errorf("%+v", plan.Secrets)
	}
}

func TestPlanOfNewRules(t *testing.T) {
	for _, c := range []struct{ tools, words, note string }{
		{"default_enabled: [read_file, list]", "2 selected", ""},
		{"default_enabled: []", "0 selected", "hermes mcp configure demo"},
		{"default_excluded: [write_*, x]", "-2 excluded", ""},
		{"other: 1", "0 selected", "hermes mcp configure demo"},
	} {
		after, plan := install(t, "", Request{Manifest: manifest(t, "default_enabled: [read_file, list]", c.tools)})
		home := config.Home{Dir: t.TempDir()}
		write(t, home.Config(), after)
		sv, ok := config.Open(home, config.Options{Getenv: func(string) string { return "" }}).Load().Server("demo")
		if !ok || sv.Rules.List().Text != c.words || !sv.Untrusted || len(sv.Problems) > 0 {
			t.Errorf("%s: %s", c.tools, after)
		}
		if c.note != "" && !strings.Contains(notes(plan), c.note) {
			t.Errorf("%s: %q", c.tools, notes(plan))
		}
	}
}

func TestPlanNamesMissingValues(t *testing.T) {
	_, plan := install(t, "", Request{Manifest: manifest(t)})
	if len(plan.Missing) != 1 || plan.Missing[0].Name != "DEMO_TOKEN" {
		t.Errorf("%+v", plan.Missing)
	}
	have := func(name string) bool { return name == "DEMO_TOKEN" }
	after, plan := install(t, "", Request{Manifest: manifest(t), Have: have})
	if len(plan.Missing) > 0 || len(plan.Secrets) != 1 || !strings.Contains(after, "${DEMO_TOKEN}") || !strings.Contains(notes(plan), "DEMO_TOKEN is already set") {
		t.Errorf("%+v\n%s", plan, after)
	}
	// A variable that is not needed and not given must not stop the server.
	after, plan = install(t, "", Request{Manifest: manifest(t, "prompt: Token", "required: false")})
	if len(plan.Missing) > 0 || strings.Contains(after, "DEMO_TOKEN") {
		t.Errorf("%+v\n%s", plan, after)
	}
}

func TestPlanOfHTTP(t *testing.T) {
	m, err := Read([]byte("manifest_version: 1\nname: web-one\ndescription: x\ntransport: {type: http, url: 'https://example.com/mcp'}\nauth: {type: api_key, env: [{name: MCP_WEB_ONE_API_KEY}]}\n"))
	if err != nil {
		t.Fatal(err)
	}
	after, plan := install(t, "", Request{Manifest: m, Values: map[string]string{"MCP_WEB_ONE_API_KEY": "Bearer abc"}})
	if !strings.Contains(after, "Authorization: Bearer ${MCP_WEB_ONE_API_KEY}") && !strings.Contains(after, `Authorization: "Bearer ${MCP_WEB_ONE_API_KEY}"`) {
		t.Errorf("%s", after)
	}
	if len(plan.Secrets) != 1 || plan.Secrets[0].Value != "abc" || strings.Contains(after, "env:") {
		t.Errorf("%+v\n%s", plan, after)
	}
	m.Auth = Auth{Kind: AuthOAuth}
	if after, _ := install(t, "", Request{Manifest: m}); !strings.Contains(after, "auth: oauth") {
		t.Errorf("%s", after)
	}
}

// TestReinstallKeepsWhatIsTheUsers is the mending of defects D9 to D12.
func TestReinstallKeepsWhatIsTheUsers(t *testing.T) {
	const before = `mcp_servers:
  demo:              # mine
    command: npx
    args: ["-y", "@scope/demo@1.0.0", "/one", "/two"]   # two folders
    env:
      MODE: loud
      EXTRA: "1"
      DEMO_TOKEN: "${DEMO_TOKEN}"
    headers: {X-A: b}
    enabled: false
    trust: full
    timeout: 7
    connect_timeout: 8
    something_else: {a: [1, 2]}
    tools:
      include: []   # locked
      resources: false
      prompts: false
  other: {command: x}
`
	have := func(name string) bool { return name == "DEMO_TOKEN" || name == "DEMO_ROOT" }
	after, plan := install(t, before, Request{Manifest: manifest(t), Have: have})
	want := strings.Replace(before, "@scope/demo@1.0.0", "@scope/demo@1.2.3", 1)
	if after != want {
		t.Errorf("%s", after)
	}
	if plan.Replaces != "" || !strings.Contains(notes(plan), "env.MODE keeps your value") || !strings.Contains(notes(plan), "your arguments are kept") {
		t.Errorf("%+v", plan)
	}
	again, plan := install(t, after, Request{Manifest: manifest(t), Have: have})
	if again != after || len(plan.Steps) != 0 {
		t.Errorf("a second install changes the file: %+v", plan.Steps)
	}
}

func TestInstallOverAnotherServer(t *testing.T) {
	const before = `mcp_servers:
  demo:
    url: https://example.com/?token=abcdefgh
    headers:
      X-A: b
    tools: {exclude: [delete_*]}
    trust: untrusted
`
	after, plan := install(t, before, Request{Manifest: manifest(t), Values: map[string]string{"DEMO_TOKEN": "v"}})
	if !strings.Contains(plan.Replaces, "https://example.com/") || strings.Contains(plan.Replaces, "abcdefgh") {
		t.Errorf("replaces %q", plan.Replaces)
	}
	if strings.Contains(after, "url:") || !strings.Contains(after, "command: npx") || !strings.Contains(after, "tools: {exclude: [delete_*]}") || strings.Contains(after, "X-A") ||
		!strings.Contains(after, "trust: untrusted") || !strings.Contains(notes(plan), "the other server's headers are removed") {
		t.Errorf("%s%s", after, notes(plan))
	}
	_, plan = install(t, "mcp_servers:\n  demo: {command: node, args: [x.js, --token, abcdefgh]}\n", Request{Manifest: manifest(t), Values: map[string]string{"DEMO_TOKEN": "v"}})
	if plan.Replaces != "node x.js --token ***" {
		t.Errorf("replaces %q", plan.Replaces)
	}
}

// TestReinstallKeepsALiteralValue leaves a secret that a person wrote into the
// entry alone while there is nothing to put in its place.
func TestReinstallKeepsALiteralValue(t *testing.T) {
	const before = "mcp_servers:\n  demo:\n    command: npx\n    args: [\"-y\", \"@scope/demo@1.2.3\", \"${DEMO_ROOT}\"]\n    env: {MODE: quiet, DEMO_TOKEN: literal}\n"
	after, plan := install(t, before, Request{Manifest: manifest(t)})
	if after != before || len(plan.Missing) > 0 {
		t.Errorf("%+v\n%s", plan, after)
	}
}

func TestBrokenEntryIsRefused(t *testing.T) {
	home := config.Home{Dir: t.TempDir()}
	write(t, home.Config(), "mcp_servers:\n  demo: [a]\n")
	sv, _ := config.Open(home, config.Options{Getenv: func(string) string { return "" }}).Load().Server("demo")
	if _, err := Make(Request{Manifest: manifest(t), Existing: sv.Entry}); err == nil || !strings.Contains(err.Error(), "not a mapping") {
		t.Errorf("%v", err)
	}
}

func TestInstallDir(t *testing.T) {
	m := manifest(t, "${DEMO_ROOT}", "${INSTALL_DIR}/server.js", "command: npx", "command: node",
		"ui:", "install: {type: git, url: 'https://example.com/x', ref: 0123456789012345678901234567890123456789}\nui:")
	after, _ := install(t, "", Request{Manifest: m, Dir: "/home/u/installs/demo"})
	if !strings.Contains(after, "/home/u/installs/demo/server.js") || strings.Contains(after, "INSTALL_DIR") {
		t.Errorf("%s", after)
	}
}
