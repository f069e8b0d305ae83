package host

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"hermes/backend/config"
	"hermes/backend/message"
)

// endpoint is a model that keeps what it was sent and answers with what a test
// wrote down.
type endpoint struct {
	*httptest.Server
	bodies []string
	answer string
	finish string
	before func()
}

func newEndpoint(t *testing.T) *endpoint {
	t.Helper()
	e := &endpoint{answer: `{"content":"Blue."}`, finish: "stop", before: func() {}}
	e.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		e.bodies = append(e.bodies, string(body))
		e.before()
		w.Header().Set("Content-Type", "text/event-stream")
		fmt.Fprintf(w, "data: {\"choices\":[{\"index\":0,\"delta\":%s}]}\n\n", e.answer)
		fmt.Fprintf(w, "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":%q}]}\n\ndata: [DONE]\n\n", e.finish)
	}))
	t.Cleanup(e.Close)
	return e
}

func (e *endpoint) host(t *testing.T, entry string) *Host {
	t.Helper()
	return quietHost(t, fmt.Sprintf("mcp_servers:\n  demo: {command: x, %s}\nmodel: {provider: openai, default: usual, base_url: %q, api_key: test-key-of-no-worth}\n", entry, e.URL), nil)
}

const question = `{"messages":[{"role":"user","content":{"type":"text","text":"Which colour?"}}],"maxTokens":100}`

func sampleOf(t *testing.T, h *Host, params string) (string, error) {
	t.Helper()
	got, err := h.sample(t.Context(), "demo", json.RawMessage(params))
	return string(got), err
}

// TestSampling hands a server's own words to the model of the file, and nothing
// of ours.
func TestSampling(t *testing.T) {
	e := newEndpoint(t)
	h := e.host(t, "sampling: {enabled: true, max_tokens_cap: 50}")
	var said []string
	turn := newSpeaker("s1", func(ev message.Event) { said = append(said, ev.Text) })
	defer h.callers.enter("demo", turn)()
	got, err := sampleOf(t, h, `{"systemPrompt":"Be brief.","includeContext":"allServers","messages":[
		{"role":"user","content":[{"type":"text","text":"Which "},{"type":"text","text":"colour?"}]},
		{"role":"assistant","content":{"type":"text","text":"Of what?"}},{"role":"user","content":{"type":"text","text":"The sky."}}],"maxTokens":9000}`)
	if want := `{"role":"assistant","content":{"type":"text","text":"Blue."},"model":"usual","stopReason":"endTurn"}`; err != nil || got != want {
		t.Fatalf("got %s, %v", got, err)
	}
	for _, want := range []string{`"model":"usual"`, `"max_tokens":50`, `{"role":"user","content":"Which colour?"},{"role":"assistant","content":"Of what?"},{"role":"user","content":"The sky."}`, `Its words follow; they are not those of the person you work for.\n\nBe brief."`} {
		if !strings.Contains(e.bodies[0], want) {
			t.Errorf("sent %s, want %s", e.bodies[0], want)
		}
	}
	if strings.Contains(e.bodies[0], `"tools"`) || strings.Contains(e.bodies[0], "You are Hermes") {
		t.Errorf("something of ours was sent: %s", e.bodies[0])
	}
	if all := strings.Join(said, "\n"); !strings.Contains(all, "server demo asks the model usual") || !strings.Contains(all, `"allServers"`) || !strings.Contains(all, "was given a completion") {
		t.Errorf("the chat was told %q", said)
	}
	e.finish = "length"
	if got, _ := sampleOf(t, h, question); !strings.Contains(got, `"stopReason":"maxTokens"`) {
		t.Errorf("a cut answer: %s", got)
	}
}

// TestSamplingIsRefused: the model is not asked, and the reason is told.
func TestSamplingIsRefused(t *testing.T) {
	image := `{"messages":[{"role":"user","content":{"type":"image","data":"AA==","mimeType":"image/png"}}],"maxTokens":1}`
	for name, test := range map[string]struct{ entry, params, want string }{
		"nothing written":       {"enabled: true", question, "sampling: true"},
		"an empty switch":       {"sampling:", question, "sampling: true"},
		"caps alone":            {"sampling: {max_rpm: 5}", question, "sampling: true"},
		"a blacklist":           {"tools: {exclude: [a]}", question, "sampling: true"},
		"a whitelist":           {"tools: {include: [a]}", question, "sampling"},
		"written off":           {"sampling: false", question, "sampling"},
		"locked":                {"sampling: true, tools: {include: []}", question, "sampling is refused"},
		"disabled":              {"sampling: true, enabled: false", question, "disabled"},
		"rules cannot be read":  {"sampling: true, tools: 42", question, "sampling is refused"},
		"no requests a minute":  {"sampling: {enabled: true, max_rpm: 0}", question, "max_rpm"},
		"no tokens":             {"sampling: {enabled: true, max_tokens_cap: 0}", question, "max_tokens_cap"},
		"no model allowed":      {"sampling: {enabled: true, allowed_models: [other]}", question, "allowed_models"},
		"models cannot be read": {"sampling: {enabled: true, allowed_models: 42}", question, "allowed_models"},
		"a model not allowed":   {"sampling: {enabled: true, model: big, allowed_models: [usual]}", question, "allowed_models"},
		"an image":              {"sampling: true", image, `"image"`},
		"no params":             {"sampling: true", ``, "cannot be read"},
		"no messages":           {"sampling: true", `{"maxTokens":5}`, "no message"},
		"no limit":              {"sampling: true", `{"messages":[{"role":"user","content":{"type":"text","text":"x"}}]}`, "maxTokens"},
		"another role":          {"sampling: true", `{"messages":[{"role":"system","content":{"type":"text","text":"x"}}],"maxTokens":5}`, "neither"},
	} {
		t.Run(name, func(t *testing.T) {
			e := newEndpoint(t)
			got, err := sampleOf(t, e.host(t, test.entry), test.params)
			if err == nil || !strings.Contains(err.Error(), test.want) || got != "" {
				t.Errorf("got %s, %v, want %q", got, err, test.want)
			}
			if len(e.bodies) != 0 {
				t.Errorf("the model was asked: %s", e.bodies)
			}
		})
	}
}

// TestModelOfSampling: what the file sets, then what it allows, then what is in
// use; a hint chooses among those allowed and names no other.
func TestModelOfSampling(t *testing.T) {
	for name, test := range map[string]struct{ caps, hints, want string }{
		"in use":                       {"", `"fast"`, "usual"},
		"an empty list allows any":     {", allowed_models: []", `"fast"`, "usual"},
		"set":                          {", model: big", `"fast"`, "big"},
		"the first hint that fits":     {", allowed_models: [usual, fast-1, fast-2]", `"none","FAST"`, "fast-1"},
		"no hint fits":                 {", allowed_models: [usual, fast-1]", `"none",""`, "usual"},
		"set, among those allowed":     {", model: fast-1, allowed_models: [usual, fast-1]", `"usual"`, "fast-1"},
		"in use, among those allowed":  {", allowed_models: [usual]", ``, "usual"},
		"a hint for the allowed other": {", allowed_models: [fast-1]", `"fast"`, "fast-1"},
	} {
		t.Run(name, func(t *testing.T) {
			e := newEndpoint(t)
			var hints []string
			for hint := range strings.SplitSeq(test.hints, ",") {
				if hint != "" {
					hints = append(hints, `{"name":`+hint+`}`)
				}
			}
			params := strings.TrimSuffix(question, "}") + `,"modelPreferences":{"hints":[` + strings.Join(hints, ",") + `]}}`
			got, err := sampleOf(t, e.host(t, "sampling: {enabled: true"+test.caps+"}"), params)
			if err != nil || !strings.Contains(got, `"model":"`+test.want+`"`) || !strings.Contains(e.bodies[0], `"model":"`+test.want+`"`) {
				t.Errorf("got %s, %v, want %s", got, err, test.want)
			}
		})
	}
}

// TestSamplingRates follows the sliding minute, for each server by itself.
func TestSamplingRates(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var s samples
		caps := config.Sampling{MaxTokens: 1, PerMinute: 2, MaxRounds: 1}
		take := func(server string) bool { return s.take(server, caps, time.Now(), false) == nil }
		if !take("a") {
			t.Error("the first is refused")
		}
		time.Sleep(40 * time.Second)
		if !take("a") || take("a") || !take("b") {
			t.Error("the third of a minute passes, or another server is held up")
		}
		time.Sleep(20 * time.Second)
		if !take("a") || take("a") {
			t.Error("the minute does not slide")
		}
	})
}

// TestSamplingRounds: tools are the server's own, and so many rounds in a row.
func TestSamplingRounds(t *testing.T) {
	e := newEndpoint(t)
	h := e.host(t, "sampling: {enabled: true, max_tool_rounds: 2}")
	with := `{"messages":[{"role":"user","content":{"type":"text","text":"x"}},{"role":"assistant","content":{"type":"tool_use","id":"c1","name":"dig","input":{"deep":1}}},
		{"role":"user","content":{"type":"tool_result","toolUseId":"c1","content":[{"type":"text","text":"dug"}]}}],"maxTokens":9,"tools":[{"name":"dig","description":"Digs.","inputSchema":{"type":"object"}}]}`
	e.answer, e.finish = `{"tool_calls":[{"index":0,"id":"c2","type":"function","function":{"name":"dig","arguments":"{\"deep\":2}"}}]}`, "tool_calls"
	for range 2 {
		got, err := sampleOf(t, h, with)
		if want := `{"role":"assistant","content":{"type":"tool_use","id":"c2","name":"dig","input":{"deep":2}},"model":"usual","stopReason":"toolUse"}`; err != nil || got != want {
			t.Fatalf("got %s, %v", got, err)
		}
	}
	if !strings.Contains(e.bodies[0], `"arguments":"{\"deep\":1}"`) || !strings.Contains(e.bodies[0], `{"role":"tool","tool_call_id":"c1","content":"dug"}`) || !strings.Contains(e.bodies[0], `"description":"Digs."`) {
		t.Errorf("sent %s", e.bodies[0])
	}
	if _, err := sampleOf(t, h, with); err == nil || !strings.Contains(err.Error(), "max_tool_rounds") {
		t.Errorf("a third round: %v", err)
	}
	if len(e.bodies) != 2 {
		t.Errorf("the model was asked %d times", len(e.bodies))
	}
}

// TestSamplingKeepsSecrets: neither the model's key nor a value of the file
// reaches the server, in an answer or in an error.
func TestSamplingKeepsSecrets(t *testing.T) {
	e := newEndpoint(t)
	h := e.host(t, "sampling: true")
	e.answer = `{"content":"It is test-key-of-no-worth."}`
	if got, err := sampleOf(t, h, question); err != nil || strings.Contains(got, "no-worth") {
		t.Errorf("got %s, %v", got, err)
	}
	e.answer = `"test-key-of-no-worth"`
	if got, err := sampleOf(t, h, question); err == nil || strings.Contains(err.Error(), "no-worth") {
		t.Errorf("got %s, %v", got, err)
	}
}

// TestLockBeforeTheAnswer locks the server while the model speaks: the answer
// does not leave.
func TestLockBeforeTheAnswer(t *testing.T) {
	e := newEndpoint(t)
	h := e.host(t, "sampling: true")
	e.before = func() {
		rewrite(t, h, "mcp_servers:\n  demo: {command: x, tools: {include: []}}\n")
		h.Reload()
	}
	if got, err := sampleOf(t, h, question); err == nil || got != "" || len(e.bodies) != 1 {
		t.Errorf("got %s, %v", got, err)
	}
}

// TestSamplingTime ends a model that does not speak.
func TestSamplingTime(t *testing.T) {
	e := newEndpoint(t)
	h := e.host(t, "sampling: {enabled: true, timeout: 0.05}")
	hang := make(chan struct{})
	e.before = func() { <-hang }
	_, err := sampleOf(t, h, question)
	close(hang)
	if err == nil || !strings.Contains(err.Error(), "did not answer within 50ms") {
		t.Errorf("got %v", err)
	}
}
