package provider

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"hermes/backend/message"
)

// recorder is a model server of ours that keeps the bytes it was sent and
// answers with bytes that are written in the test.
type recorder struct {
	*httptest.Server
	mu      sync.Mutex
	bodies  [][]byte
	headers []http.Header
}

func newRecorder(t *testing.T, answer func(w http.ResponseWriter, r *http.Request, nth int)) *recorder {
	t.Helper()
	rec := &recorder{}
	rec.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Errorf("reading the request: %v", err)
		}
		rec.mu.Lock()
		rec.bodies = append(rec.bodies, body)
		rec.headers = append(rec.headers, r.Header.Clone())
		nth := len(rec.bodies)
		rec.mu.Unlock()
		answer(w, r, nth)
	}))
	t.Cleanup(rec.Close)
	return rec
}

func (r *recorder) sent(t *testing.T, i int) []byte {
	t.Helper()
	r.mu.Lock()
	defer r.mu.Unlock()
	if i >= len(r.bodies) {
		t.Fatalf("only %d requests arrived", len(r.bodies))
	}
	return r.bodies[i]
}

func (r *recorder) count() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.bodies)
}

func sse(w http.ResponseWriter, events ...string) {
	w.Header().Set("Content-Type", "text/event-stream")
	for _, e := range events {
		fmt.Fprintf(w, "data: %s\n\n", e)
		w.(http.Flusher).Flush()
	}
}

func delta(d string) string { return `{"choices":[{"index":0,"delta":` + d + `}]}` }

const (
	finishStop  = `{"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}`
	finishCalls = `{"choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}`
	usageChunk  = `{"choices":[],"usage":{"prompt_tokens":3,"completion_tokens":4}}`
	done        = `[DONE]`
)

// odd is a value no JSON encoder would write again in the same way.
const odd = `{ "sig":"a<b>&\u2028\u0000\/", "n":90071992547409931234, "f":1.0,  "nested" : [ 1 , {"x":null} ] }`

func rowAt(t *testing.T, body []byte, i int) json.RawMessage {
	t.Helper()
	ms, err := members(body)
	if err != nil {
		t.Fatal(err)
	}
	rows, err := elements(find(ms, "messages"))
	if err != nil {
		t.Fatal(err)
	}
	return rows[i]
}

func fieldOf(t *testing.T, raw []byte, keys ...string) json.RawMessage {
	t.Helper()
	for _, key := range keys {
		ms, err := members(raw)
		if err != nil {
			t.Fatalf("%s: %v", raw, err)
		}
		if raw = find(ms, key); raw == nil {
			t.Fatalf("no field %q", key)
		}
	}
	return raw
}

func sameHash(t *testing.T, what string, got, want []byte) {
	t.Helper()
	if g, w := sha256.Sum256(got), sha256.Sum256(want); g != w {
		t.Errorf("%s changed: SHA-256 %x, want %x\n got %s\nwant %s", what, g, w, got, want)
	}
}

func vendorAnswer(w http.ResponseWriter, _ *http.Request, _ int) {
	sse(w,
		delta(`{"role":"assistant","content":null,"reasoning_content":"think <b>\u0026"}`),
		delta(`{"reasoning_content":" more \ud83d"}`),
		delta(`{"reasoning_content":"\ude00","reasoning_signature":`+odd+`}`),
		delta(`{"content":"Ich"}`), delta(`{"content":" lese <&>"}`),
		delta(`{"tool_calls":[{"index":0,"id":"batch","type":"function","function":{"name":"tool_call","arguments":""},"extra_content":`+odd+`}]}`),
		delta(`{"tool_calls":[{"index":0,"function":{"arguments":"{\"calls\": [{\"name\": \"a\"}"}}]}`),
		delta(`{"tool_calls":[{"index":0,"function":{"arguments":", {\"name\": \"b\"}]}"}}]}`),
		finishCalls, usageChunk, done)
}

func TestBlocksKeepTheirBytesAtTheWire(t *testing.T) {
	rec := newRecorder(t, vendorAnswer)
	p := newTestProvider(t, Options{BaseURL: rec.URL})
	req := ask("go")
	turn, err := p.Stream(context.Background(), req, nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(turn.Blocks) != 1 || turn.Vendor != VendorOpenAI {
		t.Fatalf("turn %+v", turn)
	}
	row := message.Message{Role: message.RoleAssistant, Content: turn.Content, ToolCalls: turn.ToolCalls, Vendor: turn.Vendor, Blocks: turn.Blocks}

	t.Run("as received", func(t *testing.T) {
		sameHash(t, "the signature", fieldOf(t, turn.Blocks[0], "reasoning_signature"), []byte(odd))
		sameHash(t, "the reasoning", fieldOf(t, turn.Blocks[0], "reasoning_content"), []byte(`"think <b>\u0026 more \ud83d\ude00"`))
	})
	t.Run("replayed whole", func(t *testing.T) {
		next, row := req, row
		row.ToolCalls = slices.Clone(row.ToolCalls)
		row.ToolCalls[0].Target = message.Target{Name: "mcp__a__b", Server: "a", Tool: "b"}
		next.Messages = append(next.Messages[:1:1], row, message.Message{Role: message.RoleTool, ToolCallID: "batch", Content: "x"})
		if _, err := p.Stream(context.Background(), next, nil); err != nil {
			t.Fatal(err)
		}
		sameHash(t, "the block", rowAt(t, rec.sent(t, rec.count()-1), 2), turn.Blocks[0])
	})
	t.Run("replayed after a split", func(t *testing.T) {
		child := row
		child.ToolCalls = []message.ToolCall{
			{ID: "batch", Name: "tool_call", Arguments: `{"calls": [{"name": "a"}]}`},
			{ID: "call_ce00a3258e67", Name: "tool_call", Arguments: `{"calls": [{"name": "b <&>"}]}`},
		}
		next := req
		next.Messages = append(next.Messages[:1:1], child,
			message.Message{Role: message.RoleTool, ToolCallID: "batch", Content: "x"},
			message.Message{Role: message.RoleTool, ToolCallID: "call_ce00a3258e67", Content: "y"})
		if _, err := p.Stream(context.Background(), next, nil); err != nil {
			t.Fatal(err)
		}
		sent := rowAt(t, rec.sent(t, rec.count()-1), 2)
		for _, key := range []string{"role", "content", "reasoning_content", "reasoning_signature"} {
			sameHash(t, key, fieldOf(t, sent, key), fieldOf(t, turn.Blocks[0], key))
		}
		calls, err := elements(fieldOf(t, sent, "tool_calls"))
		if err != nil || len(calls) != 2 {
			t.Fatalf("calls %s, error %v", calls, err)
		}
		sameHash(t, "the parent's signature on the first child", fieldOf(t, calls[0], "extra_content"), []byte(odd))
		sameHash(t, "the first child's arguments", fieldOf(t, calls[0], "function", "arguments"), []byte(`"{\"calls\": [{\"name\": \"a\"}]}"`))
		const second = `{"id":"call_ce00a3258e67","type":"function","function":{"name":"tool_call","arguments":"{\"calls\": [{\"name\": \"b <&>\"}]}"}}`
		sameHash(t, "the second child", calls[1], []byte(second))
	})
}

// The block of a plain JSON answer, or of a split, has spaces that are not ours.
func TestUntouchedBlocksKeepTheirSpaces(t *testing.T) {
	const block = "{ \"role\" : \"assistant\",\n \"content\":null,\"tool_calls\": [ {\"id\": \"a\", \"type\":\"function\",\"function\":{\"name\":\"f\",\"arguments\":\"{}\"}} ] }"
	row := message.Message{Role: message.RoleAssistant, ToolCalls: []message.ToolCall{{ID: "a", Name: "f", Arguments: "{}"}},
		Vendor: VendorOpenAI, Blocks: []json.RawMessage{json.RawMessage(block)}}
	sent, _ := body(Request{Model: "m", Messages: []message.Message{row}}, chatOptions{})
	sameHash(t, "the block", rowAt(t, sent, 0), []byte(block))
}

func TestBrokenBlocksAreWrittenAgain(t *testing.T) {
	for _, block := range []string{`{"role":`, `{"role":"assistant","content":"x"`, `{"role":tru}`, `[]`, `null`, `{"tool_calls":5}`, ``} {
		row := message.Message{Role: message.RoleAssistant, Content: "x", Vendor: VendorOpenAI, Blocks: []json.RawMessage{json.RawMessage(block)}}
		sent, _ := body(Request{Model: "m", Messages: []message.Message{row}}, chatOptions{})
		if got := string(rowAt(t, sent, 0)); got != `{"role":"assistant","content":"x"}` {
			t.Errorf("%q became %s", block, got)
		}
	}
}

func TestRequestBody(t *testing.T) {
	req := Request{Model: "m<1>", System: "S & <s>", Messages: []message.Message{
		{Role: message.RoleUser, Content: "hi\n\"you\" \u2028 \x01 \xff"},
		{Role: message.RoleAssistant, ToolCalls: []message.ToolCall{{ID: "c1", Name: "n", Arguments: `{"a":1.0}`}}},
		{Role: message.RoleTool, ToolCallID: "c1", Content: "<result>"},
		{Role: message.RoleAssistant, Content: "bye", Vendor: "anthropic", Blocks: []json.RawMessage{json.RawMessage(`{"type":"text"}`)}},
	}, Tools: []message.ToolDef{
		{Name: "t1", Description: "Does <this>", Parameters: json.RawMessage(`{"type": "object"}`)},
		{Name: "t2"},
	}}
	got, optional := body(req, chatOptions{})
	const want = `{"model":"m<1>","messages":[{"role":"system","content":"S & <s>"},` +
		`{"role":"user","content":"hi\n\"you\" ` + "\u2028" + ` \u0001 ` + "\ufffd" + `"},` +
		`{"role":"assistant","content":null,"tool_calls":[{"id":"c1","type":"function","function":{"name":"n","arguments":"{\"a\":1.0}"}}]},` +
		`{"role":"tool","tool_call_id":"c1","content":"<result>"},{"role":"assistant","content":"bye"}],` +
		`"tools":[{"type":"function","function":{"name":"t1","description":"Does <this>","parameters":{"type": "object"}}},` +
		`{"type":"function","function":{"name":"t2","parameters":{"type":"object","properties":{}}}}],` +
		`"stream":true,"stream_options":{"include_usage":true}}`
	if string(got) != want {
		t.Errorf("body\n got %s\nwant %s", got, want)
	}
	if len(optional) != 1 || optional[0] != "stream_options" {
		t.Errorf("optional fields %q", optional)
	}
	if !json.Valid(got) {
		t.Error("the body is not JSON")
	}
}

func TestRefusedOptionalFieldsAreLeftOut(t *testing.T) {
	rec := newRecorder(t, func(w http.ResponseWriter, _ *http.Request, nth int) {
		switch nth {
		case 1:
			w.WriteHeader(http.StatusUnprocessableEntity)
			_, _ = io.WriteString(w, `{"detail":[{"type":"extra_forbidden","loc":["body","messages",1,"assistant","reasoning_content"],"msg":"Extra inputs are not permitted"}]}`)
		case 2:
			w.WriteHeader(http.StatusBadRequest)
			_, _ = io.WriteString(w, `{"error":{"message":"Unrecognized request argument supplied: stream_options","type":"invalid_request_error"}}`)
		default:
			sse(w, delta(`{"content":"ok"}`), finishStop, done)
		}
	})
	p := newTestProvider(t, Options{BaseURL: rec.URL})
	req := ask("go")
	req.Messages = append(req.Messages, message.Message{Role: message.RoleAssistant, Content: "x", Vendor: VendorOpenAI,
		Blocks: []json.RawMessage{json.RawMessage(`{"role":"assistant","content":"x","reasoning_content":"r","kept":1.0}`)}})
	for range 2 {
		if _, err := p.Stream(context.Background(), req, nil); err != nil {
			t.Fatal(err)
		}
	}
	if rec.count() != 4 {
		t.Fatalf("%d requests, want 4: the refusals are remembered", rec.count())
	}
	last := rec.sent(t, 3)
	if bytes.Contains(last, []byte("reasoning_content")) || bytes.Contains(last, []byte("stream_options")) {
		t.Errorf("refused fields were sent again: %s", last)
	}
	if got := string(rowAt(t, last, 2)); got != `{"role":"assistant","content":"x","kept":1.0}` {
		t.Errorf("row %s", got)
	}
}

func TestRefusalOfAWordIsNoRefusalOfAField(t *testing.T) {
	if namesField([]byte(`{"error":"reasoning is mandatory for this endpoint"}`), "reasoning") {
		t.Error("a sentence with the word was read as the field's name")
	}
	if !namesField([]byte(`{"error":"Unknown parameter: 'messages[1].reasoning'."}`), "reasoning") {
		t.Error("the path of the field was not recognised")
	}
}

func TestCancelMidStream(t *testing.T) {
	gone := make(chan struct{})
	rec := newRecorder(t, func(w http.ResponseWriter, r *http.Request, _ int) {
		sse(w, delta(`{"content":"half"}`))
		<-r.Context().Done()
		close(gone)
	})
	p := newTestProvider(t, Options{BaseURL: rec.URL})
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	turn, err := p.Stream(ctx, ask("go"), func(string) { cancel() })
	if !errors.Is(err, context.Canceled) || turn.Content != "" {
		t.Fatalf("turn %+v, error %v", turn, err)
	}
	<-gone
}

func TestConnectionIsUsedAgain(t *testing.T) {
	seen := map[string]bool{}
	rec := newRecorder(t, func(w http.ResponseWriter, r *http.Request, _ int) {
		seen[r.RemoteAddr] = true
		sse(w, delta(`{"content":"ok"}`), finishStop, done)
	})
	p := newTestProvider(t, Options{BaseURL: rec.URL})
	for range 5 {
		if _, err := p.Stream(context.Background(), ask("go"), nil); err != nil {
			t.Fatal(err)
		}
	}
	if len(seen) != 1 {
		t.Errorf("%d connections for 5 passes", len(seen))
	}
}

// endBody tells whether it was read to its end, without which a connection is
// not used again.
type endBody struct {
	*strings.Reader
	ended bool
}

func (b *endBody) Read(p []byte) (int, error) {
	if b.Len() == 0 {
		b.ended = true
		return 0, io.EOF
	}
	return b.Reader.Read(p[:1])
}
func (b *endBody) Close() error { return nil }

func TestAnswersAreReadToTheirEnd(t *testing.T) {
	end := &endBody{Reader: strings.NewReader(good)}
	p := NewOpenAI(Options{BaseURL: "http://127.0.0.1:1", Client: &http.Client{Transport: roundTripper(func(*http.Request) (*http.Response, error) {
		return &http.Response{StatusCode: 200, Header: http.Header{}, Body: end}, nil
	})}})
	if _, err := p.Stream(context.Background(), ask("go"), nil); err != nil || !end.ended {
		t.Errorf("error %v, read to the end %v", err, end.ended)
	}
}

// A server that leaves the connection open after [DONE] must not hold up the
// answer.
func TestAnswerDoesNotWaitForTheConnection(t *testing.T) {
	rec := newRecorder(t, func(w http.ResponseWriter, r *http.Request, _ int) {
		sse(w, delta(`{"content":"ok"}`), finishStop, done)
		<-r.Context().Done()
	})
	p := newTestProvider(t, Options{BaseURL: rec.URL})
	turn, err := p.Stream(context.Background(), ask("go"), nil)
	if err != nil || turn.Content != "ok" {
		t.Fatalf("turn %+v, error %v", turn, err)
	}
}
