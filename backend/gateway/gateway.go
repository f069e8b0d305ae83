package gateway

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"hermes/backend/registry"
)

// Result is the outcome of a call. Raw is the server's result as it sent it and
// is handed on byte for byte (white space between tokens apart); when it is
// empty, or not readable as a tool result, Text is given instead. Unknown tells
// that there is no tool of that name, or none that the rules allow: a client is
// told the same of both.
type Result struct {
	Raw     json.RawMessage
	Text    string
	IsError bool
	Unknown bool
}

// Tools is what the gateway offers.
type Tools interface {
	// Ready waits until the servers are connected or the start limit is over,
	// which is counted once for each server and not for each wait.
	Ready(ctx context.Context)
	// Entries are the tools that are allowed now.
	Entries() []registry.Entry
	// Call asks every gate and calls; a refusal is a Result that is an error. It
	// waits for a server that is starting, and may be asked for any name.
	// progress is told of what the server reports meanwhile, nil for nobody.
	Call(ctx context.Context, public string, args json.RawMessage, progress Progress) Result
}

// Progress is told how far a call is: done of total (0 where the server does not
// know it) in the server's own unit, and its text. It must return soon.
type Progress func(done, total float64, text string)

// Server is one gateway. Update may be called from any goroutine.
type Server struct {
	tools  Tools
	server *mcp.Server
	logger *slog.Logger

	mu      sync.Mutex
	offered map[string]string // public name -> fingerprint of what was offered
	// revision counts the differences of the list; known is the one that a
	// client has read or was told of.
	revision int
	known    map[*mcp.ServerSession]int

	// calls bounds every call, so that the end does not wait for a server.
	calls context.Context
	end   context.CancelFunc
}

// New builds a gateway that offers nothing yet.
func New(tools Tools, version string, logger *slog.Logger) *Server {
	s := &Server{tools: tools, logger: logger, offered: map[string]string{}, known: map[*mcp.ServerSession]int{}}
	s.calls, s.end = context.WithCancel(context.Background())
	s.server = mcp.NewServer(&mcp.Implementation{Name: "hermes-gateway", Title: "Hermes gateway", Version: version}, &mcp.ServerOptions{
		Logger: logger,
		// The tools capability is said even while there are none, so that a
		// client of a locked home still hears of a later change.
		Capabilities: &mcp.ServerCapabilities{Tools: &mcp.ToolCapabilities{ListChanged: true}},
		// What is offered is this person's own, and nothing a proxy may share.
		SetCacheable: func(_ context.Context, _ mcp.Request, c *mcp.Cacheable) { c.CacheScope = "private" },
	})
	s.server.AddReceivingMiddleware(onlyTools, s.forward, s.door, s.fresh)
	s.server.AddSendingMiddleware(s.once)
	return s
}

// onlyTools refuses what the gateway does not say it has. The SDK would answer
// with empty lists, and a client would take them for the servers' own.
func onlyTools(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		switch group, _, _ := strings.Cut(method, "/"); group {
		case "prompts", "resources", "completion", "logging":
			return nil, &jsonrpc.Error{Code: jsonrpc.CodeMethodNotFound, Message: "the gateway offers tools alone, not " + method}
		}
		return next(ctx, method, req)
	}
}

// fresh brings the list up to date before a client reads it, so that a list
// never offers what a reload has just locked.
func (s *Server) fresh(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		if method == "tools/list" {
			s.tools.Ready(ctx)
			s.Update()
			s.note(req.GetSession())
		}
		return next(ctx, method, req)
	}
}

// door takes calls of names that are not offered to whoever knows why: the
// server may be starting, or be gone for a moment. A name that nobody knows goes
// on to the SDK, whose answer is the protocol's own.
func (s *Server) door(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		call, ok := req.(*mcp.CallToolRequest)
		if method != "tools/call" || !ok || call.Params == nil || s.offers(call.Params.Name) {
			return next(ctx, method, req)
		}
		result := s.call(ctx, call.Params.Name, call)
		if result.Unknown {
			return next(ctx, method, req)
		}
		return answer(ctx, result), nil
	}
}

func (s *Server) offers(name string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, ok := s.offered[name]
	return ok
}

// call asks every gate and calls, until the gateway ends.
func (s *Server) call(ctx context.Context, name string, req *mcp.CallToolRequest) Result {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(s.calls, cancel)()
	return s.tools.Call(ctx, name, req.Params.Arguments, s.progress(ctx, req))
}

// note remembers that a client knows the list as it is now, and tells whether
// that is news to it.
func (s *Server) note(session mcp.Session) bool {
	client, ok := session.(*mcp.ServerSession)
	if !ok {
		return true
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if known, ok := s.known[client]; ok && known == s.revision {
		return false
	}
	s.known[client] = s.revision
	return true
}

// once keeps back a notification of a difference that the client has read or was
// told of already: the SDK sends one for every pause between two changes.
func (s *Server) once(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		if method == "notifications/tools/list_changed" && !s.note(req.GetSession()) {
			return nil, nil
		}
		return next(ctx, method, req)
	}
}

// maxKnown bounds what is remembered of clients that the library does not list.
const maxKnown = 1024

// forget drops what is remembered of clients that are gone. A client of the
// newest era that only listens is not among the library's sessions, so what is
// known of this revision stays for a while. The lock is held.
func (s *Server) forget() {
	here := map[*mcp.ServerSession]bool{}
	for session := range s.server.Sessions() {
		here[session] = true
	}
	many := len(s.known) > maxKnown
	maps.DeleteFunc(s.known, func(session *mcp.ServerSession, revision int) bool {
		return !here[session] && (many || revision != s.revision)
	})
}

// Serve talks to one client until the input ends or the context is cancelled.
func (s *Server) Serve(ctx context.Context, in io.ReadCloser, out io.WriteCloser) error {
	defer context.AfterFunc(ctx, s.end)()
	guarded := &oneAtATime{w: out}
	err := s.server.Run(ctx, &mcp.IOTransport{Reader: checkLines(in, guarded), Writer: guarded})
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return err
}

// Update offers what is allowed now and takes away the rest; every connected
// client gets tools/list_changed once for a difference and nothing without one.
func (s *Server) Update() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.forget()
	changed := false
	defer func() {
		if changed {
			s.revision++
		}
	}()
	wanted := map[string]registry.Entry{}
	for _, entry := range s.tools.Entries() {
		wanted[entry.Public] = entry
	}
	gone := []string{}
	for name := range s.offered {
		if _, ok := wanted[name]; !ok {
			gone = append(gone, name)
		}
	}
	if len(gone) > 0 {
		changed = true
		slices.Sort(gone)
		s.server.RemoveTools(gone...)
		for _, name := range gone {
			delete(s.offered, name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(wanted)) {
		entry := wanted[name]
		print := fingerprint(entry)
		if s.offered[name] == print {
			continue
		}
		if err := s.offer(entry); err != nil {
			s.logger.Warn("tool not offered", "tool", name, "error", err)
			if _, before := s.offered[name]; before {
				// What it was is no longer true.
				s.server.RemoveTools(name)
				delete(s.offered, name)
				changed = true
			}
			continue
		}
		s.offered[name] = print
		changed = true
	}
}

// fingerprint is everything of an entry that a client is shown.
func fingerprint(entry registry.Entry) string {
	text, err := json.Marshal([]any{entry.Title, entry.Description, string(entry.Schema), string(entry.Output),
		entry.ReadOnly, entry.Destructive, entry.Idempotent, entry.OpenWorld})
	if err != nil {
		return ""
	}
	return string(text)
}

// offer adds one tool. The SDK panics on schemas it does not take; one odd
// schema must not take the gateway down.
func (s *Server) offer(entry registry.Entry) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("schema refused: %v", r)
		}
	}()
	tool := &mcp.Tool{Name: entry.Public, Title: entry.Title, Description: entry.Description, InputSchema: objectSchema(validText(entry.Schema))}
	if len(entry.Output) > 0 {
		tool.OutputSchema = validText(entry.Output)
	}
	tool.Annotations = annotations(entry)
	s.server.AddTool(tool, func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		result := s.call(ctx, entry.Public, req)
		if result.Unknown {
			// It was offered a moment ago.
			return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: fmt.Sprintf("unknown tool %q", entry.Public)}
		}
		return answer(ctx, result), nil
	})
	return nil
}

// annotations are the server's own words about a tool, nil where it has none.
func annotations(entry registry.Entry) *mcp.ToolAnnotations {
	if entry.ReadOnly == nil && entry.Destructive == nil && entry.Idempotent == nil && entry.OpenWorld == nil {
		return nil
	}
	said := func(word *bool) bool { return word != nil && *word }
	return &mcp.ToolAnnotations{
		ReadOnlyHint: said(entry.ReadOnly), DestructiveHint: entry.Destructive,
		IdempotentHint: said(entry.Idempotent), OpenWorldHint: entry.OpenWorld,
	}
}

// progress hands on what a server reports to a client that asked for it with a
// token of its own; nil where it did not.
func (s *Server) progress(ctx context.Context, req *mcp.CallToolRequest) Progress {
	token := req.Params.GetProgressToken()
	if token == nil {
		return nil
	}
	return func(done, total float64, text string) {
		err := req.Session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{ProgressToken: token, Progress: done, Total: total, Message: text})
		if err != nil {
			s.logger.Debug("progress not handed on", "error", err)
		}
	}
}

func objectSchema(schema json.RawMessage) json.RawMessage {
	var shape struct {
		Type string `json:"type"`
	}
	if json.Unmarshal(schema, &shape) != nil || shape.Type != "object" {
		return json.RawMessage(`{"type":"object"}`)
	}
	return schema
}
