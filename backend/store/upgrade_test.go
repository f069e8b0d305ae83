package store_test

import (
	"context"
	"database/sql"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"testing"

	"hermes/backend/message"
	"hermes/backend/store"
)

// version1 puts a state file in a home as the first release left it: a whole
// turn, and a round that was cut off with one call started and one stored.
func version1(t *testing.T) (path, session string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "native", "state.db")
	must(t, os.MkdirAll(filepath.Dir(path), 0o700))
	script, err := os.ReadFile(filepath.Join("testdata", "version1.sql"))
	must(t, err)
	db, err := sql.Open("sqlite", path)
	must(t, err)
	_, err = db.Exec(string(script))
	must(t, errors.Join(err, db.Close()))
	return path, "20261101-120000-0123abcd"
}

func TestUpgrade(t *testing.T) {
	path, session := version1(t)
	old, err := sql.Open("sqlite", path)
	must(t, err)
	defer old.Close()
	write, err := old.Prepare(`INSERT INTO messages (session, seq, slot, role, content, tool_call_id, tool_name, status, vendor, created_at) VALUES (?, ?, 0, 'user', ?, '', '', '', '', 0)`)
	must(t, err)
	defer write.Close()
	ctx := context.Background()
	if _, err := old.Exec(`INSERT INTO sessions VALUES ('other', 'other', 'cli', 'm', 0, 0)`); err != nil {
		t.Fatal(err)
	}
	s := reopen(t, path)
	history, recovered, release, err := s.Begin(ctx, session)
	must(t, err)
	release()
	if got := contents(history); got != "user; assistant; tool a ok; assistant; user; assistant; tool b unknown; tool c interrupted" {
		t.Errorf("the history is %s", got)
	}
	if got := contents(recovered); got != "tool b unknown; tool c interrupted" {
		t.Errorf("recovered %s", got)
	}
	if !strings.Contains(recovered[0].Content, "whether it took effect is not known") {
		t.Errorf("a call of which nothing is known is answered %q", recovered[0].Content)
	}
	if want := `{ "type":"thinking",  "signature" : "<\u003c>" }`; string(history[1].Blocks[0]) != want {
		t.Errorf("the block is %s, want %s", history[1].Blocks[0], want)
	}
	for query, want := range map[string]string{"pomegranate": "Where is the pomegranate?", "shelf": "Where is the pomegranate?", "late": ""} {
		if got := searched(t, s, query); got != want {
			t.Errorf("search %s found %q, want %q", query, got, want)
		}
	}
	// The older program had the file open and goes on.
	_, err = write.Exec("other", 1, "late word")
	must(t, err)
	if got := searched(t, s, "late"); got != "other" {
		t.Errorf("a row of the older program is found as %q", got)
	}
	grants, err := s.Grants(ctx)
	must(t, err)
	if len(grants) != 1 || !reflect.DeepEqual(grants[0], store.Grant{ID: 1, Server: "f", Tool: "w", Definition: "hash", Allow: true, Scope: "always", At: grants[0].At}) {
		t.Errorf("the grants are %+v", grants)
	}
	must(t, s.Compact(ctx, session, user("sum"), 3))
	must(t, s.AddUsage(ctx, session, "m", message.Usage{InputTokens: 1}, 0, false))
	must(t, s.DeleteSession(ctx, session))
}

// TestUpgradeByManyAtOnce: programs of the new version meet the old file at the
// same moment, some of them killed while they bring it up.
func TestUpgradeByManyAtOnce(t *testing.T) {
	path, session := version1(t)
	programs := make([]*program, 4)
	for i := range programs {
		programs[i] = startProgram(t, path, session)
		programs[i].send("list")
	}
	programs[0].kill()
	var all sync.WaitGroup
	for range 3 {
		all.Go(func() {
			s, err := store.Open(path)
			if err == nil {
				_, err = s.Search(context.Background(), "pomegranate", 1)
				err = errors.Join(err, s.Close())
			}
			if err != nil {
				t.Error(err)
			}
		})
	}
	for _, p := range programs[1:] {
		p.wait()
	}
	all.Wait()
	if got := searched(t, reopen(t, path), "pomegranate"); got != "Where is the pomegranate?" {
		t.Errorf("found %q", got)
	}
}
