package provider

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
)

// TestLimitOfTheAnswer sends the bound by the name nearly everybody knows, by the
// newer one where a server refuses that, and never leaves it out.
func TestLimitOfTheAnswer(t *testing.T) {
	for _, test := range []struct {
		name    string
		refused []string
		want    string
		fails   bool
	}{
		{"taken", nil, `"max_tokens":7,`, false},
		{"by another name", []string{"max_tokens"}, `"max_completion_tokens":7,`, false},
		{"by no name", []string{"max_tokens", "max_completion_tokens"}, `"max_completion_tokens":7,`, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			rec := newRecorder(t, func(w http.ResponseWriter, _ *http.Request, nth int) {
				if nth <= len(test.refused) {
					w.WriteHeader(http.StatusBadRequest)
					_, _ = io.WriteString(w, `{"error":{"message":"Unsupported parameter: '`+test.refused[nth-1]+`' is not supported with this model."}}`)
					return
				}
				sse(w, delta(`{"content":"ok"}`), finishStop, done)
			})
			p := newTestProvider(t, Options{BaseURL: rec.URL})
			req := ask("go")
			req.MaxTokens = 7
			_, err := p.Stream(context.Background(), req, nil)
			var failed *Error
			if test.fails != errors.As(err, &failed) {
				t.Fatalf("error %v", err)
			}
			if last := string(rec.sent(t, rec.count()-1)); !strings.Contains(last, test.want) || strings.Count(last, `"max_`) != 1 {
				t.Errorf("sent %s", last)
			}
		})
	}
	if raw, _ := body(ask("go"), chatOptions{}); strings.Contains(string(raw), "max_") {
		t.Errorf("a bound nobody set: %s", raw)
	}
}
