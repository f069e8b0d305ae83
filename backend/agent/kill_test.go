package agent_test

import (
	"bufio"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"hermes/backend/agent"
	"hermes/backend/message"
	"hermes/backend/store"
)

const signedBlock = `{ "type":"thinking",  "thinking":"<four>", "signature" : "c2lnbmVk\u002b" }`

// worker is a whole program but for its servers: the loop, the store and both
// vendors' wire. Its tools write down that they ran.
type worker struct {
	vendors *vendors
	asked   int
}

// Stream lets both vendors judge the history, and answers: a batch of four first,
// then words.
func (w *worker) Stream(ctx context.Context, request agent.Request, _ func(string)) (agent.Turn, error) {
	if err := w.vendors.ask(ctx, request); err != nil {
		return agent.Turn{}, err
	}
	w.asked++
	if last := request.Messages[len(request.Messages)-1]; last.Role != message.RoleUser || last.Content != "go" {
		return agent.Turn{Content: "said", Stop: message.StopEnd}, nil
	}
	calls := batchOf(4)
	return agent.Turn{ToolCalls: calls, Stop: message.StopToolCalls, Vendor: "anthropic", Blocks: []json.RawMessage{
		json.RawMessage(signedBlock),
		json.RawMessage(`{"type":"tool_use","id":"batch","name":"tool_call","input":` + calls[0].Arguments + `}`),
	}}, nil
}

// effectful is four tools of two servers that write down that they ran.
func effectful(ran func(name string) error) *tools {
	return serversOf(4, func(i int) *tool {
		return &tool{Server: fmt.Sprint("s", i%2), run: func(_ context.Context, target agent.Target) agent.Result {
			if err := ran(target.Public); err != nil {
				return agent.Result{Status: message.StatusError, Content: err.Error()}
			}
			return agent.Result{Status: message.StatusOK, Content: "done"}
		}}
	})
}

func appendTo(path string) func(string) error {
	return func(line string) error {
		file, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
		if err != nil {
			return err
		}
		_, err = fmt.Fprintln(file, line)
		return errors.Join(err, file.Close())
	}
}

// workerChild runs one turn of the session and ends; it may be killed any time.
func workerChild() {
	home := os.Getenv("HERMES_TEST_WORKER")
	if home == "" {
		return
	}
	err := func() error {
		v, err := newVendors(signedBlock)
		if err != nil {
			return err
		}
		fmt.Println("ready")
		s, err := store.Open(filepath.Join(home, "state.db"))
		if err != nil {
			return err
		}
		loop := &agent.Loop{Model: &worker{vendors: v}, Tools: effectful(appendTo(filepath.Join(home, "effects"))), Journal: s, Gate: gate{}, System: "s"}
		_, err = loop.Run(context.Background(), os.Getenv("HERMES_TEST_SESSION"), os.Getenv("HERMES_TEST_TEXT"), func(message.Event) {})
		return errors.Join(err, s.Close())
	}()
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	os.Exit(0)
}

// work runs a program for one turn and kills it after a while, unless it is done
// by then; a while of 0 lets it end. What it says against the history is a fault.
func work(t *testing.T, home, session, text string, while time.Duration) (took time.Duration) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "HERMES_TEST_WORKER="+home, "HERMES_TEST_SESSION="+session, "HERMES_TEST_TEXT="+text)
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	lines.Buffer(nil, 1<<20)
	if !lines.Scan() || lines.Text() != "ready" {
		t.Fatalf("the program said %q", lines.Text())
	}
	began := time.Now()
	if while > 0 {
		// The moment is drawn, nothing is expected of it.
		defer time.AfterFunc(while, func() { _ = cmd.Process.Kill() }).Stop()
	}
	for lines.Scan() {
		t.Errorf("the program said %s", lines.Text())
	}
	if err := cmd.Wait(); err != nil && while == 0 {
		t.Fatalf("the program ended with %v", err)
	}
	return time.Since(began)
}

// TestRandomKills kills the program at drawn moments, also while it goes on with
// what the last kill left. HERMES_TEST_KILLS sets how many sessions suffer.
func TestRandomKills(t *testing.T) {
	sessions := 6
	if more, err := strconv.Atoi(os.Getenv("HERMES_TEST_KILLS")); err == nil {
		sessions = more
	}
	home := t.TempDir()
	s, err := store.Open(filepath.Join(home, "state.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	whole := time.Duration(0)
	for n := range sessions + 1 {
		session, err := s.CreateSession(t.Context(), store.Session{})
		if err != nil {
			t.Fatal(err)
		}
		if n == 0 {
			whole = work(t, home, session, "go", 0) // how long a turn takes undisturbed
		} else {
			for _, text := range []string{"go", "go on", "and on"}[:1+rand.IntN(3)] {
				work(t, home, session, text, 1+rand.N(whole*5/4))
			}
			work(t, home, session, "last", 0)
		}
		rows, err := s.Messages(t.Context(), session)
		if err != nil {
			t.Fatal(err)
		}
		effects, err := os.ReadFile(filepath.Join(home, "effects"))
		if err != nil && !os.IsNotExist(err) {
			t.Fatal(err)
		}
		checkAfterCrash(t, rows, string(effects))
		if err := os.RemoveAll(filepath.Join(home, "effects")); err != nil {
			t.Fatal(err)
		}
	}
}

// TestEveryWriteToTheDisk is a kill between any two writes of the database
// itself: the log of a whole turn is cut behind each of its pages, and in the
// middle of some, and another program goes on from there.
func TestEveryWriteToTheDisk(t *testing.T) {
	home := t.TempDir()
	path := filepath.Join(home, "state.db")
	s, err := store.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	session, err := s.CreateSession(t.Context(), store.Session{})
	if err != nil {
		t.Fatal(err)
	}
	v, err := newVendors(signedBlock)
	if err != nil {
		t.Fatal(err)
	}
	defer v.server.Close()
	base, _ := logPages(t, path)
	ran := map[string]int{} // the pages that were written when a tool ran
	loop := &agent.Loop{Model: &worker{vendors: v}, Journal: s, Gate: gate{}, Tools: oneByOne(func(name string) {
		ran[name], _ = logPages(t, path)
	})}
	if _, err := loop.Run(t.Context(), session, "go", func(message.Event) {}); err != nil {
		t.Fatal(err)
	}
	pages, log := logPages(t, path)
	file, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if len(ran) != 4 || pages-base < 20 {
		t.Fatalf("%d tools ran, %d pages were written", len(ran), pages-base)
	}
	for at := base; at <= pages; at++ {
		for _, torn := range []int{0, 2000} {
			if torn > 0 && at%5 != 0 {
				continue
			}
			var effects strings.Builder
			for name, when := range ran {
				if when <= at {
					effects.WriteString(name + "\n")
				}
			}
			goOn(t, v, session, file, log[:min(len(log), logHead+at*logPage+torn)], effects.String())
		}
	}
}

// goOn is another program on what a killed one left.
func goOn(t *testing.T, v *vendors, session string, file, log []byte, effects string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "state.db")
	if err := errors.Join(os.WriteFile(path, file, 0o600), os.WriteFile(path+"-wal", log, 0o600)); err != nil {
		t.Fatal(err)
	}
	s, err := store.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	loop := &agent.Loop{Model: &worker{vendors: v}, Journal: s, Gate: gate{}, Tools: oneByOne(func(name string) { t.Errorf("%s ran again", name) })}
	if _, err := loop.Run(t.Context(), session, "go on", func(message.Event) {}); err != nil {
		t.Fatalf("a log of %d bytes: %v", len(log), err)
	}
	rows, err := s.Messages(t.Context(), session)
	if err != nil {
		t.Fatal(err)
	}
	checkAfterCrash(t, rows, effects)
}

func oneByOne(ran func(name string)) *tools {
	return serversOf(4, func(int) *tool {
		return &tool{Server: "one", run: func(_ context.Context, target agent.Target) agent.Result {
			ran(target.Public)
			return agent.Result{Status: message.StatusOK, Content: "done"}
		}}
	})
}

// The write-ahead log has a head, and pages with a head each, which hold the salt
// of the log's head as long as they belong to it.
const (
	logHead = 32
	logPage = 24 + 4096
)

func logPages(t *testing.T, path string) (int, []byte) {
	t.Helper()
	log, err := os.ReadFile(path + "-wal")
	if err != nil {
		t.Fatal(err)
	}
	pages := 0
	for at := logHead; at+logPage <= len(log); at += logPage {
		if binary.BigEndian.Uint64(log[at+8:]) != binary.BigEndian.Uint64(log[16:]) {
			break
		}
		pages++
	}
	return pages, log
}
