package policy_test

import (
	"encoding/base64"
	"path/filepath"
	"strings"
	"testing"

	"hermes/backend/config"
	"hermes/backend/policy"
)

// heldDay is since when the rows' restrictions are held.
const heldDay = "2026-01-02"

// heldRow is a row whose server had a restriction before that its file may have
// lost. Was is what the ledger remembers.
type heldRow struct {
	row
	Was   policy.Restriction `json:"was"`
	Since string             `json:"since"`
	Held  bool               `json:"held"`
}

func heldRows(t testing.TB) []heldRow {
	t.Helper()
	var sources []struct {
		Was    string
		source `yaml:",inline"`
	}
	readYAML(t, filepath.Join(dataDir, "held.yaml"), &sources)
	var rows []heldRow
	for _, s := range sources {
		r := heldRow{row: s.row(t), Since: heldDay, Held: strings.HasPrefix(s.List, "held")}
		r.Ref = "6"
		if r.Held {
			r.Row = r.List
		}
		root, err := config.Tree([]byte("mcp_servers:\n  demo: " + s.Was + "\n"))
		if err != nil {
			t.Fatalf("row %q: %v", r.Name, err)
		}
		was, _ := policy.ReadFile(root).Rules("demo")
		r.Was = policy.Remember(policy.Restriction{State: policy.StateOpen}, was)
		r.Tree = base64.StdEncoding.EncodeToString(r.set(t).Encode("demo"))
		rows = append(rows, r)
	}
	return rows
}

func (r heldRow) set(t testing.TB) policy.Set {
	t.Helper()
	root, err := config.Tree([]byte(r.YAML))
	if err != nil {
		t.Fatal(err)
	}
	return policy.ReadFile(root).Hold("demo", r.Since, false, r.Was)
}

// TestDataOfHeldIsGenerated keeps the shared file equal to the rows.
func TestDataOfHeldIsGenerated(t *testing.T) { sameFile(t, "held.json", heldRows(t)) }

// TestHeldRows runs every row natively and through the tree the page gets.
func TestHeldRows(t *testing.T) {
	var rows []heldRow
	readJSON(t, "held.json", &rows)
	for _, r := range rows {
		t.Run(r.Name, func(t *testing.T) {
			rules, _ := r.set(t).Rules("demo")
			data, err := base64.StdEncoding.DecodeString(r.Tree)
			if err != nil {
				t.Fatal(err)
			}
			page, _, err := policy.DecodeServer(data)
			if err != nil {
				t.Fatal(err)
			}
			for _, rules := range []policy.Rules{rules, page} {
				checkRow(t, r.row, rules)
				if rules.IsHeld() != r.Held || r.Held && rules.HeldSince() != r.Since {
					t.Errorf("held is %v, since %q", rules.IsHeld(), rules.HeldSince())
				}
			}
		})
	}
}
