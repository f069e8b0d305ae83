package guard_test

import (
	"os"
	"path/filepath"
	"testing"

	"hermes/backend/guard"
)

// TestTouchesInTheFolderOfAServer: what each process reads its own way is read as
// the server would, which works in another folder than this program.
func TestTouchesInTheFolderOfAServer(t *testing.T) {
	_, user := linked(t)
	home, area := filepath.Join(user, ".hermes"), filepath.Join(user, "area")
	for link, target := range map[string]string{"magic": "/proc/self/cwd", "other": "/proc/1/root"} {
		if err := os.Symlink(target, filepath.Join(area, link)); err != nil {
			t.Fatal(err)
		}
	}
	places := []guard.OwnPlace{
		{Path: home, What: "home", Itself: true}, {Path: filepath.Join(home, "config.yaml"), What: "config"}, {Path: filepath.Join(home, ".env"), What: "env"},
		{Path: filepath.Join(home, "native"), What: "native", Below: true},
	}
	made := func(at string) *guard.OwnFiles {
		return guard.NewOwnFiles(guard.OwnOptions{Places: places, User: user, Bases: []string{at}, At: at, Vars: map[string]string{"HOME": user, "PWD": "/nowhere"},
			Environs: []map[string]string{{"WORK": area, "HOME": "/nowhere"}, {"WORK": "/nowhere"}, {"HOME": filepath.Join(user, "area")}}})
	}
	inArea, inHome := made(area), made(home)
	for _, text := range []string{
		"/proc/self/cwd/lnk", "/proc/thread-self/cwd/lnk", "/proc/self/task/1/cwd/lnk", "/proc//self/./cwd/in/config.yaml", "/proc/self/cwd/../.hermes/config.yaml", "/proc/self/../self/cwd/lnk", "/dev/fd/../../self/cwd/lnk",
		"/proc/self/root" + user + "/area/lnk", "/proc/1/root" + user + "/area/lnk", "/proc/1/cwd/x", "/proc/4242/cwd/lnk", "/proc/self/fd/7", "/dev/fd/7", "/proc/self/root/proc/self/cwd/lnk",
		"magic/lnk", area + "/magic/lnk", "other/x", "cat /proc/self/cwd/lnk", "/proc/s?lf/cwd/lnk",
		"cat $PWD/lnk", "cat ${PWD}/lnk", `cat "$PWD"/lnk`, "cat $OLDPWD/lnk", "cat ${PWD%/*}/.hermes/.env", "file://$PWD/lnk", "cat ~+/lnk", "cat ln?", "ln*", "$WORK/lnk", "${WORK}/in/.env", "%WORK%/lnk", "~/lnk",
		user + "/.her${X}mes/config.yaml", user + "/.her${X:-}mes/.env", "cat $NOTHING" + user + "/area/l${X}nk",
	} {
		if what, touched := inArea.Touches(arguments(t, map[string]any{"v": text})); !touched {
			t.Errorf("%s touches nothing%s", text, what)
		}
	}
	for _, text := range []string{".", "", " ", "./", "/proc/self/cwd", "rm -r .", "config.yaml", "$PWD", "cat $PWD/.env"} {
		if what, touched := inHome.Touches(arguments(t, map[string]any{"path": text})); !touched {
			t.Errorf("%q in the home touches nothing%s", text, what)
		}
	}
	for _, text := range []string{
		".", "", "./", "..", "/proc/self/cwd", "/proc/self/cwd/deep", "/proc/self/status", "/proc/cpuinfo", "/proc/1/status", "/proc/self/fd/1", "/dev/stdin", "/dev/null", "$PWD/deep", "$WORK/deep", "$WORK", "costs $5 or 5 % of $X", "Hello . World",
	} {
		if what, touched := inArea.Touches(arguments(t, map[string]any{"v": text})); touched {
			t.Errorf("%q touches %s", text, what)
		}
	}
}

// TestTouchesNoResultOfTheSession: the model is told where a large result is, and
// may name exactly that.
func TestTouchesNoResultOfTheSession(t *testing.T) {
	_, user := own(t)
	home := filepath.Join(user, ".hermes")
	spill := filepath.Join(home, "native", "spill")
	if err := os.MkdirAll(spill, 0o700); err != nil {
		t.Fatal(err)
	}
	of := func(session string) *guard.OwnFiles {
		return guard.NewOwnFiles(guard.OwnOptions{Places: []guard.OwnPlace{{Path: filepath.Join(home, ".env"), What: "env"}, {Path: filepath.Join(home, "native"), What: "native", Below: true}}, User: user, Results: spill, Session: session})
	}
	write := func(name string) string {
		t.Helper()
		name = filepath.Join(spill, name)
		if err := os.WriteFile(name, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		return name
	}
	mine, other, db := write("s1-c1-123.txt"), write("s2-c1-123.txt"), write("s1-c2.db")
	hard, link := write("s1-c3-1.txt"), filepath.Join(spill, "s1-c4-1.txt")
	if err := os.Link(hard, filepath.Join(spill, "s9")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join(home, ".env"), link); err != nil {
		t.Fatal(err)
	}
	for _, value := range []any{mine, []any{mine, mine}, map[string]any{"path": mine, "head": 5, "other": user + "/area"}} {
		if what, touched := of("s1").Touches(arguments(t, map[string]any{"v": value})); touched {
			t.Errorf("%v touches %s", value, what)
		}
	}
	for _, value := range []any{
		other, db, hard, link, spill, spill + "/s1-none-1.txt", mine + "/../../state.db", spill + "/../spill/s1-c1-123.txt", spill + "//s1-c1-123.txt", "cat " + mine, mine + " " + home + "/.env", []any{mine, home + "/.env"},
		map[string]any{mine: home + "/native/ledger.json"}, "file://" + mine,
	} {
		if _, touched := of("s1").Touches(arguments(t, map[string]any{"v": value})); !touched {
			t.Errorf("%v touches nothing", value)
		}
	}
	if _, touched := of("").Touches(arguments(t, mine)); !touched {
		t.Error("without a session a result is let through")
	}
}
