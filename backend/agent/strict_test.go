package agent_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"hermes/backend/agent"
	"hermes/backend/message"
	"hermes/backend/provider"
)

// strictOpenAI refuses what a strict server of chat completions refuses: after an
// assistant message with calls come the results of all of them, each once, and
// nothing else; no result stands anywhere else; speakers alternate.
func strictOpenAI(body []byte) error {
	var request struct {
		Messages []struct {
			Role       string `json:"role"`
			ToolCallID string `json:"tool_call_id"`
			ToolCalls  []struct {
				ID       string `json:"id"`
				Type     string `json:"type"`
				Function struct{ Name, Arguments string }
			} `json:"tool_calls"`
		} `json:"messages"`
	}
	if err := json.Unmarshal(body, &request); err != nil {
		return err
	}
	before, seen := "assistant", map[string]bool{}
	var open []string
	for i, m := range request.Messages {
		at := slices.Index(open, m.ToolCallID)
		switch {
		case m.Role == "tool" && at < 0:
			return fmt.Errorf("messages.%d answers %q, which does not wait", i, m.ToolCallID)
		case m.Role == "tool":
			open, before = slices.Delete(open, at, at+1), "user"
			continue
		case len(open) > 0:
			return fmt.Errorf("messages.%d is of %s while %q wait", i, m.Role, open)
		case m.Role == "system" && i == 0:
			continue
		case m.Role == before || m.Role != "user" && m.Role != "assistant":
			return fmt.Errorf("messages.%d is of %s behind %s", i, m.Role, before)
		}
		before = m.Role
		for _, call := range m.ToolCalls {
			if call.ID == "" || seen[call.ID] || call.Type != "function" || call.Function.Name == "" || !json.Valid([]byte(call.Function.Arguments)) {
				return fmt.Errorf("messages.%d has the call %+v", i, call)
			}
			seen[call.ID] = true
			open = append(open, call.ID)
		}
	}
	if len(open) > 0 {
		return fmt.Errorf("%q wait for ever", open)
	}
	if before != "user" {
		return errors.New("the last word is not the user's")
	}
	return nil
}

// strictAnthropic refuses what Anthropic's API refuses: speakers alternate from
// the user on, every tool_use is answered once in the very next message, whose
// results come first, and no tool_result stands anywhere else.
func strictAnthropic(body []byte) error {
	var request struct {
		Messages []struct {
			Role    string          `json:"role"`
			Content json.RawMessage `json:"content"`
		} `json:"messages"`
	}
	if err := json.Unmarshal(body, &request); err != nil {
		return err
	}
	var open []string
	seen := map[string]bool{}
	for i, m := range request.Messages {
		if want := []string{"user", "assistant"}[i%2]; m.Role != want {
			return fmt.Errorf("messages.%d is of %s, want %s", i, m.Role, want)
		}
		var text string
		var blocks []struct {
			Type      string `json:"type"`
			ID        string `json:"id"`
			ToolUseID string `json:"tool_use_id"`
		}
		if json.Unmarshal(m.Content, &text) != nil {
			if err := json.Unmarshal(m.Content, &blocks); err != nil {
				return err
			}
		}
		if text == "" && len(blocks) == 0 {
			return fmt.Errorf("messages.%d is empty", i)
		}
		var asked []string
		other := false
		for k, block := range blocks {
			at := slices.Index(open, block.ToolUseID)
			switch {
			case block.Type == "tool_result" && (at < 0 || other):
				return fmt.Errorf("messages.%d.content.%d answers %q out of place", i, k, block.ToolUseID)
			case block.Type == "tool_result":
				open = slices.Delete(open, at, at+1)
			case block.Type == "tool_use" && (block.ID == "" || seen[block.ID] || m.Role != "assistant"):
				return fmt.Errorf("messages.%d.content.%d is the call %q", i, k, block.ID)
			case block.Type == "tool_use":
				seen[block.ID] = true
				asked = append(asked, block.ID)
			default:
				other = true
			}
		}
		if len(open) > 0 {
			return fmt.Errorf("messages.%d leaves %q without a result", i, open)
		}
		open = asked
	}
	if len(request.Messages)%2 == 0 {
		return errors.New("the last word is not the user's")
	}
	return nil
}

// TestStrictVendorsRefuse is the judges judged.
func TestStrictVendorsRefuse(t *testing.T) {
	call := func(id string) string {
		return `{"role":"assistant","tool_calls":[{"id":"` + id + `","type":"function","function":{"name":"t","arguments":"{}"}}]}`
	}
	u, a, r := `{"role":"user","content":"q"}`, `{"role":"assistant","content":"a"}`, `{"role":"tool","tool_call_id":"1","content":"r"}`
	for i, messages := range [][]string{{u, u}, {a}, {u, call("1")}, {u, call("1"), u}, {u, r}, {u, call("1"), r, r}, {u, call("1"), r, call("1"), r}, {u, call("1"), r, u}, {u, a}} {
		if strictOpenAI([]byte(`{"messages":[`+strings.Join(messages, ",")+`]}`)) == nil {
			t.Errorf("chat completions %d: accepted", i)
		}
	}
	if err := strictOpenAI([]byte(`{"messages":[{"role":"system","content":"s"},` + strings.Join([]string{u, call("1"), r, a, u}, ",") + `]}`)); err != nil {
		t.Error(err)
	}
	use, res := `{"role":"assistant","content":[{"type":"tool_use","id":"1"}]}`, `{"role":"user","content":[{"type":"tool_result","tool_use_id":"1"}]}`
	late := `{"role":"user","content":[{"type":"text","text":"x"},{"type":"tool_result","tool_use_id":"1"}]}`
	for i, messages := range [][]string{{u, u}, {a}, {u, use}, {u, use, u}, {res}, {u, use, res, a, res}, {u, use, late}, {u, a, res}, {u, use, res, use, res}, {u, a}} {
		if strictAnthropic([]byte(`{"messages":[`+strings.Join(messages, ",")+`]}`)) == nil {
			t.Errorf("messages %d: accepted", i)
		}
	}
	if err := strictAnthropic([]byte(`{"messages":[` + strings.Join([]string{u, use, res, a, u}, ",") + `]}`)); err != nil {
		t.Error(err)
	}
}

// vendors sends what a model is asked to both vendors, as the program does, and
// fails where one would refuse it.
type vendors struct {
	server *httptest.Server
	speak  []provider.Provider
	// signed has to be in each body of Anthropic's that holds a call.
	signed string
}

func newVendors(signed string) (*vendors, error) {
	v := &vendors{signed: signed}
	v.server = httptest.NewServer(http.HandlerFunc(v.answer))
	for _, name := range []string{provider.NameOpenAI, provider.NameAnthropic} {
		speak, err := provider.New(provider.Settings{Provider: name, BaseURL: v.server.URL, Key: "key"})
		if err != nil {
			return nil, err
		}
		v.speak = append(v.speak, speak)
	}
	return v, nil
}

func (v *vendors) ask(ctx context.Context, request agent.Request) error {
	for _, speak := range v.speak {
		if _, err := speak.Stream(ctx, provider.Request{Model: "m", System: request.System, Messages: request.Messages, Tools: []message.ToolDef{{Name: "tool_call", Parameters: json.RawMessage(`{"type":"object"}`)}}}, func(string) {}); err != nil {
			return fmt.Errorf("%T: %w", speak, err)
		}
	}
	return nil
}

func (v *vendors) answer(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	said := "data: {\"id\":\"x\",\"object\":\"chat.completion.chunk\",\"created\":0,\"model\":\"m\",\"choices\":[{\"index\":0,\"delta\":{\"role\":\"assistant\",\"content\":\"ok\"},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n"
	if strings.HasSuffix(r.URL.Path, "/messages") {
		said = ""
		for _, event := range []string{
			`{"type":"message_start","message":{"id":"x","type":"message","role":"assistant","model":"m","content":[],"stop_reason":null,"stop_sequence":null,"usage":{"input_tokens":1,"output_tokens":1}}}`,
			`{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}`,
			`{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"ok"}}`,
			`{"type":"content_block_stop","index":0}`,
			`{"type":"message_delta","delta":{"stop_reason":"end_turn","stop_sequence":null},"usage":{"output_tokens":1}}`,
			`{"type":"message_stop"}`,
		} {
			kind, _, _ := strings.Cut(event[len(`{"type":"`):], `"`)
			said += "event: " + kind + "\ndata: " + event + "\n\n"
		}
		err = errors.Join(err, strictAnthropic(body))
		if strings.Contains(string(body), `"tool_use"`) && !strings.Contains(string(body), v.signed) {
			err = errors.Join(err, errors.New("the signed block changed"))
		}
	} else {
		err = errors.Join(err, strictOpenAI(body))
	}
	if err != nil {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusBadRequest)
		_ = json.NewEncoder(w).Encode(map[string]any{"type": "error", "error": map[string]string{"type": "invalid_request_error", "message": err.Error() + ": " + string(body)}})
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	_, _ = io.WriteString(w, said)
}
