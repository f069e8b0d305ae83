package desk_test

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"hermes/backend/desk"
)

func historyDesk(t *testing.T, ours bool) (d *desk.Desk, file string) {
	t.Helper()
	home := t.TempDir()
	for name, text := range map[string]string{"config.yaml": "mcp_servers:\n  x: {command: y, enabled: false, env: {API_KEY: \"${TYPED_KEY}\"}}\n", ".env": "TYPED_KEY=a-secret-of-this-test\n"} {
		if err := os.WriteFile(filepath.Join(home, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if ours {
		if err := os.Mkdir(filepath.Join(home, "native"), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	d, err := desk.Open(desk.Options{Getenv: func(key string) string { return map[string]string{"HERMES_HOME": home}[key] }})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.Close() })
	return d, filepath.Join(home, "native", "history")
}

func TestHistory(t *testing.T) {
	d, file := historyDesk(t, true)
	for _, text := range []string{"one", "two\nlines \x1b", " kept out", "", strings.Repeat("long", 4000), "my key is a-secret-of-this-test"} {
		if err := d.Keep(text); err != nil {
			t.Fatal(err)
		}
	}
	if got := d.Typed(); !slices.Equal(got, []string{"one", "two\nlines \x1b"}) {
		t.Errorf("%q", got)
	}
	if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v %v", info, err)
	}
	big := strings.Repeat("x", 8000)
	for i := range 100 {
		if err := d.Keep(strconv.Itoa(i) + big); err != nil {
			t.Fatal(err)
		}
	}
	info, err := os.Stat(file)
	if got := d.Typed(); err != nil || info.Size() > 256<<10 || !strings.HasPrefix(got[len(got)-1], "99x") {
		t.Errorf("%v %v", info.Size(), err)
	}
}

// TestHistoryWritesNothingIntoAForeignHome: where our folder is not there yet,
// typing makes none.
func TestHistoryWritesNothingIntoAForeignHome(t *testing.T) {
	d, file := historyDesk(t, false)
	if err := d.Keep("hello"); err != nil || d.Typed() != nil {
		t.Errorf("%v %q", err, d.Typed())
	}
	if _, err := os.Stat(filepath.Dir(file)); err == nil {
		t.Error("a folder was made")
	}
}
