package main

import (
	"bytes"
	"encoding/json"
	"flag"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"hermes/backend/cli"
	"hermes/backend/config"
	"hermes/backend/desk"
	"hermes/backend/policy"
	"hermes/backend/registry"
	"hermes/backend/view"
)

// serversPerFile times the 100 files of a run are 10,000 configurations.
const serversPerFile = 100

// TestOneReaderProved is FILTER section 7: for random configurations and every
// tool of a pool, the policy, the module the page runs, the command line, the
// page's data, the registry and a client of the gateway give the same answer,
// and no call that the policy denies reaches the server.
func TestOneReaderProved(t *testing.T) {
	if raceDetector {
		// A few files are enough to look for races; `make test` runs all of
		// them without the detector, which makes each five times slower.
		checks := flag.Lookup("rapid.checks")
		before := checks.Value.String()
		if err := checks.Value.Set("5"); err != nil {
			t.Fatal(err)
		}
		defer func() { _ = checks.Value.Set(before) }()
	}
	module := pageModule(t)
	stub := newStub(t)
	configurations := 0
	rapid.Check(t, func(rt *rapid.T) {
		home := filepath.Join(t.TempDir(), "home")
		servers := rapid.SliceOfN(genServerRules(), serversPerFile, serversPerFile).Draw(rt, "servers")
		text := stub.file(servers)
		writeFile(t, filepath.Join(home, "config.yaml"), text)
		f := surfaces{t: rt, home: home, module: module, stub: stub}
		f.policy()
		if rt.Failed() {
			return
		}
		f.commandLine()
		f.withDesk(func(d *desk.Desk) {
			f.panel(d)
			f.registry()
			f.gateway(t.Context(), d)
		})
		configurations += len(f.rules)
		if rt.Failed() {
			rt.Logf("the file:\n%s", text)
		}
	})
	if !t.Failed() {
		t.Logf("%d configurations x %d tools agree on every surface; %d calls reached the servers", configurations, len(toolPool()), stub.total.Load())
	}
}

// surfaces compares everything with what the policy says of one file.
type surfaces struct {
	t      *rapid.T
	home   string
	module *wasmModule
	stub   *stub

	names []string
	rules map[string]policy.Rules
	want  map[string][]bool // by server, in the order of toolPool
}

// policy takes the native verdicts, which the others are compared with.
func (f *surfaces) policy() {
	snap := config.Open(config.Home{Dir: f.home}, config.Options{}).Load()
	if snap.Broken || len(snap.Servers) != serversPerFile {
		f.t.Errorf("the file is broken or lost servers: %v", snap.Problems)
		return
	}
	f.names, f.rules, f.want = snap.Names(), map[string]policy.Rules{}, map[string][]bool{}
	for i := range snap.Servers {
		sv := &snap.Servers[i]
		f.rules[sv.Name] = sv.Rules
		verdicts := make([]bool, len(toolPool()))
		for j, tool := range toolPool() {
			verdicts[j] = sv.Rules.Allows(tool)
			if v := sv.Rules.Tool(tool); v.Allowed != verdicts[j] {
				f.t.Errorf("%s/%s: Allows says %v, the verdict %+v", sv.Name, tool, verdicts[j], v)
			}
		}
		f.want[sv.Name] = verdicts
		f.same("the module", sv.Name, f.module.verdicts(f.t, snap.Policy.Encode(sv.Name)))
	}
}

func (f *surfaces) same(surface, server string, got []bool) {
	if !slices.Equal(got, f.want[server]) {
		f.t.Errorf("%s: %s says %v of %q, the policy %v", server, surface, got, toolPool(), f.want[server])
	}
}

// commandLine runs the commands of the real program.
func (f *surfaces) commandLine() {
	var tools view.ToolsList
	f.run(&tools, "tools", "list", "--json")
	var list view.ServerList
	f.run(&list, "mcp", "list", "--json")
	if len(tools.Servers) != serversPerFile || len(list.Servers) != serversPerFile {
		f.t.Errorf("tools list has %d servers, mcp list %d", len(tools.Servers), len(list.Servers))
		return
	}
	for i, row := range tools.Servers {
		rules := f.rules[row.Server]
		f.words("tools list", rules, row.Rules)
		f.words("mcp list", rules, list.Servers[i].Tools)
		for _, tool := range row.Tools {
			if tool.Allowed != rules.Allows(tool.Name) {
				f.t.Errorf("tools list: %s/%s is %v", row.Server, tool.Name, tool.Allowed)
			}
		}
	}
	server := rapid.SampledFrom(f.names).Draw(f.t, "why server")
	for i, tool := range toolPool() {
		var why view.Why
		f.run(&why, "mcp", "why", "--json", "--", server, tool)
		if why.Allowed != f.want[server][i] {
			f.t.Errorf("mcp why %s %s: %+v, the policy says %v", server, tool, why, f.want[server][i])
		}
	}
}

func (f *surfaces) words(surface string, rules policy.Rules, got view.Rules) {
	if got.State != string(rules.State()) || got.Words != rules.List().Text || got.Row.Text != rules.Row().Text ||
		got.Locked != rules.Locked() || got.Resources != rules.Resources() || got.Prompts != rules.Prompts() ||
		!slices.Equal(got.Patterns, rules.Patterns()) {
		f.t.Errorf("%s says %+v, the policy %q", surface, got, rules.List().Text)
	}
}

// run executes one command line in this process, as main would.
func (f *surfaces) run(into any, args ...string) {
	var out, complaints bytes.Buffer
	cli.Main(f.t.Context(), cli.Env{Args: args, Stdin: strings.NewReader(""), Stdout: &out, Stderr: &complaints,
		Getenv: f.getenv, Version: "test", Open: func(o desk.Options) (*desk.Desk, error) { return desk.Open(f.options(o)) }})
	if err := json.Unmarshal(out.Bytes(), into); err != nil {
		f.t.Fatalf("%v: %v\n%s%s", args, err, out.Bytes(), complaints.Bytes())
	}
}

func (f *surfaces) getenv(name string) string {
	switch name {
	case "HERMES_HOME":
		return f.home
	case "HOME":
		return filepath.Dir(f.home)
	}
	return ""
}

func (f *surfaces) options(o desk.Options) desk.Options {
	o.Version, o.Guard, o.Getenv = "test", []string{os.Args[0], "__guard"}, f.getenv
	o.Logger = slog.New(slog.NewTextHandler(io.Discard, nil))
	return o
}

func (f *surfaces) withDesk(use func(*desk.Desk)) {
	d, err := desk.Open(f.options(desk.Options{}))
	if err != nil {
		f.t.Fatal(err)
	}
	defer func() {
		if err := d.Close(); err != nil {
			f.t.Error(err)
		}
	}()
	use(d)
}

// panel takes what the page is given for each server.
func (f *surfaces) panel(d *desk.Desk) {
	for _, name := range f.names {
		detail, err := d.Server(name)
		if err != nil {
			f.t.Error(err)
			continue
		}
		f.words("the page's data", f.rules[name], detail.Server.Tools)
		f.same("the tree of the page", name, f.module.verdicts(f.t, fromBase64(f.t, detail.Tree)))
		for _, tool := range detail.Tools {
			if tool.Allowed != f.rules[name].Allows(tool.Name) {
				f.t.Errorf("the page's data: %s/%s is %v", name, tool.Name, tool.Allowed)
			}
		}
	}
}

// registry builds the catalogue the model is offered.
func (f *surfaces) registry() {
	sources := make([]registry.Source, len(f.names))
	for i, name := range f.names {
		sources[i] = registry.Source{Server: name, Rules: f.rules[name], Known: true}
		for _, tool := range toolPool() {
			sources[i].Tools = append(sources[i].Tools, registry.Tool{Name: tool, InputSchema: json.RawMessage(`{"type":"object"}`)})
		}
	}
	catalog := registry.Build(f.names, sources)
	offered := map[[2]string]bool{}
	for _, entry := range catalog.Entries() {
		offered[[2]string{entry.Server, entry.Tool}] = true
	}
	for _, name := range f.names {
		got, resolved := make([]bool, len(toolPool())), make([]bool, len(toolPool()))
		public := registry.PublicNames(f.names, name, toolPool())
		for i, tool := range toolPool() {
			got[i] = offered[[2]string{name, tool}]
			_, verdict := catalog.Resolve(public[tool])
			resolved[i] = verdict.Allowed
		}
		f.same("the registry's list", name, got)
		f.same("the registry's answer to a call", name, resolved)
	}
}
