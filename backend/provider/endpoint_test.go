package provider

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"
)

func TestKeyStaysAtItsHost(t *testing.T) {
	other := newRecorder(t, func(w http.ResponseWriter, _ *http.Request, _ int) { sse(w, finishStop, done) })
	for name, tc := range map[string]struct {
		status int
		to     func(self string) string
		sent   int // requests at the configured host
		ok     bool
	}{
		"another host":                   {http.StatusTemporaryRedirect, func(string) string { return other.URL + "/v1/chat/completions" }, 1, false},
		"another host, method lost":      {http.StatusFound, func(string) string { return other.URL }, 1, false},
		"the same host keeps the body":   {http.StatusPermanentRedirect, func(s string) string { return s + "/moved" }, 2, true},
		"the same host loses the method": {http.StatusFound, func(s string) string { return s + "/moved" }, 1, false},
	} {
		t.Run(name, func(t *testing.T) {
			var self string
			rec := newRecorder(t, func(w http.ResponseWriter, r *http.Request, _ int) {
				if strings.HasSuffix(r.URL.Path, "/moved") {
					sse(w, delta(`{"content":"ok"}`), finishStop, done)
					return
				}
				w.Header().Set("Location", tc.to(self))
				w.WriteHeader(tc.status)
			})
			self = rec.URL
			p := newTestProvider(t, Options{BaseURL: rec.URL, Key: "sk-secret-abcdef"})
			_, err := p.Stream(context.Background(), ask("go"), nil)
			if (err == nil) != tc.ok {
				t.Fatalf("error %v", err)
			}
			if err != nil && (!strings.Contains(err.Error(), "model.base_url") || strings.Contains(err.Error(), "abcdef")) {
				t.Errorf("error text %q", err)
			}
			if rec.count() != tc.sent {
				t.Errorf("%d requests at the configured host, want %d", rec.count(), tc.sent)
			}
			if got := rec.headers[rec.count()-1].Get("Authorization"); got != "Bearer sk-secret-abcdef" {
				t.Errorf("the configured host got %q", got)
			}
		})
	}
	if other.count() != 0 {
		t.Errorf("the other host got %d requests", other.count())
	}
}

func TestAddresses(t *testing.T) {
	for base, want := range map[string]string{
		"":                                      "https://api.openai.com/v1/chat/completions",
		"http://127.0.0.1:11434/v1":             "http://127.0.0.1:11434/v1/chat/completions",
		"https://h.example/v1/":                 "https://h.example/v1/chat/completions",
		"https://h.example/v1/chat/completions": "https://h.example/v1/chat/completions",
		"https://h.example/openai?api-version=1#x": "https://h.example/openai/chat/completions?api-version=1",
	} {
		if p := NewOpenAI(Options{BaseURL: base}); p.url != want || p.bad != nil {
			t.Errorf("%q: %q (%v), want %q", base, p.url, p.bad, want)
		}
	}
	for _, base := range []string{"api.example.com/v1", "ftp://h.example", "https://", "://", "https://user:secretpw@h.example"} {
		_, err := NewOpenAI(Options{BaseURL: base}).Stream(context.Background(), ask("x"), nil)
		var failed *Error
		if !errors.As(err, &failed) || failed.Hint == "" || strings.Contains(err.Error(), "secretpw") {
			t.Errorf("%q: error %v", base, err)
		}
	}
}

func TestNew(t *testing.T) {
	for _, name := range []string{"", "nonsense"} {
		p, err := New(Settings{Provider: name})
		var failed *Error
		if p != nil || !errors.As(err, &failed) || failed.Hint == "" || !strings.Contains(err.Error(), name) {
			t.Errorf("%q: provider %v, error %v", name, p, err)
		}
	}
	for _, name := range []string{"openai", "anthropic", "bedrock", "demo"} {
		if p, err := New(Settings{Provider: name}); p == nil || err != nil {
			t.Errorf("%q: provider %v, error %v", name, p, err)
		}
	}
	if _, err := NewOpenAI(Options{}).Stream(context.Background(), Request{}, nil); err == nil || !strings.Contains(err.Error(), "model.default") {
		t.Errorf("no model: error %v", err)
	}
}
