package guard_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hermes/backend/guard"
)

// own makes a home like a person's, with links that lead to it.
func own(t testing.TB) (*guard.OwnFiles, string) {
	t.Helper()
	user, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	user = filepath.Join(user, "me")
	home, dots := filepath.Join(user, ".hermes"), filepath.Join(user, "dotfiles")
	for _, dir := range []string{filepath.Join(home, "native", "logs"), filepath.Join(home, "skills"), dots, filepath.Join(user, "area", "deep")} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for _, file := range []string{filepath.Join(dots, "hermes.yaml"), filepath.Join(home, ".env"), filepath.Join(home, "native", "state.db"), filepath.Join(user, "guard.sh")} {
		if err := os.WriteFile(file, []byte(file), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for link, target := range map[string]string{
		filepath.Join(home, "config.yaml"):   filepath.Join(dots, "hermes.yaml"),
		filepath.Join(user, "area", "in"):    home,
		filepath.Join(user, "area", "far"):   "../.hermes/native/logs",
		filepath.Join(user, "area", "chain"): "in/config.yaml",
		filepath.Join(user, "area", "loop"):  "loop",
	} {
		if err := os.Symlink(target, link); err != nil {
			t.Fatal(err)
		}
	}
	for name, target := range map[string]string{"hard-env": filepath.Join(home, ".env"), "hard-db": filepath.Join(home, "native", "state.db"), "hard-other": filepath.Join(user, "guard.sh")} {
		if err := os.Link(target, filepath.Join(user, "area", name)); err != nil {
			t.Fatal(err)
		}
	}
	return guard.NewOwnFiles(guard.OwnOptions{
		Places: []guard.OwnPlace{
			{Path: home, What: "home", Itself: true},
			{Path: filepath.Join(home, "config.yaml"), What: "config"},
			{Path: filepath.Join(home, ".env"), What: "env"},
			{Path: filepath.Join(home, "native"), What: "native", Below: true},
		},
		User: user, Bases: []string{filepath.Join(user, "area")},
		Vars: map[string]string{"HOME": user, "HERMES_HOME": home, "USERPROFILE": user},
	}), user
}

func arguments(t testing.TB, value any) string {
	t.Helper()
	data, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func TestTouches(t *testing.T) {
	files, user := own(t)
	encoded := func(s string) string {
		out := ""
		for _, c := range []byte(s) {
			out += fmt.Sprintf("%%%02x", c)
		}
		return out
	}
	touching := map[string]string{
		"/.hermes/config.yaml": "config", "/.hermes/.env": "env", "/.hermes": "home", "/.hermes/": "home", "/.hermes/.": "home",
		"/.hermes/native": "native", "/.hermes/native/new/file": "native", "//.hermes///native/../native//x": "native",
		"/area/../.hermes/.env": "env", "/nowhere/../.hermes/.env": "env", "/.hermes/skills/../.env": "env", "/dotfiles/hermes.yaml": "config",
		"/area/in/.env": "env", "/area/in": "home", "/area/far/x.log": "native", "/area/far/../state.db": "native", "/area/chain": "config",
		"/area/hard-env": "env", "/area/hard-db": "native", "/.HERMES/Config.YAML": "config", "/.hermes/config.yaml. ": "config",
		"/.hermes/config.yaml::$DATA": "config", "/.her*/conf*": "config", "/.hermes/*": "home", "/**/config.yaml": "config", "/.hermes/nat?ve/x": "native",
		"/.hermes/{config,x}.yaml": "home", "/.hermes/c[n-p]nfig.yaml": "config", "/.hermes/**": "home",
	}
	for path, want := range touching {
		if what, touched := files.Touches(arguments(t, map[string]any{"path": user + path})); !touched || what != want {
			t.Errorf("%s touches %q (%v), want %q", path, what, touched, want)
		}
	}
	full := user + "/.hermes/config.yaml"
	inner := arguments(t, map[string]any{"target": full})
	for i, value := range []any{
		full, "file://" + full, "file://localhost" + full, "file:" + full, "file://" + encoded(full), encoded(encoded(full)), strings.ToUpper(full),
		"~/.hermes/config.yaml", "~me/.hermes/config.yaml", "$HOME/.hermes/config.yaml", "${HOME}/.hermes/.env", "${HERMES_HOME}/config.yaml", "${HERMES_HOME:-/x}/native/a",
		`%USERPROFILE%\.hermes\config.yaml`, `$env:USERPROFILE\.hermes\config.yaml`, `\\?\` + full, strings.ReplaceAll(full, "/", `\`),
		"cat " + full + " | grep key", "cat '" + full + "'", `sh -c "cp x ~/.hermes/.env"`, "tail -n5 <" + full, "x --file=" + full, "curl -d @" + full, "curl -d@$HOME/area/in/.env", "sed -f~/.hermes/.env",
		"cd ~/.hermes && cat config.yaml", "cat ~/.her''mes/config.yaml", `cat ~/.her\mes/con"fig".yaml`, "cat ~/.her*/c*l", "rm -r $HOME/.hermes;ls", "cat in/config.yaml", "../.hermes/config.yaml", "cat ../../me/.hermes/.env",
		".hermes/config.yaml", "/data/.hermes/config.yaml", "x/.hermes/native/ledger.json", "ls hard-env ./hard-env", "PATH=/bin:" + full,
		strings.ReplaceAll(full, "/", "／"), strings.Replace(full, "hermes", "her\u200bmes", 1), strings.Replace(full, "config", "ｃonfig", 1),
		[]any{1, map[string]any{full: nil}}, map[string]any{"a": []any{[]any{"~/.hermes"}}}, inner, arguments(t, inner), "see `" + full + "`.", "a\n" + full + "\nb",
		map[string]any{"dir": user, "name": ".hermes"}, "https://localhost" + full,
	} {
		if what, touched := files.Touches(arguments(t, map[string]any{"v": value})); !touched {
			t.Errorf("%d: %v touches nothing (%s)", i, value, what)
		}
	}
}

func TestTouchesNothing(t *testing.T) {
	files, user := own(t)
	for _, value := range []any{
		"", nil, 42, true, "hello", "What is the configuration? Native speakers know.", "a/b", "/", "~", "$HOME", user, user + "/", "/tmp/x", "https://example.com/a?b=c#d",
		user + "/.hermes/skills/writing.md", user + "/.hermes-old/config.yaml", user + "/.hermes/config.yaml.bak", user + "/.hermes/environment", user + "/area/config.yaml", user + "/area/deep",
		user + "/area/hard-other", user + "/area/loop", "config.yaml", ".env", "src/native/x.c", "**/*.go", "**/*", "*.yaml", user + "/*", user + "/area/deep/**/*.yaml", "100% $5 {a} [b] c? *d*",
		`{"not json`, "{}", "[]", "SELECT a/b FROM t WHERE x LIKE '%env%'", strings.Repeat("package x // a/b/c and net/http\n", 2000), "größer/Maß", "\x00", "..", "./", "-", "@",
	} {
		if what, touched := files.Touches(arguments(t, map[string]any{"v": value})); touched {
			t.Errorf("%.80v touches %s", value, what)
		}
	}
	if what, touched := files.Touches(""); touched {
		t.Errorf("no arguments touch %s", what)
	}
}

// TestTouchesUnreadable: whoever cannot be understood is asked about.
func TestTouchesUnreadable(t *testing.T) {
	files, _ := own(t)
	var none *guard.OwnFiles
	for _, test := range []struct {
		files *guard.OwnFiles
		text  string
	}{
		{files, "{"}, {files, "not json"}, {files, "{\"a\":\"\xff\"}"}, {files, `{"a":1]`}, {files, strings.Repeat("[", 100) + strings.Repeat("]", 100)},
		{files, "[" + strings.Repeat(`"x",`, 30_000) + `"x"]`}, {none, "{}"}, {&guard.OwnFiles{}, "{}"},
	} {
		if what, touched := test.files.Touches(test.text); !touched || what == "" {
			t.Errorf("%.40q is let through", test.text)
		}
	}
}

func FuzzTouches(f *testing.F) {
	files, user := own(f)
	for _, seed := range []string{"", "/x", "~", "~x", "\\\\?\\", "%2", "${", "$", "a:/", "//", "[", "{[", user + "/area/loop", "\u200b", "-/", "@~", "{{}", strings.Repeat("**/", 50) + "x"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		files.Touches(text)
		files.Touches(arguments(t, text))
		// Whatever stands around it, a path of ours is seen.
		for _, around := range []string{text + " %s", "%s " + text} {
			named := strings.Replace(around, "%s", user+"/.hermes/.env", 1)
			if _, touched := files.Touches(arguments(t, named)); !touched {
				t.Errorf("%q touches nothing", named)
			}
		}
	})
}

func BenchmarkTouches(b *testing.B) {
	files, user := own(b)
	for name, text := range map[string]string{
		"ordinary": `{"query":"select all open tickets of this week","limit":20,"labels":["bug","urgent"],"exact":false}`,
		"path":     arguments(b, map[string]any{"path": user + "/area/deep/a.go", "limit": 10}),
		"source":   arguments(b, map[string]any{"path": user + "/area/a.go", "content": strings.Repeat("import \"net/http\" // see a/b/c\n", 3000)}),
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if what, touched := files.Touches(text); touched {
					b.Fatal(what)
				}
			}
		})
	}
}
