package provider

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"testing"
)

// A key goes into the vendor's own header, a token into Authorization, each alone.
// Neither is in an error or in the log.
func TestTokensOfAnthropic(t *testing.T) {
	const signedIn = "sk-ant-oat01-abcdefghijklmnop"
	for name, c := range map[string]struct {
		o                  Options
		key, authorisation string
		beta               string
	}{
		"key":       {Options{Key: "sk-ant-api03-abcdefghijkl"}, "sk-ant-api03-abcdefghijkl", "", ""},
		"token":     {Options{Key: "some-gateway-token", Bearer: true}, "", "Bearer some-gateway-token", ""},
		"signed in": {Options{Key: signedIn}, "", "Bearer " + signedIn, signInBeta},
		"none":      {Options{}, "", "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			var log bytes.Buffer
			rec := newRecorder(t, func(w http.ResponseWriter, r *http.Request, nth int) {
				w.WriteHeader(http.StatusUnauthorized)
				_, _ = io.WriteString(w, `{"type":"error","error":{"type":"authentication_error","message":"bad `+c.o.Key+` given"}}`)
			})
			c.o.BaseURL, c.o.Logger = rec.URL, slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))
			_, err := newAnthropicForTest(t, c.o).Stream(context.Background(), askClaude("go"), nil)
			h := rec.headers[0]
			if h.Get("X-Api-Key") != c.key || h.Get("Authorization") != c.authorisation || h.Get(betaHeader) != c.beta {
				t.Errorf("headers %v", h)
			}
			if err == nil || c.o.Key != "" && strings.Contains(err.Error()+log.String(), c.o.Key) {
				t.Errorf("error %v, log %s", err, log.String())
			}
		})
	}
}
