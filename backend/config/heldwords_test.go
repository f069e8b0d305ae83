package config

import (
	"strings"
	"testing"
)

// TestUnlockThatWaits: a locked server that somebody releases a tool of while an
// agent is at work does not run, and is said to wait, not to be locked by a file
// that says otherwise.
func TestUnlockThatWaits(t *testing.T) {
	h, f, _ := atWork(t, oneServer("command: x|tools: {include: []}"), "")
	put(t, h.Config(), oneServer("command: x|tools: {include: [a]}"))
	s, _ := f.Reload()
	may, why := s.MayRun("demo")
	if may || why.Code != CodeWaits || !strings.Contains(why.Message, "demo/a") || why.Line != 4 || why.Hint == "" {
		t.Errorf("%v %+v", may, why)
	}
	sv, _ := s.Server("demo")
	if v := sv.Rules.Tool("a"); v.Allowed || v.Rule != "waits" {
		t.Errorf("%+v", v)
	}
}

// TestTwinWithAFilterOfItsOwn: a server that is held because of another one, and
// whose file says something by now, is told with both.
func TestTwinWithAFilterOfItsOwn(t *testing.T) {
	const program = "command: npx, args: [-y, server]"
	h, f := kept(t, "mcp_servers:\n  demo: {"+program+", tools: {include: []}}\n")
	put(t, h.Config(), "mcp_servers:\n  demo: {"+program+", tools: {include: []}}\n  new: {"+program+"}\n")
	f.Reload()
	record(t, f)
	put(t, h.Config(), "mcp_servers:\n  demo: {"+program+", tools: {include: []}}\n  new: {"+program+", tools: {include: [echo]}}\n")
	s, _ := f.Reload()
	sv, _ := s.Server("new")
	p := sv.HeldProblem(s.Path)
	if p.Code != CodeHeldTwinRewritten || !p.IsHeld() || p.Line != 3 || p.Column != 51 || p.Params[2] != "include: [echo]" {
		t.Errorf("%+v", p)
	}
	for _, want := range []string{"the same program as 'demo', which is locked", "the file says `include: [echo]` now"} {
		if !strings.Contains(p.Message, want) {
			t.Errorf("%q is not in %q", want, p.Message)
		}
	}
	if !strings.Contains(p.Hint, "once `include: [echo]` is out of the file") {
		t.Error(p.Hint)
	}
}
