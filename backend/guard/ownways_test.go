package guard_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"hermes/backend/guard"
)

// linked adds links with awkward names to the home that own makes.
func linked(t testing.TB) (*guard.OwnFiles, string) {
	t.Helper()
	files, user := own(t)
	home := filepath.Join(user, ".hermes")
	for _, dir := range []string{filepath.Join(user, "proj"), filepath.Join(user, "area", "q1"), filepath.Join(user, "area", "[x]")} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for name, target := range map[string]string{
		"my link": home, "[slug]": home, "a:b": home, "x=y": home, "q*": home, "#1": home, "end ": home, "lnk": filepath.Join(home, "config.yaml"), "my file": filepath.Join(home, ".env"),
		"Ünï": home, "new\nline": home, "c:": filepath.Join(user, "area", "deep"), `back\slash`: home, "q1/in": home, "it's": home,
	} {
		if err := os.Symlink(target, filepath.Join(user, "area", name)); err != nil {
			t.Fatal(err)
		}
	}
	for n := range 120 { // longer than any system follows, not longer than a program may
		if err := os.Symlink(fmt.Sprintf("link%d", n+1), filepath.Join(user, "proj", fmt.Sprintf("link%d", n))); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(home, filepath.Join(user, "proj", "link120")); err != nil {
		t.Fatal(err)
	}
	return files, user
}

// TestTouchesEveryWay: a path is what the reader of it makes of it. Some clean
// it before they open it, some follow each link, some are shells.
func TestTouchesEveryWay(t *testing.T) {
	files, user := linked(t)
	long := strings.Repeat("x/../", 900)
	for _, text := range []string{
		// Longer than a path may be before somebody cleans it.
		user + "/proj/" + long + "../.hermes/config.yaml", user + "/area/" + long + "in/config.yaml", long + "in/config.yaml", "in/" + long + "config.yaml",
		user + "/area/in/" + strings.Repeat("/", 5000) + "config.yaml", strings.Repeat("./", 3000) + "lnk", "../" + strings.Repeat("y", 5000) + "/../area/in/.env",
		user + "/proj/link0/config.yaml",
		// A pattern whose wild part is taken back.
		"*/../.hermes/config.yaml", "**/../.hermes/config.yaml", "**/x/../../in/config.yaml", "*/../in/.env", "?/../lnk", "**/.hermes/config.yaml", "[a]/../lnk",
		// Characters that separate words elsewhere.
		user + "/.hermes/x\ny/../config.yaml", user + "/area/x\n/../in/config.yaml", "x\n/../in/config.yaml", user + "/area/new\nline/config.yaml", "new\nline/.env", user + "/area/it's/.env",
		user + "/area/x y/../in/config.yaml", user + "/area/my link/config.yaml", "my link/config.yaml", "\n my link/config.yaml\n", user + "/area/end /config.yaml", user + "/area/end ", "c:/../in/config.yaml", `\x/../in/config.yaml`,
		`back\slash/config.yaml`, user + `/area/back\slash/.env`, user + "/area/x\x00/config.yaml/../../in/config.yaml", user + "/area/in/config.yaml\x00.png", user + "/area/my link/config.yaml\x00.png", "lnk\x00", "l\x00nk",
		// Characters of patterns in names.
		user + "/area/[slug]/config.yaml", "[slug]/config.yaml", user + "/area/in/[x]/../config.yaml", user + "/area/in/q?/../config.yaml", "q*/../in/config.yaml", user + "/area/*/config.yaml", "*/config.yaml", "[slug]",
		// Patterns that find a link.
		user + "/area/i?/config.yaml", user + "/area/[h-j]n/.env", "q?/in/config.yaml", "deep/../l[n]k", user + "/area/**/in/config.yaml", user + "/area/{in,x}/config.yaml", "cat { } " + user + "/.hermes/{config,x}.yaml", user + "/.hermes/{x,{config,y}}.yaml", user + "/area/l*",
		// Shells.
		"cat '" + user + "/area/my link/config.yaml'", `cat area/my\ link/config.yaml`, `cat my\ link/config.yaml`, `cat "area/[slug]/config.yaml"`, "cat .hermes/con\\\nfig.yaml", "cat in/con\\\nfig.yaml", "cat in/con\\\r\nfig.yaml",
		`cat "$HOME/area/my link/config.yaml"`, `cat $HOME'/area/my link/.env'`, `sh -c "cat 'my link/config.yaml'"`, `sh -c 'sh -c "cat my\\ link/config.yaml"'`, `cat my" "link/config.yaml`, `cat $'my link/config.yaml'`,
		`cp x --target='my link/config.yaml'`, `dd of='my link/config.yaml'`, `curl -d@'my link/.env' x`, `cat 'my file'`, `cat my\ file`, "# don't\ncat 'my link/config.yaml'", "# don't\ncat in/con\\\nfig.yaml", "cat <<E\ndon't\nE\ncat 'my link/config.yaml'", "cat \"my `echo` x\" 'my link/.env'", `cat \[slug\]/config.yaml`, `cat l\nk`, `cat l"n"k`,
		// Names without a folder.
		"lnk", "chain", "hard-env", "in", "cat lnk", "cat chain|x", "tail -flnk", "curl -d @lnk x", "x:lnk", "./lnk", "my file", "my link", "cat 'lnk'", "a:b", "a:b/config.yaml", "cp x=y/config.yaml", "LNK=lnk", "Ünï/config.yaml", "cat Ünï", "~+/lnk", "~/../in/config.yaml", "~x/../lnk", "#1/config.yaml", "q*/.env", "q*",
		// Addresses.
		"file://" + user + "/area/my%20link/config.yaml", "file://localhost" + user + "/area/my%20link/config.yaml", "file://" + user + "/area/in/config.yaml?x=1#y", "file://" + user + "/area/my%20link/.env#y", "git+file:my%20link/config.yaml",
		// Characters that only look like others, and as many bytes as before.
		"½½ x／y／z in／.env",
		// Lines of JSON.
		"{\"a\":1}\n{\"path\":\"\\u0069n/config.yaml\"}", "[\"\\u0069n/config.yaml\", // a comment\n]",
	} {
		if what, touched := files.Touches(arguments(t, map[string]any{"path": text})); !touched {
			t.Errorf("%.80q of %d bytes touches nothing%s", text, len(text), what)
		}
	}
	// What stood in a text before does not hide what stands alone now.
	if _, touched := files.Touches(arguments(t, []string{"see hermes", ".hermes"})); !touched {
		t.Error("a name that was a word before is let through")
	}
}

// TestTouchesTooMuch: what asks the disk more than a look may is not let through.
func TestTouchesTooMuch(t *testing.T) {
	files, user := linked(t)
	var many []string
	for i := range 12_000 {
		many = append(many, fmt.Sprintf("%s/area/deep/d%d/../../%d", user, i, i))
	}
	if what, touched := files.Touches(arguments(t, append(many, user+"/area/in/.env"))); !touched {
		t.Error("a link behind many paths is let through", what)
	}
	if what, touched := files.Touches(arguments(t, many)); !touched || !strings.Contains(what, "more paths") {
		t.Errorf("%q", what)
	}
	if what, touched := files.Touches(arguments(t, append(many[:300:300], user+"/area/in/.env"))); !touched || what != "env" {
		t.Errorf("behind 300 paths: %q", what)
	}
	if what, touched := files.Touches(arguments(t, many[:1000])); touched {
		t.Errorf("a thousand paths touch %q", what)
	}
	bomb := filepath.Join(user, "proj", "b0")
	if err := os.Symlink("/", bomb); err != nil {
		t.Fatal(err)
	}
	for n := range 40 {
		next := filepath.Join(user, "proj", fmt.Sprintf("b%d", n+1))
		if err := os.Symlink(fmt.Sprintf("%s/proj/b%d/%s/proj/b%d", user, n, user, n), next); err != nil {
			t.Fatal(err)
		}
	}
	if _, touched := files.Touches(arguments(t, user+"/proj/b40")); !touched {
		t.Error("links that double at each step are let through")
	}
}

// TestTouchesNothingOrdinary: what is long, quoted or full of signs is no reason
// to ask.
func TestTouchesNothingOrdinary(t *testing.T) {
	files, user := linked(t)
	source := "/**\n * it's \"quoted\" {a/b}\n */\nfunc x() { return `a/b` } // see ../docs/x.md and </div>\n"
	var lines []string
	for i := range 3000 {
		lines = append(lines, fmt.Sprintf("import \"pkg%d/net/http\" // don't 'see' %d/a/b [x]/y <p>%d</p>", i, i, i))
	}
	for _, text := range []string{
		strings.Repeat(source, 300), strings.Join(lines, "\n"), strings.Repeat("x", 10_000), strings.Repeat("/9j/4AAQSkZJRgABAQ+", 1000), strings.Repeat("a/", 20_000), user + "/" + strings.Repeat("a/", 20_000), strings.Repeat("a/../", 3000) + "b",
		user + "/proj/link", user + "/area/loop/x", "it is my turn to link the file", "don't", "'", `"`, `\`, "cat 'a b'", `x\ y`, user + "/area/deep/{a,b}/x", "/api/{id}/x/{y}", "SELECT '%' FROM t", strings.Repeat("'", 50), strings.Repeat(`\`, 200), strings.Repeat(`"'`, 100),
		"src/[slug]/page.tsx", "app/[x]/../y", user + "/area/q?/*.go", "deep/**/../x", "deep/*/../..", "{\"a\":1}\n{\"b\":2}", "[draft] title",
	} {
		if what, touched := files.Touches(arguments(t, map[string]any{"content": text})); touched {
			t.Errorf("%.60q of %d bytes touches %s", text, len(text), what)
		}
	}
}

// TestTouchesEquivalentPaths: whatever a program that cleans first, one that
// follows each link, or one that does both reads as a file of ours, is touched.
func TestTouchesEquivalentPaths(t *testing.T) {
	files, user := linked(t)
	real := map[string]bool{}
	for _, name := range []string{".hermes/config.yaml", "dotfiles/hermes.yaml", ".hermes/.env", ".hermes/native", ".hermes"} {
		real[filepath.Join(user, name)] = true
	}
	ours := func(name string) bool {
		at, err := filepath.EvalSymlinks(name)
		return err == nil && (real[at] || strings.HasPrefix(at, filepath.Join(user, ".hermes", "native")+"/"))
	}
	parts := []string{
		"area", "in", "far", "my link", "[slug]", "a:b", "x=y", "*", "q*", "**", "?", "q?", "lnk", "..", "..", "..", ".", "", "x", "x\ny", "new\nline", `back\slash`, "c:", "end ", "Ünï", "q1", "[x]", "it's", "native", "logs", "proj", "link3",
		".hermes", "config.yaml", ".env", "state.db", "skills", "deep", "chain", "dotfiles", "hermes.yaml", "me", strings.Repeat("y", 300), "#1", "~", "-", "@x", "'", "{a", "$HOME", "%2e",
	}
	ends := []string{"config.yaml", ".env", "native/state.db", "", "state.db", "../.hermes/.env", ".hermes/config.yaml", "../in/.env"}
	reached := 0
	rapid.Check(t, func(r *rapid.T) {
		middle := strings.Join(rapid.SliceOfN(rapid.SampledFrom(parts), 0, 8).Draw(r, "parts"), "/")
		text := rapid.SampledFrom([]string{"", user + "/", user + "/area/", "./", "../", "area/"}).Draw(r, "start") + middle + rapid.SampledFrom([]string{"/", "/../", strings.Repeat("/z/..", 900) + "/"}).Draw(r, "joint") + rapid.SampledFrom(ends).Draw(r, "end")
		if text == "" {
			return
		}
		for _, base := range []string{user, filepath.Join(user, "area")} {
			full := text
			if !filepath.IsAbs(full) {
				full = base + "/" + text
			}
			var as string
			switch {
			case ours(full):
				as = "links first"
			case ours(filepath.Clean(full)):
				as = "cleaned first"
			default:
				continue
			}
			reached++
			if _, touched := files.Touches(arguments(t, map[string]any{"path": text})); !touched {
				r.Fatalf("%q is a file of ours (%s) and touches nothing", text, as)
			}
		}
	})
	if reached == 0 {
		t.Error("no path led to a file of ours")
	}
}
