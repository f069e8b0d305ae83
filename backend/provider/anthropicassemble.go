package provider

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"hermes/backend/message"
)

// The block types that mean something here; every other is carried along.
const (
	blockText     = "text"
	blockUse      = "tool_use"
	blockThinking = "thinking"
	blockRedacted = "redacted_thinking"
)

// The stop reasons that need more than a translation.
const (
	stopPause   = "pause_turn"
	stopRefusal = "refusal"
)

// errVendorEvent is an "error" event of a stream.
var errVendorEvent = errors.New("the vendor reported an error")

// messageAssembler builds one answer of the Anthropic messages format from the
// data of its stream events: the raw bytes of each block and, computed from
// them, the neutral view. What no delta touched keeps its bytes; block and
// delta types nobody here knows are kept by shape.
type messageAssembler struct {
	onText func(string)
	size   int
	blocks []*growingBlock
	usage  messagesUsage
	stop   string
	// begun: an event has come. started: a block has. ended: the terminal event
	// has.
	begun, started, ended bool
}

// messagesUsage are token counts as the vendor splits them. Later events repeat
// them as sums.
type messagesUsage struct {
	Input      *int `json:"input_tokens"`
	Output     *int `json:"output_tokens"`
	CacheRead  *int `json:"cache_read_input_tokens"`
	CacheWrite *int `json:"cache_creation_input_tokens"`
}

func (u *messagesUsage) take(later messagesUsage) {
	for _, pair := range []struct{ old, fresh **int }{
		{&u.Input, &later.Input}, {&u.Output, &later.Output},
		{&u.CacheRead, &later.CacheRead}, {&u.CacheWrite, &later.CacheWrite},
	} {
		if *pair.fresh != nil {
			*pair.old = *pair.fresh
		}
	}
}

// neutral counts everything that was read as input, as message.Usage says.
func (u *messagesUsage) neutral() message.Usage {
	count := func(n *int) int {
		if n == nil {
			return 0
		}
		return max(*n, 0)
	}
	out := message.Usage{OutputTokens: count(u.Output), CacheRead: count(u.CacheRead), CacheWrite: count(u.CacheWrite)}
	out.InputTokens = count(u.Input) + out.CacheRead + out.CacheWrite
	return out
}

// event takes the data of the next event; it is the same JSON whatever carries
// it (server-sent events, AWS event stream). The assembler is of no use after
// an error; errVendorEvent is the vendor's own.
func (a *messageAssembler) event(data []byte) error {
	if a.size += len(data); a.size > maxAnswer {
		return fmt.Errorf("the answer is longer than %d MB", maxAnswer>>20)
	}
	var e struct {
		Type    string          `json:"type"`
		Index   int             `json:"index"`
		Message json.RawMessage `json:"message"`
		Block   json.RawMessage `json:"content_block"`
		Delta   json.RawMessage `json:"delta"`
		Usage   *messagesUsage  `json:"usage"`
	}
	if err := json.Unmarshal(data, &e); err != nil {
		return fmt.Errorf("reading an event: %w", err)
	}
	a.begun = a.begun || e.Type == "message_start"
	switch e.Type {
	case "error":
		return errVendorEvent
	case "message_start":
		return a.begin(e.Message)
	case "content_block_start":
		return a.open(e.Index, e.Block)
	case "content_block_delta":
		b := a.block(e.Index)
		if b == nil {
			return fmt.Errorf("a delta of block %d, which never began", e.Index)
		}
		return b.delta(e.Delta, a.show)
	case "content_block_stop":
		if b := a.block(e.Index); b != nil {
			a.show(b.shown.flush())
		}
	case "message_delta":
		var d struct {
			Stop string `json:"stop_reason"`
		}
		if len(e.Delta) > 0 && json.Unmarshal(e.Delta, &d) == nil && d.Stop != "" {
			a.stop = d.Stop
		}
		if e.Usage != nil {
			a.usage.take(*e.Usage)
		}
	case "message_stop":
		a.ended = true
	}
	return nil // a ping, or an event of tomorrow
}

// begin takes an answer's first event, or a whole answer that was not streamed.
func (a *messageAssembler) begin(raw json.RawMessage) error {
	var m struct {
		Content []json.RawMessage `json:"content"`
		Usage   messagesUsage     `json:"usage"`
		Stop    string            `json:"stop_reason"`
	}
	if len(raw) == 0 {
		return nil
	}
	if err := json.Unmarshal(raw, &m); err != nil {
		return fmt.Errorf("reading the message: %w", err)
	}
	a.usage.take(m.Usage)
	a.stop = orOld(m.Stop, a.stop)
	for i, block := range m.Content {
		if err := a.open(i, block); err != nil {
			return err
		}
	}
	return nil
}

func (a *messageAssembler) open(index int, raw json.RawMessage) error {
	if len(a.blocks) >= maxParts {
		return errTooManyParts
	}
	b, err := newGrowingBlock(index, raw)
	if err != nil {
		return fmt.Errorf("reading block %d: %w", index, err)
	}
	a.started = true
	a.blocks = append(a.blocks, b)
	if first := b.lookup("text"); b.kind == blockText && first != nil && first.isString() {
		a.show(b.shown.add(inner(first.raw)))
	}
	return nil
}

// block is the one a delta continues: the newest with that index, because some
// imitations number every block 0.
func (a *messageAssembler) block(index int) *growingBlock {
	for i := len(a.blocks) - 1; i >= 0; i-- {
		if a.blocks[i].index == index {
			return a.blocks[i]
		}
	}
	return nil
}

func (a *messageAssembler) show(s string) {
	if s != "" && a.onText != nil {
		a.onText(s)
	}
}

// turn closes the answer. The caller has seen that it ended and why.
func (a *messageAssembler) turn() Turn {
	t := Turn{Vendor: VendorAnthropic, Usage: a.usage.neutral()}
	var said strings.Builder
	for _, b := range a.blocks {
		a.show(b.shown.flush())
		switch b.kind {
		case blockText:
			said.WriteString(b.string("text"))
		case blockUse:
			t.ToolCalls = append(t.ToolCalls, b.call(len(t.ToolCalls)))
		}
		t.Blocks = append(t.Blocks, b.bytes())
	}
	t.Content = said.String()
	t.Stop = messagesStop(a.stop, len(t.ToolCalls))
	return t
}

func messagesStop(reason string, calls int) message.StopReason {
	switch reason {
	case "max_tokens", "model_context_window_exceeded":
		return message.StopLength
	}
	if calls > 0 {
		return message.StopToolCalls
	}
	return message.StopEnd
}
