//go:build unix

package mcp

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"sync"
	"syscall"
	"time"
)

// lineServer is a server written by hand, for faults that the SDK's server
// cannot have. It speaks the older protocol.
type lineServer struct {
	mu  sync.Mutex
	out *bufio.Writer
	// page gives the tools of a page and the cursor of the next one.
	page func(cursor string) (tools []string, next string)
	// call answers a call of a tool; nil answers with the tool's name.
	call func(id json.RawMessage, tool string)
	// ready is called after the tools were asked for; nil for nothing.
	ready func()
	// ping answers a ping; nil answers as it should.
	ping func(id json.RawMessage)
	// discover and hello answer the probe and the handshake; nil answers as an
	// older server should.
	discover, hello func(id json.RawMessage)
}

func newLineServer() *lineServer {
	return &lineServer{
		out:  bufio.NewWriter(os.Stdout),
		page: func(string) ([]string, string) { return []string{"echo"}, "" },
	}
}

func (s *lineServer) send(format string, values ...any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	fmt.Fprintf(s.out, format+"\n", values...)
	_ = s.out.Flush()
}

func (s *lineServer) text(id json.RawMessage, text string) {
	s.send(`{"jsonrpc":"2.0","id":%s,"result":{"content":[{"type":"text","text":"%s"}]}}`, id, text)
}

func (s *lineServer) serve() {
	in := bufio.NewReader(os.Stdin)
	for {
		line, err := in.ReadBytes('\n')
		if err != nil {
			return
		}
		var message struct {
			ID     json.RawMessage `json:"id"`
			Method string          `json:"method"`
			Params struct{ Name, Cursor string }
		}
		if json.Unmarshal(line, &message) == nil {
			s.answer(message.Method, message.ID, message.Params.Name, message.Params.Cursor)
		}
	}
}

func (s *lineServer) answer(method string, id json.RawMessage, tool, cursor string) {
	switch {
	case method == "server/discover" && s.discover != nil:
		s.discover(id)
		return
	case method == "initialize" && s.hello != nil:
		s.hello(id)
		return
	}
	switch method {
	case "server/discover":
		s.send(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"Method not found"}}`, id)
	case "initialize":
		s.send(`{"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{"listChanged":true}},"serverInfo":{"name":"faults","version":"1"}}}`, id)
	case "tools/list":
		names, next := s.page(cursor)
		tools := make([]string, len(names))
		for i, name := range names {
			tools[i] = fmt.Sprintf(`{"name":%q,"inputSchema":{"type":"object"}}`, name)
		}
		s.send(`{"jsonrpc":"2.0","id":%s,"result":{"tools":[%s],"nextCursor":%q}}`, id, strings.Join(tools, ","), next)
		if s.ready != nil {
			s.ready()
			s.ready = nil
		}
	case "tools/call":
		if s.call != nil {
			s.call(id, tool)
			return
		}
		s.text(id, tool)
	case "ping":
		if s.ping != nil {
			s.ping(id)
			return
		}
		s.send(`{"jsonrpc":"2.0","id":%s,"result":{}}`, id)
	}
}

// runFault runs one fault by its name; known is false for another name.
func runFault(fault string, args []string) (known bool) {
	s := newLineServer()
	switch fault {
	case "plain":
	case "flood-both":
		// It floods while it answers.
		s.ready = func() {
			go func() {
				for range 20_000 {
					s.send("%s", strings.Repeat("noise ", 30))
					fmt.Fprintln(os.Stderr, strings.Repeat("words ", 30))
				}
			}()
		}
	case "twice":
		s.call = func(id json.RawMessage, tool string) { s.text(id, tool); s.text(id, "again") }
	case "wrong-id":
		s.call = func(json.RawMessage, string) {
			s.send("{garbage")
			s.send(`{"jsonrpc":"2.0","id":987654,"result":{}}`)
			s.send(`{"jsonrpc":"2.0","id":"nobody","result":{}}`)
		}
	case "many-tools":
		s.page = func(cursor string) (names []string, next string) {
			var page int
			_, _ = fmt.Sscan(cursor, &page)
			for i := range 50 {
				names = append(names, fmt.Sprintf("tool%d", page*50+i))
			}
			if page < 9 {
				next = fmt.Sprint(page + 1)
			}
			return names, next
		}
	case "restless":
		s.ready = func() {
			go func() {
				tick := time.NewTicker(10 * time.Millisecond)
				for range tick.C {
					s.send(`{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`)
				}
			}()
		}
	case "mute":
		// It takes calls and pings and never answers.
		s.call = func(json.RawMessage, string) {}
		s.ping = s.callNothing
	case "pings":
		s.ping = func(id json.RawMessage) {
			fmt.Fprintln(os.Stderr, "pinged")
			s.send(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"Method not found"}}`, id)
		}
	case "die":
		s.call = func(json.RawMessage, string) { os.Exit(7) }
	case "exclusive":
		lock(args[0])
	case "licence":
		s.hello = func(id json.RawMessage) {
			s.send(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32000,"message":"licence expired"}}`, id)
		}
	case "newest-only", "newest-only-ends":
		// It knows no handshake.
		s.discover = func(id json.RawMessage) {
			s.send(`{"jsonrpc":"2.0","id":%s,"result":{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{"tools":{}},"serverInfo":{"name":"faults","version":"2"},"ttlMs":0,"cacheScope":"private"}}`, id)
		}
		s.hello = func(id json.RawMessage) {
			if fault == "newest-only-ends" {
				os.Exit(0)
			}
			s.send(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"Method not found"}}`, id)
		}
	default:
		return false
	}
	s.serve()
	return true
}

func (s *lineServer) callNothing(json.RawMessage) {}

// lock takes a file that only one process may have, and ends where another has
// it.
func lock(path string) {
	file, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err == nil {
		err = syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "fatal: the file is in use:", err)
		os.Exit(4)
	}
	appendLine(path+".starts", fmt.Sprint(os.Getpid()))
}
