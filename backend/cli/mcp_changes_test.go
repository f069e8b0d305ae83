package cli

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"hermes/backend/view"
)

// TestManyChanges: 500 tools that are new or changed are counted, the first ones are
// shown, and it is said how the others are seen.
func TestManyChanges(t *testing.T) {
	s := view.ServerChanges{Server: "demo"}
	detail := view.ServerDetail{Server: view.Server{Name: "demo"}}
	for i := range 500 {
		name := fmt.Sprintf("tool_%03d", i)
		s.New = append(s.New, "new_"+name)
		s.Tools = append(s.Tools, view.ToolChange{Tool: name, Lines: []view.ChangeLine{{Kind: "new", Text: "text of " + name}}})
		detail.Tools = append(detail.Tools, view.Tool{Server: "demo", Name: name, Changed: true}, view.Tool{Server: "demo", Name: "odd" + name, Quarantine: "no schema"})
	}
	detail.Server.Live.New = s.New
	print := func(what func(*app)) string {
		var out bytes.Buffer
		what(&app{out: &printer{out: &out}})
		return out.String()
	}
	few := print(func(a *app) { a.printChanges(view.Changes{Servers: []view.ServerChanges{s}}, false) })
	for _, words := range []string{"demo: 490 more changed and blocked; `hermes mcp changes demo --all` shows them", "demo: 500 new: new_tool_000, ", "new_tool_009 and 490 more; `hermes mcp changes demo --all` names them"} {
		if !strings.Contains(few, words) {
			t.Errorf("not said: %q", words)
		}
	}
	if strings.Contains(few, "tool_010") || strings.Count(few, "text of") != 10 || strings.Count(few, "\n") > 50 {
		t.Errorf("it says\n%s", few)
	}
	all := print(func(a *app) { a.printChanges(view.Changes{Servers: []view.ServerChanges{s}}, true) })
	if strings.Count(all, "text of") != 500 || strings.Count(all, "new_tool_") != 500 || strings.Contains(all, "more") {
		t.Errorf("with --all it says %.2000s", all)
	}
	met := print(func(a *app) { a.out.printChanged(detail) })
	if lines := strings.Count(met, "\n"); lines != 13 || !strings.Contains(met, "New tools: 500, on: new_tool_000") || !strings.Contains(met, "Blocked: 500 tools whose definitions changed: tool_000") {
		t.Errorf("%d lines: %s", lines, met)
	}
}
