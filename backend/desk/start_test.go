package desk

import (
	"os"
	"strings"
	"testing"

	"hermes/backend/view"
)

// TestStartIsRemembered: the click makes our own folder, so that locks and
// definitions outlive the run and others find it; a look and a demo make none.
func TestStartIsRemembered(t *testing.T) {
	d := openHome(t, "mcp_servers:\n  demo: {command: no-such-program, tools: {include: []}}\n", Options{})
	native := d.Paths().Native
	if _, err := d.Overview(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(native); !os.IsNotExist(err) {
		t.Fatalf("a look wrote: %v", err)
	}
	if err := d.Start(); err != nil {
		t.Fatal(err)
	}
	ledger, err := os.ReadFile(d.current().Home().Ledger())
	if err != nil || !strings.Contains(string(ledger), "demo") {
		t.Errorf("the lock is not remembered: %q %v", ledger, err)
	}

	none := openHome(t, "", Options{})
	if err := none.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(none.Paths().Home); !os.IsNotExist(err) {
		t.Errorf("a home was made: %v", err)
	}
	demo := openHome(t, "", Options{Demo: true})
	if err := demo.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(demo.Paths().Native); !os.IsNotExist(err) {
		t.Errorf("the demo is remembered: %v", err)
	}
}

// TestStartWithoutASight: a click on a file that cannot be read starts nothing,
// also not what stands there after the repair.
func TestStartWithoutASight(t *testing.T) {
	const good = "mcp_servers:\n  demo: {command: no-such-program}\n"
	d := openHome(t, good+"x: [\n", Options{})
	over, err := d.Overview()
	if err != nil || len(over.Notices) != 1 || !strings.Contains(over.Notices[0].Hint, "nothing starts until") {
		t.Errorf("the overview does not say so: %+v %v", over.Notices, err)
	}
	if err := d.Start(); err == nil || ErrorView(err).Line == 0 {
		t.Errorf("the click was taken: %v", err)
	}
	started := func() bool {
		over, err := d.Overview()
		if err != nil {
			t.Fatal(err)
		}
		return over.Started
	}
	if err := os.WriteFile(d.Paths().Config, []byte(good), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := d.Glance(); err != nil {
		t.Fatal(err)
	}
	if detail, err := d.Server("demo"); err != nil || detail.Server.Status != view.StatusReady || started() {
		t.Errorf("%+v %v: it was started without a look", detail.Server, err)
	}
	if err := d.Start(); err != nil || !started() {
		t.Errorf("the second click does not count: %v", err)
	}
	// With rules that were read once, the click means the programs that are shown.
	known := openHome(t, good, Options{})
	if err := os.WriteFile(known.Paths().Config, []byte(good+"x: [\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := known.Glance(); err != nil {
		t.Fatal(err)
	}
	if err := known.Start(); err != nil {
		t.Error(err)
	}
}
