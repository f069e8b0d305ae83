package main

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	_ "modernc.org/sqlite"
)

// storeCommands is what looks at or changes sessions, and whether it writes.
func storeCommands() map[string]bool {
	return map[string]bool{
		"sessions list": false, "sessions show last": false, "sessions export last": false, "sessions search say": false, "mcp grants": false,
		"sessions delete last --yes": true, "chat --resume last -q four": true, "chat -q four": true,
	}
}

// TestDamagedStore has the file of the sessions damaged, or of somebody else: every
// command says so with its place and what to do, ends with 1, runs nothing, and
// leaves the file as it is.
func TestDamagedStore(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		damage func(path string) error
		says   string
	}{
		"overwritten": {func(path string) error {
			return os.WriteFile(path, []byte(strings.Repeat("no database ", 4000)), 0o600)
		},
			"the file is damaged or is not ours; move it away and Hermes starts a new one"},
		"cut": {func(path string) error { return os.Truncate(path, 9000) }, "the file is damaged or is not ours; move it away"},
		"newer": {func(path string) error { return changeStore(path, `UPDATE schema_version SET version = 99`) },
			"it was written by a newer Hermes (schema 99"},
		"random bytes": {func(path string) error { return os.WriteFile(path, scattered(make([]byte, 20_000), 20_000), 0o600) },
			"the file is damaged or is not ours; move it away"},
		"bytes of it changed": {func(path string) error {
			data, err := os.ReadFile(path)
			return errors.Join(err, os.WriteFile(path, scattered(data, 2000), 0o600))
		}, "the file is damaged or is not ours; move it away"},
		"a link": {func(path string) error {
			return errors.Join(os.Rename(path, path+".kept"), os.Symlink(path+".kept", path))
		}, "is a link, not a file of ours"},
		"a folder": {func(path string) error { return errors.Join(os.Remove(path), os.Mkdir(path, 0o700)) }, "is a folder, not a file of ours"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
			defer cancel()
			s := newTurnStage(t, "")
			if said, code := s.hermes(ctx, "chat", "-q", "say it"); code != 0 {
				t.Fatal(said)
			}
			path := filepath.Join(s.home, "native", "state.db")
			if err := c.damage(path); err != nil {
				t.Fatal(err)
			}
			before := hashes(t, filepath.Dir(path))["state.db"]
			for command := range storeCommands() {
				said, code := s.hermes(ctx, strings.Fields(command)...)
				if code != 1 || !strings.Contains(said, path) || !strings.Contains(said, c.says) || strings.Contains(said, "goroutine") {
					t.Errorf("%s: exit code %d: %s", command, code, said)
				}
			}
			if now := hashes(t, filepath.Dir(path))["state.db"]; now != before {
				t.Errorf("the file was %s and is %s", before, now)
			}
			if got := s.did("add"); len(got) > 0 {
				t.Errorf("nothing can be stored, and it did %q", got)
			}
		})
	}
}

// scattered changes so many bytes behind the first hundred, each run alike.
func scattered(data []byte, n int) []byte {
	draw := rand.New(rand.NewPCG(1, 2))
	for range n {
		data[100+draw.IntN(len(data)-100)] ^= byte(1 + draw.IntN(255))
	}
	return data
}

func changeStore(path, change string) error {
	db, err := sql.Open("sqlite", path)
	if err != nil {
		return err
	}
	_, err = db.Exec(change)
	return errors.Join(err, db.Close())
}

// TestStoreHeldByAnother has another program write for longer than anybody waits:
// what was said can be read, and a turn is refused before anything runs.
func TestStoreHeldByAnother(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	s := newTurnStage(t, "")
	if said, code := s.hermes(ctx, "chat", "-q", "say it"); code != 0 {
		t.Fatal(said)
	}
	older := s.sessions(ctx)[0]
	if said, code := s.hermes(ctx, "chat", "-q", "say it"); code != 0 {
		t.Fatal(said)
	}
	db, err := sql.Open("sqlite", filepath.Join(s.home, "native", "state.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	db.SetMaxOpenConns(1)
	if _, err := db.Exec(`BEGIN EXCLUSIVE`); err != nil {
		t.Fatal(err)
	}
	t.Run("all", func(t *testing.T) {
		for command, writes := range storeCommands() {
			t.Run(command, func(t *testing.T) {
				t.Parallel()
				// From here on: what waits for its turn among the tests has used no time.
				ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
				defer cancel()
				// A turn has the last one; a search looks at what was said since the one before.
				said, code := s.hermesFor(ctx, t, strings.Fields(strings.Replace(command, "delete last", "delete "+older, 1))...)
				writes := writes || strings.HasPrefix(command, "sessions search")
				if !writes && code != 0 || writes && (code != 1 || !strings.Contains(said, "another program held the file too long; try again when it has finished")) {
					t.Errorf("exit code %d: %s", code, said)
				}
			})
		}
	})
	if got := s.did("add"); len(got) > 0 {
		t.Errorf("nothing can be stored, and it did %q", got)
	}
}

// TestFullDisk lets the files of a turn grow to a limit only, from one that takes
// nothing to one that takes most of it: the turn ends where it cannot be stored, and
// says so; with room again the session goes on, and what it tells of each call is so.
func TestFullDisk(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(t.Context(), 4*time.Minute)
	defer cancel()
	s := newTurnStage(t, "")
	if said, code := s.hermes(ctx, "chat", "-q", "say it"); code != 0 {
		t.Fatal(said)
	}
	id := s.sessions(ctx)[0]
	failed, began := 0, 0
	limited := func(kilobytes int, args ...string) (string, int) {
		t.Helper()
		program := hermes(ctx, s.home, args...)
		// The unit is 512 bytes.
		cmd := exec.CommandContext(ctx, "sh", append([]string{"-c", fmt.Sprintf(`ulimit -f %d; exec "$0" "$@"`, 2*kilobytes)}, program.Args...)...)
		cmd.Env = program.Env
		out, _ := cmd.CombinedOutput()
		return string(out), cmd.ProcessState.ExitCode()
	}
	for kilobytes := 0; kilobytes <= 260; kilobytes += 20 {
		for _, read := range []string{"sessions list", "sessions show " + id, "sessions export " + id} {
			if said, code := limited(kilobytes, strings.Fields(read)...); kilobytes%60 == 0 && code != 0 {
				t.Errorf("%s with room for %d kB: exit code %d: %s", read, kilobytes, code, said)
			}
		}
		if err := os.RemoveAll(s.log); err != nil {
			t.Fatal(err)
		}
		before := len(s.results())
		said, code := limited(kilobytes, "chat", "-q", "four", "--resume", id)
		ran := s.did("add")
		switch {
		case code == 1 && strings.Contains(said, "disk"):
			failed++
		case code != 0 || len(ran) != 4:
			t.Errorf("room for %d kB: %q ran, exit code %d: %s", kilobytes, ran, code, said)
		}
		if code == 1 && len(ran) > 0 {
			began++
		}
		if said, code := s.hermes(ctx, "chat", "-q", "say it", "--resume", id); code != 0 {
			t.Fatalf("after %d kB the session does not go on: %s", kilobytes, said)
		}
		if again := s.did("add"); len(again) != len(ran) {
			t.Errorf("after %d kB: %q, then %q", kilobytes, ran, again)
		}
		s.answered(s.results()[before:], ran)
		s.unjudged()
		if t.Failed() {
			t.Fatalf("with room for %d kB it said %s", kilobytes, said)
		}
	}
	if failed < 2 {
		t.Errorf("only %d turns met the limit", failed)
	}
	t.Logf("%d turns met the limit, %d of them with calls on their way", failed, began)
	if said, code := limited(4, "sessions", "delete", id, "--yes"); code != 1 || !strings.Contains(said, "disk") {
		t.Errorf("exit code %d: %s", code, said)
	}
	if said, code := s.hermes(ctx, "sessions", "show", id); code != 0 {
		t.Errorf("a session that could not be deleted is lost: %s", said)
	}
}
