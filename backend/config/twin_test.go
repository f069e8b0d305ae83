package config

import (
	"os"
	"strings"
	"testing"

	"hermes/backend/policy"
)

const (
	oldProgram = "command: npx, args: [-y, server, /srv]"
	newProgram = "command: npx, args: [-y, server, /home]"
)

// TestProgramOfALockedServerStaysShut: a program that was locked is held under
// every other name, also where its own server starts something else by now.
func TestProgramOfALockedServerStaysShut(t *testing.T) {
	const locked = ", tools: {include: []}}\n"
	for name, c := range map[string]struct {
		steps []string // the servers after each edit from outside
		held  bool
	}{
		"given to an open server in the same edit": {[]string{"demo: {" + newProgram + locked + "  other: {" + oldProgram + "}"}, true},
		"with the lock's server opened":            {[]string{"demo: {" + newProgram + ", tools: {include: [\"*\"]}}\n  other: {" + oldProgram + "}"}, true},
		"in two edits":                             {[]string{"demo: {" + newProgram + locked + "  other: {command: y}", "demo: {" + newProgram + locked + "  other: {" + oldProgram + "}"}, true},
		"two programs ago":                         {[]string{"demo: {" + newProgram + locked, "demo: {command: z" + locked, "demo: {command: y" + locked + "  other: {" + oldProgram + "}"}, true},
		"under a new name":                         {[]string{"demo: {" + newProgram + locked + "  third: {command: y}\n  other: {" + oldProgram + "}"}, true},
		"while its name stood twice":               {[]string{"demo: {" + oldProgram + locked + "  other: {command: y}\n  other: {" + oldProgram + "}", "demo: {" + oldProgram + locked + "  other: {" + oldProgram + "}"}, true},
		"by one with a restriction of its own":     {[]string{"demo: {" + oldProgram + locked + "  other: {command: y, trust: untrusted}", "demo: {" + oldProgram + locked + "  other: {" + oldProgram + ", trust: untrusted}"}, true},
		"renamed and back":                         {[]string{"new: {" + oldProgram + "}", "new: {" + oldProgram + "}\n  other: {" + oldProgram + "}"}, true},
		"with its own word":                        {[]string{"demo: {" + newProgram + locked + "  other: {" + oldProgram + ", tools: {include: [a]}}"}, false},
		"of a server that is open since":           {[]string{"demo: {" + oldProgram + ", tools: {include: [\"*\"]}}\n  other: {command: y}", "demo: {" + newProgram + ", tools: {include: [\"*\"]}}\n  other: {" + oldProgram + "}"}, false},
		"another one":                              {[]string{"demo: {" + newProgram + locked + "  other: {command: x}"}, false},
	} {
		h, f := kept(t, "mcp_servers:\n  demo: {"+oldProgram+", tools: {include: []}}\n  other: {command: y}\n")
		for _, step := range c.steps {
			put(t, h.Config(), "mcp_servers:\n  "+strings.TrimSpace(step)+"\n")
			f.Reload()
			if f.Current().Broken {
				t.Fatalf("%s: %+v", name, f.Current().Problems)
			}
			if g := again(t, h); g.Current().NewHolds() {
				record(t, g) // as a host does at its start
			}
			record(t, f)
		}
		for _, g := range []*File{f, again(t, h)} {
			if isHeld(t, g, "other") != c.held || allows(g.Current(), "other", "b") == c.held && name != "with its own word" {
				t.Errorf("%s: held is %v", name, !c.held)
			}
		}
		if !c.held {
			continue
		}
		sv, _ := f.Current().Server("other")
		p := sv.HeldProblem(h.Config())
		if p.Code != CodeHeldTwin || len(p.Params) != 2 || !strings.Contains(p.Message, "starts the same program as '"+p.Params[1]+"', which ") || strings.Contains(p.Message, "gone") {
			t.Errorf("%s: %+v", name, p)
		}
		apply(t, f, does(policy.ActionRestore, "other"))
		record(t, f)
		if g := again(t, h); isHeld(t, g, "other") || allows(g.Current(), "other", "b") {
			t.Errorf("%s: restore did not shut it", name)
		}
		apply(t, f, does(policy.ActionOpen, "other"))
		record(t, f)
		if g := again(t, h); isHeld(t, g, "other") || !allows(g.Current(), "other", "b") {
			t.Errorf("%s: a person's open does not count", name)
		}
	}
}

// TestOldNameIsNewAfterARename: the entry moved to another name, so the old one
// is no way around it.
func TestOldNameIsNewAfterARename(t *testing.T) {
	h, f := kept(t, "mcp_servers:\n  demo: {"+oldProgram+", tools: {include: []}}\n")
	for _, servers := range []string{"new: {" + oldProgram + "}", "new: {" + oldProgram + "}\n  demo: {" + oldProgram + "}"} {
		put(t, h.Config(), "mcp_servers:\n  "+servers+"\n")
		f.Reload()
		record(t, f)
	}
	if !isHeld(t, f, "new") || !isHeld(t, f, "demo") || !isHeld(t, again(t, h), "demo") {
		t.Error("the old name opens it")
	}
}

// TestTwinWords: what the other one is now is said as it is.
func TestTwinWords(t *testing.T) {
	h, f := kept(t, "mcp_servers:\n  demo: {"+oldProgram+", tools: {include: []}}\n")
	says := func(what string) {
		t.Helper()
		sv, _ := f.Current().Server("other")
		if p := sv.HeldProblem(h.Config()); !strings.Contains(p.Message, "'demo', which "+what+";") || !strings.Contains(p.Hint, "restore other") {
			t.Errorf("%+v", p)
		}
	}
	const other = "  other: {" + oldProgram + "}\n"
	for _, c := range []struct{ demo, says string }{
		{"  demo: {" + oldProgram + ", tools: {include: []}}\n", "is locked"},
		{"  demo: {" + oldProgram + "}\n", "is held"},
		{"", "was locked"},
	} {
		put(t, h.Config(), "mcp_servers:\n"+c.demo+other)
		f.Reload()
		record(t, f)
		says(c.says)
	}
	if l, _ := ReadLedger(h); l.Servers["other"].Twin != "demo" {
		t.Errorf("%+v", l.Servers["other"])
	}
	if _, err := os.Stat(h.ledgerFile()); err != nil {
		t.Error(err)
	}
}
