package web_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"hermes/backend/view"
	"hermes/backend/web"
)

// run is one running server and a client that speaks to it.
type run struct {
	t      *testing.T
	server *web.Server
	client *http.Client
	base   string
	token  string
	stop   func() error
}

// serve starts a server and exchanges its ticket.
func serve(t *testing.T, o web.Options) *run {
	t.Helper()
	r := serveBare(t, o)
	address, err := url.Parse(r.server.URL())
	if err != nil {
		t.Fatal(err)
	}
	ticket := strings.TrimPrefix(address.Fragment, "ticket=")
	status, body := r.post("/api/session", `{"ticket":"`+ticket+`"}`, nil)
	if status != http.StatusOK {
		t.Fatalf("the ticket was refused: %d %s", status, body)
	}
	var out struct{ Token string }
	if err := json.Unmarshal(body, &out); err != nil || out.Token == "" {
		t.Fatalf("no token in %s (%v)", body, err)
	}
	r.token = out.Token
	return r
}

func serveBare(t *testing.T, o web.Options) *run {
	t.Helper()
	server, err := web.Listen(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(ctx) }()
	transport := &http.Transport{}
	r := &run{
		t: t, server: server, base: "http://" + server.Addr().String(),
		client: &http.Client{Transport: transport},
	}
	var result error
	stopped := false
	r.stop = func() error {
		if !stopped {
			stopped = true
			cancel()
			result = <-ended
		}
		return result
	}
	t.Cleanup(func() {
		if err := r.stop(); err != nil {
			t.Errorf("Serve: %v", err)
		}
		transport.CloseIdleConnections()
	})
	return r
}

// do sends a request; edit changes it before it leaves.
func (r *run) do(method, path, body string, edit func(*http.Request)) (*http.Response, []byte) {
	r.t.Helper()
	req, err := http.NewRequestWithContext(r.t.Context(), method, r.base+path, bytes.NewBufferString(body))
	if err != nil {
		r.t.Fatal(err)
	}
	if body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	if r.token != "" {
		req.Header.Set("X-Hermes-Token", r.token)
	}
	if edit != nil {
		edit(req)
	}
	resp, err := r.client.Do(req)
	if err != nil {
		r.t.Fatal(err)
	}
	defer resp.Body.Close()
	got, err := io.ReadAll(resp.Body)
	if err != nil {
		r.t.Fatal(err)
	}
	return resp, got
}

func (r *run) post(path, body string, edit func(*http.Request)) (int, []byte) {
	r.t.Helper()
	resp, got := r.do(http.MethodPost, path, body, edit)
	return resp.StatusCode, got
}

// failure reads the error out of an answer.
func failure(t *testing.T, body []byte) view.Error {
	t.Helper()
	var out struct{ Error view.Error }
	if err := json.Unmarshal(body, &out); err != nil {
		t.Fatalf("%s is no error: %v", body, err)
	}
	return out.Error
}
