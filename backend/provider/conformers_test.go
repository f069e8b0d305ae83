package provider

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"unicode/utf8"
)

func sum(s string) [sha256.Size]byte { return sha256.Sum256([]byte(s)) }

// cutInner cuts the inside of a JSON string into pieces that are strings
// themselves; a surrogate pair may be torn apart, as vendors do.
func cutInner(s string, size int) []string {
	var out []string
	start, n := 0, 0
	for i := 0; i < len(s); {
		switch {
		case strings.HasPrefix(s[i:], `\u`):
			i += 6
		case s[i] == '\\':
			i += 2
		default:
			_, width := utf8.DecodeRuneInString(s[i:])
			i += width
		}
		if n++; n%size == 0 || i == len(s) {
			out = append(out, s[start:i])
			start = i
		}
	}
	return out
}

// cutText cuts plain text and writes the pieces as JSON strings.
func cutText(s string, size int) []string {
	var out []string
	runes := []rune(s)
	for len(runes) > 0 {
		n := min(size, len(runes))
		out = append(out, string(appendString(nil, string(runes[:n]))))
		runes = runes[n:]
	}
	return out
}

// messagesRaw is a block as the Anthropic format has it.
func (b scriptedBlock) messagesRaw() string {
	switch b.kind {
	case blockText:
		return `{"type":"text","text":"` + b.inner + `"` + b.tail + `}`
	case blockThinking:
		return `{"type":"thinking","thinking":"` + b.inner + `","signature":"` + b.sign + `"` + b.tail + `}`
	case blockUse:
		return `{"type":"tool_use","id":"` + b.id + `","name":"` + b.name + `","input":` + b.input + b.tail + `}`
	}
	return `{ "type":"` + b.kind + `" , "data":"` + b.inner + `"` + b.tail + ` }`
}

// messagesEvents stream a block.
func (b scriptedBlock) messagesEvents(i, size int) []string {
	out := []string{}
	grow := func(start, deltaType, key, inner string) {
		out = append(out, blockStart(i, start))
		for _, piece := range cutInner(inner, size) {
			out = append(out, blockDelta(i, `{"type":"`+deltaType+`","`+key+`":"`+piece+`"}`))
		}
	}
	empty := b
	empty.inner, empty.sign, empty.input = "", "", "{}"
	switch b.kind {
	case blockText:
		grow(empty.messagesRaw(), "text_delta", "text", b.inner)
	case blockThinking:
		grow(empty.messagesRaw(), "thinking_delta", "thinking", b.inner)
		out = append(out, blockDelta(i, `{"type":"signature_delta","signature":"`+b.sign+`"}`))
	case blockUse:
		out = append(out, blockStart(i, empty.messagesRaw()))
		for _, piece := range cutText(b.input, size) {
			out = append(out, blockDelta(i, `{"type":"input_json_delta","partial_json":`+piece+`}`))
		}
	default:
		out = append(out, blockStart(i, b.messagesRaw()))
	}
	return append(out, blockStop(i))
}

func messagesScript(script []scriptedBlock, size int) []string {
	out := []string{messageStart}
	reason := "end_turn"
	for i, b := range script {
		out = append(out, b.messagesEvents(i, size)...)
		if b.kind == blockUse {
			reason = "tool_use"
		}
	}
	return append(out, stopWith(reason), messageStop)
}

func anthropicConformer() conformer {
	return conformer{
		name: NameAnthropic, model: "claude-sonnet-4-5",
		open: func(t testing.TB, base string) Provider {
			p := NewAnthropic(Options{BaseURL: base, Key: "k-1234", CacheTTL: "5m", Client: &http.Client{Transport: &http.Transport{}}})
			t.Cleanup(func() { _ = p.Close() })
			return p
		},
		answer: func(w http.ResponseWriter, script []scriptedBlock, size int) {
			sendEvents(w, messagesScript(script, size)...)
		},
		want: func(script []scriptedBlock) []string {
			out := make([]string, len(script))
			for i, b := range script {
				out[i] = b.messagesRaw()
			}
			return out
		},
		units: func(_ fataler, blocks []json.RawMessage, touched map[string]bool) []string {
			var out []string
			for _, b := range blocks {
				var use struct{ Type, ID string }
				if json.Unmarshal(b, &use) == nil && use.Type == blockUse && touched[use.ID] {
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

// bedrockConformer is the same format in another envelope.
func bedrockConformer() conformer {
	c := anthropicConformer()
	c.name, c.model = NameBedrock, claudeID
	c.open = func(t testing.TB, base string) Provider {
		p := NewBedrock(BedrockOptions{BaseURL: base, Variable: awsVariables(), CacheTTL: "5m", Client: &http.Client{Transport: &http.Transport{}}})
		t.Cleanup(func() { _ = p.Close() })
		return p
	}
	c.answer = func(w http.ResponseWriter, script []scriptedBlock, size int) {
		stream(w, chunks(messagesScript(script, size)...))
	}
	return c
}

type sentRow struct {
	Role    string
	Content []json.RawMessage
}

func assistantRow(t fataler, body []byte, at int) sentRow {
	t.Helper()
	var sent struct{ Messages []json.RawMessage }
	var row sentRow
	if err := json.Unmarshal(body, &sent); err != nil || len(sent.Messages) <= at {
		t.Fatalf("no row %d in %s", at, body)
	}
	if err := json.Unmarshal(sent.Messages[at], &row); err != nil || row.Role != "assistant" {
		t.Fatalf("row %d is %s (%v)", at, sent.Messages[at], err)
	}
	return row
}

// openAIFields are the members of the message that a script becomes: the format
// has one text, one list of calls and no order between them.
func openAIFields(script []scriptedBlock) (fields [][2]string, calls []string) {
	at := map[string]int{}
	add := func(key, value string, joins bool) {
		i, there := at[key]
		if !there || !joins {
			at[key] = len(fields)
			fields = append(fields, [2]string{key, value})
			return
		}
		fields[i][1] = strings.TrimSuffix(fields[i][1], `"`) + value[1:]
	}
	for i, b := range script {
		switch b.kind {
		case blockText:
			add("content", `"`+b.inner+`"`, true)
		case blockThinking:
			add("reasoning_content", `"`+b.inner+`"`, true)
			add(fmt.Sprintf("signed_%d", i), `{ "signature":"`+b.sign+`"`+b.tail+` }`, false)
		case blockUse:
			calls = append(calls, `{"id":"`+b.id+`","type":"function","function":{"name":"`+b.name+`","arguments":`+string(appendString(nil, b.input))+`}`+b.tail+`}`)
		default:
			add(fmt.Sprintf("%s_%d", b.kind, i), `{ "data":"`+b.inner+`"`+b.tail+` }`, false)
		}
	}
	return fields, calls
}

func openAIAnswer(w http.ResponseWriter, script []scriptedBlock, size int) {
	out := []string{delta(`{"role":"assistant","content":null}`)}
	n, finish := 0, finishStop
	for i, b := range script {
		grow := func(key string) {
			for _, piece := range cutInner(b.inner, size) {
				out = append(out, delta(`{"`+key+`":"`+piece+`"}`))
			}
		}
		switch b.kind {
		case blockText:
			grow("content")
		case blockThinking:
			grow("reasoning_content")
			out = append(out, delta(fmt.Sprintf(`{"signed_%d":{ "signature":"%s"%s }}`, i, b.sign, b.tail)))
		case blockUse:
			out = append(out, delta(fmt.Sprintf(`{"tool_calls":[{"index":%d,"id":%q,"type":"function","function":{"name":%q,"arguments":""}%s}]}`, n, b.id, b.name, b.tail)))
			for _, piece := range cutText(b.input, size) {
				out = append(out, delta(fmt.Sprintf(`{"tool_calls":[{"index":%d,"function":{"arguments":%s}}]}`, n, piece)))
			}
			n, finish = n+1, finishCalls
		default:
			out = append(out, delta(fmt.Sprintf(`{"%s_%d":{ "data":"%s"%s }}`, b.kind, i, b.inner, b.tail)))
		}
	}
	sse(w, append(out, finish, usageChunk, done)...)
}

func openAIConformer() conformer {
	return conformer{
		name: NameOpenAI, model: "gpt-test",
		open: func(t testing.TB, base string) Provider {
			p := NewOpenAI(Options{BaseURL: base, Key: "k-1234", Client: &http.Client{Transport: &http.Transport{}}})
			t.Cleanup(func() { _ = p.Close() })
			return p
		},
		answer: openAIAnswer,
		want: func(script []scriptedBlock) []string {
			var out []string
			fields, calls := openAIFields(script)
			for _, f := range fields {
				out = append(out, f[0]+"="+f[1])
			}
			return append(out, calls...)
		},
		units: func(t fataler, blocks []json.RawMessage, touched map[string]bool) []string {
			t.Helper()
			if len(blocks) != 1 {
				t.Fatalf("%d blocks", len(blocks))
			}
			ms, err := members(blocks[0])
			if err != nil {
				t.Fatalf("%s: %v", blocks[0], err)
			}
			var out, calls []string
			for _, m := range ms {
				switch {
				case m.key == "role", m.key == "content" && isNull(m.value):
				case m.key == callsKey:
					items, _ := elements(m.value)
					for _, item := range items {
						if call, err := readCall(item); err != nil || !touched[call.ID] {
							calls = append(calls, string(item))
						}
					}
				default:
					out = append(out, m.key+"="+string(m.value))
				}
			}
			return append(out, calls...)
		},
		sent: func(t fataler, body []byte) []json.RawMessage {
			t.Helper()
			var sent struct{ Messages []json.RawMessage }
			if err := json.Unmarshal(body, &sent); err != nil || len(sent.Messages) < 3 {
				t.Fatalf("too few rows in %s", body)
			}
			return sent.Messages[2:3]
		},
	}
}
