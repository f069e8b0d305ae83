package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"golang.org/x/sys/unix"
)

// chatStage is a home with a server that nobody trusts and a model that does what
// its last question says.
type chatStage struct {
	t    *testing.T
	home string
	// hold is taken from in the middle of each answer to a text with "hold".
	hold chan struct{}
	// begun gets each call that waits at the server, over each that was cancelled there.
	begun, over chan string

	mu     sync.Mutex
	asked  [][]string // the contents of each request, the system prompt left out
	called []string
}

type chatRequest struct {
	Model    string
	Messages []struct {
		Role, Content string
	}
}

func newChatStage(t *testing.T) *chatStage {
	t.Helper()
	s := &chatStage{t: t, home: filepath.Join(t.TempDir(), "home"), hold: make(chan struct{}), begun: make(chan string, 8), over: make(chan string, 8)}
	server := mcp.NewServer(&mcp.Implementation{Name: "desk", Version: "1"}, nil)
	yes := true
	for _, name := range []string{"read", "write", "wait"} {
		tool := &mcp.Tool{Name: name, InputSchema: json.RawMessage(`{"type":"object"}`), Annotations: &mcp.ToolAnnotations{DestructiveHint: &yes, ReadOnlyHint: name == "read"}}
		server.AddTool(tool, func(ctx context.Context, _ *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			s.note(&s.called, name)
			if name == "wait" {
				s.begun <- name
				<-ctx.Done()
				s.over <- name
				return nil, ctx.Err()
			}
			return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "did " + name + "\nand \x1b]0;owned\x07more"}}}, nil
		})
	}
	peer := httptest.NewServer(mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server }, nil))
	t.Cleanup(peer.Close)
	model := httptest.NewServer(http.HandlerFunc(s.answer))
	t.Cleanup(model.Close)
	writeFile(t, filepath.Join(s.home, "config.yaml"), fmt.Sprintf("mcp_servers:\n  desk: {url: %q, trust: untrusted}\nmodel: {provider: openai, default: scripted, base_url: %q, api_key: test-key-of-no-worth}\n", peer.URL, model.URL))
	return s
}

func (s *chatStage) note(list *[]string, word string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	*list = append(*list, word)
}

func (s *chatStage) answer(w http.ResponseWriter, r *http.Request) {
	var request chatRequest
	if err := json.NewDecoder(r.Body).Decode(&request); err != nil {
		s.t.Error(err)
	}
	var contents []string
	question, last := "", ""
	for _, m := range request.Messages {
		if m.Role == "user" {
			question = m.Content
		}
		if m.Role != "system" {
			contents = append(contents, m.Content)
		}
		last = m.Role
	}
	s.mu.Lock()
	s.asked = append(s.asked, append(contents, "model "+request.Model))
	s.mu.Unlock()
	w.Header().Set("Content-Type", "text/event-stream")
	say := func(delta string, finish string) {
		fmt.Fprintf(w, "data: {\"choices\":[{\"index\":0,\"delta\":%s,\"finish_reason\":%s}]}\n\n", delta, finish)
		w.(http.Flusher).Flush()
	}
	text := func(words string) string {
		content, _ := json.Marshal(map[string]string{"content": words})
		return string(content)
	}
	finish := `"stop"`
	switch {
	case last == "tool":
		say(text("All of it is over."), "null")
	case strings.Contains(question, "batch"):
		call, _ := json.Marshal(`{"calls":[{"name":"mcp__desk__read","arguments":{"n":1}},{"name":"mcp__desk__write","arguments":{"to":"` + "\u202e" + `x"}},{"name":"mcp__desk__read","arguments":{"n":3}}]}`)
		say(fmt.Sprintf(`{"tool_calls":[{"index":0,"id":"c1","type":"function","function":{"name":"tool_call","arguments":%s}}]}`, call), "null")
		finish = `"tool_calls"`
	case strings.Contains(question, "wait"):
		say(`{"tool_calls":[{"index":0,"id":"c1","type":"function","function":{"name":"mcp__desk__wait","arguments":"{}"}}]}`, "null")
		finish = `"tool_calls"`
	case strings.Contains(question, "hold"):
		say(text("The first half, "), "null")
		select {
		case <-s.hold:
		case <-r.Context().Done():
			return
		}
		say(text("**the second half**."), "null")
	default:
		say(text("Plain \x1b[31mred\x1b[0m \x1b]0;owned\x07 \u202ebidi &#27;[2J and [a name](https://real.example/x)."), "null")
	}
	say("{}", finish)
	fmt.Fprint(w, "data: [DONE]\n\n")
}

func (s *chatStage) want(what *[]string, want ...string) {
	s.t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	if !slices.Equal(*what, want) {
		s.t.Errorf("got %q, want %q", *what, want)
	}
}

// receives waits until a server was told something.
func (s *chatStage) receives(from <-chan string) {
	s.t.Helper()
	select {
	case <-from:
	case <-time.After(30 * time.Second):
		s.t.Fatal("the server never heard of it")
	}
}

// lastAsked is what the model was asked last.
func (s *chatStage) lastAsked() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.asked) == 0 {
		return ""
	}
	return strings.Join(s.asked[len(s.asked)-1], "\n")
}

// TestChatStreams shows what is not stored as such, then the stored text as
// markdown; what a model writes never moves the cursor, and a link is shown with
// the address it leads to.
func TestChatStreams(t *testing.T) {
	t.Parallel()
	s := newChatStage(t)
	p := sit(t, s.home)
	p.reads("Model: scripted").reads("Ctrl-D leaves.").types("hold on\r").reads("▏ The first half,")
	s.hold <- struct{}{}
	p.reads("the second half").reads("1 model pass").types("tell me\r").reads("(https://real.example/x)").reads("1 model pass").types("\x04")
	text := p.leaves(0)
	for _, raw := range []string{"\x1b]0;", "\u202e", "\x1b[2J", "\x1b[31mred"} {
		if strings.Contains(text, raw) {
			t.Errorf("the model wrote %q to the terminal:\n%q", raw, text)
		}
	}
	if !strings.Contains(text, `\x1b[31mred`) || !strings.Contains(text, `\u202ebidi`) {
		t.Errorf("hidden characters are not shown: %q", text)
	}
}

// TestChatCard answers a card of a batch entry by entry. What was typed before it
// was shown answers nothing, and Enter alone allows nothing.
func TestChatCard(t *testing.T) {
	t.Parallel()
	s := newChatStage(t)
	p := sit(t, s.home, "chat")
	p.reads("Ctrl-D leaves.").types("hold, then\r").reads("▏ The first half,").types("batch please\r").reads("queued: batch please")
	s.hold <- struct{}{}
	p.reads("3 calls wait for you").types("o\ro")
	p.reads("SPACE yes/no").types("o").reads("once").types("j").reads(`\u202ex`).reads("server says: writes, destructive").types("r").reads("Reason for the model")
	p.types("not that one\r").reads("not that one").reads("SPACE yes/no").types("\r")
	p.reads("desk/read allowed once").reads("3 calls").reads("did read").reads("denied").reads("All of it is over.").types("\x04")
	p.leaves(0)
	s.want(&s.called, "read")
	if got := s.lastAsked(); !strings.Contains(got, "not that one") {
		t.Errorf("the model was not told the reason: %s", got)
	}

	p = sit(t, s.home, "chat")
	p.reads("Ctrl-D leaves.").types("batch\r").reads("3 calls wait for you").reads("SPACE yes/no").types("\r").reads("desk/read denied").reads("All of it is over.")
	p.types("batch again\r").reads("SPACE yes/no").types("/").reads("ESC goes back").types("approve 1 3 session\r").reads("allowed session").reads("All of it is over.")
	p.types("/show 1\r").reads(`"n": 1`).reads("denied:").types("/deny\r").reads("No call waits for you").types("\x04")
	p.leaves(0)
	s.want(&s.called, "read", "read", "read")
}

// TestChatStops stops a call that runs; the server hears of it. Ctrl-C twice
// leaves with its code, and gives the terminal back.
func TestChatStops(t *testing.T) {
	t.Parallel()
	for name, keys := range map[string]string{"esc": "\x1b", "ctrl-c": "\x03", "command": "/stop\r"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newChatStage(t)
			p := sit(t, s.home, "chat", "--yolo")
			p.reads("--yolo: calls are allowed").reads("Ctrl-D leaves.").types("wait\r").reads("● #1 desk/wait").types("later\r").reads("queued: later")
			s.receives(s.begun)
			p.types(keys).reads("Stopped.").reads("1 call").types("\x15\x04")
			p.leaves(0)
			s.receives(s.over)
			if got := s.lastAsked(); strings.Contains(got, "later") {
				t.Errorf("what was queued was sent after a stop: %s", got)
			}
		})
	}
	t.Run("leaving", func(t *testing.T) {
		s := newChatStage(t)
		p := sit(t, s.home, "chat", "--yolo")
		p.reads("Ctrl-D leaves.").types("wait\r").reads("● #1 desk/wait")
		s.receives(s.begun)
		p.types("\x03\x03")
		p.leaves(130)
	})
	t.Run("an empty line", func(t *testing.T) {
		p := sit(t, newChatStage(t).home, "chat")
		p.reads("Ctrl-D leaves.").types("half a line\x03").reads("Ctrl-C again leaves").types("\x03")
		p.leaves(130)
	})
}

// TestChatLines sends several lines, pasted and typed, and walks through what was
// typed also in the next chat.
func TestChatLines(t *testing.T) {
	t.Parallel()
	s := newChatStage(t)
	p := sit(t, s.home)
	p.reads("Ctrl-D leaves.").types("\x1b[200~one\ntwo\x1b[201~").reads("two").types("\nthree\x1b\rfour\\\rfive\r").reads("1 model pass")
	if got := s.lastAsked(); !strings.Contains(got, "one\ntwo\nthree\nfour\nfive") {
		t.Errorf("the model was asked %q", got)
	}
	p.types(" kept out\r").reads("1 model pass").types("/nonsense\r").reads("There is no command /nonsense").types("/mod\tother\r").reads("other answers from")
	p.types("hello\r").reads("1 model pass").types("/sessions\r").reads("* ").types("/new\r").reads("A new conversation").types("/resume\r").reads("You go on with").types("\x04")
	p.leaves(0)
	if got := s.lastAsked(); !strings.Contains(got, "model other") || strings.Contains(got, "nonsense") {
		t.Errorf("the model was asked %q", got)
	}
	file := filepath.Join(s.home, "native", "history")
	if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 || strings.Contains(readText(t, file), "kept out") {
		t.Errorf("%v %v\n%s", info, err, readText(t, file))
	}
	p = sit(t, s.home)
	p.reads("Ctrl-D leaves.").types("\x1b[A").reads("hello").types("\r").reads("1 model pass").types("\x04")
	p.leaves(0)
	if got := s.lastAsked(); !strings.Contains(got, "hello\n") {
		t.Errorf("the model was asked %q", got)
	}
}

// TestChatResized goes on at another width.
func TestChatResized(t *testing.T) {
	t.Parallel()
	s := newChatStage(t)
	p := sit(t, s.home)
	p.reads("Ctrl-D leaves.").types("hold\r").reads("▏ The first half,")
	if err := unix.IoctlSetWinsize(int(p.master.Fd()), unix.TIOCSWINSZ, &unix.Winsize{Row: 10, Col: 40}); err != nil {
		t.Fatal(err)
	}
	p.reads("The first half,")
	s.hold <- struct{}{}
	p.reads("the second half").reads("1 model pass").types("batch\r").reads("SPACE yes/no").types("\x1b").reads("denied").reads("All of it is over.").types("\x04")
	p.leaves(0)
	s.want(&s.called)
}

// TestChatOnAPlainTerminal is the same line by line, without one control sequence.
func TestChatOnAPlainTerminal(t *testing.T) {
	t.Parallel()
	s := newChatStage(t)
	p := sitAt(t, s.home, "dumb")
	p.reads("> ").types("tell\\\n").reads("… ").types("me\n").reads("(https://real.example/x)").reads("> ")
	if got := s.lastAsked(); !strings.Contains(got, "tell\nme") {
		t.Errorf("the model was asked %q", got)
	}
	p.types("batch\n").reads("3 calls wait for you").reads("/approve or /deny > ").types("/approve 1\n").reads("type it again")
	for _, word := range []string{"y", "No"} {
		p.types(word + "\n").reads("\"" + word + "\" answers nothing").reads("/approve or /deny > ")
	}
	unarmed(t, p).reads("desk/read allowed once").reads("All of it is over.").reads("> ").types("/show 1\n").reads("did read").types("/what\n").reads("There is no command /what")
	p.types("\x04")
	if text := p.leaves(0); strings.Contains(text, "\x1b") {
		t.Errorf("a control sequence on a plain terminal: %q", text)
	}
	s.want(&s.called, "read")
	p = sitAt(t, s.home, "dumb", "chat", "--yolo")
	p.reads("> ").types("wait\n").reads("→ #1 desk/wait").types("\x03").reads("Ctrl-C again leaves").reads("Stopped.").types("\x03").types("\x03")
	p.leaves(130)
}

// unarmed types a yes until the card takes it.
func unarmed(t *testing.T, p *person) *person {
	t.Helper()
	for {
		p.types("/approve 1\n")
		for !strings.Contains(p.all()[p.mark:], "type it again") {
			if strings.Contains(p.all()[p.mark:], "allowed once") {
				return p
			}
			select {
			case <-p.more:
			case <-t.Context().Done():
				t.Fatalf("the card takes no answer: %q", p.all())
			}
		}
		p.reads("type it again")
	}
}

// TestChatSaysWhatHappensBeside: what the program notices while a chat is shown,
// and its log, are lines of the chat: none stands behind what is typed, and none
// begins away from the left edge.
func TestChatSaysWhatHappensBeside(t *testing.T) {
	for _, kind := range []string{"xterm-256color", "dumb"} {
		s := newChatStage(t)
		file := filepath.Join(s.home, "config.yaml")
		good := readText(t, file)
		t.Setenv("HERMES_LOG", "debug")
		p := sitAt(t, s.home, kind, "chat")
		p.reads("Ctrl-D leaves.")
		writeFile(t, file, "x: [\n")
		p.reads("✗ ").reads("the last good rules stay")
		writeFile(t, file, good)
		p.reads("✓ ").reads("can be read again").types("tell me\r").reads("1 model pass").types("\x04")
		text := p.leaves(0)
		if n := strings.Count(text, "the last good rules stay"); n != 1 || strings.Count(text, "can be read again") != 1 || strings.Contains(text, "level=WARN") {
			t.Errorf("%s: told %d times: %q", kind, n, text)
		}
		if !strings.Contains(text, "level=DEBUG") {
			t.Errorf("%s: the log is lost: %q", kind, text)
		}
		if kind == "dumb" {
			continue
		}
		before, _, _ := strings.Cut(text, "time=")
		if strings.HasSuffix(before, "\x1b[?25h") || strings.HasSuffix(before, "\n") {
			t.Errorf("a line of the log is not drawn by the chat: %q", before[max(len(before)-40, 0):])
		}
	}
}

// TestChatOnAnEmptyHome says what the program is for and writes nothing; a file
// that cannot be read is named with its line.
func TestChatOnAnEmptyHome(t *testing.T) {
	t.Parallel()
	home := filepath.Join(t.TempDir(), "home")
	p := sit(t, home)
	p.reads("Hermes works through MCP servers").reads("Not here:").reads("hermes demo").reads("No model answers yet").reads("Ctrl-D leaves.").types("hello\r").reads("✗").types("\x04")
	p.leaves(0)
	if _, err := os.Stat(home); err == nil {
		t.Error("something was written")
	}
	writeFile(t, filepath.Join(home, "config.yaml"), "mcp_servers:\n  a: [\n  b: {\n")
	p = sit(t, home)
	p.reads("config.yaml:").reads("Ctrl-D leaves.").types("\x04")
	p.leaves(0)
}
