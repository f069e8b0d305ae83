package policy_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"hermes/backend/config"
	"hermes/backend/policy"
)

// TestEditsOnFiles runs the shared edits through the writer: what is planned on
// the tree is what the file says afterwards, and a refusal or an edit that
// changes nothing leaves every byte.
func TestEditsOnFiles(t *testing.T) {
	if testing.Short() {
		t.Skip("writes many files")
	}
	var rows []editRow
	readJSON(t, "edits.json", &rows)
	for _, r := range rows {
		t.Run(r.Name, func(t *testing.T) {
			home := config.Home{Dir: t.TempDir()}
			path := filepath.Join(home.Dir, "config.yaml")
			if err := os.WriteFile(path, []byte(r.YAML), 0o600); err != nil {
				t.Fatal(err)
			}
			file := config.Open(home, config.Options{Getenv: func(string) string { return "" }})
			file.Load()
			result, err := file.Apply(context.Background(), config.Edit{Server: r.Server, Intent: r.intent()})
			have, readErr := os.ReadFile(path)
			if readErr != nil {
				t.Fatal(readErr)
			}
			if r.Refused != "" || r.Unchanged {
				var refused *config.Refused
				if r.Refused != "" && !errors.As(err, &refused) && !errors.Is(err, config.ErrUnknownServer) || r.Unchanged && (err != nil || result.Changed) {
					t.Errorf("changed is %v, %v", result.Changed, err)
				}
				if string(have) != r.YAML {
					t.Errorf("the file became\n%s", have)
				}
				return
			}
			if err != nil || !result.Changed {
				t.Fatalf("changed is %v: %v", result.Changed, err)
			}
			set := setOf(t, string(have))
			rules, _ := set.Rules(r.Server)
			if rules.Row().Text != r.Row {
				t.Errorf("the file says %s:\n%s", rules.Row().Text, have)
			}
			checkAfter(t, r, set.Entry(r.Server))
		})
	}
}

// TestInverseRestoresBytes: an edit and its inverse leave the file byte for
// byte, also what the edit created.
func TestInverseRestoresBytes(t *testing.T) {
	if testing.Short() {
		t.Skip("writes many files")
	}
	for name, text := range map[string]string{
		"no tools block":        "mcp_servers:\n  demo:\n    command: x # runs it\n",
		"entry in braces":       "mcp_servers: {demo: {command: x}}\n",
		"empty entry":           "mcp_servers:\n  demo: {}\n",
		"empty braces":          "mcp_servers:\n  demo:\n    command: x\n    tools: {}\n",
		"whitelist in brackets": "mcp_servers:\n  demo:\n    tools: {include: [a,  b]}  # two\n",
		"empty whitelist":       "mcp_servers:\n  demo:\n    tools:\n      include: []  # locked\n",
		"whitelist in lines":    "mcp_servers:\n  demo:\n    tools:\n      include:\n      - a # first\n      - b\n    command: x\n",
		"blacklist in lines":    "mcp_servers:\r\n  demo:\r\n    tools:\r\n      exclude:\r\n        - a\r\n      prompts: false\r\n",
		"no last line break":    "mcp_servers:\n  demo:\n    command: x",
		"helpers off":           "mcp_servers:\n  demo:\n    tools:\n      resources: false\n",
	} {
		t.Run(name, func(t *testing.T) {
			rules, _ := setOf(t, text).Rules("demo")
			there, back := policy.ActionOff, policy.ActionOn
			if !rules.Allows("read_file") {
				there, back = back, there
			}
			changed := applied(t, text, policy.Intent{Action: there, Tool: "read_file"})
			if changed == text {
				t.Fatal("nothing changed")
			}
			if have := applied(t, changed, policy.Intent{Action: back, Tool: "read_file"}); have != text {
				t.Errorf("have\n%s\nwant\n%s\nbetween\n%s", have, text, changed)
			}
		})
	}
}

func applied(t *testing.T, text string, intent policy.Intent) string {
	t.Helper()
	home := config.Home{Dir: t.TempDir()}
	path := filepath.Join(home.Dir, "config.yaml")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	file := config.Open(home, config.Options{Getenv: func(string) string { return "" }})
	file.Load()
	if _, err := file.Apply(context.Background(), config.Edit{Server: "demo", Intent: intent}); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}
