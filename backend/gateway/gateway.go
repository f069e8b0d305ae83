package gateway

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"slices"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"hermes/backend/registry"
)

// Result is the outcome of a call. Raw is the server's result as it sent it;
// when it is empty, or not readable as a tool result, Text is given instead.
type Result struct {
	Raw     json.RawMessage
	Text    string
	IsError bool
}

// Tools is what the gateway offers.
type Tools interface {
	// Ready waits until the servers are connected or the start limit is over.
	Ready(ctx context.Context)
	// Entries are the tools that are allowed now.
	Entries() []registry.Entry
	// Call asks every gate and calls; a refusal is a Result that is an error.
	Call(ctx context.Context, public string, args json.RawMessage) Result
}

// Server is one gateway. Update may be called from any goroutine.
type Server struct {
	tools  Tools
	server *mcp.Server
	logger *slog.Logger

	mu      sync.Mutex
	offered map[string]string // public name -> fingerprint of what was offered
}

// New builds a gateway that offers nothing yet.
func New(tools Tools, version string, logger *slog.Logger) *Server {
	s := &Server{tools: tools, logger: logger, offered: map[string]string{}}
	s.server = mcp.NewServer(&mcp.Implementation{Name: "hermes-gateway", Title: "Hermes gateway", Version: version}, &mcp.ServerOptions{
		Logger: logger,
		// The tools capability is said even while there are none, so that a
		// client of a locked home still hears of a later change.
		Capabilities: &mcp.ServerCapabilities{Tools: &mcp.ToolCapabilities{ListChanged: true}},
	})
	s.server.AddReceivingMiddleware(s.fresh)
	return s
}

// fresh brings the list up to date before a client reads it, so that a list
// never offers what a reload has just locked.
func (s *Server) fresh(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		if method == "tools/list" {
			s.tools.Ready(ctx)
			s.Update()
		}
		return next(ctx, method, req)
	}
}

// Serve talks to one client until the input ends or the context is cancelled.
func (s *Server) Serve(ctx context.Context, in io.ReadCloser, out io.WriteCloser) error {
	guarded := &oneAtATime{w: out}
	err := s.server.Run(ctx, &mcp.IOTransport{Reader: checkLines(in, guarded), Writer: guarded})
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return err
}

// Update offers what is allowed now and takes away the rest; connected clients
// get tools/list_changed for a difference and nothing without one.
func (s *Server) Update() {
	s.mu.Lock()
	defer s.mu.Unlock()
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
		slices.Sort(gone)
		s.server.RemoveTools(gone...)
		for _, name := range gone {
			delete(s.offered, name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(wanted)) {
		entry := wanted[name]
		print := entry.Title + "\x00" + entry.Description + "\x00" + string(entry.Schema)
		if s.offered[name] == print {
			continue
		}
		if err := s.offer(entry); err != nil {
			s.logger.Warn("tool not offered", "tool", name, "error", err)
			continue
		}
		s.offered[name] = print
	}
}

// offer adds one tool. The SDK panics on schemas it does not take; one odd
// schema must not take the gateway down.
func (s *Server) offer(entry registry.Entry) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("schema refused: %v", r)
		}
	}()
	tool := &mcp.Tool{Name: entry.Public, Title: entry.Title, Description: entry.Description, InputSchema: objectSchema(entry.Schema)}
	if entry.ReadOnly != nil || entry.Destructive != nil {
		tool.Annotations = &mcp.ToolAnnotations{DestructiveHint: entry.Destructive}
		if entry.ReadOnly != nil {
			tool.Annotations.ReadOnlyHint = *entry.ReadOnly
		}
	}
	s.server.AddTool(tool, func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return result(s.tools.Call(ctx, entry.Public, req.Params.Arguments)), nil
	})
	return nil
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

// result hands the server's own result on. Numbers in structured content stay
// as written: decoding them would round big ones.
func result(r Result) *mcp.CallToolResult {
	if len(r.Raw) > 0 {
		var decoded mcp.CallToolResult
		var parts struct {
			Structured json.RawMessage `json:"structuredContent"`
		}
		if json.Unmarshal(r.Raw, &decoded) == nil && json.Unmarshal(r.Raw, &parts) == nil {
			if len(parts.Structured) > 0 && !bytes.Equal(parts.Structured, []byte("null")) {
				decoded.StructuredContent = parts.Structured
			}
			decoded.IsError = decoded.IsError || r.IsError
			return &decoded
		}
	}
	return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: r.Text}}, IsError: r.IsError}
}
