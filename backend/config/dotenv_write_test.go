package config

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestSetEnv(t *testing.T) {
	for name, c := range map[string]struct{ before, value, after string }{
		"empty":             {"", "v", "KEY=v\n"},
		"added":             {"# mine\nA=1\n", "v", "# mine\nA=1\nKEY=v\n"},
		"added, no break":   {"A=1", "v", "A=1\nKEY=v\n"},
		"added, crlf":       {"A=1\r\n", "v", "A=1\r\nKEY=v\r\n"},
		"replaced":          {"A=1\nKEY=old\nB=2\n", "v", "A=1\nKEY=v\nB=2\n"},
		"comment stays":     {"KEY=old # why\n", "v", "KEY=v # why\n"},
		"export stays":      {"  export KEY = old\n", "v", "  export KEY = v\n"},
		"the last one":      {"KEY=1\nKEY=2\nA=3\n", "v", "KEY=1\nKEY=v\nA=3\n"},
		"quoted":            {"KEY='o # d' # why\r\n", "v", "KEY=v # why\r\n"},
		"several lines":     {"KEY=\"a\nb\"\nA=1\n", "v", "KEY=v\nA=1\n"},
		"empty value":       {"KEY=\nA=1\n", "v", "KEY=v\nA=1\n"},
		"empty, comment":    {"KEY= # none\n", "v", "KEY=v # none\n"},
		"no break at end":   {"KEY=old", "v", "KEY=v"},
		"byte order mark":   {bom + "KEY=old\n", "v", bom + "KEY=v\n"},
		"same":              {"KEY=\"v\"\n", "v", "KEY=\"v\"\n"},
		"to nothing":        {"KEY=old\n", "", "KEY=\n"},
		"needs quotes":      {"", "a b#c $d", "KEY='a b#c $d'\n"},
		"needs escapes":     {"", "it's\n\"x\" \\", `KEY="it's\n\"x\" \\"` + "\n"},
		"lines that aren't": {"what\nKEYS=1\n#KEY=2\n", "v", "what\nKEYS=1\n#KEY=2\nKEY=v\n"},
	} {
		t.Run(name, func(t *testing.T) {
			h := home(t, "")
			put(t, h.Env(), c.before)
			f := open(t, h)
			if err := f.SetEnv(context.Background(), "KEY", c.value); err != nil {
				t.Fatal(err)
			}
			if got := get(t, h.Env()); got != c.after {
				t.Errorf("got %q, want %q", got, c.after)
			}
			if got := parseEnv([]byte(get(t, h.Env())))["KEY"]; got != c.value {
				t.Errorf("read as %q", got)
			}
		})
	}
}

func TestSetEnvMakesAPrivateFile(t *testing.T) {
	h := home(t, "")
	if err := os.RemoveAll(h.Dir); err != nil {
		t.Fatal(err)
	}
	if err := open(t, h).SetEnv(context.Background(), "KEY", "v"); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(h.Env()); err != nil || info.Mode().Perm() != 0o600 {
		t.Error(info, err)
	}
}

func TestSetEnvKeepsLinkAndClosesIt(t *testing.T) {
	h := home(t, "")
	target := filepath.Join(t.TempDir(), "secrets")
	put(t, target, "A=1\n")
	if err := errors.Join(os.Chmod(target, 0o640), os.Symlink(target, h.Env())); err != nil {
		t.Fatal(err)
	}
	if err := open(t, h).SetEnv(context.Background(), "KEY", "v"); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Lstat(h.Env()); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Error("the link is gone", err)
	}
	if info, err := os.Stat(target); err != nil || info.Mode().Perm() != 0o600 || get(t, target) != "A=1\nKEY=v\n" {
		t.Error(info, err)
	}
}

func TestSetEnvRefuses(t *testing.T) {
	h := home(t, "")
	f := open(t, h)
	for name, value := range map[string]string{"": "v", "1A": "v", "A B": "v", "A=B": "v", "A-B": "v", "A.B": "v", "A\n": "v", "größe": "v", "OK": "a\x00b"} {
		var r *Refused
		if err := f.SetEnv(context.Background(), name, value); !errors.As(err, &r) || r.Hint == "" || strings.Contains(err.Error(), "a\x00b") {
			t.Errorf("%q: %v", name, err)
		}
	}
	if _, err := os.Stat(h.Env()); err == nil {
		t.Error("a file was made")
	}
}

// A quote that somebody forgot to close must not swallow the new line.
func TestSetEnvProvesTheResult(t *testing.T) {
	const before = "A=\"open\n"
	h := home(t, "")
	put(t, h.Env(), before)
	var r *Refused
	if err := open(t, h).SetEnv(context.Background(), "KEY", "# it's\\"); !errors.As(err, &r) || get(t, h.Env()) != before {
		t.Errorf("%v\n%s", err, get(t, h.Env()))
	}
}

// What a new variable stands for is known at once.
func TestSetEnvIsPublished(t *testing.T) {
	h := home(t, "mcp_servers:\n  demo: {command: x, env: {A: '${KEY}'}}\n")
	f := open(t, h)
	if err := f.SetEnv(context.Background(), "KEY", "verysecret"); err != nil {
		t.Fatal(err)
	}
	sv, _ := f.Current().Server("demo")
	if c, err := f.Current().Expand(sv.Conn); err != nil || c.Env["A"] != "verysecret" {
		t.Error(c.Env, err)
	}
}

func TestAnyEnvValueComesBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		value := strings.ReplaceAll(rapid.OneOf(rapid.String(), anyText(), rapid.StringMatching(`['"\\$# \n\r\tnab=]{0,8}`)).Draw(t, "value"), "\x00", "")
		before := rapid.SampledFrom([]string{"", "KEY=old\n", "export KEY='a' # c\r\n", "A=\"1\n2\"\nKEY=\"x\ny\"\nB=3\n"}).Draw(t, "before")
		data := withEnv([]byte(before), "KEY", value)
		env := parseEnv(data)
		if env["KEY"] != value {
			t.Fatalf("%q is written %q and read %q", value, data, env["KEY"])
		}
		for name, was := range parseEnv([]byte(before)) {
			if name != "KEY" && env[name] != was {
				t.Fatalf("%q changed %s", data, name)
			}
		}
	})
}

// Also a value that is there already is no reason to leave the file open, and
// what is no right of others stays.
func TestSetEnvCloses(t *testing.T) {
	for mode, want := range map[os.FileMode]os.FileMode{0o644: 0o600, 0o666: 0o600, 0o640: 0o600, 0o600: 0o600, 0o400: 0o400} {
		for _, before := range []string{"A=1\n", "KEY=v\n"} {
			h := home(t, "")
			put(t, h.Env(), before)
			if err := os.Chmod(h.Env(), mode); err != nil {
				t.Fatal(err)
			}
			if err := open(t, h).SetEnv(t.Context(), "KEY", "v"); err != nil {
				t.Fatal(err)
			}
			if info, err := os.Stat(h.Env()); err != nil || info.Mode().Perm() != want || OthersRead(h.Env()) {
				t.Errorf("%o: %v %v", mode, info.Mode(), err)
			}
		}
	}
}

func TestSetEnvRefusesWhatProgramsObey(t *testing.T) {
	h := home(t, "")
	f := open(t, h)
	for _, name := range []string{"LD_PRELOAD", "NODE_OPTIONS", "BASH_ENV", "PATH", "HOME", "HERMES_HOME"} {
		var r *Refused
		if err := f.SetEnv(t.Context(), name, "value"); !errors.As(err, &r) || !strings.Contains(r.Message, name) || r.Hint == "" {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := os.Stat(h.Env()); err == nil {
		t.Error("a file was made")
	}
	for _, name := range []string{"PATHS", "MY_HOME", "OPENAI_API_KEY"} {
		if err := f.SetEnv(t.Context(), name, "value"); err != nil {
			t.Error(err)
		}
	}
}
