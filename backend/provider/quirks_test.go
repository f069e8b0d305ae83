package provider

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"hermes/backend/message"
)

// A server whose thinking mode wants its reasoning echoed gets a blank where
// there is none; nobody else is sent the field.
func TestMissingReasoningIsEchoed(t *testing.T) {
	for _, refusal := range []string{
		`{"error":{"message":"Missing ` + "`reasoning_content`" + ` field in the assistant message at message index 1."}}`,
		`{"error":{"message":"thinking is enabled but reasoning_content is missing in assistant tool call message at index 1"}}`,
	} {
		rec := newRecorder(t, func(w http.ResponseWriter, _ *http.Request, nth int) {
			if nth == 1 {
				w.WriteHeader(http.StatusBadRequest)
				_, _ = io.WriteString(w, refusal)
				return
			}
			sse(w, delta(`{"content":"ok"}`), finishStop, done)
		})
		calls := func(id string) []message.ToolCall { return []message.ToolCall{{ID: id, Name: "f", Arguments: "{}"}} }
		const with = `{"role":"assistant","content":null,"reasoning_content":"why","tool_calls":[{"id":"c","type":"function","function":{"name":"f","arguments":"{}"}}]}`
		const without = `{"role":"assistant","content":null,"reasoning_content":null,"tool_calls":[{"id":"b","type":"function","function":{"name":"f","arguments":"{}"}}]}`
		req := ask("go")
		req.Messages = append(req.Messages,
			message.Message{Role: message.RoleAssistant, ToolCalls: calls("a")}, message.Message{Role: message.RoleTool, ToolCallID: "a"},
			message.Message{Role: message.RoleAssistant, ToolCalls: calls("b"), Vendor: VendorOpenAI, Blocks: raws(without)}, message.Message{Role: message.RoleTool, ToolCallID: "b"},
			message.Message{Role: message.RoleAssistant, ToolCalls: calls("c"), Vendor: VendorOpenAI, Blocks: raws(with)}, message.Message{Role: message.RoleTool, ToolCallID: "c"},
			message.Message{Role: message.RoleAssistant, Content: "said"}, message.Message{Role: message.RoleUser, Content: "more"})
		if _, err := newTestProvider(t, Options{BaseURL: rec.URL}).Stream(context.Background(), req, nil); err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(rowAt(t, rec.sent(t, 0), 2)), reasoningKey) {
			t.Error("the field was sent unasked")
		}
		for row, want := range map[int]string{2: `" "`, 4: `" "`, 6: `"why"`} {
			if got := string(fieldOf(t, rowAt(t, rec.sent(t, 1), row), reasoningKey)); got != want {
				t.Errorf("row %d: %s", row, got)
			}
		}
		sameHash(t, "the row that has it", rowAt(t, rec.sent(t, 1), 6), []byte(with))
		if strings.Contains(string(rowAt(t, rec.sent(t, 1), 8)), reasoningKey) {
			t.Error("a row without calls got the field")
		}
	}
}

func TestCachedTokens(t *testing.T) {
	for raw, want := range map[string]message.Usage{
		`{"prompt_tokens":100,"completion_tokens":2,"prompt_tokens_details":{"cached_tokens":64}}`:                         {InputTokens: 100, OutputTokens: 2, CacheRead: 64},
		`{"prompt_tokens":100,"completion_tokens":2,"prompt_tokens_details":{"cached_tokens":64,"cache_write_tokens":30}}`: {InputTokens: 100, OutputTokens: 2, CacheRead: 64, CacheWrite: 30},
		`{"prompt_tokens":100,"prompt_cache_hit_tokens":40,"prompt_cache_miss_tokens":60}`:                                 {InputTokens: 100, CacheRead: 40},
		`{"prompt_tokens":10,"prompt_tokens_details":{"cached_tokens":64,"cache_write_tokens":5}}`:                         {InputTokens: 10, CacheRead: 10},
		`{"prompt_tokens":10,"prompt_tokens_details":null}`:                                                                {InputTokens: 10},
	} {
		var u usage
		if err := json.Unmarshal([]byte(raw), &u); err != nil || u.neutral() != want {
			t.Errorf("%s: %+v, error %v", raw, u.neutral(), err)
		}
	}
}
