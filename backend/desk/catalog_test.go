package desk

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hermes/backend/view"
)

func TestCatalogRows(t *testing.T) {
	d := openHome(t, "mcp_servers:\n  zeta: {url: 'https://example.com/?token=abcdefgh'}\n  memory: {command: x, enabled: false}\n  alpha: {command: x}\n", Options{})
	known, err := d.Catalog()
	if err != nil {
		t.Fatal(err)
	}
	var custom []string
	for _, row := range known.Rows {
		if row.Origin == "" {
			custom = append(custom, row.Name+"|"+row.StatusText+"|"+row.Description)
		}
		if row.Name == "memory" && (row.Status != view.CatalogDisabled || row.StatusText != "installed (disabled)") {
			t.Errorf("%+v", row)
		}
		if row.Name == "notion" && (row.Status != view.CatalogAvailable || len(row.Variables) != 1 || !row.Variables[0].Secret || row.Variables[0].Set) {
			t.Errorf("%+v", row)
		}
	}
	if got := strings.Join(custom, "\n"); got != "alpha|custom — enabled|x\nzeta|custom — enabled|https://example.com/?token=***" {
		t.Errorf("%s", got)
	}
	text, err := json.Marshal(known)
	if err != nil || bytes.Contains(text, []byte("null")) {
		t.Errorf("a list is null: %s", text)
	}
}

func TestInstallPlanWritesNothing(t *testing.T) {
	d := openHome(t, "", Options{})
	plan, err := d.InstallPlan(view.InstallRequest{Name: "filesystem"})
	if err != nil {
		t.Fatal(err)
	}
	if plan.Confirm || plan.Exists || len(plan.Missing) != 1 || plan.Rules.Text != "9 selected" || len(plan.Unhashed) != 0 || plan.Row.Origin != "built in" {
		t.Errorf("%+v", plan)
	}
	if _, err := os.Stat(d.Paths().Home); err == nil {
		t.Error("a plan made the home")
	}
	if text, _ := json.Marshal(plan); bytes.Contains(text, []byte("null")) {
		t.Errorf("a list is null: %s", text)
	}
}

func TestInstallRefuses(t *testing.T) {
	d := openHome(t, "mcp_servers:\n  memory: {command: node, args: [mine.js]}\n  broken: [x]\n", Options{})
	for _, c := range []struct {
		request    view.InstallRequest
		code, want string
	}{
		{view.InstallRequest{Name: "nothing"}, "failed", "not in the catalogue"},
		{view.InstallRequest{Name: "notion"}, "failed", "needs NOTION_TOKEN"},
		{view.InstallRequest{Name: "notion", Values: map[string]string{"LD_PRELOAD": "x"}}, "usage", "does not ask for LD_PRELOAD"},
		{view.InstallRequest{Name: "memory", Values: map[string]string{"MEMORY_FILE_PATH": "/x"}}, "refused", "starts node mine.js"},
	} {
		_, err := d.Install(context.Background(), c.request, &bytes.Buffer{})
		shown := ErrorView(err)
		if err == nil || shown.Code != c.code || !strings.Contains(shown.Message, c.want) || shown.Hint == "" {
			t.Errorf("%s: %+v", c.request.Name, shown)
		}
	}
	data, err := os.ReadFile(filepath.Join(d.Paths().Home, "config.yaml"))
	if err != nil || !strings.Contains(string(data), "mine.js") {
		t.Errorf("%s %v", data, err)
	}
	if _, err := os.Stat(d.Paths().Env); err == nil {
		t.Error(".env was written")
	}
}
