package config

import (
	"errors"
	"io/fs"
	"os"
	"strings"
	"testing"
	"time"

	"hermes/backend/policy"
)

const restricted = `mcp_servers:
  locked: {command: a, tools: {include: []}}
  only: {command: b, tools: {include: [x, "y*"], resources: false}}
  open: {command: c}
  wary: {command: d, trust: untrusted}
  odd: {command: e, tools: 42}
`

// clock gives times one hour apart.
func clock() func() time.Time {
	now := time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)
	return func() time.Time {
		now = now.Add(time.Hour)
		return now
	}
}

func record(t *testing.T, f *File) Ledger {
	t.Helper()
	if err := f.Record(f.Current()); err != nil {
		t.Fatal(err)
	}
	l, err := ReadLedger(f.Home())
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func TestLedgerRemembersWhatIsInForce(t *testing.T) {
	h := home(t, restricted)
	f := Open(h, Options{Getenv: env(), Now: clock(), Settle: time.Millisecond})
	f.Load()
	if l := record(t, f); len(l.Servers) != 0 {
		t.Error("recorded before the first edit made our folder")
	}
	if _, err := os.Stat(h.Native()); !errors.Is(err, fs.ErrNotExist) {
		t.Error("recording made our folder")
	}
	if err := os.Mkdir(h.Native(), 0o700); err != nil {
		t.Fatal(err)
	}
	l := record(t, f)
	if len(l.Servers) != 4 || l.Servers["locked"].State != policy.StateOnly || len(l.Servers["locked"].Patterns) != 0 ||
		strings.Join(l.Servers["only"].Patterns, ",") != "x,y*" || !l.Servers["only"].ResourcesOff || l.Servers["only"].PromptsOff ||
		!l.Servers["wary"].Untrusted || l.Servers["odd"].State != policy.StateInvalid {
		t.Errorf("%+v", l)
	}
	if e := l.Servers["locked"]; e.Since.Hour() != 13 || e.Revision != f.Current().Revision || len(e.Target) != 16 {
		t.Errorf("%+v", e)
	}
	info, err := os.Stat(h.ledgerFile())
	if err != nil || info.Mode() != 0o600 {
		t.Errorf("%v %v", info.Mode(), err)
	}

	// Nothing new: the file is not touched.
	first := l
	record(t, f)
	if again, _ := os.Stat(h.ledgerFile()); !os.SameFile(info, again) {
		t.Error("written without a change")
	}

	// A server that vanishes is remembered, one that changed is new, one whose
	// restriction is gone is held, and one that never had any is only known.
	put(t, h.Config(), "mcp_servers:\n  only: {command: b, tools: {include: [x]}}\n  wary: {command: d}\n  odd: {command: f, tools: 42}\n")
	f.Reload()
	l = record(t, f)
	if e := l.Servers["locked"]; e.State != policy.StateOnly || e.Since.Hour() != 13 {
		t.Errorf("the vanished one: %+v", e)
	}
	if e := l.Servers["only"]; strings.Join(e.Patterns, ",") != "x" || e.Since.Hour() == 13 {
		t.Errorf("the changed one: %+v", e)
	}
	if e := l.Servers["wary"]; e.Untrusted || len(e.Lost) != 1 || !e.Lost[0].Untrusted || e.Since.Hour() != 13 {
		t.Errorf("the held one: %+v", e)
	}
	if _, there := l.Servers["open"]; there || l.Known["open"] == "" {
		t.Error("a server without restrictions is remembered")
	}
	if e := l.Servers["odd"]; e.Since.Hour() != 13 || e.Target == first.Servers["odd"].Target {
		t.Errorf("another program, the same restriction: %+v", e)
	}
}

func TestLedgerIsNotWrittenFromABadFile(t *testing.T) {
	h := home(t, restricted)
	f := quick(t, h)
	if err := os.Mkdir(h.Native(), 0o700); err != nil {
		t.Fatal(err)
	}
	before := record(t, f)
	put(t, h.Config(), "")
	f.Reload()
	if after := record(t, f); len(after.Servers) != len(before.Servers) {
		t.Errorf("%+v", after)
	}
	if err := f.Record(nil); err != nil {
		t.Error(err)
	}
}

func TestUnreadableLedgerIsReportedAndKept(t *testing.T) {
	for name, content := range map[string]string{"no JSON": "{", "another version": `{"version": 9, "servers": {}}`} {
		h := home(t, restricted)
		f := quick(t, h)
		if err := os.Mkdir(h.Native(), 0o700); err != nil {
			t.Fatal(err)
		}
		put(t, h.ledgerFile(), content)
		if l, err := ReadLedger(h); err == nil || len(l.Servers) != 0 {
			t.Errorf("%s: %+v, %v", name, l, err)
		}
		if err := f.Record(f.Current()); err == nil {
			t.Errorf("%s: recorded over it", name)
		}
		if get(t, h.ledgerFile()) != content {
			t.Errorf("%s: destroyed", name)
		}
		if !f.Current().Servers[2].Rules.Allows("x") {
			t.Errorf("%s: it blocks something", name)
		}
	}
}

// An edit of ours and recording use the same lock and do not wait for each
// other for ever.
func TestRecordAfterApply(t *testing.T) {
	h := home(t, restricted)
	f := quick(t, h)
	apply(t, f, on("locked", "z"))
	if l := record(t, f); strings.Join(l.Servers["locked"].Patterns, ",") != "z" {
		t.Errorf("%+v", l)
	}
}
