package config

import (
	"testing"
	"testing/synctest"
	"time"
)

// A save in place that pauses longer than two readings need is not acted on, as
// long as its writer has the file open; a restriction does not wait for ever.
func TestOpenForWritingWaits(t *testing.T) {
	const two = loosened + "  two: {command: y}\n"
	for name, c := range map[string]struct {
		before, cut string
		narrows     bool
	}{
		"cut before the list":    {locked, loosened, false},
		"cut before enabled":     {loosened + "    enabled: false\n", loosened, false},
		"cut before all servers": {two, "# nothing yet\nmodel: x\n", true},
		"cut before the second":  {two, loosened, true},
		"cut in a word":          {two, "mcp_servers: [", false},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := home(t, c.before)
				f := Open(h, Options{Getenv: env(), Settle: 50 * time.Millisecond})
				f.Load()
				first := f.Current()
				file := begun(t, h.Config(), c.cut)
				for _, moving := range []bool{false, true} {
					look := f.Reload
					if moving {
						look = func() (*Snapshot, bool) { return f.ReloadMoving(120 * time.Millisecond) }
					}
					if s, changed := look(); changed || s != first || f.Settled() {
						t.Fatalf("moving %v: acted on it: %v", moving, s.Names())
					}
				}
				<-time.After(2 * time.Second)
				if _, changed := f.Reload(); changed != c.narrows {
					t.Errorf("after two seconds: changed %v", changed)
				}
				if _, err := file.WriteString("# the end\n"); err != nil {
					t.Fatal(err)
				}
				if err := file.Close(); err != nil {
					t.Fatal(err)
				}
				put(t, h.Config(), c.before)
				f.Reload()
				if s := f.Current(); !f.Settled() || s.Broken || len(s.Servers) != len(first.Servers) || f.Pending() != nil {
					t.Errorf("the save is over: %+v", s.Names())
				}
			})
		})
	}
}

// The same for `.env`, and for a process that starts in the middle of a save.
func TestOpenEnvAndStart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := home(t, "mcp_servers: {demo: {command: x, env: {T: \"${TOKEN}\"}}}")
		put(t, h.Env(), "TOKEN=first-value\n")
		f := Open(h, Options{Getenv: env(), Settle: 50 * time.Millisecond})
		f.Load()
		file := begun(t, h.Env(), "TOKEN=fir")
		if _, changed := f.Reload(); changed {
			t.Error("a cut value was published")
		}
		go func() {
			<-time.After(200 * time.Millisecond)
			_, _ = file.WriteString("st-again\n")
			_ = file.Close()
		}()
		g := Open(h, Options{Getenv: env(), Settle: 50 * time.Millisecond})
		s := g.Load()
		if c, err := s.Expand(server(t, s, "demo").Conn); err != nil || c.Env["T"] != "first-again" {
			t.Errorf("%v, %v", c.Env, err)
		}
	})
}
