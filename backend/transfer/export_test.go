package transfer

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hermes/backend/config"
	"hermes/backend/policy"
)

// ourServers reads a file of ours as the program does.
func ourServers(t testing.TB, text string) map[string]*config.Server {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "config.yaml"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	snap := config.Open(config.Home{Dir: dir}, config.Options{Getenv: func(string) string { return "" }}).Load()
	out := map[string]*config.Server{}
	for i := range snap.Servers {
		out[snap.Servers[i].Name] = &snap.Servers[i]
	}
	return out
}

func hostServer(host string, rules string) string {
	command := "command: srv"
	if host == "docker" {
		command = "command: docker\n    args: [mcp, gateway, run, --servers, demo]"
	}
	return "mcp_servers:\n  demo:\n    " + command + "\n    trust: untrusted\n" + rules
}

// TestRoundTrip writes every state to every host and reads it back with that
// host's own reader: it comes back as it was, or narrower, or it was refused.
func TestRoundTrip(t *testing.T) {
	states := []struct{ name, rules string }{
		{"open", ""},
		{"locked", "    tools: {include: []}\n"},
		{"list", "    tools: {include: [a, b]}\n"},
		{"glob", "    tools: {include: [get_*]}\n"},
		{"class", "    tools: {include: ['a[bc]']}\n"},
		{"strange names", "    tools: {include: ['x[*]', 'a.b']}\n"},
		{"deny", "    tools: {exclude: [a]}\n"},
		{"deny glob", "    tools: {exclude: ['get_*']}\n"},
		{"resources off", "    tools: {resources: false}\n"},
		{"resources only", "    tools: {include: [], resources: true}\n"},
		{"disabled", "    enabled: false\n"},
		{"disabled and locked", "    enabled: false\n    tools: {include: []}\n"},
		{"invalid", "    tools: [a]\n"},
	}
	tools := []string{"a", "b", "c", "get_x", "ab", "ac", "x*", "a.b", "a_b", "new"}
	want := map[string]string{
		"claude": "open", "claude-code": "open", "cursor": "open", "vscode": "open", "json": "open",
		"codex":    "open locked list strange names deny disabled disabled and locked",
		"gemini":   "open list strange names deny disabled",
		"goose":    "open list strange names disabled",
		"opencode": "open locked list glob deny deny glob disabled disabled and locked",
		"docker":   "open locked list strange names",
	}
	for _, h := range Hosts() {
		var passed []string
		for _, state := range states {
			t.Run(h.Name+"/"+state.name, func(t *testing.T) {
				before := ourServers(t, hostServer(h.Name, state.rules))["demo"]
				for _, known := range [][]string{nil, tools[:len(tools)-1]} {
					w := h.Write([]Wanted{{Server: before, Known: known}}, Options{})
					if len(w.Servers) == 0 {
						if len(w.Refused) != 1 || w.Data != nil {
							t.Fatalf("neither written nor refused: %+v", w)
						}
						continue
					}
					if known == nil {
						passed = append(passed, state.name)
					}
					narrower(t, h, before, w, tools)
				}
			})
		}
		if got := strings.Join(passed, " "); got != want[h.Name] {
			t.Errorf("%s can say %q, want %q", h.Name, got, want[h.Name])
		}
	}
}

func narrower(t *testing.T, h Host, before *config.Server, w Written, tools []string) {
	t.Helper()
	src := Source{Data: w.Data}
	if h.Name == "docker" {
		src = Source{Data: []byte("registry:\n  demo: {ref: ''}\n"), Beside: [][]byte{w.Data}}
	}
	r, err := h.Read(src)
	if err != nil || len(r.Servers) != 1 || r.Servers[0].Refused != "" {
		t.Fatalf("%v %+v\n%s", err, r, w.Data)
	}
	back := r.Servers[0]
	if back.Enabled && !before.Enabled {
		t.Errorf("a disabled server came back enabled:\n%s", w.Data)
	}
	if before.Rules.State() != policy.StateOpen && back.Filter.State == policy.StateOpen && back.Enabled {
		t.Errorf("the rule %s came back open:\n%s", before.Rules.Row().Text, w.Data)
	}
	if !back.Enabled {
		return
	}
	for _, tool := range tools {
		if back.Filter.allows(tool) && !before.Rules.Allows(tool) {
			t.Errorf("%s is allowed now:\n%s", tool, w.Data)
		}
	}
}

func TestDisableLocked(t *testing.T) {
	for _, h := range Hosts() {
		before := ourServers(t, hostServer(h.Name, "    tools: {include: []}\n"))["demo"]
		w := h.Write([]Wanted{{Server: before}}, Options{DisableLocked: true})
		if len(w.Servers) == 0 {
			continue
		}
		narrower(t, h, before, w, []string{"a"})
		r, err := h.Read(Source{Data: w.Data})
		if err == nil && len(r.Servers) == 1 && r.Servers[0].Enabled && !r.Servers[0].Filter.Locked() {
			t.Errorf("%s: %s", h.Name, w.Data)
		}
	}
}

func TestKnownToolsAreWrittenOut(t *testing.T) {
	codex, _ := Find("codex")
	before := ourServers(t, hostServer("codex", "    tools: {include: ['get_*']}\n"))["demo"]
	w := codex.Write([]Wanted{{Server: before, Known: []string{"get_a", "get_b", "put"}}}, Options{})
	if !strings.Contains(string(w.Data), `enabled_tools = ["get_a", "get_b"]`) || len(w.Notes) == 0 {
		t.Errorf("%s %v", w.Data, w.Notes)
	}
	goose, _ := Find("goose")
	before = ourServers(t, hostServer("goose", "    tools: {exclude: [put]}\n"))["demo"]
	w = goose.Write([]Wanted{{Server: before, Known: []string{"get", "put"}}}, Options{})
	if !strings.Contains(string(w.Data), "available_tools: [get]") {
		t.Errorf("%s %v", w.Data, w.Refused)
	}
	w = goose.Write([]Wanted{{Server: before, Known: []string{"put"}}}, Options{})
	if len(w.Servers) != 0 {
		t.Errorf("an empty list is all tools there: %s", w.Data)
	}
}

const withSecrets = `mcp_servers:
  env: {command: srv, env: {DEMO_TOKEN: "${DEMO_TOKEN}", MODE: fast}}
  http: {url: "https://mcp.example.com/mcp", headers: {Authorization: "Bearer ${DEMO_TOKEN}"}}
  arg: {command: srv, args: [--token, "${DEMO_TOKEN}"]}
  literal: {command: srv, env: {DEMO_TOKEN: sk-fake-0123456789abcdef}}
  short: {command: srv, env: {DEMO_TOKEN: abc}}
  header: {url: "https://mcp.example.com/mcp", headers: {X-Api-Key: abcdefgh12}}
  address: {url: "https://mcp.example.com/mcp?api_key=abcdefgh12"}
  home: {command: srv, args: ["${userHome}/x"]}
  dollar: {command: srv, args: ["costs $HOME"]}
`

func TestVariablesOnTheWayOut(t *testing.T) {
	servers := ourServers(t, withSecrets)
	var list []Wanted
	for _, name := range sortedKeys(servers) {
		list = append(list, Wanted{Server: servers[name]})
	}
	want := map[string]struct{ servers, parts string }{
		"claude":      {"dollar", ""},
		"claude-code": {"arg dollar env http", `"DEMO_TOKEN": "${DEMO_TOKEN}"|"Bearer ${DEMO_TOKEN}"`},
		"codex":       {"dollar env http", `env_vars = ["DEMO_TOKEN"]|bearer_token_env_var = "DEMO_TOKEN"`},
		"gemini":      {"arg env http", `"Bearer ${DEMO_TOKEN}"|"httpUrl"`},
		"goose":       {"env http", `env_keys: [DEMO_TOKEN]|Bearer ${DEMO_TOKEN}`},
		"cursor":      {"arg dollar env home http", `${env:DEMO_TOKEN}|${userHome}/x`},
		"vscode":      {"arg dollar env home http", `${input:DEMO_TOKEN}|"password": true`},
		"opencode":    {"arg dollar env http", `{env:DEMO_TOKEN}`},
		"docker":      {"", ""},
		"json":        {"arg dollar env http", `${DEMO_TOKEN}`},
	}
	for _, h := range Hosts() {
		w := h.Write(list, Options{})
		if got := strings.Join(w.Servers, " "); got != want[h.Name].servers {
			t.Errorf("%s writes %q, want %q: %v", h.Name, got, want[h.Name].servers, w.Refused)
		}
		for _, part := range strings.Split(want[h.Name].parts, "|") {
			if !strings.Contains(string(w.Data), part) {
				t.Errorf("%s lacks %q:\n%s", h.Name, part, w.Data)
			}
		}
		all := string(w.Data)
		for _, r := range append(w.Refused, w.Notes...) {
			all += r.Text
		}
		for _, secret := range []string{"sk-fake", "abcdefgh12", ": \"abc\""} {
			if strings.Contains(all, secret) {
				t.Errorf("%s shows a secret", h.Name)
			}
		}
		if len(w.Servers)+len(w.Refused) != len(list) {
			t.Errorf("%s lost a server: %v %v", h.Name, w.Servers, w.Refused)
		}
	}
}
