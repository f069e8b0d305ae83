package gateway

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"hermes/backend/loopback"
)

const testToken = "a-token-of-the-tests"

func quiet(o *offer) *Server { return New(o, "test", slog.New(slog.DiscardHandler)) }

// running is a gateway that listens for one test.
type running struct {
	t    *testing.T
	http *HTTP
	stop context.CancelFunc
	over chan error
}

func listen(t *testing.T, s *Server, o HTTPOptions) *running {
	t.Helper()
	o.Addr, o.Token = "127.0.0.1:0", testToken
	h, err := s.Listen(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	r := &running{t: t, http: h, stop: stop, over: make(chan error, 1)}
	go func() { r.over <- h.Serve(ctx) }()
	t.Cleanup(func() {
		stop()
		if err := <-r.over; !errors.Is(err, context.Canceled) {
			t.Errorf("it ended with %v", err)
		}
		http.DefaultClient.CloseIdleConnections()
	})
	return r
}

// post sends one message and returns the status, the result in the answer, or
// the whole answer where it holds none, and the session it names.
func (r *running) post(body string, edit func(*http.Request)) (status int, result, session string) {
	r.t.Helper()
	q, err := http.NewRequestWithContext(r.t.Context(), http.MethodPost, r.http.URL(), strings.NewReader(body))
	if err != nil {
		r.t.Fatal(err)
	}
	q.Header.Set("Authorization", "Bearer "+testToken)
	q.Header.Set("Content-Type", "application/json")
	q.Header.Set("Accept", "application/json, text/event-stream")
	if edit != nil {
		edit(q)
	}
	answer, err := http.DefaultClient.Do(q)
	if err != nil {
		r.t.Fatal(err)
	}
	defer answer.Body.Close()
	data, err := io.ReadAll(answer.Body)
	if err != nil {
		r.t.Fatal(err)
	}
	result = string(data)
	for line := range bytes.Lines(data) {
		var message struct{ Result json.RawMessage }
		text := bytes.TrimPrefix(line, []byte("data: "))
		if json.Unmarshal(text, &message) == nil && message.Result != nil {
			result = string(message.Result)
		}
	}
	return answer.StatusCode, result, answer.Header.Get("Mcp-Session-Id")
}

// carrier shows the token with every request.
type carrier struct{ token string }

func (c carrier) RoundTrip(q *http.Request) (*http.Response, error) {
	q = q.Clone(q.Context())
	q.Header.Set("Authorization", "Bearer "+c.token)
	return http.DefaultTransport.RoundTrip(q)
}

// client is a foreign client of one era; version "" is the newest.
func (r *running) client(version string, o *mcp.ClientOptions) *mcp.ClientSession {
	r.t.Helper()
	session, err := mcp.NewClient(&mcp.Implementation{Name: "foreign", Version: "1"}, o).Connect(r.t.Context(),
		&mcp.StreamableClientTransport{Endpoint: r.http.URL(), HTTPClient: &http.Client{Transport: carrier{testToken}}},
		&mcp.ClientSessionOptions{ProtocolVersion: version})
	if err != nil {
		r.t.Fatal(err)
	}
	r.t.Cleanup(func() { session.Close() })
	if version == "" {
		version = firstModern
	}
	if got := session.InitializeResult().ProtocolVersion; got != version {
		r.t.Fatalf("speaks %s, want %s", got, version)
	}
	return session
}

// TestHTTPAttacks sends what must not get through; each differs from an honest
// request in one thing.
func TestHTTPAttacks(t *testing.T) {
	o := &offer{}
	o.set("a")
	r := listen(t, quiet(o), HTTPOptions{})
	port := r.http.URL()[strings.LastIndex(r.http.URL(), ":")+1 : len(r.http.URL())-len(Path)]
	header := func(k, v string) func(*http.Request) { return func(q *http.Request) { q.Header.Set(k, v) } }
	for _, row := range []struct {
		name string
		edit func(*http.Request)
		want int
	}{
		{"honest", nil, 200},
		{"honest, under the other name", func(q *http.Request) { q.Host = "localhost:" + port }, 200},
		{"a scheme in other letters", header("Authorization", "bearer "+testToken), 200},
		{"foreign name that resolves here", func(q *http.Request) { q.Host = "evil.example:" + port }, 403},
		{"our name, another port", func(q *http.Request) { q.Host = "127.0.0.1:1" }, 403},
		{"other site", header("Origin", "http://evil.example"), 403},
		{"another port of ours", header("Origin", "http://127.0.0.1:1"), 403},
		{"opaque origin", header("Origin", "null"), 403},
		{"cross-site fetch", header("Sec-Fetch-Site", "cross-site"), 403},
		{"no token", func(q *http.Request) { q.Header.Del("Authorization") }, 401},
		{"empty token", header("Authorization", "Bearer "), 401},
		{"wrong token", header("Authorization", "Bearer x"+testToken), 401},
		{"the beginning of the token", header("Authorization", "Bearer "+testToken[:8]), 401},
		{"another scheme", header("Authorization", "Basic "+testToken), 401},
		{"token in the address", func(q *http.Request) { q.Header.Del("Authorization"); q.URL.RawQuery = "token=" + testToken }, 401},
		{"another path", func(q *http.Request) { q.URL.Path = "/" }, 404},
		{"PUT", func(q *http.Request) { q.Method = http.MethodPut }, 405},
		{"a page's form", header("Content-Type", "text/plain"), 415},
		{"too large", func(q *http.Request) {
			q.Body, q.ContentLength = io.NopCloser(strings.NewReader(`"`+strings.Repeat("a", bodyBytes)+`"`)), -1
		}, 413},
		{"no JSON", func(q *http.Request) { q.Body, q.ContentLength = io.NopCloser(strings.NewReader("{")), -1 }, 400},
		{"a version nobody knows", header("Mcp-Protocol-Version", "1999-01-01"), 400},
		{"a session nobody knows", header("Mcp-Session-Id", "nobody"), 404},
	} {
		t.Run(row.name, func(t *testing.T) {
			status, body, _ := r.post(helloOlder, row.edit)
			if status != row.want {
				t.Errorf("%d, want %d (%s)", status, row.want, body)
			}
			if strings.Contains(body, testToken) {
				t.Error("the answer holds the token")
			}
		})
	}
}

// TestHTTPAddress refuses what other machines could reach, and tokens that can
// be guessed.
func TestHTTPAddress(t *testing.T) {
	for _, row := range []struct {
		addr, token string
		remote      bool
		want        string
	}{
		{"127.0.0.1:0", "", false, ""},
		{"localhost:0", testToken, false, ""},
		{"[::1]:0", "", false, ""},
		{"0.0.0.0:0", "", true, ""},
		{"0.0.0.0:0", "", false, "other machines"},
		{":0", "", false, "other machines"},
		{"hermes.example:0", "", false, "other machines"},
		{"nonsense", "", true, "host:port"},
		{"127.0.0.1:0", "short", false, "fewer than"},
	} {
		h, err := quiet(&offer{}).Listen(t.Context(), HTTPOptions{Addr: row.addr, Token: row.token, AllowRemote: row.remote})
		if row.want == "" {
			if err != nil {
				t.Errorf("%s: %v", row.addr, err)
				continue
			}
			if len(h.Token()) < MinToken || row.token != "" && h.Token() != row.token || h.Remote() != row.remote {
				t.Errorf("%s: token %q, remote %v", row.addr, h.Token(), h.Remote())
			}
			if err := h.Close(); err != nil {
				t.Error(err)
			}
			continue
		}
		var address *loopback.AddressError
		if !errors.As(err, &address) || !strings.Contains(address.Message, row.want) || address.Hint == "" {
			t.Errorf("%s: %v, want %q with a hint", row.addr, err, row.want)
		}
	}
}

// TestChangeReachesEveryClient tells clients of both eras of a difference, once
// each, and of nothing else.
func TestChangeReachesEveryClient(t *testing.T) {
	o := &offer{}
	o.set("a", "b", "first")
	s := quiet(o)
	r := listen(t, s, HTTPOptions{})
	type told struct {
		session *mcp.ClientSession
		heard   chan struct{}
	}
	var clients []told
	for _, version := range []string{"2025-11-25", "2025-11-25", "", ""} {
		heard := make(chan struct{}, 16)
		session := r.client(version, &mcp.ClientOptions{ToolListChangedHandler: func(context.Context, *mcp.ToolListChangedRequest) { heard <- struct{}{} }})
		if len(clients) == 0 {
			// The first list is news, too: it is over before the others come.
			if list, err := session.ListTools(t.Context(), nil); err != nil || len(list.Tools) != 3 {
				t.Fatalf("%v %+v", err, list)
			}
			o.set("a", "b")
			s.Update()
			<-heard
		}
		if list, err := session.ListTools(t.Context(), nil); err != nil || len(list.Tools) != 2 {
			t.Fatalf("%v %+v", err, list)
		}
		clients = append(clients, told{session, heard})
	}
	for _, change := range [][]string{{"b"}, {"b", "c", "d"}, nil} {
		o.set(change...)
		s.Update()
		for i, c := range clients {
			select {
			case <-c.heard:
			case <-time.After(10 * time.Second):
				t.Fatalf("client %d did not hear of %v", i, change)
			}
		}
		s.Update()
	}
	for i, c := range clients {
		if list, err := c.session.ListTools(t.Context(), nil); err != nil || len(list.Tools) != 0 {
			t.Errorf("client %d: %v %+v", i, err, list)
		}
		if result, err := c.session.CallTool(t.Context(), &mcp.CallToolParams{Name: "b"}); err == nil && !result.IsError {
			t.Errorf("client %d called a tool that is gone", i)
		}
		if len(c.heard) > 0 {
			t.Errorf("client %d heard of one difference more than once", i)
		}
	}
	if len(o.called) > 0 {
		t.Errorf("calls got through: %v", o.called)
	}
}

// TestProgress reaches the client that asked with a token of its own.
func TestProgress(t *testing.T) {
	o := &offer{steps: []string{"one", "two"}, result: Result{Text: "done"}}
	o.set("a")
	r := listen(t, quiet(o), HTTPOptions{})
	for _, version := range []string{"2025-11-25", ""} {
		var mu sync.Mutex
		var heard []string
		both := make(chan struct{})
		session := r.client(version, &mcp.ClientOptions{ProgressNotificationHandler: func(_ context.Context, q *mcp.ProgressNotificationClientRequest) {
			mu.Lock()
			defer mu.Unlock()
			if q.Params.ProgressToken == "mine" && q.Params.Total == 2 {
				heard = append(heard, q.Params.Message)
			}
			if len(heard) == 2 {
				close(both)
			}
		}})
		params := &mcp.CallToolParams{Name: "a"}
		params.SetProgressToken("mine")
		if _, err := session.ListTools(t.Context(), nil); err != nil {
			t.Fatal(err)
		}
		if _, err := session.CallTool(t.Context(), params); err != nil {
			t.Fatal(err)
		}
		select {
		case <-both:
		case <-time.After(10 * time.Second):
			t.Errorf("%s: heard %v", version, heard)
		}
	}
}

// TestSessionsAreBounded: idle clients make room, busy ones are not thrown out,
// and who was ended is told so.
func TestSessionsAreBounded(t *testing.T) {
	o := &offer{}
	o.set("a")
	s := quiet(o)
	r := listen(t, s, HTTPOptions{MaxSessions: 2})
	var ids []string
	for range 3 {
		status, _, id := r.post(helloOlder, nil)
		if status != 200 || id == "" {
			t.Fatalf("%d %q", status, id)
		}
		ids = append(ids, id)
	}
	with := func(id string) func(*http.Request) {
		return func(q *http.Request) { q.Header.Set("Mcp-Session-Id", id) }
	}
	if status, _, _ := r.post(listOlder, with(ids[0])); status != http.StatusNotFound {
		t.Errorf("the session that made room: %d", status)
	}
	// Both that are left listen, so a fourth client is refused.
	for _, id := range ids[1:] {
		q, _ := http.NewRequestWithContext(t.Context(), http.MethodGet, r.http.URL(), nil)
		q.Header.Set("Authorization", "Bearer "+testToken)
		q.Header.Set("Accept", "text/event-stream")
		q.Header.Set("Mcp-Session-Id", id)
		stream, err := http.DefaultClient.Do(q)
		if err != nil || stream.StatusCode != 200 {
			t.Fatalf("%v %+v", err, stream)
		}
		defer stream.Body.Close()
	}
	if status, body, _ := r.post(helloOlder, nil); status != http.StatusServiceUnavailable {
		t.Errorf("one client too many: %d %s", status, body)
	}
	if status, _, _ := r.post(listOlder, with(ids[1])); status != 200 {
		t.Errorf("a client that listens was ended: %d", status)
	}
}

// TestIdleSessionEnds gives up a client that vanished.
func TestIdleSessionEnds(t *testing.T) {
	s := quiet(&offer{})
	r := listen(t, s, HTTPOptions{SessionTimeout: 20 * time.Millisecond})
	_, _, id := r.post(helloOlder, nil)
	deadline := time.Now().Add(10 * time.Second)
	for status := 0; status != http.StatusNotFound; {
		if time.Now().After(deadline) {
			t.Fatal("the session lives on")
		}
		count := 0
		for range s.server.Sessions() {
			count++
		}
		if count == 0 {
			status, _, _ = r.post(listOlder, func(q *http.Request) { q.Header.Set("Mcp-Session-Id", id) })
		}
	}
}

// TestEndDoesNotWait ends while a client listens and a server hangs.
func TestEndDoesNotWait(t *testing.T) {
	hung := make(chan struct{})
	s := New(hangs{offered(t), hung, make(chan struct{})}, "test", slog.New(slog.DiscardHandler))
	r := listen(t, s, HTTPOptions{Grace: time.Millisecond})
	session := r.client("2025-11-25", nil)
	if _, err := session.ListTools(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	called := make(chan error, 1)
	go func() {
		_, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "a"})
		called <- err
	}()
	<-hung
	r.stop()
	if err := <-called; err == nil {
		t.Error("the call that was cut off has a result")
	}
}

func offered(t *testing.T) *offer {
	t.Helper()
	o := &offer{}
	o.set("a")
	return o
}

// hangs never answers a call by itself.
type hangs struct {
	*offer
	hung, ended chan struct{}
}

func (h hangs) Call(ctx context.Context, _ string, _ json.RawMessage, _ Progress) Result {
	close(h.hung)
	<-ctx.Done()
	close(h.ended)
	return Result{Text: "stopped", IsError: true}
}

// TestCancelReachesTheCall gives a call up, in both eras.
func TestCancelReachesTheCall(t *testing.T) {
	for _, version := range []string{"2025-11-25", ""} {
		hung := make(chan struct{})
		ended := make(chan struct{})
		r := listen(t, New(hangs{offered(t), hung, ended}, "test", slog.New(slog.DiscardHandler)), HTTPOptions{})
		session := r.client(version, nil)
		if _, err := session.ListTools(t.Context(), nil); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		called := make(chan error, 1)
		go func() {
			_, err := session.CallTool(ctx, &mcp.CallToolParams{Name: "a"})
			called <- err
		}()
		<-hung
		cancel()
		select {
		case <-ended:
		case <-time.After(10 * time.Second):
			t.Errorf("%s: the call goes on", version)
		}
		if err := <-called; !errors.Is(err, context.Canceled) {
			t.Errorf("%s: the client reads %v", version, err)
		}
	}
}

// TestManyClients lists and calls from many clients of both eras while the list
// changes: nobody sees what was never offered, and nothing is left behind.
func TestManyClients(t *testing.T) {
	o := &offer{result: Result{Raw: json.RawMessage(`{"content":[{"type":"text","text":"x"}]}`)}}
	o.set("a", "b")
	s := quiet(o)
	r := listen(t, s, HTTPOptions{})
	var clients sync.WaitGroup
	for i := range 8 {
		session := r.client([]string{"2025-11-25", ""}[i%2], nil)
		clients.Go(func() {
			for range 10 {
				list, err := session.ListTools(t.Context(), nil)
				if err != nil || len(list.Tools) < 1 || len(list.Tools) > 3 {
					t.Errorf("%v %+v", err, list)
					return
				}
				if _, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "a"}); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	for i := range 40 {
		o.set([][]string{{"a"}, {"a", "b", "c"}}[i%2]...)
		s.Update()
	}
	clients.Wait()
	s.Update()
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.known) > 64 {
		t.Errorf("%d clients are remembered", len(s.known))
	}
}
