package provider

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"
)

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func answerOf(status int, header map[string]string, body string) *http.Response {
	h := http.Header{}
	for k, v := range header {
		h.Set(k, v)
	}
	return &http.Response{StatusCode: status, Header: h, Body: io.NopCloser(strings.NewReader(body))}
}

const good = "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"ok\"},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n"

// answer is what the server says to one attempt.
type answer struct {
	status int
	header map[string]string
	body   string
	err    error
}

type retryCase struct {
	answers  func() []answer // the last one repeats
	ok       bool
	attempts int
	min, max time.Duration // of all waits
	text     string
}

func retryCases() map[string]retryCase {
	refusal := `{"error":{"message":"no"}}`
	in := func(d time.Duration) string { return time.Now().Add(d).UTC().Format(http.TimeFormat) }
	return map[string]retryCase{
		"503 twice, then an answer": {func() []answer {
			return []answer{{503, nil, "", nil}, {503, nil, "", nil}, {200, nil, good, nil}}
		}, true, 3, 750 * time.Millisecond, 1500 * time.Millisecond, ""},
		"three attempts are all": {func() []answer { return []answer{{500, nil, refusal, nil}} }, false, 3, 750 * time.Millisecond, 1500 * time.Millisecond, "500"},
		"408":                    {func() []answer { return []answer{{408, nil, "", nil}, {200, nil, good, nil}} }, true, 2, 0, time.Second, ""},
		"409":                    {func() []answer { return []answer{{409, nil, "", nil}, {200, nil, good, nil}} }, true, 2, 0, time.Second, ""},
		"429 with Retry-After in seconds": {func() []answer {
			return []answer{{429, map[string]string{"Retry-After": "7"}, refusal, nil}, {200, nil, good, nil}}
		}, true, 2, 7 * time.Second, 7 * time.Second, ""},
		"retry-after-ms beats it": {func() []answer {
			return []answer{{529, map[string]string{"Retry-After": "7", "retry-after-ms": "1500"}, refusal, nil}, {200, nil, good, nil}}
		}, true, 2, 1500 * time.Millisecond, 1500 * time.Millisecond, ""},
		"Retry-After as a date": {func() []answer {
			return []answer{{429, map[string]string{"Retry-After": in(10 * time.Second)}, refusal, nil}, {200, nil, good, nil}}
		}, true, 2, 9 * time.Second, 10 * time.Second, ""},
		"a wait of an hour is left to the person": {func() []answer {
			return []answer{{429, map[string]string{"Retry-After": in(time.Hour)}, refusal, nil}}
		}, false, 1, 0, 0, "wait"},
		"400 is final": {func() []answer { return []answer{{400, nil, refusal, nil}} }, false, 1, 0, 0, "400"},
		"401 is final": {func() []answer { return []answer{{401, nil, refusal, nil}} }, false, 1, 0, 0, "401"},
		"404 is final": {func() []answer { return []answer{{404, nil, "", nil}} }, false, 1, 0, 0, "model.base_url"},
		"connection refused, then an answer": {func() []answer {
			return []answer{{err: syscall.ECONNREFUSED}, {200, nil, good, nil}}
		}, true, 2, 250 * time.Millisecond, 500 * time.Millisecond, ""},
		"connection refused for good": {func() []answer { return []answer{{err: syscall.ECONNREFUSED}} }, false, 3, 0, 2 * time.Second, "connection refused"},
		"closed before the first byte": {func() []answer {
			return []answer{{200, nil, "", nil}, {200, nil, good, nil}}
		}, true, 2, 250 * time.Millisecond, 500 * time.Millisecond, ""},
		"overload inside a 200, before any text": {func() []answer {
			return []answer{{200, nil, "data: {\"error\":{\"message\":\"busy\",\"type\":\"overloaded_error\"}}\n\n", nil}, {200, nil, good, nil}}
		}, true, 2, 250 * time.Millisecond, 500 * time.Millisecond, ""},
		"nothing after the first piece": {func() []answer {
			return []answer{{200, nil, "data: " + delta(`{"content":"h"}`) + "\n\n", nil}, {200, nil, good, nil}}
		}, false, 1, 0, 0, "cut off"},
	}
}

func TestRetries(t *testing.T) {
	for name, tc := range retryCases() {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				answers := tc.answers()
				var logged bytes.Buffer
				calls := 0
				p := NewOpenAI(Options{
					BaseURL: "http://127.0.0.1:1/v1", Key: "sk-secret-abcdef",
					Logger: slog.New(slog.NewTextHandler(&logged, nil)),
					Client: &http.Client{Transport: roundTripper(func(*http.Request) (*http.Response, error) {
						a := answers[min(calls, len(answers)-1)]
						calls++
						if a.err != nil {
							return nil, a.err
						}
						return answerOf(a.status, a.header, a.body), nil
					})},
				})
				start := time.Now()
				turn, err := p.Stream(t.Context(), ask("go"), nil)
				took := time.Since(start)
				if (err == nil) != tc.ok {
					t.Fatalf("error %v", err)
				}
				if tc.ok && turn.Content != "ok" {
					t.Errorf("turn %+v", turn)
				}
				if calls != tc.attempts {
					t.Errorf("%d attempts, want %d", calls, tc.attempts)
				}
				if took < tc.min || took > tc.max {
					t.Errorf("waited %s, want %s to %s", took, tc.min, tc.max)
				}
				if err != nil {
					var failed *Error
					if !errors.As(err, &failed) || failed.Attempts != tc.attempts || failed.Hint == "" || !strings.Contains(err.Error(), tc.text) {
						t.Errorf("error %#v, want %q, %d attempts and a hint", err, tc.text, tc.attempts)
					}
				}
				if strings.Contains(logged.String(), "secret") {
					t.Errorf("the key is in the log: %s", &logged)
				}
			})
		})
	}
}

func TestCancelWhileWaiting(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := NewOpenAI(Options{BaseURL: "http://127.0.0.1:1", Client: &http.Client{Transport: roundTripper(func(*http.Request) (*http.Response, error) {
			return answerOf(429, map[string]string{"Retry-After": "60"}, ""), nil
		})}})
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		defer cancel()
		start := time.Now()
		_, err := p.Stream(ctx, ask("go"), nil)
		if !errors.Is(err, context.DeadlineExceeded) || time.Since(start) != 5*time.Second {
			t.Errorf("error %v after %s", err, time.Since(start))
		}
	})
}

// silentBody gives what it has, then waits for the request to end.
type silentBody struct {
	head *strings.Reader
	ctx  context.Context
}

func (b *silentBody) Read(p []byte) (int, error) {
	if b.head.Len() > 0 {
		return b.head.Read(p)
	}
	<-b.ctx.Done()
	return 0, b.ctx.Err()
}
func (b *silentBody) Close() error { return nil }

func TestSilentServers(t *testing.T) {
	for name, tc := range map[string]struct {
		head   string
		header bool
		want   time.Duration
		cut    bool
	}{
		"no header":          {"", false, 20 * time.Second, false},
		"no first byte":      {"", true, 20 * time.Second, false},
		"silent in between":  {"data: " + delta(`{"content":"h"}`) + "\n\n", true, 8 * time.Second, true},
		"silent in an event": {`data: {"choi`, true, 8 * time.Second, true},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				calls := 0
				p := NewOpenAI(Options{BaseURL: "http://127.0.0.1:1", FirstByte: 20 * time.Second, Idle: 8 * time.Second,
					Client: &http.Client{Transport: roundTripper(func(r *http.Request) (*http.Response, error) {
						calls++
						if !tc.header {
							<-r.Context().Done()
							return nil, r.Context().Err()
						}
						resp := answerOf(200, map[string]string{"Content-Type": "text/event-stream"}, "")
						resp.Body = &silentBody{strings.NewReader(tc.head), r.Context()}
						return resp, nil
					})}})
				start := time.Now()
				_, err := p.Stream(t.Context(), ask("go"), nil)
				var failed *Error
				if !errors.As(err, &failed) || !strings.Contains(err.Error(), "sent nothing for") || failed.Hint == "" {
					t.Fatalf("error %v", err)
				}
				if errors.Is(err, ErrCut) != tc.cut {
					t.Errorf("cut %v, want %v", !tc.cut, tc.cut)
				}
				if took := time.Since(start); took != tc.want || calls != 1 {
					t.Errorf("%s and %d attempts, want %s and 1", took, calls, tc.want)
				}
			})
		})
	}
}

// A screen that takes long to show text is not a silent server.
func TestSlowReaderIsNotSilence(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := NewOpenAI(Options{BaseURL: "http://127.0.0.1:1", Idle: time.Second,
			Client: &http.Client{Transport: roundTripper(func(r *http.Request) (*http.Response, error) {
				resp := answerOf(200, nil, "")
				resp.Body = &watchedBody{strings.NewReader(good), r.Context()}
				return resp, nil
			})}})
		_, err := p.Stream(t.Context(), ask("go"), func(string) { <-time.After(time.Minute) })
		if err != nil {
			t.Error(err)
		}
	})
}

// watchedBody gives one byte at a time, and none once the request is cancelled.
type watchedBody struct {
	*strings.Reader
	ctx context.Context
}

func (b *watchedBody) Read(p []byte) (int, error) {
	if err := b.ctx.Err(); err != nil {
		return 0, err
	}
	return b.Reader.Read(p[:1])
}
func (b *watchedBody) Close() error { return nil }

func TestRedaction(t *testing.T) {
	p := NewOpenAI(Options{Key: "my-private-key-1"})
	for in, want := range map[string]string{
		"bad key my-private-key-1!":          "bad key [key]!",
		"Authorization: Bearer abc.def":      "Authorization: [key]",
		"provided: sk-proj-abcdef123456":     "provided: [key]",
		"sk-ab**********wxyz":                "[key]",
		"GET /x?api_key=123&y=1":             "GET /x?[key]&y=1",
		"the key question is: task-oriented": "the key question is: task-oriented",
	} {
		if got := p.redact(in); got != want {
			t.Errorf("redact(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestVendorMessages(t *testing.T) {
	for raw, want := range map[string][2]string{
		`{"error":{"message":"m","type":"t","code":"c"}}`: {"m", "c"},
		`{"error":{"message":"m","type":"t","code":429}}`: {"m", "t"},
		`{"error":"m"}`:                    {"m", ""},
		`{"object":"error","message":"m"}`: {"m", ""},
		`{"detail":"m"}`:                   {"m", ""},
		`{"detail":[{"msg":"m"}]}`:         {`[{"msg":"m"}]`, ""},
		`{"error":{"metadata":1}}`:         {`{"metadata":1}`, ""},
		"plain\n\x1b[31mwords\x00":         {"plain [31mwords", ""},
		"<html>x":                          {"it sent a web page", ""},
		"":                                 {"", ""},
		strings.Repeat("ä", 600):           {strings.Repeat("ä", 500) + "…", ""},
		`{"unknown":true}`:                 {`{"unknown":true}`, ""},
		`{"error":{"message":"x\ud83dy"}}`: {"x\ufffdy", ""},
	} {
		if said, code := vendorMessage([]byte(raw)); said != want[0] || code != want[1] {
			t.Errorf("%s: %q, %q, want %q", raw, said, code, want)
		}
	}
}
