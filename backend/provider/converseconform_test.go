package provider

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
)

// converseRaw is a block as Converse has it. What stands in the tail has a place
// in calls and in blocks of tomorrow only.
func (b scriptedBlock) converseRaw() string {
	switch b.kind {
	case blockText:
		return `{"text":"` + b.inner + `"}`
	case blockThinking:
		return `{"reasoningContent":{"reasoningText":{"text":"` + b.inner + `","signature":"` + b.sign + `"}}}`
	case blockRedacted:
		return `{"reasoningContent":{"redactedContent":"` + base64.StdEncoding.EncodeToString([]byte(b.inner)) + `"}}`
	case blockUse:
		return `{"toolUse":{"toolUseId":"` + b.id + `","name":"` + b.name + `"` + b.tail + `,"input":` + b.input + `}}`
	}
	return `{"` + b.kind + `":{ "data":"` + b.inner + `"` + b.tail + ` }}`
}

// converseEvents stream a block.
func (b scriptedBlock) converseEvents(i, size int) []byte {
	var out []string
	add := func(kind, key, value string) {
		out = append(out, kind, fmt.Sprintf(`{"contentBlockIndex":%d,"%s":%s,"p":"abcdefghijkl"}`, i, key, value))
	}
	switch b.kind {
	case blockText: // begins without a start
		for _, piece := range cutInner(b.inner, size) {
			add("contentBlockDelta", "delta", `{"text":"`+piece+`"}`)
		}
	case blockThinking:
		for _, piece := range cutInner(b.inner, size) {
			add("contentBlockDelta", "delta", `{"reasoningContent":{"text":"`+piece+`"}}`)
		}
		for _, piece := range cutInner(b.sign, size) {
			add("contentBlockDelta", "delta", `{"reasoningContent":{"signature":"`+piece+`"}}`)
		}
	case blockRedacted:
		add("contentBlockDelta", "delta", b.converseRaw())
	case blockUse:
		add("contentBlockStart", "start", `{"toolUse":{"toolUseId":"`+b.id+`","name":"`+b.name+`"`+b.tail+`}}`)
		for _, piece := range cutText(b.input, size) {
			add("contentBlockDelta", "delta", `{"toolUse":{"input":`+piece+`}}`)
		}
	default:
		add("contentBlockStart", "start", b.converseRaw())
	}
	return events(append(out, "contentBlockStop", fmt.Sprintf(`{"contentBlockIndex":%d}`, i))...)
}

// converseConformer is Bedrock for the models that are not Anthropic's.
func converseConformer() conformer {
	return conformer{
		name: "converse", model: novaID,
		open: bedrockConformer().open,
		answer: func(w http.ResponseWriter, script []scriptedBlock, size int) {
			out, reason := events("messageStart", `{"role":"assistant"}`), "end_turn"
			for i, b := range script {
				out = append(out, b.converseEvents(i, size)...)
				if b.kind == blockUse {
					reason = "tool_use"
				}
			}
			stream(w, append(out, events("messageStop", `{"stopReason":"`+reason+`"}`, "metadata", `{"usage":{"inputTokens":3,"outputTokens":4}}`)...))
		},
		want: func(script []scriptedBlock) []string {
			out := make([]string, len(script))
			for i, b := range script {
				out[i] = b.converseRaw()
			}
			return out
		},
		units: func(_ fataler, blocks []json.RawMessage, touched map[string]bool) []string {
			var out []string
			for _, b := range blocks {
				var use struct{ ToolUse struct{ ToolUseID string } }
				if json.Unmarshal(b, &use) == nil && touched[use.ToolUse.ToolUseID] {
					continue
				}
				out = append(out, string(b))
			}
			return out
		},
		sent: func(t fataler, body []byte) []json.RawMessage {
			t.Helper()
			return assistantRow(t, body, 1).Content
		},
	}
}
