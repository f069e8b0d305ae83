package provider

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"hermes/backend/message"
)

// startAimock runs the scripted model server (npm, its own process) on a free
// loopback port and returns its address.
func startAimock(t *testing.T) string {
	t.Helper()
	bin := filepath.Join("..", "..", "testdata", "npm", "node_modules", "@copilotkit", "aimock", "dist", "cli.js")
	if _, err := os.Stat(bin); err != nil {
		t.Fatalf("the scripted model server is not installed (%v): run `make test`, it sets up the npm peers", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cmd := exec.CommandContext(ctx, "node", bin, "-p", "0", "-f", "testdata/aimock.json", "--chunk-size", "5", "--strict")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stderr = cmd.Stdout
	if err := cmd.Start(); err != nil {
		t.Fatalf("starting the scripted model server: %v (Node 20 is needed; run `make test`)", err)
	}
	lines := make(chan string)
	done := make(chan struct{})
	go func() {
		defer close(done)
		scanner := bufio.NewScanner(out)
		for scanner.Scan() {
			select {
			case lines <- scanner.Text():
			case <-ctx.Done():
			}
		}
	}()
	t.Cleanup(func() {
		cancel()
		<-done
		_ = cmd.Wait() // killed: its error says nothing
	})
	address := regexp.MustCompile(`listening on (http://\S+)`)
	late := time.NewTimer(30 * time.Second)
	defer late.Stop()
	for {
		select {
		case line := <-lines:
			if m := address.FindStringSubmatch(line); m != nil {
				return m[1]
			}
		case <-done:
			t.Fatal("the scripted model server ended at once")
		case <-late.C:
			t.Fatal("the scripted model server did not say where it listens")
		}
	}
}

func newTestProvider(t *testing.T, o Options) *OpenAI {
	t.Helper()
	transport := &http.Transport{}
	if o.Client == nil {
		o.Client = &http.Client{Transport: transport}
	}
	p := NewOpenAI(o)
	t.Cleanup(func() { _ = p.Close() })
	return p
}

func ask(t string) Request {
	return Request{Model: "gpt-test", System: "Be brief.", Messages: []message.Message{{Role: message.RoleUser, Content: t}}}
}

func TestAimock(t *testing.T) {
	base := startAimock(t)
	p := newTestProvider(t, Options{BaseURL: base + "/v1", Key: "sk-test-1234567890"})
	ctx := context.Background()

	t.Run("text", func(t *testing.T) {
		var shown strings.Builder
		turn, err := p.Stream(ctx, ask("hello"), func(s string) { shown.WriteString(s) })
		if err != nil {
			t.Fatal(err)
		}
		const want = "Grüße aus der Ferne — 你好, done."
		if turn.Content != want || shown.String() != want {
			t.Errorf("content %q, shown %q, want %q", turn.Content, shown.String(), want)
		}
		if turn.Stop != message.StopEnd || turn.Usage != (message.Usage{InputTokens: 11, OutputTokens: 7}) {
			t.Errorf("stop %q usage %+v", turn.Stop, turn.Usage)
		}
	})

	t.Run("two parallel calls, their results, the answer", func(t *testing.T) { testTwoCalls(t, base, p) })

	for _, peer := range aimockPeers(t, base) {
		t.Run(peer.name, func(t *testing.T) { testBehaviour(t, peer) })
	}

	t.Run("429 is tried again", func(t *testing.T) {
		turn, err := p.Stream(ctx, ask("too many"), nil)
		if err != nil || turn.Content != "Served at the second try." {
			t.Fatalf("turn %+v, error %v", turn, err)
		}
	})

	t.Run("401 is told without the key", func(t *testing.T) {
		_, err := p.Stream(ctx, ask("bad key"), nil)
		var failed *Error
		if !errors.As(err, &failed) || failed.Status != 401 || failed.Attempts != 1 {
			t.Fatalf("error %#v", err)
		}
		if strings.Contains(err.Error(), "1234567890") || !strings.Contains(err.Error(), "model.api_key") {
			t.Errorf("error text: %v", err)
		}
	})

	t.Run("a truncated stream is an error", func(t *testing.T) {
		turn, err := p.Stream(ctx, ask("cut me"), nil)
		if !errors.Is(err, ErrCut) || turn.Content != "" || turn.Blocks != nil {
			t.Fatalf("turn %+v, error %v", turn, err)
		}
	})
}

func testTwoCalls(t *testing.T, base string, p *OpenAI) {
	ctx := context.Background()
	req := ask("two calls")
	req.Tools = []message.ToolDef{{Name: "tool_call", Description: "Calls.", Parameters: json.RawMessage(`{"type":"object","properties":{}}`)}}
	first, err := p.Stream(ctx, req, nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(first.ToolCalls) != 2 || first.Stop != message.StopToolCalls || first.Content != "I do both." {
		t.Fatalf("turn %+v", first)
	}
	for i, want := range []message.ToolCall{
		{ID: "call_a", Name: "tool_call", Arguments: `{"calls":[{"name":"mcp__files__read_file","arguments":{"path":"a/very/long/path/that/is/split/into/many/deltas/notes.md"}}]}`},
		{ID: "call_b", Name: "mcp__git__log", Arguments: `{"limit":5,"text":"Grüße <b>&"}`},
	} {
		if first.ToolCalls[i] != want {
			t.Errorf("call %d\n got %+v\nwant %+v", i, first.ToolCalls[i], want)
		}
	}
	if got := string(first.Blocks[0]); !strings.Contains(got, `"reasoning_content":"Two things are wanted."`) {
		t.Errorf("the block lost the vendor's reasoning: %s", got)
	}
	req.Messages = append(req.Messages,
		message.Message{Role: message.RoleAssistant, Content: first.Content, ToolCalls: first.ToolCalls, Vendor: first.Vendor, Blocks: first.Blocks},
		message.Message{Role: message.RoleTool, ToolCallID: "call_a", Content: "text"},
		message.Message{Role: message.RoleTool, ToolCallID: "call_b", Content: "log"})
	second, err := p.Stream(ctx, req, nil)
	if err != nil {
		t.Fatal(err)
	}
	if second.Content != "Both are done." {
		t.Errorf("content %q", second.Content)
	}
	if got := journal(t, base); !strings.Contains(got, `"reasoning_content":"Two things are wanted."`) {
		t.Errorf("the server did not get its reasoning back: %s", got)
	}
}

func journal(t *testing.T, base string) string {
	t.Helper()
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	resp, err := client.Get(base + "/__aimock/journal")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	var compact strings.Builder
	enc := json.NewEncoder(&compact)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(json.RawMessage(raw)); err != nil {
		t.Fatal(err)
	}
	return compact.String()
}
