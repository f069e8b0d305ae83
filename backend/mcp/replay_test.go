//go:build unix

package mcp

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"hermes/backend/config"
)

// intercept stands before a server and lets a test answer calls in its place.
func intercept(t *testing.T, address string, take func(w http.ResponseWriter, body []byte) (taken bool)) string {
	t.Helper()
	target, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	proxy := &httputil.ReverseProxy{FlushInterval: -1, Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(target); r.Out.Host = r.In.Host }}
	return serveHTTP(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		if bytes.Contains(body, []byte(`"tools/call"`)) && take(w, body) {
			return
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		proxy.ServeHTTP(w, r)
	})).URL
}

// TestNothingIsSentTwice drops the connection after a call has reached the
// server, and answers one with a failure of the server: it may have happened, so
// it is said to be unknown or failed, and is never sent again.
func TestNothingIsSentTwice(t *testing.T) {
	for _, door := range doors()[2:] {
		for fault, answer := range map[string]func(w http.ResponseWriter){
			"dropped": func(http.ResponseWriter) { panic(http.ErrAbortHandler) },
			"failed":  func(w http.ResponseWriter) { http.Error(w, "broken", http.StatusBadGateway) },
			"cut off": func(w http.ResponseWriter) {
				w.Header().Set("Content-Type", "text/event-stream")
				fmt.Fprint(w, ": on it\n\n")
				_ = http.NewResponseController(w).Flush()
				panic(http.ErrAbortHandler)
			},
		} {
			if fault == "cut off" && door.name == "sse" {
				continue // its POST carries no answer
			}
			t.Run(door.name+", "+fault, func(t *testing.T) {
				var reached atomic.Int32
				var broken atomic.Bool
				w := door.want(t, nil)
				w.conn.URL = intercept(t, w.conn.URL, func(w http.ResponseWriter, _ []byte) bool {
					reached.Add(1)
					if broken.Load() {
						answer(w)
					}
					return broken.Load()
				})
				m := testManager(t, Options{}, quickTiming())
				connect(t, m, w)
				broken.Store(true)
				got, err := m.Call(testContext(t), "s", "echo", []byte("{}"))
				if !errors.Is(err, ErrEffectUnknown) {
					t.Errorf("%+v %v", got, err)
				}
				if reached.Load() != 1 {
					t.Errorf("the call reached the server %d times", reached.Load())
				}
				broken.Store(false)
				eventually(t, "calls work again", func() bool {
					_, err := m.Call(testContext(t), "s", "echo", []byte("{}"))
					return err == nil
				})
			})
		}
	}
}

// TestUnknownCallIsNotRepeated has a server of the newest protocol answer 404:
// it knows no sessions, so this is its refusal and no reason to connect anew.
func TestUnknownCallIsNotRepeated(t *testing.T) {
	var reached atomic.Int32
	w := doors()[2].want(t, nil)
	w.conn.URL = intercept(t, w.conn.URL, func(w http.ResponseWriter, _ []byte) bool {
		reached.Add(1)
		http.NotFound(w, nil)
		return true
	})
	m := testManager(t, Options{}, quickTiming())
	connect(t, m, w)
	_, err := m.Call(testContext(t), "s", "echo", []byte("{}"))
	var refused *ServerError
	if !errors.As(err, &refused) || refused.Code != http.StatusNotFound || reached.Load() != 1 {
		t.Errorf("%v, reached %d times", err, reached.Load())
	}
}

// TestForgottenStream answers 404 on the older transport, whose session stands
// in the address: the call goes once more, on a new session.
func TestForgottenStream(t *testing.T) {
	var mu sync.Mutex
	var lost string
	var calls []string
	inner := doors()[4].want(t, nil)
	target, err := url.Parse(inner.conn.URL)
	if err != nil {
		t.Fatal(err)
	}
	proxy := &httputil.ReverseProxy{FlushInterval: -1, Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(target) }}
	address := serveHTTP(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		session := r.URL.RawQuery
		if bytes.Contains(body, []byte(`"tools/call"`)) {
			mu.Lock()
			if lost == "" && len(calls) == 1 {
				lost = session
			}
			gone := lost == session
			if !gone {
				calls = append(calls, session)
			}
			mu.Unlock()
			if gone {
				http.Error(w, "session not found", http.StatusNotFound)
				return
			}
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		proxy.ServeHTTP(w, r)
	})).URL
	m := testManager(t, Options{}, quickTiming())
	connect(t, m, urlWant("s", config.TransportSSE, address, nil))
	for i := range 3 {
		if got := call(t, m, "s", "echo", fmt.Sprintf(`{"n":%d}`, i)); got.Content != fmt.Sprintf(`{"n":%d}`, i) {
			t.Errorf("%+v", got)
		}
	}
	mu.Lock()
	defer mu.Unlock()
	if len(calls) != 3 || calls[0] == calls[1] || calls[1] != calls[2] || strings.Contains(strings.Join(calls[1:], " "), lost) {
		t.Errorf("calls reached %q", calls)
	}
}
