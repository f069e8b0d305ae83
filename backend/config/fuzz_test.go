package config

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"hermes/backend/policy"
)

// FuzzApply edits any bytes. Whatever they are: no panic, no server that opens
// although nobody asked, and what was asked is so afterwards.
func FuzzApply(f *testing.F) {
	archives, err := filepath.Glob("testdata/edits/*.txtar")
	if err != nil || len(archives) == 0 {
		f.Fatal("no archives", err)
	}
	for _, path := range archives {
		a, err := txtar.ParseFile(path)
		if err != nil {
			f.Fatal(err)
		}
		e := parseIntent(f, strings.SplitN(string(a.Comment), "\n", 2)[0])
		f.Add(a.Files[0].Data, string(e.Intent.Action), e.Intent.Tool, e.Server)
	}
	f.Fuzz(func(t *testing.T, data []byte, action, tool, server string) {
		doc, err := parse(data)
		if err != nil {
			return
		}
		e := Edit{Server: server, Intent: policy.Intent{Action: policy.Action(action), Tool: tool}}
		after, err := plan("config.yaml", doc, e, policy.Rules{})
		if err != nil {
			var r *Refused
			if !errors.As(err, &r) && !errors.Is(err, ErrUnknownServer) {
				t.Fatalf("%v", err)
			}
			return
		}
		if after == nil {
			return
		}
		before, now := policy.ReadFile(doc.tree), policy.ReadFile(after.tree)
		for _, name := range before.Names() {
			was, _ := before.Rules(name)
			is, ok := now.Rules(name)
			if name != server && (!ok || !was.Equal(is)) {
				t.Fatalf("the edit of %q changed %q\n%s\n---\n%s", server, name, visible(string(data)), visible(string(after.data)))
			}
		}
		is, _ := now.Rules(server)
		wrong := false
		switch e.Intent.Action {
		case policy.ActionOn:
			wrong = !is.Allows(tool)
		case policy.ActionOff:
			wrong = is.Allows(tool)
		case policy.ActionLock:
			wrong = !is.Locked()
		case policy.ActionOpen:
			wrong = is.State() != policy.StateOpen
		default:
			wrong = true
		}
		if wrong {
			t.Fatalf("%+v is not so\n%s\n---\n%s", e, visible(string(data)), visible(string(after.data)))
		}
	})
}
