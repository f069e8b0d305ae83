package agent_test

import (
	"context"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"hermes/backend/agent"
	"hermes/backend/store"
)

var update = flag.Bool("update", false, "write the transcripts as they are now; read the difference before you keep it")

// TestTranscripts runs whole turns on the real store: what is asked and
// scripted stands in the archive, and what people see, what is stored and what
// reaches the servers is compared with it.
func TestTranscripts(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no transcripts: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			archive, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			parts := map[string]string{}
			for _, part := range archive.Files {
				parts[part.Name] = string(part.Data)
			}
			got := runTranscript(t, parts)
			changed := false
			for i, part := range archive.Files {
				want, compared := got[part.Name]
				if !compared || string(part.Data) == want {
					continue
				}
				changed = true
				if !*update {
					t.Errorf("%s differs\n got:\n%s\nwant:\n%s", part.Name, want, part.Data)
				}
				archive.Files[i].Data = []byte(want)
			}
			if changed && *update {
				if err := os.WriteFile(file, txtar.Format(archive), 0o644); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

func runTranscript(t *testing.T, parts map[string]string) map[string]string {
	t.Helper()
	s, err := store.Open(filepath.Join(t.TempDir(), "native", "state.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	ctx := context.Background()
	session, err := s.CreateSession(ctx, store.Session{})
	if err != nil {
		t.Fatal(err)
	}
	f := &tools{}
	if err := json.Unmarshal([]byte(parts["tools"]), &f.known); err != nil {
		t.Fatalf("tools: %v", err)
	}
	m := &model{t: t}
	for line := range strings.Lines(parts["model"]) {
		var a answer
		if err := json.Unmarshal([]byte(line), &a); err != nil {
			t.Fatalf("model: %s: %v", line, err)
		}
		m.answers = append(m.answers, a)
	}
	loop := &agent.Loop{Model: m, Tools: f, Journal: s, Gate: gate{}}
	events := &told{t: t}
	for question := range strings.Lines(parts["ask"]) {
		_, err = loop.Run(ctx, session, strings.TrimSpace(question), events.sink)
		if err != nil {
			events.lines = append(events.lines, "returned "+err.Error())
			continue
		}
		events.complete()
	}
	if len(m.asked) != len(m.answers) {
		t.Errorf("%d of %d scripted passes were asked", len(m.asked), len(m.answers))
	}
	rows, err := s.Messages(ctx, session)
	if err != nil {
		t.Fatal(err)
	}
	if recovered, err := s.Recover(ctx, session); err != nil || len(recovered) > 0 {
		t.Errorf("the turn left %d calls without a result, %v", len(recovered), err)
	}
	lines := func(list []string) string {
		if len(list) == 0 {
			return ""
		}
		return strings.Join(list, "\n") + "\n"
	}
	slices.Sort(f.sent) // calls to several servers overlap
	return map[string]string{"events": lines(inCallOrder(events.lines)), "stored": lines(listing(rows)), "sent": lines(f.sent)}
}

// inCallOrder sorts neighbouring result lines by their calls, because which of
// two servers answers first is nobody's promise.
func inCallOrder(lines []string) []string {
	place := map[string]int{}
	for i, line := range lines {
		if word := strings.Fields(line); word[0] == "call" {
			place[word[1]] = i
		}
	}
	for i := 0; i < len(lines); i++ {
		end := i
		for end < len(lines) && strings.HasPrefix(lines[end], "result ") {
			end++
		}
		slices.SortStableFunc(lines[i:end], func(a, b string) int {
			return place[strings.Fields(a)[1]] - place[strings.Fields(b)[1]]
		})
		i = max(i, end-1)
	}
	return lines
}
