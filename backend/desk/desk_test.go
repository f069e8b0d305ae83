package desk

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"hermes/backend/config"
	"hermes/backend/mcp"
	"hermes/backend/view"
)

// childOfServer makes this test binary say whose descendant it is.
const childOfServer = "HERMES_TEST_DESCENDANT"

func TestMain(m *testing.M) {
	if os.Getenv(childOfServer) != "" {
		// Like a program that dropped the mark from its own environment.
		os.Stdout.WriteString(descendantOf(func(string) string { return "" }))
		os.Exit(0)
	}
	goleak.VerifyTestMain(m)
}

// openHome opens a desk on a home with this file; an empty text makes none.
func openHome(t *testing.T, text string, o Options) *Desk {
	t.Helper()
	home := filepath.Join(t.TempDir(), "home")
	if text != "" {
		if err := os.MkdirAll(home, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(home, "config.yaml"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	o.Version = "test"
	o.Logger = slog.New(slog.DiscardHandler)
	o.Getenv = func(name string) string {
		if name == "HERMES_HOME" {
			return home
		}
		return ""
	}
	d, err := Open(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	})
	return d
}

// TestDescendant finds the server above a program that hides the mark.
func TestDescendant(t *testing.T) {
	if by := descendantOf(func(name string) string {
		if name == mcp.MarkVariable {
			return "files"
		}
		return ""
	}); by != "files" {
		t.Errorf("the mark itself was not seen: %q", by)
	}
	child := exec.Command("sh", "-c", `env -u `+mcp.MarkVariable+` "$0"; true`, os.Args[0])
	child.Env = append(os.Environ(), mcp.MarkVariable+"=files", childOfServer+"=1")
	out, err := child.Output()
	if err != nil || string(out) != "files" {
		t.Errorf("a child of a child of the server: %q %v", out, err)
	}
}

// TestEditsRefuseDescendants: no edit of any kind runs below a server.
func TestEditsRefuseDescendants(t *testing.T) {
	const text = "mcp_servers:\n  a: {command: x, tools: {include: []}}\n"
	d := openHome(t, text, Options{})
	d.options.Getenv = func(name string) string {
		if name == mcp.MarkVariable {
			return "a"
		}
		return ""
	}
	for name, edit := range map[string]func() (view.EditResult, error){
		"open":   func() (view.EditResult, error) { return d.Open(view.ServerEdit{Server: "a"}) },
		"lock":   func() (view.EditResult, error) { return d.Lock(view.ServerEdit{Server: "a"}) },
		"enable": func() (view.EditResult, error) { return d.SetTool(view.ToolEdit{Server: "a", Tool: "x", On: true}) },
	} {
		if _, err := edit(); err == nil || ErrorView(err).Code != "refused" {
			t.Errorf("%s: %v", name, err)
		}
	}
	_, answered := d.AnswerQuestion(view.Answer{ID: "q", Action: "accept"})
	_, doomed := d.Doomed("last")
	for name, err := range map[string]error{"answer": answered, "serve": d.MayServe(), "delete": doomed} {
		if err == nil || ErrorView(err).Code != "refused" {
			t.Errorf("%s: %v", name, err)
		}
	}
	have, err := os.ReadFile(d.Paths().Config)
	if err != nil || string(have) != text {
		t.Errorf("the file changed: %q %v", have, err)
	}
}

// TestConflict: an edit against a revision that is gone writes nothing.
func TestConflict(t *testing.T) {
	d := openHome(t, "mcp_servers:\n  a: {command: x}\n", Options{})
	_, err := d.SetTool(view.ToolEdit{Server: "a", Tool: "b", Revision: "another"})
	var conflict *config.Conflict
	if !errors.As(err, &conflict) || ErrorView(err).Code != "conflict" {
		t.Fatalf("%v", err)
	}
}

// TestViewsHaveNoNull prints every answer for every kind of server: a list is a
// list, never null.
func TestViewsHaveNoNull(t *testing.T) {
	d := openHome(t, `hooks: {pre_tool_call: [{matcher: "x", command: "y"}]}
mcp_servers:
  open: {command: x}
  locked: {command: x, tools: {include: []}}
  some: {command: x, tools: {include: [a, 'b*']}, trust: untrusted}
  invalid: {command: x, tools: [a]}
  scalar: 42
  off: {url: "https://mcp.example/mcp", enabled: false}
`, Options{})
	check := func(name string, answer any, err error) {
		t.Helper()
		if err != nil {
			t.Errorf("%s: %v", name, err)
			return
		}
		text, err := json.Marshal(answer)
		if err != nil || strings.Contains(string(text), ":null") {
			t.Errorf("%s: %v %s", name, err, text)
		}
	}
	list, err := d.Servers()
	check("servers", list, err)
	tools, err := d.ToolsList()
	check("tools", tools, err)
	overview, err := d.Overview()
	check("overview", overview, err)
	report, err := d.Check()
	check("check", report, err)
	doctor, err := d.Doctor(t.Context())
	check("doctor", doctor, err)
	sessions, err := d.Sessions()
	check("sessions", sessions, err)
	for _, server := range list.Servers {
		detail, err := d.Server(server.Name)
		check("server "+server.Name, detail, err)
		why, err := d.Why(server.Name, "a")
		check("why "+server.Name, why, err)
	}
}

// TestWhyKnowsTheGates: what a hook or missing trust refuses is not "allowed".
func TestWhyKnowsTheGates(t *testing.T) {
	d := openHome(t, `hooks: {pre_tool_call: [{matcher: "mcp__hooked__.*", command: "guard.sh"}]}
approvals: {deny: ["mcp__denied__*"]}
mcp_servers:
  open: {command: x}
  hooked: {command: x}
  denied: {command: x}
  untrusted: {command: x, trust: untrusted}
`, Options{})
	for server, allowed := range map[string]bool{"open": true, "hooked": false, "denied": false, "untrusted": true} {
		why, err := d.Why(server, "a")
		if err != nil || why.Allowed != allowed {
			t.Errorf("%s: %+v %v", server, why, err)
		}
	}
}

// TestUseHome leaves the demo for the user's home: a subscriber hears of it and
// keeps hearing, and nothing of the home is started.
func TestUseHome(t *testing.T) {
	d := openHome(t, "", Options{EmbeddedDefault: true})
	overview, err := d.Overview()
	if err != nil || !overview.Demo || !overview.OfflineModel {
		t.Fatalf("%+v %v", overview, err)
	}
	demo := overview.Home
	if err := d.Watch(); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	signals := d.Subscribe(ctx)
	moved := make(chan struct{})
	go func() {
		defer close(moved)
		for s := range signals {
			if s.Topic == "overview" {
				return
			}
		}
	}()
	overview, err = d.UseHome()
	if err != nil || overview.Demo || overview.Started {
		t.Fatalf("%+v %v", overview, err)
	}
	<-moved
	cancel()
	for range signals {
	}
	if _, err := os.Stat(demo); !os.IsNotExist(err) {
		t.Errorf("the demo home is left: %v", err)
	}
	if _, err := os.Stat(overview.Home); !os.IsNotExist(err) {
		t.Errorf("looking at the home made it: %v", err)
	}
}
