package main

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"hermes/backend/view"
)

// policyRow is one row of testdata/policy/filter.json as far as the command
// line shows it.
type policyRow struct {
	Name       string          `json:"name"`
	YAML       string          `json:"yaml"`
	Server     string          `json:"server"`
	Unreadable bool            `json:"unreadable"`
	Unknown    bool            `json:"unknown"`
	State      string          `json:"state"`
	Patterns   []string        `json:"patterns"`
	List       string          `json:"list"`
	Row        string          `json:"row"`
	Unseen     string          `json:"panel_unknown"`
	Locked     bool            `json:"locked"`
	Verdicts   map[string]bool `json:"verdicts"`
	Resources  bool            `json:"resources"`
	Prompts    bool            `json:"prompts"`
}

// TestPolicyDataOnCommandLine runs every row of the filter's data through the
// real program: `mcp list --json` and `mcp why` say what the row says.
func TestPolicyDataOnCommandLine(t *testing.T) {
	data, err := os.ReadFile("testdata/policy/filter.json")
	if err != nil {
		t.Fatal(err)
	}
	var rows []policyRow
	if err := json.Unmarshal(data, &rows); err != nil {
		t.Fatal(err)
	}
	if len(rows) < 100 {
		t.Fatalf("only %d rows were read", len(rows))
	}
	for i, row := range rows {
		t.Run(row.Name, func(t *testing.T) {
			t.Parallel()
			home := filepath.Join(t.TempDir(), "home")
			writeFile(t, filepath.Join(home, "config.yaml"), row.YAML)
			server, found := listed(t, home, row)
			if !found {
				return
			}
			if server.Tools.State != row.State || server.Tools.Words != row.List || server.Tools.Row.Text != row.Row ||
				row.Unseen != "" && server.Tools.Panel.Text != row.Unseen || server.Tools.Locked != row.Locked ||
				server.Tools.Resources != row.Resources || server.Tools.Prompts != row.Prompts ||
				!slices.Equal(server.Tools.Patterns, row.Patterns) {
				t.Errorf("list says %+v, the row %+v", server.Tools, row)
			}
			why(t, home, row, i)
		})
	}
}

// TestHeldDataOnCommandLine runs the rows of what is held through the real
// program, with a ledger that remembers what each row was.
func TestHeldDataOnCommandLine(t *testing.T) {
	data, err := os.ReadFile("testdata/policy/held.json")
	if err != nil {
		t.Fatal(err)
	}
	var rows []struct {
		policyRow
		Was       map[string]any `json:"was"`
		Since     string         `json:"since"`
		Held      bool           `json:"held"`
		Untrusted bool           `json:"untrusted"`
	}
	if err := json.Unmarshal(data, &rows); err != nil {
		t.Fatal(err)
	}
	for i, row := range rows {
		t.Run(row.Name, func(t *testing.T) {
			t.Parallel()
			home := filepath.Join(t.TempDir(), "home")
			writeFile(t, filepath.Join(home, "config.yaml"), row.YAML)
			row.Was["since"] = row.Since + "T12:00:00Z"
			ledger, err := json.Marshal(map[string]any{"version": 1, "servers": map[string]any{"demo": row.Was}})
			if err != nil {
				t.Fatal(err)
			}
			writeFile(t, filepath.Join(home, "native", "ledger.json"), string(ledger))
			server, _ := listed(t, home, row.policyRow)
			if server.Tools.State != row.State || server.Tools.Words != row.List || server.Tools.Row.Text != row.Row || server.Tools.Held != row.Held ||
				server.Tools.Locked != row.Locked || server.Tools.Resources != row.Resources || !slices.Equal(server.Tools.Patterns, row.Patterns) {
				t.Errorf("list says %+v, the row %+v", server.Tools, row)
			}
			if row.Held != (server.Status == view.StatusHeld) || row.Held != (server.Tools.Hold != nil) || row.Held != (server.Tools.File != nil) {
				t.Errorf("held is %v: %+v", row.Held, server)
			}
			if !row.Untrusted { // nobody can be asked here, whatever the rules say
				why(t, home, row.policyRow, i)
			}
		})
	}
}

// listed finds the row's server in `mcp list --json`; where the file cannot be
// read or has no such server, it checks that too.
func listed(t *testing.T, home string, row policyRow) (view.Server, bool) {
	t.Helper()
	out, err := hermes(t.Context(), home, "mcp", "list", "--json").Output()
	if (err != nil) != row.Unreadable && !row.Unknown {
		// Problems around the servers make the list a finding as well.
		t.Logf("exit: %v", err)
	}
	var list view.ServerList
	if err := json.Unmarshal(out, &list); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	for _, server := range list.Servers {
		if server.Name == row.Server {
			if row.Unreadable || row.Unknown {
				t.Fatalf("the list has a server that the row does not: %+v", server)
			}
			return server, true
		}
	}
	if !row.Unreadable && !row.Unknown {
		t.Fatalf("the list does not have %q: %s", row.Server, out)
	}
	return view.Server{}, false
}

// why asks about one tool of the row, another one in each row.
func why(t *testing.T, home string, row policyRow, i int) {
	t.Helper()
	names := slices.Sorted(maps.Keys(row.Verdicts))
	if len(names) == 0 {
		return
	}
	name := names[i%len(names)]
	if name == "" {
		return // the command line takes no empty name for a tool
	}
	out, _ := hermes(t.Context(), home, "mcp", "why", "--json", "--", row.Server, name).Output()
	var answer view.Why
	if err := json.Unmarshal(out, &answer); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	// A server that is not started has no tool to call, whatever its rules say.
	if answer.Allowed && !row.Verdicts[name] || !answer.Allowed && row.Verdicts[name] && answer.Rule != "server.connection" && answer.Rule != "server.disabled" {
		t.Errorf("why says %+v, the row says %q is %v", answer, name, row.Verdicts[name])
	}
	if !answer.Allowed && answer.Line == 0 && answer.Rule != "server.blocked" {
		t.Errorf("the reason has no line: %+v", answer)
	}
}
