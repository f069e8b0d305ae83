package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"golang.org/x/sys/unix"
)

// settled wants what every end of the program in the middle of a batch leaves: the
// call that ran was cancelled at the server, those behind it were never sent, no
// process is left, and the session goes on with a history that every vendor takes.
func (s *turnStage) settled(ctx context.Context) {
	s.t.Helper()
	s.until(ctx, "cancelled")
	s.allGone(ctx)
	if said, code := s.hermes(ctx, "chat", "-q", "say it", "--resume", "last"); code != 0 || !strings.Contains(said, "Said.") {
		s.t.Errorf("the session does not go on, exit code %d: %s", code, said)
	}
	if got := s.did("add"); len(got) > 0 || len(s.did("wait")) != 1 {
		s.t.Errorf("the server did %q, and waited %q", got, s.did("wait"))
	}
	results := s.results()
	if len(results) != 3 {
		s.t.Fatalf("the model read %q", results)
	}
	for i, want := range []string{"take effect|took effect|cancelled|stopped", "not started", "not started"} {
		if !containsOne(results[i], want) {
			s.t.Errorf("result %d is %q, want %q", i, results[i], want)
		}
	}
	s.unjudged()
}

func containsOne(text, words string) bool {
	for word := range strings.SplitSeq(words, "|") {
		if strings.Contains(text, word) {
			return true
		}
	}
	return false
}

// ends waits for a program and wants its exit code.
func ends(t *testing.T, cmd *exec.Cmd, code int) {
	t.Helper()
	done := make(chan struct{})
	go func() { _ = cmd.Wait(); close(done) }()
	select {
	case <-done:
	case <-time.After(30 * time.Second):
		_ = cmd.Process.Kill()
		t.Fatal("the program does not end")
	}
	if got := cmd.ProcessState.ExitCode(); got != code {
		t.Errorf("exit code %d (%v), want %d", got, cmd.ProcessState, code)
	}
}

func signals(list ...syscall.Signal) func(*testing.T, *os.Process) {
	return func(t *testing.T, p *os.Process) {
		for _, s := range list {
			if err := p.Signal(s); err != nil {
				t.Error(err)
			}
		}
	}
}

// endingSignals are the ways a program is told to end.
func endingSignals() map[string]func(*testing.T, *os.Process) {
	return map[string]func(*testing.T, *os.Process){
		"hangup": signals(syscall.SIGHUP), "terminate": signals(syscall.SIGTERM),
		"interrupt": signals(syscall.SIGINT), "interrupt twice": signals(syscall.SIGINT, syscall.SIGINT),
	}
}

// TestEndOfAQuestion ends `chat -q` in the middle of a batch.
func TestEndOfAQuestion(t *testing.T) {
	t.Parallel()
	for name, end := range endingSignals() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithTimeout(t.Context(), 90*time.Second)
			defer cancel()
			s := newTurnStage(t, "")
			cmd := hermes(ctx, s.home, "chat", "-q", "wait")
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			s.until(ctx, "wait")
			end(t, cmd.Process)
			ends(t, cmd, 130)
			s.settled(ctx)
		})
	}
	t.Run("nobody reads", func(t *testing.T) {
		t.Parallel()
		ctx, cancel := context.WithTimeout(t.Context(), 90*time.Second)
		defer cancel()
		s := newTurnStage(t, "  slow: {command: sleep, args: ['600'], connect_timeout: 1}\n")
		cmd := hermes(ctx, s.home, "chat", "-q", "wait", "--json")
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		cmd.Stdin = strings.NewReader("")
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		if err := out.Close(); err != nil {
			t.Fatal(err)
		}
		ends(t, cmd, 1)
		s.allGone(ctx)
		if got := append(s.did("add"), s.did("wait")...); len(got) > 0 {
			t.Errorf("nobody reads, and it did %q", got)
		}
	})
}

// TestEndOfAnAnswerNobodyReads closes standard output in the middle of a batch: the
// next word that cannot be written stops the turn as a person would.
func TestEndOfAnAnswerNobodyReads(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(t.Context(), 90*time.Second)
	defer cancel()
	s := newTurnStage(t, "")
	cmd := hermes(ctx, s.home, "chat", "-q", "four", "--json")
	said := &strings.Builder{}
	cmd.Stderr = said
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	for lines.Scan() && !strings.Contains(lines.Text(), `"type":"tool_call"`) {
	}
	_ = out.Close()
	ends(t, cmd, 1)
	s.allGone(ctx)
	if said, code := s.hermes(ctx, "chat", "-q", "say it", "--resume", "last"); code != 0 {
		t.Errorf("exit code %d: %s", code, said)
	}
	if results := s.results(); len(results) != 4 {
		t.Errorf("the model read %q", results)
	}
	s.unjudged()
	if said.Len() > 0 {
		t.Errorf("it said %q to nobody", said)
	}
}

// TestEndOfAChat ends the chat at a terminal in the middle of a batch.
func TestEndOfAChat(t *testing.T) {
	t.Parallel()
	ways := endingSignals()
	delete(ways, "interrupt")
	ways["terminal gone"] = nil
	for name, end := range ways {
		for _, kind := range []string{"xterm-256color", "dumb"} {
			t.Run(name+" "+kind, func(t *testing.T) {
				t.Parallel()
				ctx, cancel := context.WithTimeout(t.Context(), 90*time.Second)
				defer cancel()
				s := newTurnStage(t, "")
				p := sitAt(t, s.home, kind, "chat")
				enter := "\r"
				if kind == "dumb" {
					p.reads("> ")
					enter = "\n"
				} else {
					p.reads("Ctrl-D leaves.")
				}
				p.types("wait" + enter)
				s.until(ctx, "wait")
				switch {
				case end == nil:
					if err := p.master.Close(); err != nil {
						t.Fatal(err)
					}
				case name == "interrupt twice" && kind == "dumb":
					// The first one stops the turn; two of a kind are one where the first
					// was not taken yet.
					signals(syscall.SIGINT)(t, p.cmd.Process)
					p.reads("Ctrl-C again leaves")
					signals(syscall.SIGINT)(t, p.cmd.Process)
				default:
					end(t, p.cmd.Process)
				}
				ends(t, p.cmd, 130)
				if end != nil {
					if state, err := unix.IoctlGetTermios(int(p.master.Fd()), unix.TCGETS); err != nil || state.Lflag&unix.ECHO == 0 {
						t.Errorf("the terminal was not restored: %v", err)
					}
				}
				s.settled(ctx)
			})
		}
	}
}

// TestEndOfAServer ends `serve` in the middle of a batch of its page; its standard
// input and output may be gone long before.
func TestEndOfAServer(t *testing.T) {
	t.Parallel()
	ways := endingSignals()
	delete(ways, "interrupt twice")
	for name, end := range ways {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithTimeout(t.Context(), 90*time.Second)
			defer cancel()
			s := newTurnStage(t, "")
			cmd := hermes(ctx, s.home, "serve")
			out, err := cmd.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			in, err := cmd.StdinPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			url, err := bufio.NewReader(out).ReadString('\n')
			if err != nil {
				t.Fatal(err)
			}
			_, _ = in.Close(), out.Close()
			page := openPage(t, ctx, strings.TrimSpace(url))
			page("Start", `[]`)
			page("ChatSend", `["", "wait"]`)
			s.until(ctx, "wait")
			end(t, cmd.Process)
			ends(t, cmd, 130)
			s.settled(ctx)
		})
	}
}

// openPage takes the ticket of an address and gives what calls the page's methods.
func openPage(t *testing.T, ctx context.Context, address string) func(method, body string) string {
	t.Helper()
	base, ticket, ok := strings.Cut(address, "/#ticket=")
	if !ok {
		t.Fatalf("no ticket in %q", address)
	}
	token := ""
	post := func(path, body string) string {
		t.Helper()
		q, err := http.NewRequestWithContext(ctx, http.MethodPost, base+path, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		q.Header.Set("Content-Type", "application/json")
		if token != "" {
			q.Header.Set("X-Hermes-Token", token)
		}
		answer, err := http.DefaultClient.Do(q)
		if err != nil {
			t.Fatal(err)
		}
		defer answer.Body.Close()
		text, err := io.ReadAll(answer.Body)
		if err != nil || answer.StatusCode != http.StatusOK {
			t.Fatalf("%s: %d %s %v", path, answer.StatusCode, text, err)
		}
		return string(text)
	}
	var session struct{ Token string }
	if err := json.Unmarshal([]byte(post("/api/session", fmt.Sprintf(`{"ticket":%q}`, ticket))), &session); err != nil {
		t.Fatal(err)
	}
	token = session.Token
	return func(method, body string) string {
		t.Helper()
		return post("/api/call/"+method, body)
	}
}

// TestEndOfAGateway ends the gateway while a call of its client runs.
func TestEndOfAGateway(t *testing.T) {
	t.Parallel()
	ways := endingSignals()
	delete(ways, "interrupt twice")
	ways["input closed"], ways["output closed"] = nil, nil
	for name, end := range ways {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithTimeout(t.Context(), 90*time.Second)
			defer cancel()
			s := newTurnStage(t, "")
			cmd := hermes(ctx, s.home, "mcp", "gateway")
			in, err := cmd.StdinPipe()
			if err != nil {
				t.Fatal(err)
			}
			out, err := cmd.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			said := bufio.NewScanner(out)
			for _, line := range []string{
				`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`,
				`{"jsonrpc":"2.0","method":"notifications/initialized"}`, `{"jsonrpc":"2.0","id":2,"method":"tools/list","params":{}}`,
				`{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"mcp__desk__wait","arguments":{"n":1}}}`,
			} {
				if _, err := io.WriteString(in, line+"\n"); err != nil {
					t.Fatal(err)
				}
				if strings.Contains(line, `"id":1`) || strings.Contains(line, `"id":2`) {
					said.Scan()
				}
			}
			s.until(ctx, "wait")
			code := 130
			switch name {
			case "input closed":
				code = 0
				_ = in.Close()
			case "output closed":
				// It notices at the next word, which is the answer to this.
				code = 1
				_ = out.Close()
				if _, err := io.WriteString(in, `{"jsonrpc":"2.0","id":4,"method":"ping"}`+"\n"); err != nil {
					t.Fatal(err)
				}
			default:
				end(t, cmd.Process)
			}
			ends(t, cmd, code)
			s.until(ctx, "cancelled")
			s.allGone(ctx)
			if _, err := os.Stat(filepath.Join(s.home, "native", "state.db")); err == nil {
				t.Error("the gateway made a file of sessions")
			}
		})
	}
}

// foreign is a client at a gateway of the stage.
func (s *turnStage) foreign(ctx context.Context) *mcp.ClientSession {
	s.t.Helper()
	session, err := mcp.NewClient(&mcp.Implementation{Name: "foreign", Version: "1"}, nil).Connect(ctx, &mcp.CommandTransport{Command: hermes(ctx, s.home, "mcp", "gateway")}, nil)
	if err != nil {
		s.t.Fatal(err)
	}
	return session
}
