package host

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"hermes/backend/config"
	"hermes/backend/native"
	"hermes/backend/policy"
)

// narrow allows one tool of the demo's files, wide one more.
func narrow(text string) string {
	return strings.Replace(text, "    builtin: files\n", "    builtin: files\n    tools: {include: [read_file]}\n", 1)
}

// widen writes one more tool into the file, as an agent would.
func widen(t *testing.T, h *Host) {
	t.Helper()
	replaceText(t, h, "[read_file]", "[read_file, write_file]")
	h.Reload()
}

func replaceText(t *testing.T, h *Host, old, now string) {
	t.Helper()
	text, err := os.ReadFile(h.Home().Config())
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(h.Home().Config(), []byte(strings.Replace(string(text), old, now, 1)), 0o600); err != nil {
		t.Fatal(err)
	}
}

const wide = "mcp__files__write_file"

// acted is a person who acts now.
func acted(h *Host) bool { return h.acts(action{at: time.Now()}) }

// TestClientsAreAtWork: what is opened while a client calls, or rests from its
// last call, waits for a person: the end of the rest does not take it, nor does a
// message in a chat elsewhere, which shows nothing of it; what changes after the
// rest does not wait.
func TestClientsAreAtWork(t *testing.T) {
	for name, ends := range map[string]func(*testing.T, *Host){
		"edit": func(_ *testing.T, h *Host) { h.counts(action{at: time.Now()}) },
		"reload": func(t *testing.T, h *Host) {
			if _, err := h.ReloadNow(t.Context()); err != nil {
				t.Error(err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			h := demoHost(t, narrow)
			if h.atWork() {
				t.Fatal("an agent is at work before anybody called")
			}
			h.GatewayTools().Call(t.Context(), "mcp__files__read_file", []byte(`{"path": "none"}`), nil)
			widen(t, h)
			if offered(h, wide) || len(h.Snapshot().Waiting) != 1 {
				t.Fatalf("it does not wait: %+v", h.Snapshot().Waiting)
			}
			h.rested()
			h.counts(action{at: time.Now(), message: true})
			if h.atWork() || offered(h, wide) || len(h.Snapshot().Waiting) != 1 {
				t.Fatalf("taken without a person, or still at work: %+v", h.Snapshot().Waiting)
			}
			ends(t, h)
			if !offered(h, wide) || len(h.Snapshot().Waiting) != 0 {
				t.Errorf("not taken: %+v", h.Snapshot().Waiting)
			}
			replaceText(t, h, ", write_file]", ", write_file, list_directory]")
			h.Reload()
			if !offered(h, "mcp__files__list_directory") {
				t.Errorf("what changed after the rest waits: %+v", h.Snapshot().Waiting)
			}
		})
	}
}

// TestTurnsAreAtWork: while a turn runs, and after it, what is opened waits, and
// what a person edits does not; a person's action after it takes the rest.
func TestTurnsAreAtWork(t *testing.T) {
	h := demoHost(t, narrow)
	h.Remember()
	end := h.beginTurn()
	widen(t, h)
	if offered(h, wide) {
		t.Fatal("it does not wait for the end of the turn")
	}
	acted(h)
	if offered(h, wide) {
		t.Fatal("a message in the middle of another turn took it")
	}
	if _, err := h.Apply(t.Context(), config.Edit{Server: "git", Intent: policy.Intent{Action: policy.ActionLock}}); err != nil {
		t.Fatal(err)
	}
	if sv, _ := h.Snapshot().Server("git"); !sv.Rules.Locked() || offered(h, wide) {
		t.Error("a person's edit is not in force, or took what waits")
	}
	end()
	end()
	h.Reload()
	if offered(h, wide) {
		t.Error("the end of the turn took it")
	}
	acted(h)
	if !offered(h, wide) {
		t.Error("a person's message did not take it")
	}
	if h.atWork() {
		t.Error("still at work")
	}
}

// TestTurnsOfOthers: a turn that another process tells of counts until a person
// acts here, whatever becomes of its files.
func TestTurnsOfOthers(t *testing.T) {
	h := demoHost(t, narrow)
	h.Remember()
	folder := runDir(h.Home())
	if err := native.Folder(folder); err != nil {
		t.Fatal(err)
	}
	// What a process left behind that was killed is no turn.
	left := filepath.Join(folder, strconv.Itoa(os.Getppid())+turnEnding)
	if err := os.WriteFile(left, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if h.atWork() {
		t.Error("what a dead process left counts as a turn")
	}
	if _, err := os.Stat(left); err == nil {
		t.Error("it was not cleared away")
	}
	lock, err := native.Lock(left)
	if err != nil {
		t.Fatal(err)
	}
	if held, err := lock.TryLock(); err != nil || !held {
		t.Fatalf("%v, %v", held, err)
	}
	if !h.atWork() {
		t.Error("a turn of another process does not count")
	}
	if err := native.Replace(turnFile(h.Home()), []byte("other")); err != nil {
		t.Fatal(err)
	}
	h.look(false)
	if err := lock.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(folder); err != nil {
		t.Fatal(err)
	}
	widen(t, h)
	if offered(h, wide) {
		t.Error("without its files the turn is forgotten")
	}
	acted(h)
	if !offered(h, wide) {
		t.Error("not taken after a person's action")
	}
}

// TestWordsOfOthers: only a person's word counts, and none of them opens anything
// by what it says.
func TestWordsOfOthers(t *testing.T) {
	h := demoHost(t, narrow)
	h.Remember()
	h.beginTurn()()
	widen(t, h)
	for _, said := range []string{`{"word":"take"}`, `{"word":"acted"}`} {
		if h.heard([]byte(said), false) || offered(h, wide) {
			t.Errorf("%s of a server's process counts", said)
		}
	}
	for _, said := range []string{"", "{", `{"word":"open"}`, `{"word":""}`} {
		if h.heard([]byte(said), true) || offered(h, wide) {
			t.Errorf("%q counts", said)
		}
	}
	early := h.Snapshot().WaitingSeen.Add(-time.Millisecond).UnixNano()
	for _, said := range []string{`{"word":"acted"}`, `{"word":"acted","at":` + strconv.FormatInt(early, 10) + `}`} {
		if !h.heard([]byte(said), true) || offered(h, wide) {
			t.Errorf("%s took what came after it", said)
		}
	}
	if h.heard([]byte(`{"word":"look"}`), false) || offered(h, wide) {
		t.Error("a look opens it, or does not say that something waits")
	}
	if !h.heard([]byte(`{"word":"take"}`), true) || !offered(h, wide) {
		t.Error("a person's word does not count")
	}
}

// TestOnlyWhatWasSeen: a person's message counts for what was noticed before it
// was typed, after the last turn had ended; what the disk says by then and nobody
// noticed waits on.
func TestOnlyWhatWasSeen(t *testing.T) {
	for name, c := range map[string]struct {
		typed func(h *Host, before, between, after time.Time) time.Time
		takes bool
	}{
		"nobody":                     {func(*Host, time.Time, time.Time, time.Time) time.Time { return time.Time{} }, false},
		"before the change":          {func(_ *Host, before, _, _ time.Time) time.Time { return before }, false},
		"before the end of the turn": {func(_ *Host, _, between, _ time.Time) time.Time { return between }, false},
		"after both":                 {func(_ *Host, _, _, after time.Time) time.Time { return after }, true},
	} {
		t.Run(name, func(t *testing.T) {
			h := demoHost(t, narrow)
			h.Remember()
			end := h.beginTurn()
			before := time.Now()
			widen(t, h)
			between := time.Now()
			end()
			if got := h.acts(action{at: c.typed(h, before, between, time.Now()), message: true}); got != c.takes || offered(h, wide) != c.takes {
				t.Errorf("counts: %v, offered: %v", got, offered(h, wide))
			}
		})
	}
	t.Run("not noticed yet", func(t *testing.T) {
		h := demoHost(t, narrow)
		h.Remember()
		h.beginTurn()()
		typed := time.Now()
		replaceText(t, h, "[read_file]", "[read_file, write_file]")
		if h.acts(action{at: typed, message: true}) || offered(h, wide) {
			t.Error("a change that came after the message was typed is in force")
		}
	})
	t.Run("changed again", func(t *testing.T) {
		h := demoHost(t, narrow)
		h.Remember()
		h.beginTurn()()
		widen(t, h)
		shown, typed := h.Snapshot(), time.Now()
		replaceText(t, h, ", write_file]", ", write_file, list_directory]")
		h.reload(func() (*config.Snapshot, bool) { return h.file.ReleaseSeen(shown) })
		if offered(h, "mcp__files__list_directory") || offered(h, wide) {
			t.Error("what nobody was shown is in force")
		}
		if h.acts(action{at: typed}) || !acted(h) || !offered(h, wide) {
			t.Error("taken too early, or not at all")
		}
	})
	t.Run("while a turn ran elsewhere", func(t *testing.T) {
		h := demoHost(t, narrow)
		h.Remember()
		h.beginTurn()()
		widen(t, h)
		typed := time.Now()
		if err := os.Chtimes(turnFile(h.Home()), time.Time{}, time.Now()); err != nil {
			t.Fatal(err)
		}
		if h.acts(action{at: typed, message: true}) || offered(h, wide) {
			t.Error("a message from before the end of another's turn took it")
		}
	})
}
