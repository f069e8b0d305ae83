package config

import (
	"context"
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"hermes/backend/policy"
)

// kept makes a home with our own folder, in which a file is recorded, and the
// process that did so.
func kept(t *testing.T, content string) (Home, *File) {
	t.Helper()
	h := home(t, content)
	if err := os.Mkdir(h.Native(), 0o700); err != nil {
		t.Fatal(err)
	}
	f := Open(h, Options{Getenv: env("HOME", h.Dir), Now: clock(), Settle: time.Millisecond})
	f.Load()
	record(t, f)
	return h, f
}

// again is another process that looks at the home.
func again(t *testing.T, h Home) *File { return quick(t, h) }

func isHeld(t *testing.T, f *File, name string) bool {
	t.Helper()
	sv, ok := f.Current().Server(name)
	if !ok {
		t.Fatalf("no server %s", name)
	}
	rules, _ := f.Current().Policy.Rules(name)
	if !rules.Equal(sv.Rules) || sv.Rules.IsHeld() != (sv.Hold != nil) || sv.Untrusted != sv.Rules.Untrusted() {
		t.Errorf("%s: the policy and the server differ", name)
	}
	return sv.Hold != nil
}

func does(action policy.Action, server string) Edit {
	return Edit{Server: server, Intent: policy.Intent{Action: action}}
}

const (
	lockedFile = "mcp_servers:\n  demo:\n    command: x\n    tools:\n      include: []\n"
	openedFile = "mcp_servers:\n  demo:\n    command: x\n"
)

func TestLostKeyIsHeld(t *testing.T) {
	h, f := kept(t, lockedFile)
	put(t, h.Config(), openedFile)
	snap, _ := f.Reload()
	if !isHeld(t, f, "demo") || allows(snap, "demo", "a") {
		t.Fatal("the deleted key opened the server")
	}
	record(t, f)
	for _, g := range []*File{f, again(t, h), again(t, h)} {
		sv, _ := g.Current().Server("demo")
		if !isHeld(t, g, "demo") || sv.Hold.Day() != "2026-01-01" || sv.Hold.Was.State != policy.StateOnly || sv.Hold.Revision == "" {
			t.Fatalf("after a restart: %+v", sv.Hold)
		}
		if ok, p := g.Current().MayRun("demo"); ok || p.Code != CodeHeld || !strings.Contains(p.Hint, "restore demo") || p.Line != 2 {
			t.Errorf("it may run: %+v", p)
		}
		record(t, g)
	}
	if len(f.Current().bare.Servers) != 1 || f.Current().bare.Servers[0].Rules.IsHeld() {
		t.Error("the bare state is held")
	}
	// Whatever the file says next: only the ways out end it.
	put(t, h.Config(), strings.Replace(lockedFile, "[]", `["*"]`, 1))
	f.Reload()
	if !isHeld(t, f, "demo") || allows(f.Current(), "demo", "a") {
		t.Error("a second edit from outside ended the hold")
	}
	put(t, h.Config(), lockedFile)
	f.Reload()
	if isHeld(t, f, "demo") {
		t.Error("the key is back and the server is held")
	}
}

func TestPresentKeyActsAtOnce(t *testing.T) {
	h, f := kept(t, lockedFile)
	put(t, h.Config(), strings.Replace(lockedFile, "[]", `["*"]`, 1))
	old := f.Current()
	f.Reload()
	if isHeld(t, f, "demo") || !allows(f.Current(), "demo", "a") {
		t.Fatal("what a present key says is held")
	}
	var said []string
	for _, p := range Relaxations(old, f.Current()) {
		said = append(said, p.Message)
	}
	if len(said) == 0 || !strings.HasPrefix(said[0], "opened: demo/") || !strings.Contains(said[0], "config.yaml:5") {
		t.Errorf("%q", said)
	}
}

func TestWaysOut(t *testing.T) {
	for _, c := range []struct {
		action policy.Action
		file   string
		allows bool
	}{
		{policy.ActionOpen, openedFile, true},
		{policy.ActionLock, lockedFile, false},
		{policy.ActionRestore, lockedFile, false},
	} {
		h, f := kept(t, lockedFile)
		put(t, h.Config(), openedFile)
		other := again(t, h)
		f.Reload()
		record(t, f)
		if _, err := f.Apply(context.Background(), on("demo", "a")); err == nil {
			t.Error("a tool of a held server was turned on")
		}
		r := apply(t, f, does(c.action, "demo"))
		if !r.Changed || isHeld(t, f, "demo") || allows(r.Snapshot, "demo", "a") != c.allows || get(t, h.Config()) != c.file {
			t.Errorf("%s: %+v\n%s", c.action, r, get(t, h.Config()))
		}
		other.Reload()
		for _, g := range []*File{f, other, again(t, h)} {
			if isHeld(t, g, "demo") || allows(g.Current(), "demo", "a") != c.allows {
				t.Errorf("%s: another process holds it", c.action)
			}
			record(t, g)
		}
		l, _ := ReadLedger(h)
		if e, there := l.Servers["demo"]; len(e.Lost) != 0 || e.Grant != nil || there == c.allows {
			t.Errorf("%s: the ledger says %+v", c.action, e)
		}
	}
}

func TestRestoreOfWhatIsNotHeld(t *testing.T) {
	h, f := kept(t, lockedFile)
	_, err := f.Apply(context.Background(), does(policy.ActionRestore, "demo"))
	var r *Refused
	if !errors.As(err, &r) || !strings.Contains(r.Message, "not held") || r.Hint == "" || get(t, h.Config()) != lockedFile {
		t.Errorf("%v", err)
	}
}

// TestOurOwnEditsAreNotHeld: open, and the edit that takes the last name out of
// exclude, remove a key and are accepted by every process.
func TestOurOwnEditsAreNotHeld(t *testing.T) {
	h, f := kept(t, "mcp_servers:\n  demo: {command: x, tools: {include: []}}\n  less: {command: y, tools: {exclude: [a]}}\n")
	other := again(t, h)
	apply(t, f, does(policy.ActionOpen, "demo"))
	other.Reload()
	apply(t, f, on("less", "a"))
	for _, g := range []*File{f, again(t, h)} {
		if isHeld(t, g, "demo") || isHeld(t, g, "less") || !allows(g.Current(), "demo", "a") || !allows(g.Current(), "less", "a") {
			t.Error("our own edit is held")
		}
	}
	other.Reload()
	if isHeld(t, other, "demo") || isHeld(t, other, "less") {
		t.Error("another process holds our edit")
	}
	record(t, other)
	record(t, f)
	if l, _ := ReadLedger(h); len(l.Servers) != 0 || len(l.Known) != 2 {
		t.Errorf("%+v", l)
	}
}

// TestOtherWritersOfOursDoNotGrant: what is changed by path is outside.
func TestOtherWritersOfOursDoNotGrant(t *testing.T) {
	h := home(t, lockedFile) // nothing was recorded yet
	f := quick(t, h)
	if _, err := f.Change(context.Background(), Change{Steps: []Step{{Kind: StepDelete, Path: []string{"mcp_servers", "demo", "tools"}}}}); err != nil {
		t.Fatal(err)
	}
	if !isHeld(t, f, "demo") || !isHeld(t, again(t, h), "demo") {
		t.Error("deleting a key by path opened the server")
	}
}

// TestKilledBetweenGrantAndFile: the file was never written, so nothing opens,
// and the grant of a state that is not there is gone with the next record.
func TestKilledBetweenGrantAndFile(t *testing.T) {
	h, f := kept(t, lockedFile)
	killed := errors.New("killed")
	rename := f.write.rename
	f.write.rename = func(from, to string) error {
		if to == h.Config() {
			return killed
		}
		return rename(from, to)
	}
	if _, err := f.Apply(context.Background(), does(policy.ActionOpen, "demo")); !errors.Is(err, killed) {
		t.Fatal(err)
	}
	l, _ := ReadLedger(h)
	if l.Servers["demo"].Grant == nil || get(t, h.Config()) != lockedFile {
		t.Fatalf("no grant before the file: %+v", l)
	}
	g := again(t, h)
	if allows(g.Current(), "demo", "a") {
		t.Error("a grant alone opens")
	}
	record(t, g)
	put(t, h.Config(), openedFile)
	g.Reload()
	if !isHeld(t, g, "demo") {
		t.Error("an old grant opened the server")
	}
	// The file was written and the record was not: the state is the granted one.
	h, f = kept(t, lockedFile)
	apply(t, f, does(policy.ActionOpen, "demo"))
	if l, _ := ReadLedger(h); l.Servers["demo"].Grant == nil {
		t.Error("no grant was given")
	}
	if isHeld(t, again(t, h), "demo") {
		t.Error("the granted state is held")
	}
	put(t, h.Config(), strings.Replace(openedFile, "command: x", "command: x\n    tools: {exclude: [b]}", 1))
	if !isHeld(t, again(t, h), "demo") {
		t.Error("a grant for one state opened another")
	}
}

// TestGrantIsNotOverwrittenByAnOldState: a process that still has the state from
// before records nothing over what another one wrote.
func TestGrantIsNotOverwrittenByAnOldState(t *testing.T) {
	h, f := kept(t, lockedFile)
	other := again(t, h)
	apply(t, f, does(policy.ActionOpen, "demo"))
	record(t, other)
	if isHeld(t, again(t, h), "demo") {
		t.Error("the grant was lost")
	}
	record(t, f)
	record(t, other)
	if isHeld(t, again(t, h), "demo") {
		t.Error("an old state was recorded")
	}
}

func TestNameAndProgram(t *testing.T) {
	const program = "command: npx, args: [-y, server]"
	for name, c := range map[string]struct {
		now  string
		held map[string]bool
	}{
		"renamed without its key":      {"new: {" + program + "}", map[string]bool{"new": true}},
		"renamed with a key":           {"new: {" + program + ", tools: {include: [a]}}", map[string]bool{"new": false}},
		"another program":              {"new: {command: other}", map[string]bool{"new": false}},
		"beside the locked one":        {"demo: {" + program + ", tools: {include: []}}\n  new: {" + program + "}", map[string]bool{"demo": false, "new": true}},
		"beside the held one":          {"demo: {" + program + "}\n  new: {" + program + "}", map[string]bool{"demo": true, "new": true}},
		"beside it with its own word":  {"demo: {" + program + ", tools: {include: []}}\n  new: {" + program + ", tools: {include: [a]}}", map[string]bool{"demo": false, "new": false}},
		"known with another program":   {"demo: {" + program + ", tools: {include: []}}\n  free: {" + program + "}", map[string]bool{"demo": false, "free": true}},
		"removed, added, and again it": {"demo: {" + program + "}", map[string]bool{"demo": true}},
	} {
		h, f := kept(t, "mcp_servers:\n  demo: {"+program+", tools: {include: []}}\n  free: {command: y}\n")
		put(t, h.Config(), "mcp_servers:\n  "+c.now+"\n")
		f.Reload()
		record(t, f)
		for _, g := range []*File{f, again(t, h)} {
			for server, held := range c.held {
				if isHeld(t, g, server) != held {
					t.Errorf("%s: %s held is %v", name, server, !held)
				}
			}
		}
		for server, held := range c.held {
			if held {
				apply(t, f, does(policy.ActionOpen, server))
				record(t, f)
				if isHeld(t, again(t, h), server) {
					t.Errorf("%s: %s is held after open", name, server)
				}
			}
		}
	}
}

func TestFileVanishesAndReturns(t *testing.T) {
	h, f := kept(t, lockedFile)
	for _, way := range []func(){
		func() { _ = os.Remove(h.Config()) },
		func() { put(t, h.Config(), "") },
		func() { put(t, h.Config(), "mcp_servers: {}\n") },
		func() { put(t, h.Config(), "mcp_servers: {other: {command: z}}\n") },
	} {
		way()
		f.Reload()
		record(t, f)
		record(t, again(t, h))
		put(t, h.Config(), openedFile)
		f.Reload()
		if !isHeld(t, f, "demo") || !isHeld(t, again(t, h), "demo") {
			t.Error("forgotten while the file was away")
		}
	}
}
