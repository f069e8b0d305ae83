package config

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"hermes/backend/policy"
)

// load reads a file and gives its snapshot.
func load(t testing.TB, content string, pairs ...string) *Snapshot {
	t.Helper()
	h := home(t, content)
	return Open(h, Options{Getenv: env(append([]string{"HOME", "/home/u"}, pairs...)...)}).Load()
}

func server(t testing.TB, s *Snapshot, name string) *Server {
	t.Helper()
	sv, ok := s.Server(name)
	if !ok {
		t.Fatalf("no server %q in %v", name, s.Names())
	}
	return sv
}

func TestSnapshotOfTheStory(t *testing.T) {
	s := load(t, `mcp_servers:
  demo:
    command: npx
    args: ["-y", "@modelcontextprotocol/server-filesystem", "/srv/data"]
    tools:
      include: []        # explicit block-all: nothing is registered
  demo2: {}
`)
	if got := s.Names(); !reflect.DeepEqual(got, []string{"demo", "demo2"}) {
		t.Fatal(got)
	}
	demo, demo2 := server(t, s, "demo"), server(t, s, "demo2")
	if !demo.Rules.Locked() || demo2.Rules.State() != policy.StateOpen {
		t.Error("the states are wrong")
	}
	if demo.Line != 2 || demo.Column != 3 || demo2.Line != 7 || demo2.Column != 3 {
		t.Errorf("places: %d:%d, %d:%d", demo.Line, demo.Column, demo2.Line, demo2.Column)
	}
	want := Connection{
		Transport: TransportStdio, Command: "npx", Args: []string{"-y", "@modelcontextprotocol/server-filesystem", "/srv/data"},
		Timeout: 300 * time.Second, ConnectTimeout: 60 * time.Second,
		Protocol: ProtocolAuto, Keepalive: 180 * time.Second,
	}
	if !reflect.DeepEqual(demo.Conn, want) {
		t.Errorf("connection %+v", demo.Conn)
	}
	if s.Broken || !s.Exists || len(s.Problems) != 0 || s.Revision != digest([]byte(get(t, s.Path))) {
		t.Errorf("%+v", s)
	}
}

func TestConnections(t *testing.T) {
	s := load(t, `timeouts: {mcp: {tool_call: 77}}
mcp_servers:
  all:
    command: uvx
    args: [-y, 42, true, "a b"]
    env: {A: 1, B: "${B}", C: }
    cwd: ~/work
    timeout: 1.5
    connect_timeout: "5"
    enabled: "No"
    supports_parallel_tool_calls: 1
    lazy: on
    trust: untrusted
    sampling: {enabled: true}
    unknown_key: {x: y}
  http: {url: "https://x.example/mcp", headers: {Authorization: "Bearer ${T}"}, command: ignored}
  sse: {url: "https://x.example/sse", transport: SSE}
  odd: {url: "https://x.example", transport: carrier-pigeon}
  json: {command: x, args: '["-y", "a b"]'}
  python: {command: x, args: "['-y', 'a b']"}
  shell: {command: x, args: -y 'a b' "c \"d\"" e\ f}
  files: {builtin: files, root: data}
  git: {builtin: git}
`)
	all := server(t, s, "all")
	want := Connection{
		Transport: TransportStdio, Command: "uvx", Args: []string{"-y", "42", "true", "a b"},
		Env: map[string]string{"A": "1", "B": "${B}", "C": ""}, Cwd: "~/work",
		Timeout: 1500 * time.Millisecond, ConnectTimeout: 5 * time.Second,
		Protocol: ProtocolAuto, Keepalive: 180 * time.Second,
	}
	if !reflect.DeepEqual(all.Conn, want) {
		t.Errorf("all: %+v", all.Conn)
	}
	if all.Enabled || !all.Parallel || !all.Lazy || !all.Untrusted || len(all.Problems) != 0 {
		t.Errorf("all: %+v", all)
	}
	for name, transport := range map[string]string{"http": "http", "sse": "sse", "odd": "http", "json": "stdio", "files": "builtin", "git": "builtin"} {
		if got := server(t, s, name).Conn.Transport; got != transport {
			t.Errorf("%s: transport %q, want %q", name, got, transport)
		}
	}
	if c := server(t, s, "http").Conn; c.Headers["Authorization"] != "Bearer ${T}" || c.Timeout != 77*time.Second {
		t.Errorf("http: %+v", c)
	}
	for name, args := range map[string][]string{"json": {"-y", "a b"}, "python": {"-y", "a b"}, "shell": {"-y", "a b", `c "d"`, "e f"}} {
		if got := server(t, s, name).Conn.Args; !reflect.DeepEqual(got, args) {
			t.Errorf("%s: args %q", name, got)
		}
	}
	if sv := server(t, s, "files"); sv.Builtin != "files" || sv.Conn.Root != "data" {
		t.Errorf("files: %+v", sv)
	}
	for name, line := range map[string]int{"http": 16, "odd": 18} {
		sv := server(t, s, name)
		if len(sv.Problems) != 1 || sv.Problems[0].Severity != policy.SeverityWarning || sv.Problems[0].Line != line || sv.Problems[0].Hint == "" {
			t.Errorf("%s: %+v", name, sv.Problems)
		}
	}
}

// One bad entry never touches its neighbours.
func TestBadEntriesStayAlone(t *testing.T) {
	s := load(t, `mcp_servers:
  good: {command: npx}
  list: [a]
  text: hello
  null1:
  args: {command: x, args: {a: b}}
  args2: {command: x, args: [a, null]}
  args3: {command: x, args: "['a'"}
  args4: {command: x, args: "it's"}
  env: {command: x, env: [A]}
  env2: {command: x, env: {A: [b]}}
  command: {command: [x]}
  nothing: {timeout: 5}
  builtin: {builtin: shell}
  timeout: {command: x, timeout: soon}
  enabled: {command: x, enabled: maybe}
  blank: {command: "npx ", env: {A: " b"}}
  42: {command: x}
`)
	good := server(t, s, "good")
	if ok, p := s.MayRun("good"); !ok || len(good.Problems) != 0 {
		t.Errorf("the good one: %+v", p)
	}
	for name, c := range map[string]struct {
		code   string
		line   int
		column int
	}{
		"list": {CodeInvalid, 3, 9}, "text": {CodeInvalid, 4, 9}, "null1": {CodeInvalid, 5, 0},
		"args": {CodeConnection, 6, 28}, "args2": {CodeConnection, 7, 33}, "args3": {CodeConnection, 8, 29}, "args4": {CodeConnection, 9, 29},
		"env": {CodeConnection, 10, 26}, "env2": {CodeConnection, 11, 28}, "command": {CodeConnection, 12, 22},
		"nothing": {CodeConnection, 13, 12}, "builtin": {CodeConnection, 14, 22},
	} {
		ok, p := s.MayRun(name)
		if ok || p.Code != c.code || p.Line != c.line || c.column > 0 && p.Column != c.column || p.File != s.Path || p.Hint == "" {
			t.Errorf("%s: %v %+v", name, ok, p)
		}
	}
	for _, name := range []string{"timeout", "enabled", "blank", "42"} {
		if ok, p := s.MayRun(name); !ok {
			t.Errorf("%s: %+v", name, p)
		}
	}
	if sv := server(t, s, "enabled"); !sv.Enabled || sv.EnabledNote == "" || len(sv.Problems) != 1 {
		t.Errorf("enabled: %+v", sv)
	}
	if sv := server(t, s, "timeout"); sv.Conn.Timeout != 300*time.Second || len(sv.Problems) != 1 {
		t.Errorf("timeout: %+v", sv)
	}
	if sv := server(t, s, "blank"); len(sv.Problems) != 2 || strings.Contains(fmt.Sprint(sv.Problems), "npx") {
		t.Errorf("blank: %+v", sv.Problems)
	}
}

func TestEnabledWords(t *testing.T) {
	for word, want := range map[string]bool{
		"false": false, "False": false, "no": false, "OFF": false, `" off "`: false, "0": false, `"0"`: false, "0.0": false,
		"true": true, "yes": true, "on": true, "1": true, "": true, "~": true, `""`: true, "maybe": true, "[]": true, "2": true,
	} {
		s := load(t, "mcp_servers: {demo: {command: x, enabled: "+word+"}}")
		if got := server(t, s, "demo").Enabled; got != want {
			t.Errorf("enabled: %s is %v, want %v", word, got, want)
		}
	}
}

// Python Hermes replaces ${VAR} before it reads a switch, so a server that is
// off there must be off here.
func TestSwitchesByVariable(t *testing.T) {
	s := load(t, "mcp_servers:\n  a: {command: x, enabled: \"${ON}\", timeout: \"${T}\"}\n  b: {command: x, enabled: \"${UNSET}\"}\n", "ON", "false", "T", "7")
	if a := server(t, s, "a"); a.Enabled || a.Conn.Timeout != 7*time.Second || len(a.Problems) != 0 {
		t.Errorf("%+v", a)
	}
	if b := server(t, s, "b"); !b.Enabled || b.EnabledNote == "" {
		t.Errorf("%+v", b)
	}
}

func TestMayRunOfRules(t *testing.T) {
	s := load(t, `mcp_servers:
  locked: {command: x, tools: {include: []}}
  helper: {command: x, tools: {include: [], resources: true}}
  invalid: {command: x, tools: 42}
  disabled: {command: x, enabled: false}
  twice: {command: x}
  twice: {command: y}
`)
	for name, c := range map[string]struct {
		code string
		line int
	}{"locked": {CodeLocked, 2}, "invalid": {CodeInvalid, 4}, "disabled": {CodeDisabled, 5}, "twice": {CodeInvalid, 7}, "nosuch": {CodeUnknown, 0}} {
		if ok, p := s.MayRun(name); ok || p.Code != c.code || p.Line != c.line || p.Message == "" {
			t.Errorf("%s: %v %+v", name, ok, p)
		}
	}
	if ok, p := s.MayRun("helper"); !ok {
		t.Errorf("helper: %+v", p)
	}
}

func TestBrokenAtTheStart(t *testing.T) {
	for name, content := range map[string]string{
		"syntax": "mcp_servers:\n  demo: {command: x}\na: b: c\n", "UTF-16": "\xff\xfea\x00", "glob": "mcp_servers: {demo: {tools: {include: [*_x]}}}",
	} {
		s := load(t, content)
		if !s.Broken || !s.Exists || len(s.Servers) != 0 || len(s.Problems) != 1 {
			t.Fatalf("%s: %+v", name, s)
		}
		p := s.Problems[0]
		if p.Severity != policy.SeverityError || p.Code != CodeBroken || p.File != s.Path || p.Line == 0 || p.Column == 0 || p.Hint == "" {
			t.Errorf("%s: %+v", name, p)
		}
		if rules, _ := s.Policy.Rules("demo"); rules.Allows("x") {
			t.Errorf("%s: something is allowed", name)
		}
		if ok, _ := s.MayRun("demo"); ok {
			t.Errorf("%s: a server may run", name)
		}
	}
}

func TestUnreadableFile(t *testing.T) {
	h := home(t, "")
	if err := os.Remove(h.Config()); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(h.Config(), 0o700); err != nil {
		t.Fatal(err)
	}
	s := Open(h, Options{Getenv: env()}).Load()
	if !s.Broken || len(s.Problems) != 1 || s.Problems[0].Code != CodeBroken || s.Problems[0].Hint == "" {
		t.Errorf("%+v", s)
	}
}

func TestMissingAndEmptyAtTheStart(t *testing.T) {
	h := Home{Dir: filepath.Join(t.TempDir(), "none")}
	s := Open(h, Options{Getenv: env()}).Load()
	if s.Broken || s.Exists || len(s.Problems) != 0 || len(s.Servers) != 0 || s.Revision != "" {
		t.Errorf("missing: %+v", s)
	}
	if _, err := os.Stat(h.Dir); err == nil {
		t.Error("the home was made")
	}
	if s := load(t, "# nothing\n"); s.Broken || !s.Exists || len(s.Problems) != 0 || len(s.Servers) != 0 {
		t.Errorf("empty: %+v", s)
	}
}

func TestFileLevelProblemsHavePlaces(t *testing.T) {
	s := load(t, "mcp_servers: [a]\n")
	if len(s.Problems) != 1 || s.Problems[0].File != s.Path || s.Problems[0].Line != 1 || s.Problems[0].Column != 14 {
		t.Errorf("%+v", s.Problems)
	}
}

func TestSnapshotStaysOutOfLogs(t *testing.T) {
	s := load(t, "mcp_servers: {demo: {command: x, env: {TOKEN: verysecret}}}")
	if got := s.LogValue().String(); strings.Contains(got, "verysecret") || !strings.Contains(got, "1 servers") {
		t.Error(got)
	}
}
