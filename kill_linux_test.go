package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// TestKilledInABatch kills `hermes chat -q` at drawn moments of a batch of four
// calls with an effect, and while each of them is at the server, and goes on with the
// session: nothing runs twice, what is
// said to be never sent was not, what has a result ran, nobody is left behind, and
// the history is one that a strict vendor takes.
func TestKilledInABatch(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	s := newTurnStage(t, "")
	var whole time.Duration
	for n := range 13 {
		if err := os.RemoveAll(s.log); err != nil {
			t.Fatal(err)
		}
		for len(s.asked) > 0 {
			<-s.asked
		}
		held := max(n-8, 0)
		if held > 0 {
			writeFile(t, s.log+".hold", fmt.Sprintf(`{"n":%d}`, held))
		}
		cmd := hermes(ctx, s.home, "chat", "-q", "four")
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		select {
		case <-s.asked:
		case <-ctx.Done():
			t.Fatal("the model was never asked")
		}
		began, moment := time.Now(), time.Duration(0)
		switch {
		case held > 0:
			s.until(ctx, fmt.Sprintf(`add {"n":%d}`, held))
			_ = cmd.Process.Kill()
		case n > 0:
			// The moment is drawn, nothing is expected of it.
			moment = rand.N(whole * 5 / 4)
			defer time.AfterFunc(moment, func() { _ = cmd.Process.Kill() }).Stop()
		}
		_ = cmd.Wait() // killed, or done before that
		if n == 0 {
			whole = time.Since(began)
		}
		s.allGone(ctx)
		before := s.did("add")
		said, code := s.hermes(ctx, "chat", "-q", "say it", "--resume", "last")
		if code != 0 {
			t.Fatalf("killed after %v of %v, the session does not go on: %s", moment, whole, said)
		}
		if after := s.did("add"); !slices.Equal(before, after) {
			t.Fatalf("killed after %v of %v, calls ran again: %q, then %q", moment, whole, before, after)
		}
		s.answered(s.results(), before)
		if results := s.results(); held > 0 && !strings.Contains(results[held-1], "took effect is not known") {
			t.Errorf("call %d was at the server, and is answered with %q", held, results[held-1])
		}
		s.unjudged()
		if t.Failed() {
			t.Fatalf("it was killed after %v of %v, and then said %s", moment, whole, said)
		}
	}
}

// answered compares what a model reads of a batch of four with what ran.
func (s *turnStage) answered(results, ran []string) {
	s.t.Helper()
	if len(results) != 0 && len(results) != 4 {
		s.t.Errorf("a batch of four has %d results", len(results))
	}
	for i := range 4 {
		times := 0
		for _, line := range ran {
			if line == fmt.Sprintf(`{"n":%d}`, i+1) {
				times++
			}
		}
		switch {
		case times > 1:
			s.t.Errorf("call %d ran %d times", i+1, times)
		case len(results) == 0 && times > 0:
			s.t.Errorf("call %d ran, and no row tells of it", i+1)
		case len(results) <= i:
		case strings.Contains(results[i], "Nothing was sent") && times > 0:
			s.t.Errorf("call %d ran, and is said to be never sent", i+1)
		case strings.Contains(results[i], "did {") && times == 0:
			s.t.Errorf("call %d has a result and never ran", i+1)
		case !containsOne(results[i], "Nothing was sent|did {|not known"):
			s.t.Errorf("result %d is %q", i+1, results[i])
		}
	}
}

// TestTwoProgramsOnOneSession has two questions at one session at the same moment,
// again and again, and a page beside them: one of two is told that the session is
// taken or waits for nothing, every stored row is valid, and no call ran twice.
func TestTwoProgramsOnOneSession(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	s := newTurnStage(t, "")
	if said, code := s.hermes(ctx, "chat", "-q", "say it"); code != 0 {
		t.Fatal(said)
	}
	page := hermes(ctx, s.home, "serve")
	out, err := page.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := page.Start(); err != nil {
		t.Fatal(err)
	}
	url, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	call := openPage(t, ctx, strings.TrimSpace(url))
	call("Start", `[]`)
	id := s.sessions(ctx)[0]
	turns := 0
	for _, beside := range []string{"", "", id} {
		var all sync.WaitGroup
		codes, words := make([]int, 2), make([]string, 2)
		for i := range codes {
			all.Go(func() { words[i], codes[i] = s.hermes(ctx, "chat", "-q", "four", "--resume", id) })
		}
		call("ChatSend", fmt.Sprintf(`[%q, "four of the page"]`, beside))
		all.Wait()
		for i, code := range codes {
			switch {
			case code == 0:
				turns++
			case code != 1 || !strings.Contains(words[i], "another turn of it"):
				t.Errorf("exit code %d: %s", code, words[i])
			}
		}
		if beside == "" && codes[0] != 0 && codes[1] != 0 {
			t.Errorf("nobody got the session: %q", words)
		}
	}
	signals(syscall.SIGINT)(t, page.Process)
	ends(t, page, 130)
	s.allGone(ctx)
	if said, code := s.hermes(ctx, "chat", "-q", "say it", "--resume", id); code != 0 {
		t.Error(said)
	}
	s.unjudged()
	results, ran := 0, 0
	for _, result := range s.results() {
		results++
		if strings.Contains(result, "did {") {
			ran++
		}
	}
	// What the page did in sessions of its own ran too.
	if got := len(s.did("add")); results < turns*4 || results > (turns+1)*4 || got < ran || got > ran+3*4 {
		t.Errorf("%d turns in the terminal have %d results, %d of calls that ran, and the server did %d", turns, results, ran, got)
	}
}

// sessions are the ids of what is stored, the one used last first.
func (s *turnStage) sessions(ctx context.Context) (ids []string) {
	s.t.Helper()
	said, code := s.hermes(ctx, "sessions", "list", "--json")
	var list struct {
		Sessions []struct{ Session string }
	}
	if err := json.Unmarshal([]byte(said), &list); err != nil || code != 0 {
		s.t.Fatalf("%v: %s", err, said)
	}
	for _, row := range list.Sessions {
		ids = append(ids, row.Session)
	}
	return ids
}
