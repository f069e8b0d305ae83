package desk

import (
	"os"
	"strings"
	"testing"

	"hermes/backend/config"
)

// TestStartOnABrokenFile opens a home whose file cannot be read: everything is
// locked, what the page asks for is answered and says where the fault is, and
// once it is repaired a glance is enough.
func TestStartOnABrokenFile(t *testing.T) {
	const good = "mcp_servers:\n  demo: {command: no-such-program}\n"
	d := openHome(t, good+"x: [\n", Options{EmbeddedDefault: true})
	if err := d.Watch(); err != nil {
		t.Fatal(err)
	}
	over, err := d.Overview()
	if err != nil || over.Demo || len(over.Programs) != 0 || len(over.Notices) != 1 {
		t.Fatalf("%+v, %v", over, err)
	}
	if n := over.Notices[0]; n.Code != config.CodeBroken || n.Line == 0 || n.Column == 0 || !strings.HasSuffix(n.File, "config.yaml") {
		t.Errorf("the overview does not say where: %+v", n)
	}
	servers, err := d.Servers()
	if err != nil || len(servers.Servers) != 0 || len(servers.Config.Problems) != 1 || servers.Config.Problems[0].Line == 0 {
		t.Errorf("%+v, %v", servers, err)
	}
	if _, err := d.ReloadNow(); err == nil || !strings.Contains(ErrorView(err).File, "config.yaml") || ErrorView(err).Line == 0 {
		t.Errorf("a reload by force does not say where: %v", err)
	}
	if _, err := d.ChatSend("", "hello"); err == nil || ErrorView(err).Line == 0 {
		t.Errorf("a question does not say where: %v", err)
	}
	if err := os.WriteFile(d.Paths().Config, []byte(good), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := d.Glance(); err != nil {
		t.Fatal(err)
	}
	over, err = d.Overview()
	if err != nil || len(over.Programs) != 1 || len(over.Notices) != 0 {
		t.Errorf("after the repair: %+v, %v", over, err)
	}
	got, err := d.ReloadNow()
	if err != nil || got.Revision == "" || len(got.Changed) != 0 {
		t.Errorf("%+v, %v", got, err)
	}
}
