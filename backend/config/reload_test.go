package config

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"hermes/backend/policy"
)

// quick makes the second read come soon, for tests that are not about it.
func quick(t testing.TB, h Home) *File {
	t.Helper()
	f := Open(h, Options{Getenv: env("HOME", h.Dir), Settle: time.Millisecond})
	f.Load()
	return f
}

func allows(s *Snapshot, name, tool string) bool {
	sv, ok := s.Server(name)
	return ok && sv.Rules.Allows(tool)
}

func TestReloadTakesChanges(t *testing.T) {
	h := home(t, demo)
	f := quick(t, h)
	first := f.Current()
	if s, changed := f.Reload(); changed || s != first {
		t.Error("nothing changed, but a new state is published")
	}
	for _, c := range []struct {
		include string
		may     bool
	}{{"[list_directory]", false}, {"[]", false}, {"[read_file]", true}, {"[]", false}, {"['*']", true}} {
		put(t, h.Config(), strings.Replace(demo, "[read_file, list_directory]", c.include, 1))
		s, changed := f.Reload()
		if !changed || f.Current() != s || allows(s, "demo", "read_file") != c.may {
			t.Errorf("include %s: changed %v, allows %v", c.include, changed, allows(s, "demo", "read_file"))
		}
	}
	if !allows(first, "demo", "read_file") || first.Revision != digest([]byte(demo)) {
		t.Error("a published state was changed")
	}
}

// The key that vanishes and the empty list are different files and different
// states: both directions are changes.
func TestReloadFromNoKeyToEmptyList(t *testing.T) {
	const open, locked = "mcp_servers:\n  demo:\n    command: x\n    tools: {}\n", "mcp_servers:\n  demo:\n    command: x\n    tools: {include: []}\n"
	h := home(t, open)
	f := quick(t, h)
	put(t, h.Config(), locked)
	if s, changed := f.Reload(); !changed || !server(t, s, "demo").Rules.Locked() {
		t.Error("the lock is not taken")
	}
	put(t, h.Config(), open)
	if s, changed := f.Reload(); !changed || !allows(s, "demo", "any") {
		t.Error("the opening is not taken")
	}
}

func TestBadFileKeepsTheLastGood(t *testing.T) {
	h := home(t, demo)
	f := quick(t, h)
	good := f.Current()
	for name, content := range map[string]string{
		"syntax":   demo + "a: b: c\n",
		"UTF-16":   "\xff\xfea\x00",
		"second":   demo + "---\n",
		"cut":      demo[:60] + "[",
		"empty":    "",
		"comments": "# all gone\n",
		"null":     "---\n",
	} {
		t.Run(name, func(t *testing.T) {
			put(t, h.Config(), content)
			s, changed := f.Reload()
			if !changed || !s.Broken || !s.Exists || s.Revision != good.Revision || !allows(s, "demo", "read_file") || allows(s, "demo", "other") {
				t.Fatalf("changed %v: %+v", changed, s)
			}
			if len(s.Problems) != 1 || s.Problems[0].Severity != policy.SeverityError || s.Problems[0].Hint == "" {
				t.Errorf("%+v", s.Problems)
			}
			if again, changed := f.Reload(); changed || again != s {
				t.Error("the same bad file is told twice")
			}
			if len(good.Problems) != 0 || good.Broken {
				t.Error("the published good state was changed")
			}
			put(t, h.Config(), demo)
			if s, changed := f.Reload(); !changed || s.Broken || len(s.Problems) != 0 {
				t.Errorf("the file is good again: changed %v, %+v", changed, s)
			}
		})
	}
}

func TestMissingFileKeepsTheLastGood(t *testing.T) {
	h := home(t, demo)
	f := quick(t, h)
	if err := os.Remove(h.Config()); err != nil {
		t.Fatal(err)
	}
	s, changed := f.Reload()
	if !changed || !s.Broken || s.Exists || !allows(s, "demo", "read_file") || len(s.Problems) != 1 || s.Problems[0].Code != CodeGone {
		t.Fatalf("%v %+v", changed, s)
	}
	put(t, h.Config(), demo)
	if s, changed := f.Reload(); !changed || s.Broken || !s.Exists || len(s.Problems) != 0 {
		t.Errorf("%v %+v", changed, s)
	}
}

func TestAllServersRemovedIsAChange(t *testing.T) {
	h := home(t, demo)
	f := quick(t, h)
	put(t, h.Config(), "mcp_servers: {}\n")
	if s, changed := f.Reload(); !changed || s.Broken || len(s.Servers) != 0 {
		t.Errorf("%v %+v", changed, s)
	}
}

func TestReloadAfterABrokenStart(t *testing.T) {
	h := home(t, "a: b: c\n")
	f := quick(t, h)
	if _, changed := f.Reload(); changed {
		t.Error("the same broken file is told twice")
	}
	put(t, h.Config(), "x: [\n")
	if s, changed := f.Reload(); !changed || !s.Broken || len(s.Problems) != 1 {
		t.Errorf("another fault: %v %+v", changed, s)
	}
	put(t, h.Config(), demo)
	if s, changed := f.Reload(); !changed || s.Broken || !allows(s, "demo", "read_file") {
		t.Errorf("%v %+v", changed, s)
	}
}

func TestFileAppears(t *testing.T) {
	h := Home{Dir: filepath.Join(t.TempDir(), "home")}
	f := quick(t, h)
	if err := os.Mkdir(h.Dir, 0o700); err != nil {
		t.Fatal(err)
	}
	put(t, h.Config(), "")
	if s, _ := f.Reload(); s.Broken || len(s.Problems) != 0 {
		t.Errorf("an empty file where there was none is no problem: %+v", s)
	}
	put(t, h.Config(), demo)
	if s, changed := f.Reload(); !changed || !allows(s, "demo", "read_file") {
		t.Errorf("%v %+v", changed, s)
	}
}

func TestEnvChangeIsAChange(t *testing.T) {
	h := home(t, "mcp_servers: {demo: {command: x, env: {T: \"${TOKEN}\"}}}")
	put(t, h.Env(), "TOKEN=first-value\n")
	f := quick(t, h)
	put(t, h.Env(), "TOKEN=second-value\n")
	s, changed := f.Reload()
	c, err := s.Expand(server(t, s, "demo").Conn)
	if !changed || err != nil || c.Env["T"] != "second-value" {
		t.Errorf("%v, %v, %v", changed, c.Env, err)
	}
	if _, changed := f.Reload(); changed {
		t.Error("told twice")
	}
}

// loosened is a change that allows more, tightened one that cannot.
const (
	locked    = "mcp_servers:\n  demo:\n    command: x\n    tools:\n      include: []\n"
	loosened  = "mcp_servers:\n  demo:\n    command: x\n"
	tightened = locked
)

// A file cut off in the middle of a save is valid YAML without the lock. It is
// not taken, because the second read finds another one.
func TestCutFileIsNotTaken(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := home(t, locked)
		f := Open(h, Options{Getenv: env(), Settle: 50 * time.Millisecond})
		f.Load()
		put(t, h.Config(), loosened) // the first half of a save
		done := make(chan bool)
		go func() {
			_, changed := f.Reload()
			done <- changed
		}()
		<-time.After(40 * time.Millisecond)
		synctest.Wait()
		if allows(f.Current(), "demo", "x") {
			t.Error("the cut file opened the server")
		}
		put(t, h.Config(), locked) // the rest
		if <-done {
			t.Error("a change was published")
		}
		if s := f.Current(); !server(t, s, "demo").Rules.Locked() {
			t.Error("the lock is gone")
		}
	})
}

func TestLooseningWaitsForTheSecondRead(t *testing.T) {
	for name, c := range map[string]struct {
		before, after string
		waits         bool
	}{
		"opened":        {locked, loosened, true},
		"locked":        {loosened, tightened, false},
		"added server":  {locked, locked + "  two: {command: y}\n", true},
		"added locked":  {locked, locked + "  two: {command: y, tools: {include: []}}\n", false},
		"removed":       {loosened + "  two: {command: y}\n", loosened, false},
		"other program": {loosened, strings.Replace(loosened, ": x", ": y", 1), true},
		"disabled":      {loosened, loosened + "    enabled: false\n", false},
		"enabled":       {loosened + "    enabled: false\n", loosened, true},
		"client on":     {loosened + "mcp: {client: false}\n", loosened, true},
		"hook gone":     {loosened + "hooks: {pre_tool_call: [{command: x}]}\n", loosened, true},
		"trusted":       {loosened + "    trust: untrusted\n", loosened, true},
		"off and new":   {loosened, "mcp_servers: {demo: {command: other, enabled: false}}\n", false},
		"switch moved":  {loosened + "mcp: {client: true}\n", loosened + "\nmcp: {client: true}\n", false},
		"only a note":   {loosened, loosened + "# note\n", false},
		"hook moved":    {loosened + "hooks: {pre_tool_call: [{command: x}]}\n", loosened + "\nhooks: {pre_tool_call: [{command: x}]}\n", false},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := home(t, c.before)
				f := Open(h, Options{Getenv: env(), Settle: 50 * time.Millisecond})
				f.Load()
				put(t, h.Config(), c.after)
				start := time.Now()
				if _, changed := f.Reload(); !changed {
					t.Error("the change is not taken")
				}
				if took := time.Since(start); (took > 0) != c.waits || c.waits && took != 50*time.Millisecond {
					t.Errorf("took %v", took)
				}
			})
		})
	}
}

// After a start on a broken file everything is locked, so any file that can be
// read may be a loosening.
func TestFirstGoodFileIsReadTwice(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := home(t, "a: b: c\n")
		f := Open(h, Options{Getenv: env(), Settle: 50 * time.Millisecond})
		f.Load()
		put(t, h.Config(), loosened)
		start := time.Now()
		if _, changed := f.Reload(); !changed || time.Since(start) != 50*time.Millisecond {
			t.Errorf("changed %v after %v", changed, time.Since(start))
		}
	})
}

// While somebody keeps writing, nothing is taken, and the wait has an end.
func TestEndlessWriterIsNotFollowed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := home(t, locked)
		f := Open(h, Options{Getenv: env(), Settle: 50 * time.Millisecond})
		f.Load()
		ctx, cancel := context.WithCancel(t.Context())
		var writing sync.WaitGroup
		put(t, h.Config(), loosened)
		writing.Go(func() {
			for n := 0; ctx.Err() == nil; n++ {
				put(t, h.Config(), loosened+strings.Repeat("# more\n", n))
				<-time.After(20 * time.Millisecond)
			}
		})
		<-time.After(time.Millisecond)
		start := time.Now()
		_, changed := f.Reload()
		if changed || allows(f.Current(), "demo", "x") {
			t.Error("a file that is being written was taken")
		}
		if took := time.Since(start); took < maxSettle || took > 2*maxSettle {
			t.Errorf("took %v", took)
		}
		cancel()
		writing.Wait()
	})
}

func TestReadersSeeOneStateWhileItChanges(t *testing.T) {
	h := home(t, demo)
	f := quick(t, h)
	ctx, cancel := context.WithCancel(context.Background())
	var readers sync.WaitGroup
	for range 4 {
		readers.Go(func() {
			for ctx.Err() == nil {
				s := f.Current()
				sv, ok := s.Server("demo")
				if !ok || sv.Rules.Allows("never") {
					t.Error("a state that never was")
					return
				}
				f.Secrets()
			}
		})
	}
	for range 20 {
		apply(t, f, off("demo", "read_file"))
		put(t, h.Config(), demo)
		f.Reload()
		f.Load()
	}
	cancel()
	readers.Wait()
}
