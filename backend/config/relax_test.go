package config

import (
	"os"
	"slices"
	"strings"
	"testing"

	"hermes/backend/policy"
)

func opened(s *Snapshot) []string {
	var out []string
	for _, p := range s.Opened {
		if p.Code != CodeOpened || p.Line == 0 || len(p.Params) != 2 || p.Severity != policy.SeverityWarning {
			out = append(out, "bad problem")
		}
		out = append(out, p.Message)
	}
	return out
}

// TestOpenedWhileNothingRan: what a present key opened while no process of ours
// ran is told at the next start, until it is recorded.
func TestOpenedWhileNothingRan(t *testing.T) {
	const at = "mcp_servers:\n  demo:\n    command: x\n"
	for name, c := range map[string]struct {
		was, now string
		says     []string
	}{
		"a name more":        {"    tools: {include: [a]}\n", "    tools:\n      include: [a, danger]\n", []string{"opened: demo/danger (config.yaml:5)"}},
		"an exclude emptied": {"    tools: {exclude: [x]}\n", "    tools: {exclude: []}\n", []string{"opened: demo/x (config.yaml:4)"}},
		"everything":         {"    tools: {include: []}\n", "    tools: {include: [\"*\"]}\n", nil},
		"a helper":           {"    tools: {include: [a]}\n", "    tools: {include: [a], resources: true}\n", []string{"opened: demo/the helpers for resources (config.yaml:4)"}},
		"trust":              {"    trust: untrusted\n", "    trust: full\n", nil},
		"less":               {"    tools: {include: [a, b]}\n", "    tools: {include: [a]}\n", []string{}},
		"the same":           {"    tools: {include: [a]}\n", "    tools: {include: [a]} # kept\n", []string{}},
		"held, so not":       {"    tools: {include: [a]}\n", "", []string{}},
	} {
		h, _ := kept(t, at+c.was)
		put(t, h.Config(), at+c.now)
		for range 2 {
			got := opened(again(t, h).Current())
			if c.says == nil && len(got) == 0 || c.says != nil && !slices.Equal(got, c.says) && len(got)+len(c.says) > 0 {
				t.Errorf("%s: %q", name, got)
			}
		}
		f := again(t, h)
		record(t, f)
		if got := opened(again(t, h).Current()); len(got) > 0 {
			t.Errorf("%s: told after it was recorded: %q", name, got)
		}
	}
}

// TestOpenedByOurOwnEditIsNotTold: neither before nor after it is recorded.
func TestOpenedByOurOwnEditIsNotTold(t *testing.T) {
	h, f := kept(t, lockedFile)
	apply(t, f, does(policy.ActionOpen, "demo"))
	for range 2 {
		if got := opened(again(t, h).Current()); len(got) > 0 {
			t.Errorf("%q", got)
		}
		record(t, f)
	}
}

// TestOpenedWhileUnreadable: a filter that cannot be read denies, and once it is
// mended it is compared with the last one that could be.
func TestOpenedWhileUnreadable(t *testing.T) {
	const at = "mcp_servers:\n  demo: {command: x, tools: {include: "
	h, _ := kept(t, at+"[a]}}\n")
	put(t, h.Config(), at+"{a: b}}}\n")
	record(t, again(t, h))
	put(t, h.Config(), at+"[a]}}\n")
	if got := opened(again(t, h).Current()); len(got) > 0 {
		t.Errorf("%q", got)
	}
	// The whole file could not be read at the start.
	put(t, h.Config(), "mcp_servers: [")
	f := again(t, h)
	put(t, h.Config(), at+"[a, b]}}\n")
	f.Reload()
	if got := opened(f.Current()); !slices.Equal(got, []string{"opened: demo/b (config.yaml:2)"}) {
		t.Errorf("%q", got)
	}
	// A home without a ledger has nothing to compare with.
	if err := os.Remove(h.ledgerFile()); err != nil {
		t.Fatal(err)
	}
	if got := opened(again(t, h).Current()); len(got) > 0 {
		t.Errorf("%q", got)
	}
}

// TestOpenedSampling: sampling is off until the file writes it on, so only that
// opens it, with a filter or without.
func TestOpenedSampling(t *testing.T) {
	const at = "mcp_servers:\n  demo:\n    command: x\n"
	for name, c := range map[string]struct {
		was, now string
		says     bool
	}{
		"a filter that goes":      {"    tools: {include: [a]}\n", "    tools: {exclude: [b]}\n", false},
		"a lock that goes":        {"    tools: {include: []}\n", "    tools: {include: [\"*\"]}\n", false},
		"written on":              {"    tools: {exclude: [b]}\n", "    tools: {exclude: [b]}\n    sampling: true\n", true},
		"written on, a whitelist": {"    tools: {include: [a]}\n", "    tools: {include: [a]}\n    sampling: true\n", true},
		"written on before":       {"    tools: {include: [a]}\n    sampling: true\n", "    tools: {include: [a, b]}\n    sampling: true\n", false},
		"written off":             {"    tools: {include: [a]}\n", "    tools: {include: [a]}\n    sampling: false\n", false},
	} {
		h, f := kept(t, at+c.was)
		old := f.Current()
		put(t, h.Config(), at+c.now)
		said := slices.ContainsFunc(Relaxations(old, again(t, h).Current()), func(p Problem) bool { return strings.Contains(p.Params[1], "sampling") })
		if said != c.says {
			t.Errorf("%s: told %v: %+v", name, said, Relaxations(old, again(t, h).Current()))
		}
	}
}

// TestStillOpen: a relaxation is told as long as it is one, at the line where it
// stands now.
func TestStillOpen(t *testing.T) {
	const at = "mcp_servers:\n  demo:\n    command: x\n"
	h, f := kept(t, at+"    tools: {exclude: [x, y]}\n")
	old := f.Current()
	put(t, h.Config(), at+"    tools: {exclude: []}\n")
	told := append(Relaxations(old, again(t, h).Current()), Problem{Code: CodeBroken})
	for text, want := range map[string][]string{
		at + "    tools: {exclude: []}\n":              {"opened: demo/x (config.yaml:4)", "opened: demo/y (config.yaml:4)", ""},
		"# one\n" + at + "    tools: {exclude: [x]}\n": {"opened: demo/y (config.yaml:5)", ""},
		at + "    tools: {include: []}\n":              {""},
		at + "    tools: {include: {a: b}}\n":          {""},
		"mcp_servers: {other: {command: x}}\n":         {""},
	} {
		put(t, h.Config(), text)
		got := []string{}
		for _, p := range StillOpen(told, again(t, h).Current()) {
			got = append(got, p.Message)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}
