package view_test

import (
	"encoding/json"
	"strings"
	"testing"

	"hermes/backend/view"
)

// TestContractNames pins the JSON names that docs/DESIGN.md section 4 promises
// to scripts: a renamed field is a broken contract.
func TestContractNames(t *testing.T) {
	for name, c := range map[string]struct {
		answer any
		want   []string
	}{
		"list": {view.ServerList{Servers: []view.Server{{}}}, []string{
			"config", "path", "revision", "problems", "servers", "name", "transport", "target", "enabled", "status",
			"tools", "state", "held", "words", "patterns", "resources", "prompts", "live", "known", "allowed", "total", "unmatched"}},
		"why":     {view.Why{}, []string{"server", "tool", "allowed", "rule", "reason", "file", "line", "column"}},
		"problem": {view.Problem{}, []string{"message", "hint", "file", "line", "column"}},
		"error":   {view.Error{}, []string{"message", "hint", "file", "line", "column"}},
	} {
		text, err := json.Marshal(c.answer)
		if err != nil {
			t.Fatal(err)
		}
		for _, key := range c.want {
			if !strings.Contains(string(text), `"`+key+`":`) {
				t.Errorf("%s has no %q: %s", name, key, text)
			}
		}
	}
	// What is in force and what the file says are told apart only when held.
	if text, _ := json.Marshal(view.Rules{}); strings.Contains(string(text), `"file"`) {
		t.Errorf("rules that are not held speak of the file: %s", text)
	}
}
