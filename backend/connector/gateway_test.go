package connector

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const token = "token-of-the-gateway"

// serve gives a gateway whose server answers as told, and the count of requests.
func serve(t *testing.T, answer http.HandlerFunc) (*Gateway, *atomic.Int32) {
	t.Helper()
	var asked atomic.Int32
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		answer(w, r)
	}))
	t.Cleanup(server.Close)
	g, err := New(Options{URL: server.URL + "/v1/", Token: token})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(g.Close)
	return g, &asked
}

func say(status int, text string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(status)
		_, _ = io.WriteString(w, text)
	}
}

func TestExecuteSendsWhatTheProtocolSays(t *testing.T) {
	g, _ := serve(t, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		_, _ = fmt.Fprintf(w, `{"response":{"method":%q,"path":%q,"key":%q,"type":%q,"body":%s},"account":"a@b"}`,
			r.Method, r.URL.Path, r.Header.Get("Authorization"), r.Header.Get("Content-Type"), body)
	})
	got := g.Execute(context.Background(), "connectors__mail__send", json.RawMessage(`{"to":"x<y>","n":1.0}`))
	want := `{"method":"POST","path":"/v1/execute","key":"Bearer ` + token + `","type":"application/json","body":{"name":"connectors__mail__send","arguments":{"to":"x\u003cy\u003e","n":1.0}}}`
	if got.Failure != nil || string(got.Response) != want || got.Account != "a@b" {
		t.Errorf("%+v %s", got, got.Response)
	}
}

func TestExecuteAnswers(t *testing.T) {
	for name, c := range map[string]struct {
		answer  http.HandlerFunc
		code    string // empty: a response
		text    string
		unknown bool
	}{
		"a null response":      {say(200, `{"response":null}`), "", "null", false},
		"a text":               {say(200, `{"response":"sent","error":null}`), "", `"sent"`, false},
		"no connection":        {say(200, `{"error":{"code":"CONNECTION_REQUIRED","message":"connect mail","connector":"mail","hint":"open it"}}`), CodeConnectionRequired, "connect mail; open it", false},
		"a failed tool":        {say(200, `{"error":{"code":"TOOL_ERROR","message":"no such mail"}}`), CodeToolError, "no such mail", false},
		"not a gateway's code": {say(200, `{"error":{"code":"INTERRUPTED","message":"x"}}`), CodeToolError, "x", false},
		"an error as text":     {say(200, `{"error":"broken `+token+`"}`), CodeToolError, "broken [token]", false},
		"an error of nothing":  {say(200, `{"error":{}}`), CodeToolError, "without saying which", false},
		"both":                 {say(200, `{"response":1,"error":{"code":"TOOL_ERROR","message":"x"}}`), CodeProviderError, "a response and an error", true},
		"neither":              {say(200, `{"account":"x"}`), CodeProviderError, "neither", true},
		"not JSON":             {say(200, `<html>`), CodeProviderError, "cannot be read", true},
		"a list":               {say(200, `[1]`), CodeProviderError, "cannot be read", true},
		"cut off":              {say(200, `{"response":{"a":`), CodeProviderError, "cannot be read", true},
		"too large":            {say(200, `{"response":"`+strings.Repeat("x", maxAnswer)+`"}`), CodeProviderError, "larger than", true},
		"no key":               {say(401, `{"error":{"message":"who are you"}}`), CodeConnectionRequired, "401 Unauthorized: who are you; a person checks connectors.token", false},
		"not allowed":          {say(403, ``), CodeConnectionRequired, "403", false},
		"no tool":              {say(404, `{}`), CodeToolNotFound, "404", false},
		"a bad request":        {say(422, `{"error":{"message":"to is missing","hint":"give to"}}`), CodeToolError, "to is missing; give to", false},
		"too many":             {say(429, ``), CodeProviderError, "limits calls", false},
		"a fault":              {say(502, `{"error":{"message":"upstream","hint":"retry at once"}}`), CodeProviderError, "look before you repeat it", true},
		"a redirect elsewhere": {func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "http://127.0.0.1:1/x", http.StatusTemporaryRedirect)
		}, CodeProviderError, "redirects to another host", false},
		"a redirect as GET":     {func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/other", http.StatusFound) }, CodeProviderError, "302", false},
		"an aborted connection": {func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, CodeProviderError, "whether it took effect is not known", true},
	} {
		t.Run(name, func(t *testing.T) {
			g, asked := serve(t, c.answer)
			got := g.Execute(context.Background(), "connectors__mail__send", json.RawMessage(`{}`))
			switch {
			case c.code == "" && (got.Failure != nil || string(got.Response) != c.text):
				t.Errorf("%+v", got)
			case c.code != "" && (got.Failure == nil || got.Failure.Code != c.code || !strings.Contains(got.Failure.Error(), c.text)):
				t.Errorf("%+v: %v", got, got.Failure)
			}
			if got.Unknown != c.unknown {
				t.Errorf("unknown is %t", got.Unknown)
			}
			if got.Failure != nil && strings.Contains(got.Failure.Error(), token) {
				t.Error("the token is told")
			}
			if asked.Load() != 1 {
				t.Errorf("%d requests", asked.Load())
			}
		})
	}
}

func TestNobodyAnswers(t *testing.T) {
	g, err := New(Options{URL: "http://127.0.0.1:1", Token: token})
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	got := g.Execute(context.Background(), "connectors__a__b", json.RawMessage(`{}`))
	if got.Unknown || got.Failure == nil || got.Failure.Code != CodeProviderError || got.Failure.Hint != "nothing was sent" {
		t.Errorf("%+v", got)
	}
}

// TestSlowAndStopped: a call that was sent and has no answer may have happened, and
// is not sent again.
func TestSlowAndStopped(t *testing.T) {
	for name, stop := range map[string]bool{"slow": false, "stopped": true} {
		t.Run(name, func(t *testing.T) {
			arrived := make(chan struct{})
			g, asked := serve(t, func(_ http.ResponseWriter, r *http.Request) {
				_, _ = io.Copy(io.Discard, r.Body) // only then the end of the connection is seen
				close(arrived)
				<-r.Context().Done()
			})
			ctx, cancel := context.WithCancel(context.Background())
			defer cancel()
			text := "the turn was stopped"
			if stop {
				go func() { <-arrived; cancel() }()
			} else {
				g.execute, text = 50*time.Millisecond, "did not answer within 50ms"
			}
			got := g.Execute(ctx, "connectors__a__b", json.RawMessage(`{}`))
			if !got.Unknown || !strings.Contains(got.Failure.Message, text) || asked.Load() != 1 {
				t.Errorf("%+v: %v (%d)", got, got.Failure, asked.Load())
			}
		})
	}
}

func TestLookups(t *testing.T) {
	g, _ := serve(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/v1/search":
			_, _ = io.WriteString(w, `{"results":[{"tools":[{"name":"a"},{"name":"b"},{"name":"c"}]},{}]}`)
		case "/v1/list":
			_, _ = io.WriteString(w, `{"tools":[{"name":"b","description":"B","parameters":{"type":"object"}},{"name":"unasked"},{"name":"a"}]}`)
		}
	})
	found, err := g.Search(context.Background(), []string{"x", "y"}, 2)
	if err != nil || len(found) != 2 || len(found[0]) != 2 || len(found[1]) != 0 {
		t.Errorf("%+v, %v", found, err)
	}
	if found, err = g.Search(context.Background(), []string{"x"}, 2); err == nil {
		t.Errorf("two results for one query: %+v", found)
	}
	listed, err := g.List(context.Background(), []string{"a", "b", "c"})
	if err != nil || len(listed) != 2 || listed[0].Name != "a" || string(listed[1].Parameters) != `{"type":"object"}` {
		t.Errorf("%+v, %v", listed, err)
	}
	for name, answer := range map[string]http.HandlerFunc{
		"no key": say(401, ""), "not JSON": say(200, "<"), "an error": say(200, `{"error":{"message":"x"}}`), "nothing": say(200, `{}`), "another shape": say(200, `{"results":5,"tools":5}`),
	} {
		g, _ := serve(t, answer)
		if _, err := g.Search(context.Background(), []string{"x"}, 1); err == nil {
			t.Errorf("%s: a search without an error", name)
		}
		if _, err := g.List(context.Background(), []string{"x"}); err == nil {
			t.Errorf("%s: a list without an error", name)
		}
	}
}

func TestAddresses(t *testing.T) {
	for address, want := range map[string]string{
		"https://gate.test/v1": "", "http://localhost:1": "", "gate.test": "not an http", "ftp://gate.test": "not an http", "": "not an http",
		"https://me:" + token + "@gate.test": "user name or password",
	} {
		_, err := New(Options{URL: address, Token: token})
		if (err == nil) != (want == "") || err != nil && (!strings.Contains(err.Error(), want) || strings.Contains(err.Error(), token)) {
			t.Errorf("%s: %v", address, err)
		}
	}
	if _, err := New(Options{URL: "https://gate.test", Token: "a\nb"}); err == nil {
		t.Error("a line end in the token")
	}
}

// FuzzExecute: whatever a gateway answers, there is a response or a failure, never
// both, and never the token.
func FuzzExecute(f *testing.F) {
	for _, seed := range []string{`{"response":1}`, `{"error":{"code":"TOOL_ERROR","message":"` + token + `"}}`, `{"error":"x","response":null}`, ``, `null`, `{"error":[]}`} {
		f.Add(200, seed)
		f.Add(500, seed)
	}
	f.Fuzz(func(t *testing.T, status int, text string) {
		g := &Gateway{base: must(t), token: token, execute: time.Minute, client: &http.Client{Transport: canned{status, text}}}
		got := g.Execute(context.Background(), "connectors__a__b", json.RawMessage(`{}`))
		if (got.Failure == nil) != (got.Response != nil) || got.Failure != nil && strings.Contains(got.Failure.Error(), token) {
			t.Errorf("%+v", got)
		}
	})
}

type canned struct {
	status int
	text   string
}

func (c canned) RoundTrip(r *http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: c.status, Body: io.NopCloser(strings.NewReader(c.text)), Header: http.Header{}, Request: r}, nil
}

func must(t *testing.T) *url.URL {
	u, err := url.Parse("https://gate.test")
	if err != nil {
		t.Fatal(err)
	}
	return u
}
