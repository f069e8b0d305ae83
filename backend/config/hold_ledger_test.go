package config

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"hermes/backend/policy"
)

func TestFreshHomeAndBadLedger(t *testing.T) {
	h := home(t, openedFile)
	if isHeld(t, quick(t, h), "demo") {
		t.Error("held without a ledger")
	}
	if err := os.Mkdir(h.Native(), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"{", `{"version": 1, "servers": {"demo": {"state": "shut"}}}`, `{"version": 7}`} {
		put(t, h.ledgerFile(), text)
		f := quick(t, h)
		if isHeld(t, f, "demo") || !allows(f.Current(), "demo", "a") || len(f.Current().Problems) != 1 || f.Current().Problems[0].Code != CodeLedger {
			t.Errorf("%s: %+v", text, f.Current().Problems)
		}
		put(t, h.Config(), lockedFile)
		if g := quick(t, h); allows(g.Current(), "demo", "a") {
			t.Errorf("%s: it opens", text)
		}
		put(t, h.Config(), openedFile)
	}
}

// TestLedgerDeletedWhileRunning: what is known stays in force, and recording
// writes it again.
func TestLedgerDeletedWhileRunning(t *testing.T) {
	h, f := kept(t, lockedFile)
	put(t, h.Config(), openedFile)
	f.Reload()
	record(t, f)
	for _, broken := range []bool{false, true} {
		if err := os.Remove(h.ledgerFile()); err != nil {
			t.Fatal(err)
		}
		if broken {
			put(t, h.ledgerFile(), "{")
		}
		f.Reload()
		if !isHeld(t, f, "demo") {
			t.Error("forgotten with the file")
		}
		if broken {
			if err := os.Remove(h.ledgerFile()); err != nil {
				t.Fatal(err)
			}
			f.Reload()
		}
		record(t, f)
		if !isHeld(t, again(t, h), "demo") {
			t.Error("not written again")
		}
	}
}

// TestHeldWithoutOurFolder: a running process holds what it saw, and then it
// writes, because a restart would open the server.
func TestHeldWithoutOurFolder(t *testing.T) {
	h := home(t, lockedFile)
	f := quick(t, h)
	if err := f.Record(f.Current()); err != nil {
		t.Fatal(err)
	}
	put(t, h.Config(), openedFile)
	f.Reload()
	if !isHeld(t, f, "demo") {
		t.Fatal("not held")
	}
	record(t, f)
	if !isHeld(t, again(t, h), "demo") {
		t.Error("a restart opens it")
	}
	// Our own edit in another process reaches one that only remembers.
	h = home(t, lockedFile)
	f = quick(t, h)
	if err := f.Record(f.Current()); err != nil {
		t.Fatal(err)
	}
	apply(t, quick(t, h), does(policy.ActionOpen, "demo"))
	f.Reload()
	if isHeld(t, f, "demo") {
		t.Error("our own edit is held")
	}
}

func TestHoldingOff(t *testing.T) {
	const off = "mcp: {hold_lost_filters: false}\n"
	h, f := kept(t, off+lockedFile)
	put(t, h.Config(), off+openedFile)
	f.Reload()
	if p := f.Current().Problems; !isHeld(t, f, "demo") || len(p) != 1 || p[0].Code != CodeHoldOff || p[0].Line != 1 {
		t.Errorf("a false that nobody confirmed counts: %+v", p)
	}
	record(t, f)
	if err := f.ConfirmHolding(context.Background(), false); err != nil {
		t.Fatal(err)
	}
	if !isHeld(t, f, "demo") || !isHeld(t, again(t, h), "demo") || len(f.Current().Problems) != 0 {
		t.Error("turning it off ended a hold")
	}
	apply(t, f, does(policy.ActionRestore, "demo"))
	record(t, f)
	put(t, h.Config(), off+openedFile)
	f.Reload()
	if isHeld(t, f, "demo") || isHeld(t, again(t, h), "demo") {
		t.Error("it is off and a new loss is held")
	}
	// Gone from the file and back from outside: somebody has to confirm again.
	put(t, h.Config(), lockedFile)
	f.Reload()
	record(t, f)
	put(t, h.Config(), off+openedFile)
	f.Reload()
	if !isHeld(t, f, "demo") {
		t.Error("an old confirmation counts")
	}
}

func TestLedgerHoldsNoSecrets(t *testing.T) {
	h, f := kept(t, "mcp_servers:\n  demo: {command: x, args: [--token, s3cret-value], env: {KEY: s3cret-value}, tools: {include: [a]}}\n")
	put(t, h.Config(), "mcp_servers:\n  demo: {command: x, args: [--token, s3cret-value], env: {KEY: s3cret-value}}\n")
	f.Reload()
	record(t, f)
	if strings.Contains(get(t, filepath.Join(h.Native(), "ledger.json")), "s3cret") {
		t.Error("a secret is in the ledger")
	}
}

// TestLedgerDamagedWhileRunning: garbage, a link, a folder in its place: what is
// known stays in force and is written anew, and the garbage is kept beside it.
func TestLedgerDamagedWhileRunning(t *testing.T) {
	for name, damage := range map[string]func(path string) error{
		"garbage": func(path string) error { return os.WriteFile(path, []byte("{"), 0o600) },
		"forged": func(path string) error {
			return os.WriteFile(path, []byte(`{"version": 1, "servers": {"demo": {"state": "shut"}}}`), 0o600)
		},
		"long": func(path string) error { return os.Truncate(path, 1<<30) },
		"folder": func(path string) error {
			return errors.Join(os.Remove(path), os.Mkdir(path, 0o700))
		},
		"link": func(path string) error {
			return errors.Join(os.Rename(path, path+".else"), os.Symlink(path+".else", path))
		},
	} {
		t.Run(name, func(t *testing.T) {
			h, f := kept(t, lockedFile)
			if err := damage(h.ledgerFile()); err != nil {
				t.Fatal(err)
			}
			put(t, h.Config(), openedFile)
			snap, _ := f.Reload()
			if !isHeld(t, f, "demo") || !slices.ContainsFunc(snap.Problems, func(p Problem) bool { return p.Code == CodeLedger }) {
				t.Errorf("forgotten, or not told: %+v", snap.Problems)
			}
			record(t, f)
			if f.Reload(); len(f.Current().Problems) != 0 || !isHeld(t, f, "demo") {
				t.Errorf("%+v", f.Current().Problems)
			}
			if !isHeld(t, again(t, h), "demo") {
				t.Error("not written anew")
			}
			if _, err := os.Lstat(h.ledgerFile() + ".damaged"); err != nil {
				t.Error(err)
			}
		})
	}
	// The ledger of a later program is left alone.
	h, f := kept(t, lockedFile)
	put(t, h.ledgerFile(), `{"version": 9}`)
	put(t, h.Config(), openedFile)
	f.Reload()
	if !isHeld(t, f, "demo") || f.Record(f.Current()) == nil || get(t, h.ledgerFile()) != `{"version": 9}` {
		t.Error("a newer ledger was written over, or ended a hold")
	}
}
