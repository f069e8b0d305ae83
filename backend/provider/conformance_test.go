package provider

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"hermes/backend/agent"
	"hermes/backend/message"
	"hermes/backend/store"
)

// conformer is what the suite has to know of a vendor. A new vendor is one more
// entry of conformers.
type conformer struct {
	name, model string
	open        func(t testing.TB, base string) Provider
	// asks is what every request has to contain, "" for nothing.
	asks string
	// answer writes a scripted answer as the vendor's stream, its strings in
	// pieces of so many characters.
	answer func(w http.ResponseWriter, script []scriptedBlock, size int)
	// want are the units of a script: what a vendor may compare byte for byte.
	want func(script []scriptedBlock) []string
	// units are those of stored blocks, without the calls that a split touched.
	units func(t fataler, blocks []json.RawMessage, touched map[string]bool) []string
	// sent are the blocks of the assistant row in a request body.
	sent func(t fataler, body []byte) []json.RawMessage
}

func conformers() []conformer {
	return append(plainConformers(), reasoningConformers()...)
}

func plainConformers() []conformer {
	return []conformer{openAIConformer(), anthropicConformer(), bedrockConformer(), converseConformer()}
}

// reasoningConformers are the same vendors with requests that turn reasoning on:
// what is signed then has to come back as it was.
func reasoningConformers() []conformer {
	client := &http.Client{Transport: &http.Transport{}}
	closed := func(t testing.TB, p Provider) Provider {
		t.Cleanup(client.CloseIdleConnections)
		return p
	}
	with := func(c conformer, name, model, asks string, open func(base string) Provider) conformer {
		c.name, c.model, c.asks = name, model, asks
		c.open = func(t testing.TB, base string) Provider { return closed(t, open(base)) }
		return c
	}
	options := func(base string) Options {
		return Options{BaseURL: base, Key: "k-1234", CacheTTL: "5m", Effort: EffortHigh, Client: client}
	}
	bedrock := func(base string) Provider {
		return NewBedrock(BedrockOptions{BaseURL: base, Variable: awsVariables(), CacheTTL: "5m", Effort: EffortHigh, Client: client})
	}
	return []conformer{
		with(anthropicConformer(), "anthropic with a budget", "claude-sonnet-4-5", `"thinking":{"type":"enabled","budget_tokens":16000}`, func(base string) Provider { return NewAnthropic(options(base)) }),
		with(anthropicConformer(), "anthropic adaptive", "claude-opus-5-5", `"thinking":{"type":"adaptive"},"output_config":{"effort":"high"}`, func(base string) Provider { return NewAnthropic(options(base)) }),
		with(bedrockConformer(), "bedrock adaptive", "us.anthropic.claude-opus-4-7", `"thinking":{"type":"adaptive"}`, bedrock),
		with(converseConformer(), "converse with reasoning", "us.amazon.nova-2-lite-v1:0", `"maxReasoningEffort":"high"`, bedrock),
		with(openAIConformer(), "openai with reasoning", "gpt-test", `"reasoning_effort":"high"`, func(base string) Provider { return NewOpenAI(options(base)) }),
		with(openAIConformer(), "claude through a router", "anthropic/claude-opus-5.5", `"reasoning":{"effort":"high"}`, func(base string) Provider {
			o := options(base)
			o.Vendor = vendorOpenRouter
			return NewOpenAI(o)
		}),
	}
}

// fataler is a test or one check of a property.
type fataler interface {
	Helper()
	Fatalf(format string, args ...any)
}

// scriptedBlock is one part of an answer. inner and sign are the insides of
// JSON strings, input is JSON text, extra are more members of the block.
type scriptedBlock struct {
	kind, inner, sign     string
	id, name, input, tail string
}

const batchInput = `{"calls": [{"name": "mcp__files__read", "arguments": {"path": "a.txt"}}, {"name": "mcp__tracker__create", "arguments": {"title": "Grüße <b>&", "n": 90071992547409931234, "f": 1.0}}]}`

// nastyScripts hold what encoders like to change.
func nastyScripts() map[string][]scriptedBlock {
	const tail = `,"odd":` + odd
	think := func(s string) scriptedBlock {
		return scriptedBlock{kind: blockThinking, inner: s + ` <b>&\u2028\u0000\/ \ud83d\ude00`, sign: "c2ln+/==" + s, tail: tail}
	}
	use := func(id string) scriptedBlock {
		return scriptedBlock{kind: blockUse, id: id, name: "mcp__git__log", input: `{ "n":90071992547409931234,  "f":1.0, "s":"<b> &\u2028\u0000", "o":{ } }`, tail: tail}
	}
	batch := func(id string) scriptedBlock {
		return scriptedBlock{kind: blockUse, id: id, name: message.NameToolCall, input: batchInput, tail: tail}
	}
	text := scriptedBlock{kind: blockText, inner: `I do <b>&\u2028 both\u0000.`, tail: tail}
	redacted := scriptedBlock{kind: blockRedacted, inner: `ab\/c==`, tail: tail}
	tomorrow := scriptedBlock{kind: "hologram", inner: `x\u003c`, tail: tail}
	return map[string][]scriptedBlock{
		"thinking before, between and after the calls": {think("1"), text, batch("toolu_1"), think("2"), use("toolu_2"), redacted, think("3")},
		"two batches beside each other":                {redacted, think("1"), batch("toolu_1"), batch("toolu_2"), tomorrow},
		"no batch":                                     {think("1"), use("toolu_1"), redacted, use("toolu_2")},
		"no calls":                                     {think("1"), tomorrow, text, redacted},
	}
}

// bench is one vendor against a server of ours that keeps the bytes it is sent.
type bench struct {
	conformer
	rec    *recorder
	path   string
	store  *store.Store
	mu     sync.Mutex
	script []scriptedBlock // of the next answer
	size   int
}

func newBench(t *testing.T, c conformer) *bench {
	b := &bench{conformer: c, path: filepath.Join(t.TempDir(), "state.db")}
	b.rec = newRecorder(t, func(w http.ResponseWriter, _ *http.Request, _ int) {
		b.mu.Lock()
		defer b.mu.Unlock()
		c.answer(w, b.script, b.size)
	})
	var err error
	if b.store, err = store.Open(b.path); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = b.store.Close() })
	return b
}

func (b *bench) next(script []scriptedBlock, size int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.script, b.size = script, size
}

// check follows an answer from the vendor through the split, the store and a
// restart back to the vendor.
func (b *bench) check(t fataler, p Provider, script []scriptedBlock, size int) {
	t.Helper()
	ctx := context.Background()
	req := Request{Model: b.model, System: "Be brief.", Messages: []message.Message{{Role: message.RoleUser, Content: "go"}}}
	b.next(script, size)
	turn, err := p.Stream(ctx, req, nil)
	if err != nil {
		t.Fatalf("asking: %v", err)
	}
	same(t, "as received", b.units(t, turn.Blocks, nil), b.want(script))

	split := agent.Split(agent.Turn(turn))
	touched := changed(turn.ToolCalls, split.ToolCalls)
	whole := b.units(t, turn.Blocks, touched)
	same(t, "after the split", b.units(t, split.Blocks, touched), whole)

	row := message.Message{Role: message.RoleAssistant, Content: split.Content, ToolCalls: split.ToolCalls, Vendor: split.Vendor, Blocks: split.Blocks}
	stored := b.restarted(t, append(req.Messages, row))
	same(t, "after the restart", b.units(t, stored[1].Blocks, touched), whole)

	b.next([]scriptedBlock{{kind: blockText, inner: "ok"}}, 5)
	req.Messages = append(stored, message.Message{Role: message.RoleUser, Content: "next"})
	if _, err := p.Stream(ctx, req, nil); err != nil {
		t.Fatalf("asking again: %v", err)
	}
	b.rec.mu.Lock()
	first, body := b.rec.bodies[len(b.rec.bodies)-2], b.rec.bodies[len(b.rec.bodies)-1]
	b.rec.mu.Unlock()
	if !strings.Contains(string(first), b.asks) || !strings.Contains(string(body), b.asks) {
		t.Fatalf("the requests do not ask for reasoning: %s", body)
	}
	if !json.Valid(body) {
		t.Fatalf("the request is not JSON: %s", body)
	}
	sent := b.sent(t, body)
	same(t, "at the wire", b.units(t, sent, touched), whole)
	same(t, "every block at the wire", texts(sent), texts(split.Blocks))
}

// restarted stores rows with a result of every call, opens the store again and
// gives the history.
func (b *bench) restarted(t fataler, rows []message.Message) []message.Message {
	t.Helper()
	ctx := context.Background()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatalf("store: %v", err)
		}
	}
	session, err := b.store.CreateSession(ctx, store.Session{Source: "test", Model: b.model})
	must(err)
	must(b.store.AppendTurn(ctx, session, rows))
	for _, call := range rows[1].ToolCalls {
		must(b.store.MarkStarted(ctx, session, call.ID))
		must(b.store.FinishCall(ctx, session, call.ID, message.Message{Role: message.RoleTool, ToolCallID: call.ID, ToolName: call.Name, Status: message.StatusOK, Content: "r"}))
	}
	must(b.store.Close())
	b.store, err = store.Open(b.path)
	must(err)
	history, err := b.store.Messages(ctx, session)
	must(err)
	if len(history) != len(rows)+len(rows[1].ToolCalls) {
		t.Fatalf("the store gives %d rows", len(history))
	}
	return history
}

// changed are the ids of the calls that a split made or changed.
func changed(before, after []message.ToolCall) map[string]bool {
	out := map[string]bool{}
	for _, c := range after {
		if !slices.Contains(before, c) {
			out[c.ID] = true
		}
	}
	return out
}

func texts(blocks []json.RawMessage) []string {
	out := make([]string, len(blocks))
	for i, b := range blocks {
		out[i] = string(b)
	}
	return out
}

// same compares by SHA-256, as the bar says, and shows the bytes.
func same(t fataler, when string, got, want []string) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s: %d units, want %d\n got %q\nwant %q", when, len(got), len(want), got, want)
	}
	for i := range want {
		if sum(got[i]) != sum(want[i]) {
			t.Fatalf("%s: unit %d changed\n got %s\nwant %s", when, i, got[i], want[i])
		}
	}
}

func TestConformanceOfBlocks(t *testing.T) {
	for _, c := range conformers() {
		t.Run(c.name, func(t *testing.T) {
			b := newBench(t, c)
			p := c.open(t, b.rec.URL)
			for name, script := range nastyScripts() {
				for _, size := range []int{1, 7, 1000} {
					t.Run(fmt.Sprintf("%s/%d", name, size), func(t *testing.T) { b.check(t, p, script, size) })
				}
			}
		})
	}
}

// TestConformanceOfAnyBlocks is the same for random answers.
func TestConformanceOfAnyBlocks(t *testing.T) {
	for _, c := range plainConformers() {
		t.Run(c.name, func(t *testing.T) {
			b := newBench(t, c)
			p := c.open(t, b.rec.URL)
			rapid.Check(t, func(t *rapid.T) {
				b.check(t, p, anyScript(t), rapid.IntRange(1, 40).Draw(t, "size"))
			})
		})
	}
}

func anyScript(t *rapid.T) []scriptedBlock {
	inner := rapid.Custom(func(t *rapid.T) string {
		parts := rapid.SliceOfN(rapid.SampledFrom([]string{"a", " ", "ß", "😀", "<b>", "&", `\u2028`, `\u0000`, `\/`, `\"`, `\\`, `\ud83d\ude00`, `\n`, "\u2028", `\u003c`, "你"}), 1, 12).Draw(t, "parts")
		return "x" + strings.Join(parts, "")
	})
	raw := rapid.SampledFrom([]string{`{}`, `{ }`, odd, `{"a":[1.0, 90071992547409931234 ]}`, `{"s":"<&>\u2028","e":{"x" : null}}`, `{"dup":1,"dup":2}`})
	tail := rapid.SampledFrom([]string{"", `,"odd":` + odd, `,"n":1e400`, `,"z":[ ]`})
	kinds := rapid.SampledFrom([]string{blockText, blockThinking, blockRedacted, blockUse, "batch", "hologram"})
	n := rapid.IntRange(1, 8).Draw(t, "blocks")
	out := make([]scriptedBlock, n)
	for i := range out {
		b := scriptedBlock{kind: kinds.Draw(t, "kind"), tail: tail.Draw(t, "tail")}
		switch b.kind {
		case blockUse:
			b.name, b.input = "f", raw.Draw(t, "input")
		case "batch":
			b.kind, b.name, b.input = blockUse, message.NameToolCall, batchInput
		default:
			b.inner, b.sign = inner.Draw(t, "inner"), inner.Draw(t, "sign")
		}
		b.id = fmt.Sprintf("toolu_%d", i)
		out[i] = b
	}
	return out
}
