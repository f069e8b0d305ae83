//go:build unix

package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"hermes/backend/config"
)

func urlWant(name, transport, url string, headers map[string]string) want {
	return want{
		name: name, run: true, trusted: true,
		conn:   config.Connection{Transport: transport, URL: url, Headers: headers},
		expand: func(c config.Connection) (config.Connection, error) { return c, nil },
	}
}

// serveHTTP serves a handler until the test ends.
func serveHTTP(t *testing.T, handler http.Handler) *httptest.Server {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(func() {
		server.CloseClientConnections()
		server.Close()
	})
	return server
}

func streamable(t *testing.T, options *sdk.StreamableHTTPOptions) http.Handler {
	server := toolsServer(nil)
	t.Cleanup(func() {
		for session := range server.Sessions() {
			_ = session.Close()
		}
	})
	return sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return server }, options)
}

func TestStreamableHTTP(t *testing.T) {
	for _, test := range []struct {
		name    string
		options *sdk.StreamableHTTPOptions
	}{
		{"events", nil},
		{"plain JSON", &sdk.StreamableHTTPOptions{JSONResponse: true}},
		{"stateless", &sdk.StreamableHTTPOptions{Stateless: true}},
	} {
		t.Run(test.name, func(t *testing.T) {
			server := serveHTTP(t, streamable(t, test.options))
			m := testManager(t, Options{}, quickTiming())
			status := connect(t, m, urlWant("s", "http", server.URL, nil))
			if len(status.Tools) == 0 || status.PID != 0 {
				t.Errorf("status %+v", status)
			}
			if got := call(t, m, "s", "echo", `{"n":9007199254740993}`); !strings.Contains(got.Content, `"n":9007199254740992`) && !strings.Contains(got.Content, `"n":9007199254740993`) {
				t.Errorf("echo gave %+v", got)
			}
			if got := call(t, m, "s", "fail", ``); !got.IsError {
				t.Errorf("fail gave %+v", got)
			}
			if got := call(t, m, "s", "big", `{"size":2097152}`); len(got.Content) != 2<<20 {
				t.Errorf("%d bytes", len(got.Content))
			}
		})
	}
}

// TestOlderStreamTransport meets the older HTTP transport, by its name and
// where the entry does not say so.
func TestOlderStreamTransport(t *testing.T) {
	for _, transport := range []string{config.TransportSSE, config.TransportHTTP} {
		t.Run(transport, func(t *testing.T) {
			tools := toolsServer(nil)
			server := serveHTTP(t, sdk.NewSSEHandler(func(*http.Request) *sdk.Server { return tools }, nil))
			m := testManager(t, Options{}, quickTiming())
			connect(t, m, urlWant("s", transport, server.URL, nil))
			if got := call(t, m, "s", "echo", `{"a":1}`); got.Content != `{"a":1}` {
				t.Errorf("echo gave %+v", got)
			}
		})
	}
}

func TestNoEndpoint(t *testing.T) {
	server := serveHTTP(t, http.NotFoundHandler())
	m := testManager(t, Options{}, quickTiming())
	m.apply(wants(urlWant("s", "http", server.URL, nil)))
	status := waitUntil(t, m, "s", isParked)
	if !strings.Contains(status.Reason, "no MCP endpoint (HTTP 404 Not Found)") || !status.NextTry.IsZero() {
		t.Errorf("status %+v", status)
	}
}

// TestGoodbye wants the server to hear that a session ends.
func TestGoodbye(t *testing.T) {
	handler := &older{answer: plainAnswer, lost: plainLost}
	m := testManager(t, Options{}, quickTiming())
	connect(t, m, urlWant("s", "http", serveHTTP(t, handler).URL, nil))
	if err := m.Close(); err != nil {
		t.Fatal(err)
	}
	handler.mu.Lock()
	defer handler.mu.Unlock()
	if handler.goodbyes != 1 {
		t.Errorf("%d goodbyes", handler.goodbyes)
	}
}

// TestClosingEndsWaitingCalls closes while a call waits for a server to start.
func TestClosingEndsWaitingCalls(t *testing.T) {
	m := testManager(t, Options{}, quickTiming())
	m.apply(wants(stdioWant("s", "__server", "deaf")))
	failed := make(chan error)
	go func() {
		_, err := m.Call(context.Background(), "s", "echo", nil)
		failed <- err
	}()
	eventually(t, "the call waits", func() bool {
		m.servers["s"].calls.mu.Lock()
		defer m.servers["s"].calls.mu.Unlock()
		return m.servers["s"].calls.alone
	})
	if err := m.Close(); err != nil {
		t.Fatal(err)
	}
	if err := <-failed; !errors.Is(err, ErrNotSent) {
		t.Errorf("got %v", err)
	}
}

// older is a hand-written server of the older protocol over HTTP.
type older struct {
	mu       sync.Mutex
	sessions int
	goodbyes int
	valid    string
	calls    []string
	headers  []http.Header
	// answer writes the result of a tool call.
	answer func(w http.ResponseWriter, id json.RawMessage)
	// lost writes the answer to a session that is not known.
	lost func(w http.ResponseWriter, id json.RawMessage)
	// list answers tools/list, nil with one tool.
	list func(w http.ResponseWriter, id, params json.RawMessage)
	// stream answers GET.
	stream http.HandlerFunc
}

func (o *older) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method == http.MethodGet && o.stream != nil {
		o.stream(w, r)
		return
	}
	if r.Method == http.MethodDelete {
		o.mu.Lock()
		o.goodbyes++
		o.mu.Unlock()
	}
	if r.Method != http.MethodPost {
		w.WriteHeader(http.StatusMethodNotAllowed)
		return
	}
	var message struct {
		ID     json.RawMessage `json:"id"`
		Method string          `json:"method"`
		Params json.RawMessage `json:"params"`
	}
	if json.NewDecoder(r.Body).Decode(&message) != nil {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	o.mu.Lock()
	o.headers = append(o.headers, r.Header.Clone())
	known := r.Header.Get("Mcp-Session-Id") == o.valid
	if message.Method == "initialize" {
		o.sessions++
		o.valid = fmt.Sprintf("session-%d", o.sessions)
	}
	if message.Method == "tools/call" && known {
		o.calls = append(o.calls, o.valid)
	}
	valid := o.valid
	o.mu.Unlock()
	w.Header().Set("Content-Type", "application/json")
	switch {
	case message.Method == "server/discover":
		w.WriteHeader(http.StatusBadRequest)
		fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"error":{"code":-32000,"message":"Bad Request: no session"}}`, message.ID)
	case message.Method == "initialize":
		w.Header().Set("Mcp-Session-Id", valid)
		fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"o","version":"1"}}}`, message.ID)
	case !known:
		o.lost(w, message.ID)
	case len(message.ID) == 0:
		w.WriteHeader(http.StatusAccepted)
	case message.Method == "tools/list" && o.list != nil:
		o.list(w, message.ID, message.Params)
	case message.Method == "tools/list":
		fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":{"tools":[{"name":"raw","inputSchema":{"type":"object"}}]}}`, message.ID)
	case message.Method == "tools/call":
		o.answer(w, message.ID)
	}
}

func (o *older) forget() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.valid = "nobody"
}

func (o *older) reached() []string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return slices.Clone(o.calls)
}

const oddResult = `{"content":[{"type":"hologram"}],"structuredContent":{"big":9007199254740993}}`

func plainAnswer(w http.ResponseWriter, id json.RawMessage) {
	fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":%s}`, id, oddResult)
}

func plainLost(w http.ResponseWriter, _ json.RawMessage) {
	http.Error(w, "Session not found", http.StatusNotFound)
}

func eventAnswer(w http.ResponseWriter, id json.RawMessage) {
	w.Header().Set("Content-Type", "text/event-stream")
	fmt.Fprint(w, ": a comment\n\ndata: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\",\"params\":{\"level\":\"info\",\"data\":\"hello\"}}\n\n")
	fmt.Fprintf(w, "event: message\r\nid: 7\r\ndata: {\"jsonrpc\":\"2.0\",\"id\":%s,\r\ndata: \"result\":%s}\r\n\r\n", id, oddResult)
}

func TestExactBytesOverHTTP(t *testing.T) {
	for name, answer := range map[string]func(http.ResponseWriter, json.RawMessage){"json": plainAnswer, "events": eventAnswer} {
		t.Run(name, func(t *testing.T) {
			server := serveHTTP(t, &older{answer: answer, lost: plainLost})
			m := testManager(t, Options{}, quickTiming())
			if status := connect(t, m, urlWant("s", "http", server.URL, nil)); status.Protocol != olderProtocol {
				t.Errorf("protocol %s", status.Protocol)
			}
			if got := call(t, m, "s", "raw", ""); string(got.Blocks) != oddResult {
				t.Errorf("blocks %s", got.Blocks)
			}
			if name == "events" {
				eventually(t, "the notification is logged", func() bool { return strings.Contains(strings.Join(m.Log("s"), "\n"), "info: hello") })
			}
		})
	}
}

// TestForgottenSession answers 404 for a session once: the call goes to a new
// session, because the server said that it did not take it.
func TestForgottenSession(t *testing.T) {
	for name, lost := range map[string]func(http.ResponseWriter, json.RawMessage){
		"plain": plainLost,
		"with an error in the body": func(w http.ResponseWriter, id json.RawMessage) {
			w.WriteHeader(http.StatusNotFound)
			fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"error":{"code":-32001,"message":"Session not found"}}`, id)
		},
	} {
		t.Run(name, func(t *testing.T) {
			handler := &older{answer: plainAnswer, lost: lost}
			server := serveHTTP(t, handler)
			m := testManager(t, Options{}, quickTiming())
			connect(t, m, urlWant("s", "http", server.URL, nil))
			call(t, m, "s", "raw", "")
			handler.forget()
			if got := call(t, m, "s", "raw", ""); string(got.Blocks) != oddResult {
				t.Errorf("got %+v", got)
			}
			if got := handler.reached(); !slices.Equal(got, []string{"session-1", "session-2"}) {
				t.Errorf("calls reached %v", got)
			}
		})
	}
}

func TestConnectionDroppedMidCall(t *testing.T) {
	handler := &older{lost: plainLost}
	handler.answer = func(http.ResponseWriter, json.RawMessage) { panic(http.ErrAbortHandler) }
	server := serveHTTP(t, handler)
	m := testManager(t, Options{}, quickTiming())
	connect(t, m, urlWant("s", "http", server.URL, nil))
	if _, err := m.Call(testContext(t), "s", "raw", nil); !errors.Is(err, ErrEffectUnknown) {
		t.Errorf("got %v", err)
	}
	if got := handler.reached(); len(got) != 1 {
		t.Errorf("the call was repeated: %v", got)
	}
}

func TestRefusals(t *testing.T) {
	handler := &older{lost: plainLost}
	status := http.StatusForbidden
	handler.answer = func(w http.ResponseWriter, _ json.RawMessage) { w.WriteHeader(status) }
	server := serveHTTP(t, handler)
	m := testManager(t, Options{}, quickTiming())
	connect(t, m, urlWant("s", "http", server.URL, nil))
	var refused *ServerError
	if _, err := m.Call(testContext(t), "s", "raw", nil); !errors.As(err, &refused) || refused.Code != 403 {
		t.Errorf("got %v", err)
	}
}

func TestLoginIsAskedFor(t *testing.T) {
	server := serveHTTP(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusUnauthorized) }))
	m := testManager(t, Options{}, quickTiming())
	m.apply(wants(urlWant("s", "http", server.URL, nil)))
	status := waitUntil(t, m, "s", isState(StateNeedsAuth))
	if !strings.Contains(status.Reason, "asks for a login (HTTP 401)") || !status.NextTry.IsZero() {
		t.Errorf("status %+v", status)
	}
}

func TestUnreachableURLKeepsItsSecret(t *testing.T) {
	m := testManager(t, Options{}, quickTiming())
	w := urlWant("s", "http", "http://127.0.0.1:1/?key=${K}", nil)
	w.expand = func(c config.Connection) (config.Connection, error) {
		c.URL = "http://127.0.0.1:1/?key=secret-value-9"
		return c, nil
	}
	m.apply(wants(w))
	status := waitUntil(t, m, "s", isState(StateFailed))
	if !strings.Contains(status.Reason, "refused") || strings.Contains(status.Reason+strings.Join(m.Log("s"), ""), "secret-value") {
		t.Errorf("reason %q; log %q", status.Reason, m.Log("s"))
	}
}

// TestStreamThatNeverOpens hangs on the GET that the SDK waits for without a
// limit.
func TestStreamThatNeverOpens(t *testing.T) {
	over := make(chan struct{})
	defer close(over)
	handler := &older{answer: plainAnswer, lost: plainLost, stream: func(_ http.ResponseWriter, r *http.Request) {
		select {
		case <-r.Context().Done():
		case <-over:
		}
	}}
	server := serveHTTP(t, handler)
	tm := quickTiming()
	tm.streamHeaders = 50 * time.Millisecond
	m := testManager(t, Options{}, tm)
	connect(t, m, urlWant("s", "http", server.URL, nil))
	call(t, m, "s", "raw", "")
}

// TestHeadersStayAtHome redirects to another origin: what the entry's headers
// hold, and the session, must not arrive there.
func TestHeadersStayAtHome(t *testing.T) {
	var strange atomic.Pointer[http.Header]
	other := serveHTTP(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		header := r.Header.Clone()
		strange.Store(&header)
		_, _ = io.Copy(io.Discard, r.Body)
		w.WriteHeader(http.StatusInternalServerError)
	}))
	handler := &older{answer: plainAnswer, lost: plainLost}
	var away atomic.Bool
	home := serveHTTP(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if away.Load() {
			http.Redirect(w, r, other.URL, http.StatusTemporaryRedirect)
			return
		}
		handler.ServeHTTP(w, r)
	}))
	m := testManager(t, Options{}, quickTiming())
	connect(t, m, urlWant("s", "http", home.URL, map[string]string{"Authorization": "Bearer t0ken", "X-Api-Key": "k3y"}))
	call(t, m, "s", "raw", "")
	handler.mu.Lock()
	for _, header := range handler.headers {
		if header.Get("Authorization") != "Bearer t0ken" || header.Get("X-Api-Key") != "k3y" {
			t.Errorf("headers %v", header)
		}
	}
	handler.mu.Unlock()
	away.Store(true)
	if _, err := m.Call(testContext(t), "s", "raw", nil); err == nil {
		t.Error("the call went through")
	}
	got := strange.Load()
	if got == nil {
		t.Fatal("the redirect was not followed")
	}
	for _, name := range []string{"Authorization", "X-Api-Key", "Mcp-Session-Id"} {
		if value := got.Get(name); value != "" {
			t.Errorf("%s reached the other origin: %s", name, value)
		}
	}
}

func TestRedirectToPlainHTTPIsRefused(t *testing.T) {
	request := func(url string) *http.Request {
		r, err := http.NewRequestWithContext(context.Background(), http.MethodPost, url, nil)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	via := []*http.Request{request("https://a/")}
	if checkRedirect(request("http://a/"), via) == nil {
		t.Error("https to http is followed")
	}
	if err := checkRedirect(request("https://b/"), via); err != nil {
		t.Error(err)
	}
	if checkRedirect(request("https://a/"), make([]*http.Request, maxRedirects)) == nil {
		t.Error("it never stops")
	}
}

func TestSameOrigin(t *testing.T) {
	for _, test := range []struct {
		a, b string
		same bool
	}{
		{"https://a/x", "https://A:443/y", true},
		{"http://a", "http://a:80", true},
		{"http://a", "https://a", false},
		{"https://a:8443", "https://a", false},
		{"https://a", "https://a.b", false},
	} {
		a, errA := parseEndpoint(test.a)
		b, errB := parseEndpoint(test.b)
		if errA != nil || errB != nil || sameOrigin(a, b) != test.same {
			t.Errorf("%s and %s: %v %v", test.a, test.b, errA, errB)
		}
	}
	for _, bad := range []string{"", "ftp://a", "https://", "http://[::1", "a.b/c"} {
		if _, err := parseEndpoint(bad); err == nil {
			t.Errorf("%q is taken", bad)
		}
	}
}
