package provider

import (
	"context"
	"io"
	"net/http"
	"strings"
	"testing"

	"hermes/backend/message"
)

// BenchmarkStreamDecode reads one answer of 2,000 deltas as vendors send them;
// MB/s counts bytes on the wire.
func BenchmarkStreamDecode(b *testing.B) {
	var all strings.Builder
	for range 2000 {
		all.WriteString(`data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":{"content":" token"},"finish_reason":null}]}` + "\n\n")
	}
	all.WriteString("data: " + finishStop + "\n\ndata: [DONE]\n\n")
	stream := all.String()
	p := NewOpenAI(Options{BaseURL: "http://127.0.0.1:1", Client: &http.Client{Transport: roundTripper(func(*http.Request) (*http.Response, error) {
		return &http.Response{StatusCode: 200, Header: http.Header{"Content-Type": {"text/event-stream"}}, Body: io.NopCloser(strings.NewReader(stream))}, nil
	})}})
	b.SetBytes(int64(len(stream)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := p.Stream(context.Background(), ask("x"), nil); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkRequestBody writes the request of a session of 1,000 rows with
// stored blocks.
func BenchmarkRequestBody(b *testing.B) {
	turn, _, err := assembleDeltas(b, "tool_calls", `{"reasoning_content":"`+strings.Repeat("r", 2000)+`"}`,
		`{"tool_calls":[{"index":0,"id":"a","function":{"name":"f","arguments":"`+strings.Repeat(`\"x\"`, 200)+`"}}]}`)
	if err != nil {
		b.Fatal(err)
	}
	req := ask("x")
	for range 500 {
		req.Messages = append(req.Messages,
			message.Message{Role: message.RoleAssistant, ToolCalls: turn.ToolCalls, Vendor: turn.Vendor, Blocks: turn.Blocks},
			message.Message{Role: message.RoleTool, ToolCallID: "a", Content: strings.Repeat("result\n", 300)})
	}
	out, _ := body(req, chatOptions{})
	b.SetBytes(int64(len(out)))
	b.ReportAllocs()
	for b.Loop() {
		body(req, chatOptions{})
	}
}
