package provider

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"hermes/backend/message"
)

// namedEvents writes events as the vendor does, with their names.
func namedEvents(events ...string) string {
	var out strings.Builder
	for _, e := range events {
		var named struct{ Type string }
		_ = json.Unmarshal([]byte(e), &named) // a broken one has no name
		fmt.Fprintf(&out, "event: %s\ndata: %s\n\n", named.Type, e)
	}
	return out.String()
}

func sendEvents(w http.ResponseWriter, events ...string) {
	w.Header().Set("Content-Type", "text/event-stream; charset=utf-8")
	_, _ = io.WriteString(w, namedEvents(events...))
	w.(http.Flusher).Flush()
}

func textBlockEvents(i int, s string) []string {
	return []string{blockStart(i, `{"type":"text","text":""}`), blockDelta(i, `{"type":"text_delta","text":"`+s+`"}`), blockStop(i)}
}

func wholeAnswer(s string) []string {
	return slices.Concat([]string{messageStart}, textBlockEvents(0, s), []string{stopWith("end_turn"), messageStop})
}

func newAnthropicForTest(t *testing.T, o Options) *Anthropic {
	t.Helper()
	if o.Client == nil {
		o.Client = &http.Client{Transport: &http.Transport{}}
	}
	p := NewAnthropic(o)
	t.Cleanup(func() { _ = p.Close() })
	return p
}

func askClaude(s string) Request {
	return Request{Model: "claude-sonnet-4-5", System: "Be brief.", Messages: []message.Message{{Role: message.RoleUser, Content: s}}}
}

func TestAnthropicRequest(t *testing.T) {
	rec := newRecorder(t, func(w http.ResponseWriter, r *http.Request, _ int) {
		if r.URL.Path != "/v1/messages" || r.Method != http.MethodPost {
			t.Errorf("%s %s", r.Method, r.URL)
		}
		sendEvents(w, wholeAnswer("Gr\\u00fc\\u00dfe")...)
	})
	p := newAnthropicForTest(t, Options{BaseURL: rec.URL, Key: "sk-ant-secret-abc", CacheTTL: "5m"})
	var shown strings.Builder
	turn, err := p.Stream(context.Background(), askClaude("hi"), func(s string) { shown.WriteString(s) })
	if err != nil {
		t.Fatal(err)
	}
	if turn.Content != "Grüße" || shown.String() != "Grüße" || turn.Stop != message.StopEnd || turn.Vendor != VendorAnthropic || turn.Usage.CacheRead != 70 {
		t.Errorf("turn %+v, shown %q", turn, shown.String())
	}
	h := rec.headers[0]
	if h.Get("X-Api-Key") != "sk-ant-secret-abc" || h.Get("Anthropic-Version") != "2023-06-01" || h.Get("Authorization") != "" {
		t.Errorf("headers %v", h)
	}
	want := writeMessages(askClaude("hi"), messagesOptions{cache: "5m"}).raw
	sameHash(t, "the body", rec.sent(t, 0), want)
}

func TestAnthropicAddresses(t *testing.T) {
	for base, want := range map[string]string{
		"":                             "https://api.anthropic.com/v1/messages",
		"https://h.example/anthropic/": "https://h.example/anthropic/v1/messages",
		"https://h.example/v1":         "https://h.example/v1/messages",
		"https://h.example/v1/messages?beta=true": "https://h.example/v1/messages?beta=true",
	} {
		if p := NewAnthropic(Options{BaseURL: base}); p.url != want || p.bad != nil {
			t.Errorf("%q: %q (%v), want %q", base, p.url, p.bad, want)
		}
	}
}

func TestAnthropicStops(t *testing.T) {
	for reason, want := range map[string]message.StopReason{
		"end_turn": message.StopEnd, "stop_sequence": message.StopEnd, "max_tokens": message.StopLength,
		"model_context_window_exceeded": message.StopLength, "reason_of_tomorrow": message.StopEnd,
	} {
		rec := newRecorder(t, func(w http.ResponseWriter, _ *http.Request, _ int) {
			sendEvents(w, slices.Concat([]string{messageStart}, textBlockEvents(0, "x"), []string{stopWith(reason), messageStop})...)
		})
		turn, err := newAnthropicForTest(t, Options{BaseURL: rec.URL}).Stream(context.Background(), askClaude("hi"), nil)
		if err != nil || turn.Stop != want {
			t.Errorf("%s: stop %q, error %v", reason, turn.Stop, err)
		}
	}
}

// Nothing of an answer that did not reach its end is kept, and it is not asked
// for again.
func TestAnthropicAnswersThatEndTooEarly(t *testing.T) {
	half := append([]string{messageStart}, textBlockEvents(0, "half")...)
	use := []string{messageStart, blockStart(0, `{"type":"tool_use","id":"toolu_1","name":"rm","input":{}}`), blockDelta(0, `{"type":"input_json_delta","partial_json":"{\"all\":true}"}`), blockStop(0)}
	send := func(events ...string) func(http.ResponseWriter) {
		return func(w http.ResponseWriter) { sendEvents(w, events...) }
	}
	for name, answer := range map[string]func(http.ResponseWriter){
		"a clean end without message_stop": send(append(slices.Clone(half), stopWith("end_turn"))...),
		"a clean end after a call":         send(use...),
		"message_stop without stop_reason": send(append(slices.Clone(half), messageStop)...),
		"an error event in the middle":     send(append(slices.Clone(half), `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`)...),
		"an event that is not JSON":        send(append(slices.Clone(half), `{oops}`)...),
		"a refusal":                        send(append(slices.Clone(half), stopWith("refusal"), messageStop)...),
		"the end inside an event": func(w http.ResponseWriter) {
			sendEvents(w, half...)
			_, _ = io.WriteString(w, "event: content_block_delta\ndata: {\"type\":\"content_")
		},
		"the connection breaks": func(w http.ResponseWriter) {
			sendEvents(w, half...)
			panic(http.ErrAbortHandler)
		},
		"plain JSON that is cut": func(w http.ResponseWriter) {
			w.Header().Set("Content-Type", "application/json")
			_, _ = io.WriteString(w, `{"type":"message","content":[{"type":"text","te`)
		},
		"plain JSON without stop_reason": func(w http.ResponseWriter) {
			w.Header().Set("Content-Type", "application/json")
			_, _ = io.WriteString(w, `{"type":"message","content":[{"type":"text","text":"half"}],"stop_reason":null}`)
		},
	} {
		t.Run(name, func(t *testing.T) {
			rec := newRecorder(t, func(w http.ResponseWriter, _ *http.Request, _ int) { answer(w) })
			turn, err := newAnthropicForTest(t, Options{BaseURL: rec.URL}).Stream(context.Background(), askClaude("go"), nil)
			var failed *Error
			if !errors.Is(err, ErrCut) || !errors.As(err, &failed) || failed.Hint == "" {
				t.Fatalf("error %v, want a cut answer", err)
			}
			if turn.Content != "" || turn.ToolCalls != nil || turn.Blocks != nil || rec.count() != 1 {
				t.Errorf("%d requests, turn %+v", rec.count(), turn)
			}
		})
	}
}

func TestAnthropicPlainAnswer(t *testing.T) {
	const block = `{ "type":"text", "text":"Hi", "n":1.0 }`
	const use = `{"type":"tool_use","id":"toolu_1","name":"f","input":{ "a" : 90071992547409931234 }}`
	rec := newRecorder(t, func(w http.ResponseWriter, _ *http.Request, _ int) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"type":"message","content":[`+block+`,`+use+`],"stop_reason":"tool_use","usage":{"input_tokens":2,"output_tokens":3}}`)
	})
	turn, err := newAnthropicForTest(t, Options{BaseURL: rec.URL}).Stream(context.Background(), askClaude("hi"), nil)
	if err != nil || turn.Content != "Hi" || len(turn.Blocks) != 2 || turn.Stop != message.StopToolCalls || turn.Usage.InputTokens != 2 {
		t.Fatalf("turn %+v, error %v", turn, err)
	}
	sameHash(t, "the text", turn.Blocks[0], []byte(block))
	sameHash(t, "the call", turn.Blocks[1], []byte(use))
	if got := turn.ToolCalls[0].Arguments; got != `{ "a" : 90071992547409931234 }` {
		t.Errorf("arguments %s", got)
	}
}

func TestAnthropicRetries(t *testing.T) {
	overloaded := `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"},"request_id":"req_1"}`
	fine := answer{200, nil, namedEvents(wholeAnswer("ok")...), nil}
	for name, tc := range map[string]struct {
		answers  []answer
		ok       bool
		attempts int
		min, max time.Duration
		text     string
	}{
		"529 with Retry-After":                   {[]answer{{529, map[string]string{"Retry-After": "7"}, overloaded, nil}, fine}, true, 2, 7 * time.Second, 7 * time.Second, ""},
		"overloaded inside a 200":                {[]answer{{200, nil, namedEvents(overloaded), nil}, fine}, true, 2, 250 * time.Millisecond, 500 * time.Millisecond, ""},
		"overloaded inside a 200, Retry-After":   {[]answer{{200, map[string]string{"Retry-After": "3"}, namedEvents(messageStart, overloaded), nil}, fine}, true, 2, 3 * time.Second, 3 * time.Second, ""},
		"overloaded as the JSON of a 200":        {[]answer{{200, nil, overloaded, nil}, fine}, true, 2, 250 * time.Millisecond, 500 * time.Millisecond, ""},
		"a fault of the vendor before any block": {[]answer{{200, nil, namedEvents(messageStart, strings.ReplaceAll(overloaded, "overloaded", "api")), nil}, fine}, true, 2, 250 * time.Millisecond, 500 * time.Millisecond, ""},
		"overloaded for good":                    {[]answer{{529, nil, overloaded, nil}}, false, 3, 750 * time.Millisecond, 1500 * time.Millisecond, "fault is at the vendor"},
		"overloaded after a block":               {[]answer{{200, nil, namedEvents(append([]string{messageStart}, append(textBlockEvents(0, "x"), overloaded)...)...), nil}, fine}, false, 1, 0, 0, "Overloaded"},
		"a wrong key":                            {[]answer{{401, nil, `{"type":"error","error":{"type":"authentication_error","message":"invalid x-api-key sk-ant-secret-abc"}}`, nil}}, false, 1, 0, 0, "ANTHROPIC_API_KEY"},
		"a wrong model":                          {[]answer{{404, nil, `{"type":"error","error":{"type":"not_found_error","message":"model: opus"}}`, nil}}, false, 1, 0, 0, "model.default"},
		"too long":                               {[]answer{{400, nil, `{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 210000 tokens > 200000 maximum"}}`, nil}}, false, 1, 0, 0, "larger window"},
		"no credit":                              {[]answer{{400, nil, `{"type":"error","error":{"type":"invalid_request_error","message":"Your credit balance is too low to access the Anthropic API."}}`, nil}}, false, 1, 0, 0, "billing"},
		"not this format":                        {[]answer{{200, nil, "data: {\"choices\":[]}\n\n", nil}}, false, 1, 0, 0, "Anthropic messages"},
		"a web page":                             {[]answer{{200, nil, "<html>", nil}}, false, 1, 0, 0, "model.base_url"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				calls := 0
				p := NewAnthropic(Options{BaseURL: "http://127.0.0.1:1", Key: "sk-ant-secret-abc", Client: &http.Client{Transport: roundTripper(func(*http.Request) (*http.Response, error) {
					a := tc.answers[min(calls, len(tc.answers)-1)]
					calls++
					return answerOf(a.status, a.header, a.body), nil
				})}})
				start := time.Now()
				turn, err := p.Stream(t.Context(), askClaude("go"), nil)
				took := time.Since(start)
				if (err == nil) != tc.ok || tc.ok && turn.Content != "ok" {
					t.Fatalf("turn %+v, error %v", turn, err)
				}
				if calls != tc.attempts || took < tc.min || took > tc.max {
					t.Errorf("%d attempts in %s", calls, took)
				}
				var failed *Error
				if errors.As(err, &failed) && failed.TooLong() != (name == "too long") {
					t.Errorf("too long: %v", failed.TooLong())
				}
				if err != nil && (!strings.Contains(err.Error(), tc.text) || strings.Contains(err.Error(), "secret")) {
					t.Errorf("error %v, want %q", err, tc.text)
				}
			})
		})
	}
}

// An answer the vendor pauses is continued with what it said, and is one turn.
func TestAnthropicPause(t *testing.T) {
	const search = `{"type":"server_tool_use","id":"srvtoolu_1","name":"web_search","input":{"q":1.0}}`
	rec := newRecorder(t, func(w http.ResponseWriter, _ *http.Request, nth int) {
		if nth == 1 {
			sendEvents(w, messageStart, blockStart(0, search), stopWith("pause_turn"), messageStop)
			return
		}
		sendEvents(w, wholeAnswer("found")...)
	})
	p := newAnthropicForTest(t, Options{BaseURL: rec.URL})
	turn, err := p.Stream(context.Background(), askClaude("go"), nil)
	if err != nil || turn.Content != "found" || len(turn.Blocks) != 2 || turn.Usage.OutputTokens != 18 || turn.Stop != message.StopEnd {
		t.Fatalf("turn %+v, error %v", turn, err)
	}
	sameHash(t, "the paused part in the turn", turn.Blocks[0], []byte(search))
	want := `[{"role":"user","content":[{"type":"text","text":"go"}]},{"role":"assistant","content":[` + search + `]}]`
	if got := string(fieldOf(t, rec.sent(t, 1), "messages")); got != want {
		t.Errorf("continued with\n%s\nwant\n%s", got, want)
	}

	endless := newRecorder(t, func(w http.ResponseWriter, _ *http.Request, _ int) {
		sendEvents(w, messageStart, blockStart(0, search), stopWith("pause_turn"), messageStop)
	})
	if _, err := newAnthropicForTest(t, Options{BaseURL: endless.URL}).Stream(context.Background(), askClaude("go"), nil); !errors.Is(err, ErrCut) || endless.count() != maxPauses {
		t.Errorf("%d requests, error %v", endless.count(), err)
	}
}

// A refused signature costs one request. The thinking stays stored, is not
// sent again, and people are told.
func TestRefusedSignature(t *testing.T) {
	const thinking = `{"type":"thinking","thinking":"t","signature":"bad"}`
	const later = `{"type":"thinking","thinking":"t","signature":"good"}`
	const said = `{"type":"text","text":"said"}`
	const refusal = `{"type":"error","error":{"type":"invalid_request_error","message":"messages.1.content.0: Invalid ` + "`signature` in `thinking`" + ` block"}}`
	rec := newRecorder(t, func(w http.ResponseWriter, _ *http.Request, nth int) {
		if nth == 1 || nth == 5 {
			w.WriteHeader(http.StatusBadRequest)
			_, _ = io.WriteString(w, refusal)
			return
		}
		sendEvents(w, wholeAnswer("ok")...)
	})
	row := func(blocks ...string) message.Message {
		return message.Message{Role: message.RoleAssistant, Content: "said", Vendor: VendorAnthropic, Blocks: raws(blocks...)}
	}
	req := askClaude("a")
	req.Messages = append(req.Messages, row(thinking, said), message.Message{Role: message.RoleUser, Content: "b"})
	memory := NewMemory()
	for i, notices := range []int{1, 0} {
		turn, err := newAnthropicForTest(t, Options{BaseURL: rec.URL, Memory: memory}).Stream(context.Background(), req, nil)
		if err != nil || len(turn.Notices) != notices {
			t.Fatalf("pass %d: notices %q, error %v", i, turn.Notices, err)
		}
	}
	if got := string(req.Messages[1].Blocks[0]); got != thinking {
		t.Errorf("the stored row changed: %s", got)
	}
	for i, want := range []bool{true, false, false} {
		if got := strings.Contains(string(rec.sent(t, i)), thinking); got != want {
			t.Errorf("request %d holds the thinking: %v", i, got)
		}
	}
	req.Messages = append(req.Messages, row(later, said), message.Message{Role: message.RoleUser, Content: "c"})
	p := newAnthropicForTest(t, Options{BaseURL: rec.URL, Memory: memory})
	if _, err := p.Stream(context.Background(), req, nil); err != nil || !strings.Contains(string(rec.sent(t, 3)), later) {
		t.Errorf("later thinking is not sent: %v", err)
	}
	req.Messages = []message.Message{{Role: message.RoleUser, Content: "no thinking to leave out"}}
	if _, err := p.Stream(context.Background(), req, nil); err == nil || rec.count() != 5 {
		t.Errorf("%d requests, error %v", rec.count(), err)
	}
}

// A server that knows no cache marks is asked again without them.
func TestRefusedCacheMarks(t *testing.T) {
	rec := newRecorder(t, func(w http.ResponseWriter, _ *http.Request, nth int) {
		if nth == 1 {
			w.WriteHeader(http.StatusBadRequest)
			_, _ = io.WriteString(w, `{"error":{"message":"system.0.cache_control: Extra inputs are not permitted"}}`)
			return
		}
		sendEvents(w, wholeAnswer("ok")...)
	})
	p := newAnthropicForTest(t, Options{BaseURL: rec.URL, CacheTTL: "1h"})
	for range 2 {
		if _, err := p.Stream(context.Background(), askClaude("go"), nil); err != nil {
			t.Fatal(err)
		}
	}
	for i, want := range []bool{true, false, false} {
		if got := strings.Contains(string(rec.sent(t, i)), cacheKey); got != want {
			t.Errorf("request %d is marked: %v", i, got)
		}
	}
}
