package provider

import (
	"context"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"hermes/backend/message"
)

// What a level becomes in a request; without one nothing is sent.
func TestEffortOfMessages(t *testing.T) {
	tools := []message.ToolDef{{Name: "f"}}
	for name, c := range map[string]struct {
		model, level string
		most         int
		want         string // what stands between max_tokens and the tools, bound included
		beta, told   bool
	}{
		"nothing asked":         {"claude-sonnet-4-5", "", 0, `"max_tokens":32000`, false, false},
		"nothing asked, new":    {"claude-opus-5-5", "", 0, `"max_tokens":32000`, false, false},
		"a budget":              {"claude-sonnet-4-5", EffortMedium, 0, `"max_tokens":32000,"thinking":{"type":"enabled","budget_tokens":8000}`, true, false},
		"the least":             {"claude-opus-4-1-20250805", EffortMinimal, 0, `"max_tokens":32000,"thinking":{"type":"enabled","budget_tokens":1024}`, true, false},
		"room for the answer":   {"claude-sonnet-4-5", EffortXHigh, 0, `"max_tokens":36096,"thinking":{"type":"enabled","budget_tokens":32000}`, true, false},
		"within the model":      {"claude-opus-4", EffortMax, 0, `"max_tokens":32000,"thinking":{"type":"enabled","budget_tokens":27904}`, true, false},
		"no word between calls": {"claude-3-7-sonnet-20250219", EffortLow, 0, `"max_tokens":32000,"thinking":{"type":"enabled","budget_tokens":4000}`, false, false},
		"haiku":                 {"claude-haiku-4-5", EffortLow, 0, `"max_tokens":32000,"thinking":{"type":"enabled","budget_tokens":4000}`, false, false},
		"does not think":        {"claude-3-5-sonnet-20241022", EffortHigh, 0, `"max_tokens":8192`, false, true},
		"off by itself":         {"claude-sonnet-4-5", EffortNone, 0, `"max_tokens":32000`, false, false},
		"adaptive":              {"claude-opus-4-7", EffortXHigh, 0, `"max_tokens":32000,"thinking":{"type":"adaptive"},"output_config":{"effort":"xhigh"}`, false, false},
		"nearest above":         {"claude-opus-4-6", EffortXHigh, 0, `"max_tokens":32000,"thinking":{"type":"adaptive"},"output_config":{"effort":"max"}`, false, false},
		"nearest below":         {"anthropic/claude-sonnet-5.5", EffortMinimal, 0, `"max_tokens":32000,"thinking":{"type":"adaptive"},"output_config":{"effort":"low"}`, false, false},
		"of tomorrow":           {"claude-opus-9", EffortHigh, 0, `"max_tokens":8192,"thinking":{"type":"adaptive"},"output_config":{"effort":"high"}`, false, false},
		"turned off":            {"claude-opus-5", EffortNone, 0, `"max_tokens":32000,"thinking":{"type":"disabled"}`, false, false},
		"as far as it goes":     {"claude-sonnet-5-5", EffortNone, 0, `"max_tokens":32000,"thinking":{"type":"between_tools"}`, false, false},
		"always on":             {"claude-opus-5-5", EffortNone, 0, `"max_tokens":32000`, false, true},
		"another vendor's":      {"MiniMax-M2", EffortHigh, 0, `"max_tokens":20096,"thinking":{"type":"enabled","budget_tokens":16000}`, false, false},
		"kimi":                  {"kimi-k2.5", EffortHigh, 0, `"max_tokens":8192,"thinking":{"type":"adaptive"},"output_config":{"effort":"high"}`, false, false},
		"a bounded answer":      {"claude-opus-4-7", EffortHigh, 900, `"max_tokens":900`, false, false},
	} {
		t.Run(name, func(t *testing.T) {
			req := Request{Model: c.model, MaxTokens: c.most, Tools: tools, Messages: []message.Message{{Role: message.RoleUser, Content: "go"}}}
			e := &effort{level: c.level}
			written := writeMessages(req, messagesOptions{effort: e.asks(req, nil)})
			_, after, _ := strings.Cut(string(written.raw), `"max_tokens"`)
			got, _, _ := strings.Cut(`"max_tokens"`+after, `,"tools"`)
			if got != c.want || written.asked.interleaved != c.beta || (written.asked.notice != "") != c.told {
				t.Errorf("%s, beta %v, notice %q; want %s", got, written.asked.interleaved, written.asked.notice, c.want)
			}
			bedrock := string(writeMessages(req, messagesOptions{effort: e.asks(req, nil), version: bedrockVersion}).raw)
			if strings.Contains(bedrock, `,"anthropic_beta":["`+interleavedBeta+`"],`) != c.beta || !strings.Contains(bedrock, c.want) {
				t.Errorf("bedrock: %s", bedrock)
			}
		})
	}
}

func TestEffortOfOthers(t *testing.T) {
	for name, c := range map[string]struct{ got, want []byte }{
		"nothing":    {chatEffort("openai", ""), nil},
		"openai":     {chatEffort("openai", EffortMinimal), []byte(`,"reasoning_effort":"minimal"`)},
		"any server": {chatEffort("", EffortNone), []byte(`,"reasoning_effort":"none"`)},
		"router":     {chatEffort(vendorOpenRouter, EffortXHigh), []byte(`,"reasoning":{"effort":"xhigh"}`)},
	} {
		if string(c.got) != string(c.want) {
			t.Errorf("%s: %s", name, c.got)
		}
	}
	for name, c := range map[string]struct {
		model, level, want string
		known              bool
	}{
		"nothing":  {"amazon.nova-pro-v1:0", "", "", true},
		"nova":     {"us.amazon.nova-2-lite-v1:0", EffortMinimal, `,"additionalModelRequestFields":{"reasoningConfig":{"type":"enabled","maxReasoningEffort":"low"}}`, true},
		"nova off": {"us.amazon.nova-2-lite-v1:0", EffortNone, `,"additionalModelRequestFields":{"reasoningConfig":{"type":"disabled"}}`, true},
		"gpt-oss":  {"openai.gpt-oss-120b-1:0", EffortMax, `,"additionalModelRequestFields":{"reasoning_effort":"high"}`, true},
		"unknown":  {"meta.llama3", EffortHigh, "", false},
	} {
		got, known := converseEffort(c.model, c.level)
		if string(got) != c.want || known != c.known {
			t.Errorf("%s: %s, %v", name, got, known)
		}
	}
}

// refusal is a server that refuses requests by a rule and answers the others.
func refusal(t *testing.T, answer func(w http.ResponseWriter), refuses func(body string) string) *recorder {
	var rec *recorder
	rec = newRecorder(t, func(w http.ResponseWriter, _ *http.Request, nth int) {
		if said := refuses(string(rec.sent(t, nth-1))); said != "" {
			w.WriteHeader(http.StatusBadRequest)
			_, _ = io.WriteString(w, said)
			return
		}
		answer(w)
	})
	return rec
}

// A vendor that refuses the level gets one request more without it, people are
// told once a turn, and the next turn does not ask again. The memory is the model's.
func TestRefusedEffort(t *testing.T) {
	chat := func(w http.ResponseWriter) { sse(w, delta(`{"content":"ok"}`), finishStop, done) }
	claude := func(w http.ResponseWriter) { sendEvents(w, wholeAnswer("ok")...) }
	for name, c := range map[string]struct {
		answer func(w http.ResponseWriter)
		field  string
		says   string
		open   func(o Options) Provider
	}{
		"chat":      {chat, `"reasoning_effort"`, `{"error":{"message":"Unrecognized request argument supplied: reasoning_effort","type":"invalid_request_error"}}`, func(o Options) Provider { return NewOpenAI(o) }},
		"value":     {chat, `"reasoning_effort"`, `{"error":{"message":"Unsupported value: 'reasoning_effort' does not support 'high' with this model.","param":"reasoning_effort"}}`, func(o Options) Provider { return NewOpenAI(o) }},
		"router":    {chat, `"reasoning"`, `{"error":{"message":"invalid field 'reasoning'"}}`, func(o Options) Provider { o.Vendor = vendorOpenRouter; return NewOpenAI(o) }},
		"anthropic": {claude, `"thinking"`, `{"type":"error","error":{"type":"invalid_request_error","message":"\"thinking.type.enabled\" is not supported for this model. Use \"thinking.type.adaptive\" and \"output_config.effort\" to control thinking behavior."}}`, func(o Options) Provider { return NewAnthropic(o) }},
	} {
		t.Run(name, func(t *testing.T) {
			rec := refusal(t, c.answer, func(body string) string {
				if strings.Contains(body, c.field) {
					return c.says
				}
				return ""
			})
			memory := NewMemory()
			turns := func(model string) (notices []string) {
				p := c.open(Options{BaseURL: rec.URL, Effort: EffortHigh, Memory: memory, Client: &http.Client{Transport: &http.Transport{}}})
				for range 2 {
					req := askClaude("go")
					req.Model = model
					turn, err := p.Stream(context.Background(), req, nil)
					if err != nil || turn.Content != "ok" {
						t.Fatal(turn, err)
					}
					notices = append(notices, turn.Notices...)
				}
				return notices
			}
			for turn, requests := range []int{3, 5} {
				told := turns("claude-sonnet-4-5")
				if len(told) != 1 || !strings.Contains(told[0], `"high"`) || !strings.Contains(told[0], "claude-sonnet-4-5") {
					t.Errorf("turn %d: told %q", turn, told)
				}
				if rec.count() != requests {
					t.Errorf("turn %d: %d requests, want %d", turn, rec.count(), requests)
				}
			}
			turns("claude-sonnet-4")
			if rec.count() != 8 {
				t.Errorf("another model at the address was not asked: %d requests", rec.count())
			}
		})
	}
}

// A model that takes no tools while it reasons, and reasons unless told not to, is
// told not to; also where nobody asked for a level.
func TestToolsWithoutReasoning(t *testing.T) {
	const says = `{"error":{"message":"Function tools with reasoning_effort are not supported for gpt-5.6-terra in /v1/chat/completions. To use function tools, use /v1/responses or set reasoning_effort to 'none'.","param":"reasoning_effort"}}`
	for _, level := range []string{"", EffortHigh} {
		rec := refusal(t, func(w http.ResponseWriter) { sse(w, delta(`{"content":"ok"}`), finishStop, done) }, func(body string) string {
			if !strings.Contains(body, `"reasoning_effort":"none"`) {
				return says
			}
			return ""
		})
		req := ask("go")
		req.Tools = []message.ToolDef{{Name: "f"}}
		turn, err := newTestProvider(t, Options{BaseURL: rec.URL, Effort: level}).Stream(context.Background(), req, nil)
		if err != nil || rec.count() != 2 || len(turn.Notices) != 1 || !strings.Contains(turn.Notices[0], "reasoning off") {
			t.Errorf("level %q: %d requests, told %q, %v", level, rec.count(), turn.Notices, err)
		}
	}
}

// Reasoning that is asked for in the middle of calls made without it is left out
// until the next turn; earlier reasoning is not blamed for it.
func TestThinkingInTheMiddleOfCalls(t *testing.T) {
	const says = "{\"type\":\"error\",\"error\":{\"type\":\"invalid_request_error\",\"message\":\"messages.1.content.0.type: Expected `thinking` or `redacted_thinking`, but found `tool_use`. When `thinking` is enabled, a final `assistant` message must start with a thinking block\"}}"
	rec := refusal(t, func(w http.ResponseWriter) { sendEvents(w, wholeAnswer("ok")...) }, func(body string) string {
		if strings.Contains(body, `"thinking":{"type":"enabled"`) {
			return says
		}
		return ""
	})
	memory := NewMemory()
	stream := func(p Provider) Turn {
		turn, err := p.Stream(context.Background(), askClaude("go"), nil)
		if err != nil {
			t.Fatal(err)
		}
		return turn
	}
	p := newAnthropicForTest(t, Options{BaseURL: rec.URL, Effort: EffortLow, Memory: memory})
	first, second := stream(p), stream(p)
	if rec.count() != 3 || len(first.Notices) != 1 || !strings.Contains(first.Notices[0], "next message") || len(second.Notices) != 0 {
		t.Errorf("%d requests, told %q and %q", rec.count(), first.Notices, second.Notices)
	}
	stream(newAnthropicForTest(t, Options{BaseURL: rec.URL, Effort: EffortLow, Memory: memory}))
	if rec.count() != 5 {
		t.Errorf("the next turn did not ask: %d requests", rec.count())
	}
	if len(memory.deadBlocks()) != 0 {
		t.Error("earlier reasoning was blamed")
	}
}

// The header that some models need for reasoning between calls goes with the
// request that asks for it, and not where it is refused.
func TestInterleavedHeader(t *testing.T) {
	var betas [][]string
	rec := newRecorder(t, func(w http.ResponseWriter, r *http.Request, nth int) {
		betas = append(betas, r.Header.Values(betaHeader))
		if nth == 1 {
			w.WriteHeader(http.StatusBadRequest)
			_, _ = io.WriteString(w, "{\"error\":{\"message\":\"Unexpected value(s) `"+interleavedBeta+"` for the `anthropic-beta` header\"}}")
			return
		}
		sendEvents(w, wholeAnswer("ok")...)
	})
	req := askClaude("go")
	req.Tools = []message.ToolDef{{Name: "f"}}
	turn, err := newAnthropicForTest(t, Options{BaseURL: rec.URL, Effort: EffortLow}).Stream(context.Background(), req, nil)
	if err != nil || len(turn.Notices) != 0 || len(betas) != 2 || !slices.Equal(betas[0], []string{interleavedBeta}) || len(betas[1]) != 0 {
		t.Errorf("headers %q, told %q, %v", betas, turn.Notices, err)
	}
	if !strings.Contains(string(rec.sent(t, 1)), `"budget_tokens":4000`) {
		t.Error("the level went with the header")
	}
}

// The same through Bedrock: a refusal is learned for the model, and a model nothing
// is known of is not asked for what it may not take.
func TestEffortThroughBedrock(t *testing.T) {
	rec := newRecorder(t, nil)
	rec.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		raw, _ := io.ReadAll(r.Body)
		rec.mu.Lock()
		rec.bodies = append(rec.bodies, raw)
		rec.mu.Unlock()
		switch {
		case strings.Contains(string(raw), `"thinking"`):
			refuse(w, http.StatusBadRequest, "ValidationException", "thinking: Extra inputs are not permitted")
		case strings.Contains(r.URL.Path, "converse"):
			stream(w, events("messageStart", `{"role":"assistant"}`, "contentBlockDelta", `{"contentBlockIndex":0,"delta":{"text":"ok"}}`, "contentBlockStop", `{"contentBlockIndex":0}`, "messageStop", `{"stopReason":"end_turn"}`, "metadata", `{"usage":{}}`))
		default:
			stream(w, chunks(wholeAnswer("ok")...))
		}
	})
	for _, c := range []struct {
		model, says string
		requests    int
	}{
		{claudeID, "does not take the level", 2},
		{"meta.llama3-3-70b-instruct-v1:0", "Nothing is known of levels", 1},
	} {
		before := rec.count()
		p := newBedrock(t, BedrockOptions{BaseURL: rec.URL, Effort: EffortHigh})
		var told []string
		for range 2 {
			req := askClaude("go")
			req.Model = c.model
			turn, err := p.Stream(context.Background(), req, nil)
			if err != nil || turn.Content != "ok" {
				t.Fatal(turn, err)
			}
			told = append(told, turn.Notices...)
		}
		if len(told) != 1 || !strings.Contains(told[0], c.says) || rec.count()-before != c.requests+1 {
			t.Errorf("%s: told %q, %d requests", c.model, told, rec.count()-before)
		}
	}
}
