package provider

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"hermes/backend/message"
)

// idsOf are the ids of calls and results in a request, in order.
func idsOf(t fataler, body []byte) (ids []string) {
	t.Helper()
	var sent struct {
		Messages []struct {
			Calls  []struct{ ID string } `json:"tool_calls"`
			Result string                `json:"tool_call_id"`
		}
	}
	if err := json.Unmarshal(body, &sent); err != nil {
		t.Fatalf("%s: %v", body, err)
	}
	for _, m := range sent.Messages {
		for _, c := range m.Calls {
			ids = append(ids, c.ID)
		}
		if m.Result != "" {
			ids = append(ids, m.Result)
		}
	}
	return ids
}

// called is a conversation in which calls of these ids were made and answered;
// every second row is the vendor's own.
func called(ids ...string) (rows []message.Message) {
	rows = append(rows, message.Message{Role: message.RoleUser, Content: "go"})
	for i, id := range ids {
		row := message.Message{Role: message.RoleAssistant, ToolCalls: []message.ToolCall{{ID: id, Name: "f", Arguments: `{"n":1.0}`}}}
		if i%2 == 1 {
			quoted, _ := json.Marshal(id)
			row.Vendor = VendorOpenAI
			row.Blocks = raws(`{"role":"assistant","content":null,"odd":` + odd + `,"tool_calls":[{"type":"function","id":` + string(quoted) + `,"sign":"s","function":{"name":"f","arguments":"{\"n\":1.0}"}}]}`)
		}
		rows = append(rows, row, message.Message{Role: message.RoleTool, ToolCallID: id, ToolName: "f", Content: "r"})
	}
	return rows
}

// Every id that is sent fits, those of a call and its result are the same, two
// calls never share one, one that fits stays, and more rows behind change none.
func TestIDsAtTheWire(t *testing.T) {
	for name, rule := range map[string]idRule{"nine": nineID, "short": shortID, "any": anyID} {
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				ids := rapid.SliceOfNDistinct(rapid.OneOf(
					rapid.StringMatching(`[A-Za-z0-9]{9}`), rapid.StringMatching(`call_[a-z0-9]{4,60}(_d2)?`), rapid.StringMatching(`[a-zA-Z0-9_.:|ß-]{1,12}`),
				), 1, 12, rapid.ID[string]).Draw(t, "ids")
				rows := called(ids...)
				raw, _ := body(Request{Model: "m", Messages: rows}, chatOptions{ids: rule})
				sent, used := idsOf(t, raw), map[string]string{}
				if len(sent) != 2*len(ids) {
					t.Fatalf("%d ids in %s", len(sent), raw)
				}
				for i, id := range ids {
					wire := sent[2*i]
					if wire != sent[2*i+1] || !rule.fits(wire) || rule.fits(id) && wire != id {
						t.Fatalf("%q is sent as %q and %q", id, wire, sent[2*i+1])
					}
					if other, twice := used[wire]; twice {
						t.Fatalf("%q and %q are both sent as %q", id, other, wire)
					}
					used[wire] = id
				}
				if again, _ := body(Request{Model: "m", Messages: rows}, chatOptions{ids: rule}); string(again) != string(raw) {
					t.Fatal("the same conversation is written in two ways")
				}
				if len(ids) > 1 && !rule.fits(ids[len(ids)-1]) { // a late one that fits could be what stood for another
					shorter, _ := body(Request{Model: "m", Messages: called(ids[:len(ids)-1]...)}, chatOptions{ids: rule})
					for i, id := range idsOf(t, shorter) {
						if id != sent[i] {
							t.Fatalf("%q becomes %q with one call more", id, sent[i])
						}
					}
				}
			})
		})
	}
}

// An id that is what another one would become goes before.
func TestIDsThatMeet(t *testing.T) {
	natural := nineID.instead("call_1", 0)
	ids := newCallIDs(nineID, called("call_1", natural))
	if ids.of(natural) != natural || ids.of("call_1") == natural || !nineID.fits(ids.of("call_1")) {
		t.Errorf("%q and %q", ids.of("call_1"), ids.of(natural))
	}
}

// What is replaced is the id alone.
func TestIDsLeaveTheRest(t *testing.T) {
	rows := called("call_1", "call_2")
	raw, _ := body(Request{Model: "m", Messages: rows}, chatOptions{ids: nineID})
	want := strings.Replace(string(rows[3].Blocks[0]), "call_2", newCallIDs(nineID, rows).of("call_2"), 1)
	if !strings.Contains(string(raw), want) {
		t.Errorf("%s\nlacks %s", raw, want)
	}
	if plain, _ := body(Request{Model: "m", Messages: rows}, chatOptions{}); !strings.Contains(string(plain), string(rows[3].Blocks[0])) {
		t.Errorf("without a rule: %s", plain)
	}
}

// Models of Mistral are known by vendor, host and name; any other server teaches
// what it takes.
func TestWhoseIDs(t *testing.T) {
	for name, c := range map[string]struct {
		o     Options
		model string
		want  idRule
	}{
		"mistral":        {Options{Vendor: "mistral", BaseURL: "http://127.0.0.1:1"}, "m", nineID},
		"its host":       {Options{Vendor: "box", BaseURL: "https://api.mistral.ai/v1"}, "m", nineID},
		"router":         {Options{Vendor: vendorOpenRouter, BaseURL: "http://127.0.0.1:1"}, "mistralai/Devstral-2", nineID},
		"openai":         {Options{Vendor: "openai"}, "gpt-4o", shortID},
		"openai's form":  {Options{Vendor: "openai", BaseURL: "http://127.0.0.1:1"}, "m", anyID},
		"not its domain": {Options{BaseURL: "https://api.mistral.ai.example.org"}, "m", anyID},
	} {
		p := newTestProvider(t, c.o)
		if got := p.options(Request{Model: c.model}, nil).ids; got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
	long := strings.Repeat("x", 50)
	for says, fits := range map[string]func(string) bool{
		`{"object":"error","message":"Tool call id was call_1 but must be a-z, A-Z, 0-9, with a length of 9.","type":"invalid_function_call","code":"3280"}`:                                                   nineID.fits,
		`{"error":{"message":"Invalid 'messages[1].tool_calls[0].id': string too long. Expected a string with maximum length 40, but got a string with length 50 instead.","code":"string_above_max_length"}}`: shortID.fits,
	} {
		rec := newRecorder(t, func(w http.ResponseWriter, _ *http.Request, nth int) {
			if nth == 1 {
				w.WriteHeader(http.StatusBadRequest)
				_, _ = io.WriteString(w, says)
				return
			}
			sse(w, delta(`{"content":"ok"}`), finishStop, done)
		})
		p := newTestProvider(t, Options{BaseURL: rec.URL})
		for range 2 {
			if _, err := p.Stream(context.Background(), Request{Model: "m", Messages: called(long)}, nil); err != nil {
				t.Fatal(err)
			}
		}
		if rec.count() != 3 || idsOf(t, rec.sent(t, 0))[0] != long {
			t.Errorf("%s: %d requests", says, rec.count())
		}
		for i := 1; i < 3; i++ {
			if ids := idsOf(t, rec.sent(t, i)); !fits(ids[0]) || ids[0] != ids[1] {
				t.Errorf("%s: %q", says, ids)
			}
		}
	}
}

// Claude behind a router gets four marks: one on the system prompt, the others on
// the last texts of the program before an answer. The text around them stays the
// same from pass to pass, so what was cached is found again.
func TestMarksThroughRouter(t *testing.T) {
	p := newTestProvider(t, Options{Vendor: vendorOpenRouter, BaseURL: "http://127.0.0.1:1", CacheTTL: "5m"})
	const marker = `,"cache_control":{"type":"ephemeral"}`
	write := func(model string, rows []message.Message) string {
		req := Request{Model: model, System: "S <b>", Messages: rows, Tools: []message.ToolDef{{Name: "f"}}}
		raw, _ := body(req, p.options(req, nil))
		if !json.Valid(raw) {
			t.Fatalf("not JSON: %s", raw)
		}
		return string(raw)
	}
	var rows []message.Message
	before := ""
	for i := range 6 {
		rows = append(rows, message.Message{Role: message.RoleUser, Content: fmt.Sprint("question ", i)},
			message.Message{Role: message.RoleAssistant, ToolCalls: []message.ToolCall{{ID: fmt.Sprint("a", i), Name: "f", Arguments: "{}"}, {ID: fmt.Sprint("b", i), Name: "f", Arguments: "{}"}}},
			message.Message{Role: message.RoleTool, ToolCallID: fmt.Sprint("a", i), Content: "one"}, message.Message{Role: message.RoleTool, ToolCallID: fmt.Sprint("b", i), Content: "two"},
			message.Message{Role: message.RoleAssistant, Content: "answer"})
		now := write("anthropic/claude-opus-5.5", append(rows[:len(rows):len(rows)], message.Message{Role: message.RoleUser, Content: "last"}))
		if n := strings.Count(now, marker); n != min(4, 3+i*2) && n != 4 {
			t.Errorf("turn %d: %d marks", i, n)
		}
		plain := strings.ReplaceAll(now, marker, "")
		rest, _, _ := strings.Cut(plain, `,{"role":"user","content":[{"type":"text","text":"last"}]}`)
		if !strings.HasPrefix(plain, before) {
			t.Errorf("turn %d does not begin as the one before:\n%s\n%s", i, before, plain)
		}
		before = rest
	}
	now := write("anthropic/claude-opus-5.5", rows[:4])
	for _, want := range []string{
		`{"role":"system","content":[{"type":"text","text":"S <b>"` + marker + `}]}`, `"text":"question 0"` + marker + `}]}`,
		`"tool_call_id":"a0","content":[{"type":"text","text":"one"}]}`, `"tool_call_id":"b0","content":[{"type":"text","text":"two"` + marker + `}]}`,
	} {
		if !strings.Contains(now, want) {
			t.Errorf("%s\nlacks %s", now, want)
		}
	}
	blank := write("anthropic/claude-opus-5.5", []message.Message{{Role: message.RoleUser, Content: " "}})
	if !strings.Contains(blank, `"content":" "}`) || strings.Count(blank, marker) != 1 {
		t.Errorf("a blank text: %s", blank)
	}
	for name, other := range map[string]string{
		"another model": write("openai/gpt-5", rows),
		"another vendor": string(func() []byte {
			raw, _ := body(Request{Model: "claude-x", System: "s", Messages: rows}, chatOptions{})
			return raw
		}()),
	} {
		if strings.Contains(other, cacheKey) || strings.Contains(other, `"type":"text"`) {
			t.Errorf("%s: %s", name, other)
		}
	}
}

// A router that refuses the marks is asked without them from then on.
func TestMarksRefusedByRouter(t *testing.T) {
	rec := refusal(t, func(w http.ResponseWriter) { sse(w, delta(`{"content":"ok"}`), finishStop, done) }, func(body string) string {
		if strings.Contains(body, cacheKey) {
			return `{"error":{"message":"messages.0.content.0.cache_control: Extra inputs are not permitted"}}`
		}
		return ""
	})
	p := newTestProvider(t, Options{BaseURL: rec.URL, Vendor: vendorOpenRouter, CacheTTL: "1h"})
	for range 2 {
		req := ask("go")
		req.Model = "anthropic/claude-sonnet-5"
		if _, err := p.Stream(context.Background(), req, nil); err != nil {
			t.Fatal(err)
		}
	}
	if rec.count() != 3 || !strings.Contains(string(rec.sent(t, 0)), `"ttl":"1h"`) || strings.Contains(string(rec.sent(t, 1)), `"type":"text"`) {
		t.Errorf("%d requests, %s", rec.count(), rec.sent(t, 1))
	}
}
