package provider

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"

	"hermes/backend/message"
)

func TestAnswersThatEndTooEarly(t *testing.T) {
	abort := func(w http.ResponseWriter) { w.(http.Flusher).Flush(); panic(http.ErrAbortHandler) }
	for name, answer := range map[string]func(http.ResponseWriter){
		"a clean end without the terminal event": func(w http.ResponseWriter) { sse(w, delta(`{"content":"half"}`)) },
		"a finish_reason but no [DONE]":          func(w http.ResponseWriter) { sse(w, delta(`{"content":"half"}`), finishStop) },
		"[DONE] but no finish_reason":            func(w http.ResponseWriter) { sse(w, delta(`{"content":"half"}`), done) },
		"the end inside an event": func(w http.ResponseWriter) {
			sse(w, delta(`{"content":"half"}`))
			_, _ = io.WriteString(w, `data: {"choices":[{"ind`)
		},
		"the connection breaks": func(w http.ResponseWriter) { sse(w, delta(`{"content":"half"}`)); abort(w) },
		"an error event in the middle": func(w http.ResponseWriter) {
			sse(w, delta(`{"content":"half"}`), `{"error":{"message":"overloaded","code":503}}`)
		},
		"a finish_reason that says error": func(w http.ResponseWriter) {
			sse(w, delta(`{"content":"half"}`), `{"choices":[{"index":0,"delta":{},"finish_reason":"error"}]}`, done)
		},
		"a content filter": func(w http.ResponseWriter) {
			sse(w, delta(`{"content":"half"}`), `{"choices":[{"index":0,"delta":{},"finish_reason":"content_filter"}]}`, done)
		},
		"an event that is not JSON": func(w http.ResponseWriter) { sse(w, delta(`{"content":"half"}`), `oops`, finishStop, done) },
		"tool calls without an end": func(w http.ResponseWriter) {
			sse(w, delta(`{"tool_calls":[{"index":0,"id":"x","function":{"name":"rm","arguments":"{\"all\":true}"}}]}`))
		},
		"plain JSON that is cut": func(w http.ResponseWriter) {
			w.Header().Set("Content-Type", "application/json")
			_, _ = io.WriteString(w, `{"choices":[{"message":{"role":"assistant","content":"ha`)
		},
		"plain JSON without finish_reason": func(w http.ResponseWriter) {
			w.Header().Set("Content-Type", "application/json")
			_, _ = io.WriteString(w, `{"choices":[{"message":{"role":"assistant","content":"half"}}]}`)
		},
	} {
		t.Run(name, func(t *testing.T) {
			rec := newRecorder(t, func(w http.ResponseWriter, _ *http.Request, _ int) { answer(w) })
			p := newTestProvider(t, Options{BaseURL: rec.URL})
			turn, err := p.Stream(context.Background(), ask("go"), nil)
			if !errors.Is(err, ErrCut) {
				t.Fatalf("error %v, want a cut answer", err)
			}
			if turn.Content != "" || turn.ToolCalls != nil || turn.Blocks != nil {
				t.Errorf("a cut answer was returned: %+v", turn)
			}
			if rec.count() != 1 {
				t.Errorf("an answer that had begun was asked for %d times", rec.count())
			}
		})
	}
}

func TestStreamForms(t *testing.T) {
	plain := `{"id":"1","choices":[{"index":0,"message":{"role":"assistant","content":"Hi","x":1.0},"finish_reason":"stop"}],"usage":{"prompt_tokens":1,"completion_tokens":2}}`
	raw := "data: " + delta(`{"content":"Hi"}`) + "\n\ndata: " + finishStop + "\n\ndata: [DONE]\n\n"
	for name, tc := range map[string]struct {
		kind, body string
	}{
		"server-sent events":                        {"text/event-stream", raw},
		"events with a charset":                     {"text/event-stream; charset=utf-8", raw},
		"events without a content type":             {"", raw},
		"events named as plain text":                {"text/plain", raw},
		"CRLF line ends":                            {"text/event-stream", strings.ReplaceAll(raw, "\n", "\r\n")},
		"a byte order mark":                         {"text/event-stream", "\ufeff" + raw},
		"comments and empty events between":         {"text/event-stream", ": ping\n\n\n" + strings.ReplaceAll(raw, "data: [DONE]", ": OPENROUTER PROCESSING\n\ndata: [DONE]")},
		"no empty line after the last event":        {"text/event-stream", strings.TrimSuffix(raw, "\n\n")},
		"no space after data:":                      {"text/event-stream", strings.ReplaceAll(raw, "data: ", "data:")},
		"text after [DONE]":                         {"text/event-stream", raw + "data: {\"choices\":[{\"delta\":{\"content\":\"late\"}}]}\n\n"},
		"one plain JSON object":                     {"application/json", plain},
		"plain JSON named as a stream's plain text": {"text/plain", "\n " + plain},
	} {
		t.Run(name, func(t *testing.T) {
			rec := newRecorder(t, func(w http.ResponseWriter, _ *http.Request, _ int) {
				w.Header().Set("Content-Type", tc.kind)
				_, _ = io.WriteString(w, tc.body)
			})
			p := newTestProvider(t, Options{BaseURL: rec.URL + "/v1/"})
			var shown strings.Builder
			turn, err := p.Stream(context.Background(), ask("go"), func(s string) { shown.WriteString(s) })
			if err != nil {
				t.Fatal(err)
			}
			if turn.Content != "Hi" || shown.String() != "Hi" || turn.Stop != message.StopEnd {
				t.Errorf("turn %+v, shown %q", turn, shown.String())
			}
			if strings.HasPrefix(strings.TrimSpace(tc.body), "{") && !bytes.Contains(turn.Blocks[0], []byte(`"x":1.0`)) {
				t.Errorf("block %s", turn.Blocks[0])
			}
		})
	}
}

func TestAnswersThatAreNotCompletions(t *testing.T) {
	for name, tc := range map[string]struct{ kind, body, want string }{
		"a web page":            {"text/html; charset=utf-8", "<!doctype html><title>Login</title>", "a web page"},
		"JSON of another kind":  {"application/json", `{"hello":"world"}`, "not a chat completion"},
		"an error inside a 200": {"application/json", `{"error":{"message":"model is loading","type":"x"}}`, "model is loading"},
		"no event at all":       {"text/event-stream", ": hello\n\n", "not a stream of chat completions"},
		"events of another API": {"text/event-stream", "data: not json\n\n data\n\n", "not JSON"},
		"a delta that is text":  {"text/event-stream", "data: " + delta(`"x"`) + "\n\n", "cannot be read"},
		"calls that are text":   {"text/event-stream", "data: " + delta(`{"tool_calls":"x"}`) + "\n\n", "tool_calls"},
	} {
		t.Run(name, func(t *testing.T) {
			rec := newRecorder(t, func(w http.ResponseWriter, _ *http.Request, _ int) {
				w.Header().Set("Content-Type", tc.kind)
				_, _ = io.WriteString(w, tc.body)
			})
			p := newTestProvider(t, Options{BaseURL: rec.URL})
			_, err := p.Stream(context.Background(), ask("go"), nil)
			var failed *Error
			if !errors.As(err, &failed) || !strings.Contains(failed.Message, tc.want) || failed.Hint == "" {
				t.Fatalf("error %#v, want %q and a hint", err, tc.want)
			}
		})
	}
}

// A character whose bytes arrive in different packets, and one whose escapes
// arrive in different deltas.
func TestCharactersCutInTwo(t *testing.T) {
	const want = "Grüße 你好 😀!"
	rec := newRecorder(t, func(w http.ResponseWriter, _ *http.Request, _ int) {
		w.Header().Set("Content-Type", "text/event-stream")
		all := "data: " + delta(`{"content":"Grüße 你好 "}`) + "\n\ndata: " + delta(`{"content":"\ud83d"}`) +
			"\n\ndata: " + delta(`{"content":"\ude00!"}`) + "\n\ndata: " + finishStop + "\n\ndata: [DONE]\n\n"
		for i := range len(all) {
			_, _ = w.Write([]byte{all[i]})
			w.(http.Flusher).Flush()
		}
	})
	p := newTestProvider(t, Options{BaseURL: rec.URL})
	var shown []string
	turn, err := p.Stream(context.Background(), ask("go"), func(s string) { shown = append(shown, s) })
	if err != nil {
		t.Fatal(err)
	}
	if turn.Content != want || strings.Join(shown, "") != want {
		t.Errorf("content %q, shown %q", turn.Content, shown)
	}
	for _, s := range shown {
		if strings.ContainsRune(s, '\ufffd') {
			t.Errorf("half a character was shown: %q", s)
		}
	}
}
