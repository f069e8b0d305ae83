//go:build unix

package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

func names(tools []Tool) []string {
	var list []string
	for _, tool := range tools {
		list = append(list, tool.Name)
	}
	return list
}

func TestCallsAndHints(t *testing.T) {
	m := testManager(t, Options{ClientVersion: "9"}, quickTiming())
	status := connect(t, m, stdioWant("s", "__server", "tools"))
	if status.PID == 0 || status.Version != "1.2.3" || status.Name != "faults" || status.Protocol != firstModern {
		t.Errorf("status %+v", status)
	}
	i := slices.IndexFunc(status.Tools, func(t Tool) bool { return t.Name == "echo" })
	if i < 0 || status.Tools[i].ReadOnly == nil || !*status.Tools[i].ReadOnly || len(status.Tools[i].InputSchema) == 0 {
		t.Fatalf("tools %+v", status.Tools)
	}
	if got := call(t, m, "s", "echo", `{"a":"b"}`); got.Content != `{"a":"b"}` || got.IsError {
		t.Errorf("echo gave %+v", got)
	}
	if got := call(t, m, "s", "fail", ``); !got.IsError || !strings.Contains(got.Content, "it went wrong") {
		t.Errorf("fail gave %+v", got)
	}
	_, err := m.Call(testContext(t), "s", "echo", []byte(`[1]`))
	if !errors.Is(err, ErrNotSent) {
		t.Errorf("a list as arguments: %v", err)
	}
	_, err = m.Call(testContext(t), "nobody", "echo", nil)
	if !errors.Is(err, ErrNotSent) {
		t.Errorf("an unknown server: %v", err)
	}
	var refused *ServerError
	if _, err = m.Call(testContext(t), "s", "nosuchtool", nil); !errors.As(err, &refused) {
		t.Errorf("an unknown tool: %v", err)
	}
}

func TestExactBytes(t *testing.T) {
	folder := t.TempDir()
	m := testManager(t, Options{}, quickTiming())
	status := connect(t, m, stdioWant("s", "__server", "raw", folder))
	if got := names(status.Tools); !slices.Equal(got, []string{"raw", "odd"}) {
		t.Errorf("tools %v", got)
	}
	if status.Tools[1].Title != "Odd one" {
		t.Errorf("title %q", status.Tools[1].Title)
	}
	schema := `{"type":"object","properties":{"z":{"type":"integer"},"a":{"maximum":9007199254740993}}}`
	if got := string(status.Tools[0].InputSchema); got != schema {
		t.Errorf("schema %s", got)
	}
	got := call(t, m, "s", "raw", `{"n":9007199254740993}`)
	want := `{"content":[{"type":"text","text":"<b> &"},{"type":"hologram","n":1},{"type":"image","mimeType":"image/png","data":"AAAA"}],"structuredContent":{"big":9007199254740993, "f":1.0}}`
	if string(got.Blocks) != want {
		t.Errorf("blocks %s", got.Blocks)
	}
	text := "<b> &\n[content of the unknown type \"hologram\", 25 bytes: {\"type\":\"hologram\",\"n\":1}]\n[image image/png, 3 bytes, not shown]\n" + `{"big":9007199254740993, "f":1.0}`
	if got.Content != text {
		t.Errorf("content %q", got.Content)
	}
	var refused *ServerError
	if _, err := m.Call(testContext(t), "s", "rpcerror", nil); !errors.As(err, &refused) || refused.Code != -32602 {
		t.Errorf("a JSON-RPC error: %v", err)
	}
	if got := call(t, m, "s", "input", ""); !got.IsError || !strings.Contains(got.Content, "more input") {
		t.Errorf("a request for input gave %+v", got)
	}
	if got := call(t, m, "s", "ask", ""); got.Content != "asked" {
		t.Errorf("a server that samples gave %+v", got)
	}
	for _, line := range linesOf(filepath.Join(folder, "notes")) {
		if capabilities, ok := strings.CutPrefix(line, "initialize "); ok && capabilities != "{}" {
			t.Errorf("the client offers %s", capabilities)
		}
	}
}

func TestNoiseOnStandardOutput(t *testing.T) {
	m := testManager(t, Options{}, quickTiming())
	connect(t, m, stdioWant("s", "__server", "noise"))
	if got := call(t, m, "s", "x", ""); got.Content != "quiet" {
		t.Errorf("got %+v", got)
	}
	if status := m.Status("s"); status.Noise != 5 || status.State != StateConnected {
		t.Errorf("status %+v", status)
	}
	if log := strings.Join(m.Log("s"), "\n"); !strings.Contains(log, "[stdout] Welcome to the server!") || !strings.Contains(log, "[stdout] {not json at all}") {
		t.Errorf("log %s", log)
	}
}

func TestTwoPagesAndChangedTools(t *testing.T) {
	m := testManager(t, Options{}, quickTiming())
	status := connect(t, m, stdioWant("s", "__server", "pages"))
	if got := names(status.Tools); !slices.Equal(got, []string{"a", "b", "c"}) {
		t.Errorf("tools %v", got)
	}
}

func TestListChanged(t *testing.T) {
	var mu sync.Mutex
	changes := 0
	m := testManager(t, Options{OnChange: func(string) { mu.Lock(); changes++; mu.Unlock() }}, quickTiming())
	before := connect(t, m, stdioWant("s", "__server", "tools"))
	quiet := 2 // asked for, connected
	eventually(t, "both changes are told", func() bool {
		mu.Lock()
		defer mu.Unlock()
		return changes == quiet
	})
	call(t, m, "s", "grow", "")
	after := waitUntil(t, m, "s", func(s Status) bool { return len(s.Tools) == len(before.Tools)+4 })
	if after.PID != before.PID {
		t.Errorf("the server was restarted")
	}
	told := func() int {
		mu.Lock()
		defer mu.Unlock()
		return changes - quiet
	}
	eventually(t, "the change is told", func() bool { return told() > 0 })
	if got := told(); got > 2 {
		t.Errorf("%d changes were told for four announcements", got)
	}
}

func TestBigResult(t *testing.T) {
	m := testManager(t, Options{}, quickTiming())
	connect(t, m, stdioWant("s", "__server", "raw"))
	if got := call(t, m, "s", "big", ""); len(got.Content) != bigResult {
		t.Errorf("%d bytes", len(got.Content))
	}
}

func TestOversizedResultIsAnsweredAtOnce(t *testing.T) {
	m := testManager(t, Options{}, quickTiming())
	m.dialer.maxMessage = 1 << 20
	before := connect(t, m, stdioWant("s", "__server", "raw"))
	var refused *ServerError
	if _, err := m.Call(testContext(t), "s", "huge", nil); !errors.As(err, &refused) || !strings.Contains(err.Error(), "larger than 1 MiB") {
		t.Errorf("got %v", err)
	}
	call(t, m, "s", "raw", "")
	if m.Status("s").PID != before.PID {
		t.Error("the session was lost")
	}
}

func TestDeadAtStart(t *testing.T) {
	folder := t.TempDir()
	m := testManager(t, Options{LogDir: folder}, quickTiming())
	m.apply(wants(stdioWant("bad", "__server", "exit"), stdioWant("good", "__server", "tools")))
	if missing := m.Wait(testContext(t), []string{"good", "bad"}); !slices.Equal(missing, []string{"bad"}) {
		t.Errorf("missing %v", missing)
	}
	call(t, m, "good", "echo", "")
	_, err := m.Call(testContext(t), "bad", "echo", nil)
	if !errors.Is(err, ErrNotSent) || !strings.Contains(err.Error(), "exit status 3") || !strings.Contains(err.Error(), "cannot find module 'x'") {
		t.Errorf("got %v", err)
	}
	// It is tried a few times with pauses, then left alone.
	status := waitUntil(t, m, "bad", isParked)
	if left := time.Until(status.NextTry); left < 40*time.Minute || left > 72*time.Minute || status.Attempts != quickTries {
		t.Errorf("status %+v", status)
	}
	starts := 0
	for _, line := range m.Log("bad") {
		if strings.Contains(line, "cannot find module") && !strings.Contains(line, "[hermes]") {
			starts++
		}
	}
	// One more than the tries: the first is repeated with the older protocol.
	if starts < quickTries || starts > quickTries+1 {
		t.Errorf("%d starts in %d tries; log %q", starts, quickTries, m.Log("bad"))
	}
	data, err := os.ReadFile(filepath.Join(folder, "mcp-bad.log"))
	if err != nil || !strings.Contains(string(data), "cannot find module") {
		t.Errorf("log file: %v %s", err, data)
	}
	if info, err := os.Stat(filepath.Join(folder, "mcp-bad.log")); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v %v", info.Mode(), err)
	}
}

func TestDeadMidCall(t *testing.T) {
	folder := t.TempDir()
	m := testManager(t, Options{}, quickTiming())
	before := connect(t, m, stdioWant("s", "__server", "tools", folder))
	_, err := m.Call(testContext(t), "s", "die", nil)
	if !errors.Is(err, ErrEffectUnknown) || errors.Is(err, ErrNotSent) {
		t.Errorf("got %v", err)
	}
	if !strings.Contains(err.Error(), "exit status 7") || !strings.Contains(err.Error(), "out of memory") {
		t.Errorf("the reason is missing: %v", err)
	}
	// The next call waits for the new process; the lost one is not repeated.
	call(t, m, "s", "echo", "")
	if after := m.Status("s"); after.PID == before.PID || after.State != StateConnected {
		t.Errorf("status %+v", after)
	}
	if got := linesOf(filepath.Join(folder, "notes")); !slices.Equal(got, []string{"die", "echo"}) {
		t.Errorf("reached the server: %v", got)
	}
}

func TestTimeLimitReachesTheServer(t *testing.T) {
	folder := t.TempDir()
	m := testManager(t, Options{}, quickTiming())
	w := stdioWant("s", "__server", "tools", folder)
	w.conn.Timeout = 100 * time.Millisecond
	connect(t, m, w)
	_, err := m.Call(testContext(t), "s", "hang", nil)
	if !errors.Is(err, context.DeadlineExceeded) || !errors.Is(err, ErrEffectUnknown) {
		t.Errorf("got %v", err)
	}
	eventually(t, "the server hears of the cancellation", func() bool {
		return slices.Contains(linesOf(filepath.Join(folder, "notes")), "cancelled")
	})
	call(t, m, "s", "echo", "")
}

func TestStopReachesTheServer(t *testing.T) {
	folder := t.TempDir()
	m := testManager(t, Options{}, quickTiming())
	connect(t, m, stdioWant("s", "__server", "tools", folder))
	ctx, stop := context.WithCancel(testContext(t))
	failed := make(chan error)
	go func() {
		_, err := m.Call(ctx, "s", "hang", nil)
		failed <- err
	}()
	eventually(t, "the call runs", func() bool { return slices.Contains(linesOf(filepath.Join(folder, "notes")), "hang") })
	// The second call waits for its turn and is never sent.
	waiting, giveUp := context.WithCancel(testContext(t))
	go func() {
		_, err := m.Call(waiting, "s", "die", nil)
		failed <- err
	}()
	eventually(t, "the second call waits", func() bool {
		s := m.servers["s"]
		s.calls.mu.Lock()
		defer s.calls.mu.Unlock()
		return len(s.calls.queue) == 1
	})
	giveUp()
	if err := <-failed; !errors.Is(err, ErrNotSent) || !errors.Is(err, context.Canceled) {
		t.Errorf("the waiting call: %v", err)
	}
	stop()
	if err := <-failed; !errors.Is(err, context.Canceled) || !errors.Is(err, ErrEffectUnknown) {
		t.Errorf("the running call: %v", err)
	}
	eventually(t, "the server hears of the cancellation", func() bool {
		return slices.Contains(linesOf(filepath.Join(folder, "notes")), "cancelled")
	})
}

func TestOverlap(t *testing.T) {
	for _, test := range []struct {
		name     string
		parallel bool
		trusted  bool
		tool     string
		want     string
	}{
		{"read-only, trusted", false, true, "meet", "met"},
		{"read-only, not trusted", false, false, "meet", "alone"},
		{"writing, trusted", false, true, "meetWrite", "alone"},
		{"writing, parallel", true, false, "meetWrite", "met"},
	} {
		t.Run(test.name, func(t *testing.T) {
			m := testManager(t, Options{}, quickTiming())
			w := stdioWant("s", "__server", "tools")
			w.parallel, w.trusted = test.parallel, test.trusted
			connect(t, m, w)
			results := make(chan string, 2)
			for range 2 {
				go func() {
					result, err := m.Call(testContext(t), "s", test.tool, nil)
					if err != nil {
						result.Content = err.Error()
					}
					results <- result.Content
				}()
			}
			if a, b := <-results, <-results; a != test.want || b != test.want {
				t.Errorf("%s and %s, want %s", a, b, test.want)
			}
		})
	}
}

func TestRequestAboveThePipe(t *testing.T) {
	m := testManager(t, Options{}, quickTiming())
	connect(t, m, stdioWant("s", "__server", "tools"))
	args, _ := json.Marshal(map[string]string{"a": strings.Repeat("x", 200<<10)})
	if got := call(t, m, "s", "echo", string(args)); len(got.Content) != len(args) {
		t.Errorf("%d bytes", len(got.Content))
	}
}
