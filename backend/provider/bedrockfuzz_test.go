package provider

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"testing"
	"time"

	"hermes/backend/message"
)

// FuzzBedrockFrames feeds bytes as the body of an answer: nothing may panic, and
// a turn that comes out has valid blocks, an answer to every question the next
// request asks of them, and goes back byte for byte.
func FuzzBedrockFrames(f *testing.F) {
	for _, model := range []string{claudeID, novaID} {
		f.Add(fullReply(model), isAnthropic(model))
		f.Add(append(begunReply(model), frame("exception", "throttlingException", `{"message":"x"}`)...), isAnthropic(model))
	}
	f.Add(oddAnswer(), true)
	f.Add(events("contentBlockStart", `{"contentBlockIndex":0,"start":{"toolUse":{"toolUseId":"a","name":"n"}}}`, "contentBlockDelta", `{"contentBlockIndex":0,"delta":{"toolUse":{"input":"{}"}}}`, "messageStop", `{"stopReason":"tool_use"}`), false)
	f.Add([]byte{0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0, 1, 2, 3, 4}, false)
	f.Fuzz(func(t *testing.T, body []byte, anthropic bool) {
		model := novaID
		if anthropic {
			model = claudeID
		}
		c := testCall(t, model)
		in := newBody(http.NoBody, newWatchdog(time.Hour, time.Hour, func(error) {}))
		in.buf.Reset(bytes.NewReader(body))
		in.read = int64(len(body))
		turn, _, failed := c.frames(context.Background(), in, c.write(nil).reader)
		checkTurn(t, model, turn, failed)
	})
}

// FuzzConverseEvents feeds lines as the payloads of a Converse stream.
func FuzzConverseEvents(f *testing.F) {
	f.Add("contentBlockStart {\"contentBlockIndex\":0,\"start\":{\"toolUse\":{\"toolUseId\":\"a\",\"name\":\"n\"}}}\ncontentBlockDelta {\"contentBlockIndex\":0,\"delta\":{\"toolUse\":{\"input\":\"{}\"}}}\nmessageStop {\"stopReason\":\"tool_use\"}")
	f.Add("contentBlockDelta {\"delta\":{\"reasoningContent\":{\"text\":\"\\ud83d\"}}}\ncontentBlockDelta {\"delta\":{\"reasoningContent\":{\"signature\":\"s\"}}}\nmessageStop {\"stopReason\":\"end_turn\"}")
	f.Add("contentBlockDelta {\"delta\":{\"new\":{\"a\":[1]}}}\ncontentBlockDelta {\"delta\":{\"new\":{\"a\":[2]}}}\nmessageStop {\"stopReason\":\"end_turn\"}")
	f.Fuzz(func(t *testing.T, lines string) {
		c := testCall(t, novaID)
		r := &converseReader{}
		for line := range bytes.Lines([]byte(lines)) {
			kind, payload, _ := bytes.Cut(bytes.TrimSpace(line), []byte(" "))
			if r.event(string(kind), payload) != nil {
				return
			}
		}
		turn, _, failed := r.finish(c)
		checkTurn(t, novaID, turn, failed)
	})
}

func checkTurn(t *testing.T, model string, turn Turn, failed *Error) {
	t.Helper()
	if failed != nil {
		if turn.Blocks != nil || turn.ToolCalls != nil || failed.Message == "" {
			t.Fatalf("turn %+v, error %v", turn, failed)
		}
		return
	}
	req := Request{Model: model, Messages: []message.Message{{Role: message.RoleUser, Content: "a"},
		{Role: message.RoleAssistant, Content: turn.Content, ToolCalls: turn.ToolCalls, Vendor: turn.Vendor, Blocks: turn.Blocks}}}
	raw, _ := writeConverse(req, converseOptions{})
	if isAnthropic(model) {
		raw = writeMessages(req, messagesOptions{version: bedrockVersion}).raw
	}
	if !json.Valid(raw) {
		t.Fatalf("the next request is no JSON: %s", raw)
	}
	for _, b := range turn.Blocks {
		if !json.Valid(b) {
			t.Fatalf("block %q", b)
		}
		if ms, err := members(b); !isAnthropic(model) && (err != nil || len(ms) != 1) {
			t.Fatalf("block %q is not one thing", b)
		} else if err == nil && find(ms, "toolUse") != nil && !bytes.Contains(raw, b) {
			t.Fatalf("block %s is not in the next request: %s", b, raw)
		}
	}
}
