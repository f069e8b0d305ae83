//go:build unix

package mcp

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"hermes/backend/config"
)

// filesServer does to a file what it is told, by itself or by a child.
func filesServer() *sdk.Server {
	server := sdk.NewServer(&sdk.Implementation{Name: "files", Version: "1"}, nil)
	sdk.AddTool(server, &sdk.Tool{Name: "do"}, func(_ context.Context, _ *sdk.CallToolRequest, args struct {
		Op, Path string
		Child    bool
	}) (*sdk.CallToolResult, any, error) {
		if !args.Child {
			return text(touchFile(args.Op, args.Path)), nil, nil
		}
		out, err := exec.Command(os.Args[0], "__file", args.Op, args.Path).CombinedOutput()
		if err != nil {
			return text(err.Error()), nil, nil
		}
		return text(strings.TrimSpace(string(out))), nil, nil
	})
	return server
}

func touchFile(op, path string) string {
	var err error
	switch op {
	case "read":
		_, err = os.ReadFile(path)
	case "list":
		_, err = os.ReadDir(path)
	case "write":
		err = os.WriteFile(path, []byte("written"), 0o600)
	case "cut":
		err = os.Truncate(path, 0)
	case "remove":
		err = os.Remove(path)
	case "rename":
		err = os.Rename(path, path+".new")
	case "link":
		err = os.Symlink("/etc", path)
	case "variable":
		return os.Getenv(path)
	case "temporary":
		var folder string
		if folder, err = os.MkdirTemp("", "x"); err == nil {
			return folder
		}
	case "where":
		folder, _ := os.Getwd()
		return folder
	case "run":
		err = exec.Command(path).Run()
	}
	if err != nil {
		return err.Error()
	}
	return "ok"
}

// confined is a home with files to reach for, and a server with `folders`.
type confined struct {
	home string
	m    *Manager
	want want
}

func newConfined(t *testing.T, o Options, folders ...config.Folder) confined {
	t.Helper()
	home := t.TempDir()
	put(t, home, ".env", "TOKEN=1", 0o600)
	put(t, home, "work/plain", "text", 0o600)
	put(t, home, "work/deep/plain", "text", 0o600)
	put(t, home, "docs/plain", "text", 0o600)
	if err := os.Symlink(filepath.Join(home, ".env"), filepath.Join(home, "work/out")); err != nil {
		t.Fatal(err)
	}
	o.Confine = []string{os.Args[0], "__confine"}
	m := testManager(t, o, quickTiming())
	m.dialer.environ = func() []string { return []string{"PATH=/usr/bin:/bin", "HOME=" + home} }
	w := stdioWant("s", "__server", "files")
	w.conn.Confinement.On = true
	for _, folder := range folders {
		if !filepath.IsAbs(folder.Path) && folder.Path != "" {
			folder.Path = filepath.Join(home, folder.Path)
		}
		w.conn.Confinement.Folders = append(w.conn.Confinement.Folders, folder)
	}
	return confined{home, m, w}
}

// start connects the server, or where the kernel cannot hold a limit asserts
// that it does not start, with the reason, and ends the test.
func (c confined) start(t *testing.T) bool {
	t.Helper()
	if refused := confinable(); refused != nil {
		c.m.apply(wants(c.want))
		status := waitUntil(t, c.m, "s", func(s Status) bool { return s.State != StateStarting })
		if status.PID != 0 || !strings.Contains(status.Reason, refused.Error()) {
			t.Errorf("a server that cannot be limited is %s: %s", status.State, status.Reason)
		}
		return false
	}
	connect(t, c.m, c.want)
	return true
}

func (c confined) do(t *testing.T, op, path string, child bool) string {
	t.Helper()
	if path != "" && !filepath.IsAbs(path) && op != "variable" {
		path = filepath.Join(c.home, path)
	}
	args := fmt.Sprintf(`{"Op":%q,"Path":%q,"Child":%v}`, op, path, child)
	return call(t, c.m, "s", "do", args).Content
}

// TestFoldersLimitAServer reaches for files inside and outside of the named
// folders, from the server and from a program it starts.
func TestFoldersLimitAServer(t *testing.T) {
	c := newConfined(t, Options{}, config.Folder{Path: "work", Write: true}, config.Folder{Path: "docs"})
	if !c.start(t) {
		return
	}
	for _, child := range []bool{false, true} {
		for _, test := range []struct {
			op, path string
			want     bool
		}{
			{"read", "work/plain", true},
			{"list", "work/deep", true},
			{"write", "work/new", true},
			{"rename", "work/new", true},
			{"remove", "work/new.new", true},
			{"link", "work/etc", true},
			{"remove", "work/etc", true},
			{"read", "docs/plain", true},
			{"write", "docs/plain", false},
			{"write", "docs/new", false},
			{"cut", "docs/plain", false},
			{"remove", "docs/plain", false},
			{"read", ".env", false},
			{"read", "work/out", false},
			{"read", "work/../.env", false},
			{"list", "", false},
			{"list", "/", false},
			{"list", os.TempDir(), false},
			{"write", "/etc/hermes-test", false},
			{"read", "/etc/passwd", true},
			{"write", "/dev/null", true},
			{"run", "/bin/true", true},
		} {
			path := test.path
			if path == "" {
				path = c.home
			}
			if got := c.do(t, test.op, path, child); (got == "ok") != test.want || !test.want && !strings.Contains(got, "permission denied") {
				t.Errorf("%s %s (child: %v): %s", test.op, test.path, child, got)
			}
		}
	}
	if _, err := os.ReadFile(filepath.Join(c.home, ".env")); err != nil {
		t.Errorf("we are limited ourselves: %v", err)
	}
}

// TestNoFoldersIsNoFolder: the key with an empty list opens nothing but a
// temporary folder of the server's own, which is gone after it.
func TestNoFoldersIsNoFolder(t *testing.T) {
	c := newConfined(t, Options{})
	if !c.start(t) {
		return
	}
	if got := c.do(t, "read", "work/plain", false); !strings.Contains(got, "permission denied") {
		t.Errorf("reading: %s", got)
	}
	temporary := c.do(t, "temporary", "", true)
	mine := c.do(t, "variable", "TMPDIR", false)
	if filepath.Dir(temporary) != mine || c.do(t, "where", "", false) != mine {
		t.Errorf("temporary %q in %q, started in %q", temporary, mine, c.do(t, "where", "", false))
	}
	for _, name := range []string{"XDG_CACHE_HOME", "npm_config_cache", "UV_CACHE_DIR"} {
		if folder := c.do(t, "variable", name, false); !within(mine, folder) {
			t.Errorf("%s is %q", name, folder)
		}
	}
	if err := c.m.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(mine); !os.IsNotExist(err) {
		t.Errorf("the temporary folder stays: %v", err)
	}
}

// TestConfinedServerKeepsItsCache across starts, apart from all others.
func TestConfinedServerKeepsItsCache(t *testing.T) {
	private := filepath.Join(t.TempDir(), "confined")
	c := newConfined(t, Options{Private: private})
	c.want.conn.Env = map[string]string{"UV_CACHE_DIR": "/elsewhere"}
	if !c.start(t) {
		return
	}
	kept := filepath.Join(private, "s", "kept")
	if got := c.do(t, "write", kept, false); got != "ok" {
		t.Fatal(got)
	}
	if got := c.do(t, "list", private, false); !strings.Contains(got, "permission denied") {
		t.Errorf("the folders of others: %s", got)
	}
	if got := c.do(t, "variable", "UV_CACHE_DIR", false); got != "/elsewhere" {
		t.Errorf("the entry's own variable is %q", got)
	}
	if err := c.m.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(kept); err != nil {
		t.Error(err)
	}
}

// TestFoldersThatCannotBe refuses to start, and says which key is wrong.
func TestFoldersThatCannotBe(t *testing.T) {
	if err := confinable(); err != nil {
		newConfined(t, Options{}).start(t)
		return
	}
	for name, test := range map[string]struct {
		change func(c *confined)
		want   string
	}{
		"missing":   {func(c *confined) { c.want.conn.Confinement.Folders[0].Path = c.home + "/none" }, `folders[0]: "` + "%s" + `/none" is not there`},
		"file":      {func(c *confined) { c.want.conn.Confinement.Folders[0].Path = c.home + "/docs/plain" }, "is a file"},
		"relative":  {func(c *confined) { c.want.conn.Confinement.Folders[0].Path = "work" }, `folders[0]: "work" is not a full path`},
		"empty":     {func(c *confined) { c.want.conn.Confinement.Folders[0].Path = "" }, `folders[0]: "" is not a full path`},
		"home":      {func(c *confined) { c.want.conn.Cwd = c.home }, `"cwd" is %s, which holds the whole home folder`},
		"root":      {func(c *confined) { c.want.conn.Cwd = "/" }, `"cwd" is /`},
		"no way":    {func(c *confined) { c.m.dialer.confineArgs = nil }, "without the launcher"},
		"no temp":   {func(c *confined) { c.m.dialer.private = c.home + "/docs/plain" }, "making the folder of the server"},
		"not a key": {func(c *confined) { c.m.dialer.confineArgs = []string{os.Args[0], "__confine", "{}"} }, "could not be kept"},
	} {
		t.Run(name, func(t *testing.T) {
			c := newConfined(t, Options{}, config.Folder{Path: "work", Write: true})
			test.change(&c)
			c.m.apply(wants(c.want))
			status := waitUntil(t, c.m, "s", func(s Status) bool { return s.State != StateStarting })
			if want := strings.ReplaceAll(test.want, "%s", c.home); !strings.Contains(status.Reason, want) {
				t.Errorf("%s: %s", status.State, status.Reason)
			}
		})
	}
}

// TestCwdIsReadOnly unless it is named.
func TestCwdIsReadOnly(t *testing.T) {
	for name, named := range map[string]bool{"read": false, "write": true} {
		t.Run(name, func(t *testing.T) {
			folders := []config.Folder{}
			if named {
				folders = append(folders, config.Folder{Path: "work", Write: true})
			}
			c := newConfined(t, Options{}, folders...)
			c.want.conn.Cwd = filepath.Join(c.home, "work/deep")
			if !c.start(t) {
				return
			}
			if got := c.do(t, "read", "work/deep/plain", false); got != "ok" {
				t.Errorf("reading: %s", got)
			}
			if got := c.do(t, "write", "work/deep/plain", false); (got == "ok") != named {
				t.Errorf("writing: %s", got)
			}
			if got := c.do(t, "where", "", false); got != filepath.Join(c.home, "work/deep") {
				t.Errorf("started in %s", got)
			}
		})
	}
}

// TestConfinedFailureSaysFolders: a program that ends because it reaches no file
// says something else, so the reason names the limit as well.
func TestConfinedFailureSaysFolders(t *testing.T) {
	c := newConfined(t, Options{})
	c.want.conn.Args = []string{"__server", "exit"}
	c.m.apply(wants(c.want))
	const hint = "; `folders` may keep it from files it needs"
	status := waitUntil(t, c.m, "s", isStuck)
	if refused := confinable(); refused == nil && (!strings.HasSuffix(status.Reason, hint) || !strings.Contains(status.Reason, "the process ended")) {
		t.Errorf("reason %q", status.Reason)
	} else if refused != nil && strings.Contains(status.Reason, hint) {
		t.Errorf("it was never started, and the reason is %q", status.Reason)
	}
	c.want.name, c.want.conn.Confinement = "free", config.Confinement{}
	c.m.apply(wants(c.want))
	if status := waitUntil(t, c.m, "free", isStuck); strings.Contains(status.Reason, "folders") {
		t.Errorf("reason %q", status.Reason)
	}
}

func TestRunConfinedRefuses(t *testing.T) {
	for _, args := range [][]string{nil, {"{}"}, {"nonsense", "/bin/true"}, {`{"rules":[],"more":1}`, "/bin/true"}, {`{"rules":[{"path":"/not/there","need":true}]}`, "/bin/true"}} {
		out, err := exec.Command(os.Args[0], append([]string{"__confine"}, args...)...).CombinedOutput()
		var exit *exec.ExitError
		if !asExit(err, &exit) || exit.ExitCode() != 126 || !strings.Contains(string(out), "could not be kept") {
			t.Errorf("%q: %v %s", args, err, out)
		}
	}
}

func asExit(err error, into **exec.ExitError) bool {
	exit, ok := err.(*exec.ExitError)
	*into = exit
	return ok
}

// TestInstallation opens what belongs to a program and never the home folder.
func TestInstallation(t *testing.T) {
	home := t.TempDir()
	npx := put(t, home, ".nvm/versions/node/v20.1.0/lib/node_modules/npm/bin/npx-cli.js", "#!/usr/bin/env node\n", 0o700)
	node := put(t, home, ".nvm/versions/node/v20.1.0/bin/node", "\x7fELF", 0o700)
	link := filepath.Join(filepath.Dir(node), "npx")
	if err := os.Symlink(npx, link); err != nil {
		t.Fatal(err)
	}
	python := put(t, home, "projects/venv/bin/python", "", 0o700)
	put(t, home, "projects/venv/pyvenv.cfg", "", 0o600)
	tool := put(t, home, "projects/venv/bin/tool", "#!"+python+"\n", 0o700)
	for _, test := range []struct {
		path        string
		open, never []string
	}{
		{link, []string{home + "/.nvm/versions", filepath.Dir(npx), node}, []string{home + "/.nvm"}},
		{put(t, home, "server", "", 0o700), []string{home + "/server"}, nil},
		{put(t, home, "bin/server", "", 0o700), []string{home + "/bin"}, nil},
		{put(t, home, ".local/bin/uvx", "", 0o700), []string{home + "/.local/bin", home + "/.local/share/uv"}, []string{home + "/.local"}},
		{put(t, home, ".cargo/bin/x", "", 0o700), []string{home + "/.cargo/bin"}, []string{home + "/.cargo"}},
		{tool, []string{home + "/projects/venv", python}, []string{home + "/projects"}},
	} {
		var open []string
		for _, rule := range programRules(test.path, filepath.Dir(node), realPath(home)) {
			if rule.Write {
				t.Errorf("%s: %s may be written", test.path, rule.Path)
			}
			open = append(open, rule.Path)
		}
		for _, path := range test.open {
			if !slices.Contains(open, path) {
				t.Errorf("%s: %s is not among %q", test.path, path, open)
			}
		}
		for _, path := range append(test.never, home, filepath.Dir(home), "/") {
			if slices.Contains(open, path) {
				t.Errorf("%s opens %s", test.path, path)
			}
		}
	}
}

// TestRealServerInFolders: a server from npm that was told it may read more than
// the key names cannot.
func TestRealServerInFolders(t *testing.T) {
	program := script(t, "server-filesystem")
	modules := filepath.Dir(filepath.Dir(filepath.Dir(filepath.Dir(program))))
	c := newConfined(t, Options{}, config.Folder{Path: "work", Write: true}, config.Folder{Path: modules})
	c.m.dialer.environ = func() []string { return []string{"PATH=" + os.Getenv("PATH"), "HOME=" + c.home} }
	c.want.conn.Command, c.want.conn.Args = "node", []string{program, c.home}
	if !c.start(t) {
		return
	}
	for path, want := range map[string]string{"work/plain": "text", "docs/plain": "EACCES"} {
		if got := call(t, c.m, "s", "read_text_file", fmt.Sprintf(`{"path":%q}`, filepath.Join(c.home, path))); !strings.Contains(got.Content, want) {
			t.Errorf("%s: %s", path, got.Content)
		}
	}
}
