package provider

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"hermes/backend/message"
)

// converseAssembler builds one answer of the Converse format from the events of
// its stream, or from a whole answer: the raw bytes of each block and, computed
// from them, the neutral view.
type converseAssembler struct {
	onText func(string)
	size   int
	blocks []*converseBlock
	usage  converseUsage
	stop   string
	// started: a block has begun. ended: the terminal event has come. metered:
	// so has the event after it that counts the tokens.
	started, ended, metered bool
}

type converseUsage struct {
	Input      int `json:"inputTokens"`
	Output     int `json:"outputTokens"`
	CacheRead  int `json:"cacheReadInputTokens"`
	CacheWrite int `json:"cacheWriteInputTokens"`
}

// neutral counts everything that was read as input: Converse counts what came
// from the cache and went into it beside the rest.
func (u converseUsage) neutral() message.Usage {
	read, write := max(u.CacheRead, 0), max(u.CacheWrite, 0)
	return message.Usage{InputTokens: max(u.Input, 0) + read + write, OutputTokens: max(u.Output, 0), CacheRead: read, CacheWrite: write}
}

// event takes the next event. The assembler is of no use after an error.
func (a *converseAssembler) event(kind string, data []byte) error {
	if a.size += len(data); a.size > maxAnswer {
		return fmt.Errorf("the answer is longer than %d MB", maxAnswer>>20)
	}
	var e struct {
		Index int             `json:"contentBlockIndex"`
		Start json.RawMessage `json:"start"`
		Delta json.RawMessage `json:"delta"`
		Stop  string          `json:"stopReason"`
		Usage converseUsage   `json:"usage"`
	}
	if err := json.Unmarshal(data, &e); err != nil {
		return fmt.Errorf("reading the event %q: %w", kind, err)
	}
	switch kind {
	case "contentBlockStart":
		b, err := a.open(e.Index)
		if err != nil {
			return err
		}
		return a.part(b, e.Start, b.begin)
	case "contentBlockDelta":
		b := a.block(e.Index)
		if b == nil { // text begins without a start
			var err error
			if b, err = a.open(e.Index); err != nil {
				return err
			}
		}
		return a.part(b, e.Delta, b.grow)
	case "contentBlockStop":
		if b := a.block(e.Index); b != nil {
			b.closed = true
			a.show(b.shown.flush())
		}
	case "messageStop":
		a.stop, a.ended = e.Stop, true
	case "metadata":
		a.usage, a.metered = e.Usage, true
	}
	return nil // messageStart, or an event of tomorrow
}

// part hands the members of a start or a delta to its block. A block is one
// thing: a second kind in it would be lost at the next request.
func (a *converseAssembler) part(b *converseBlock, raw json.RawMessage, take func(member, func(string)) error) error {
	if isNull(raw) {
		return nil
	}
	ms, err := members(raw)
	if err != nil {
		return err
	}
	for _, m := range ms {
		if isNull(m.value) {
			continue
		}
		if b.kind != "" && b.kind != m.key {
			return fmt.Errorf("block %d is %q and %q at once, which this program does not know", b.index, clip(b.kind), clip(m.key))
		}
		b.kind = m.key
		if err := take(m, a.show); err != nil {
			return fmt.Errorf("block %d: %w", b.index, err)
		}
	}
	return nil
}

func (a *converseAssembler) open(index int) (*converseBlock, error) {
	if len(a.blocks) >= maxParts {
		return nil, errTooManyParts
	}
	if old := a.block(index); old != nil && !old.closed {
		return nil, fmt.Errorf("block %d begins twice", index)
	}
	a.started = true
	b := &converseBlock{index: index}
	a.blocks = append(a.blocks, b)
	return b, nil
}

func (a *converseAssembler) block(index int) *converseBlock {
	for i := len(a.blocks) - 1; i >= 0; i-- {
		if a.blocks[i].index == index {
			return a.blocks[i]
		}
	}
	return nil
}

func (a *converseAssembler) show(s string) {
	if s != "" && a.onText != nil {
		a.onText(s)
	}
}

// whole takes an answer that was not streamed; its blocks keep their bytes.
func (a *converseAssembler) whole(data []byte) error {
	var e struct {
		Output struct {
			Message *struct {
				Content []json.RawMessage `json:"content"`
			} `json:"message"`
		} `json:"output"`
		Stop  string        `json:"stopReason"`
		Usage converseUsage `json:"usage"`
	}
	if err := json.Unmarshal(data, &e); err != nil {
		return err
	}
	if e.Output.Message == nil || e.Stop == "" {
		return errors.New("it holds no message")
	}
	if len(e.Output.Message.Content) > maxParts {
		return errTooManyParts
	}
	for i, raw := range e.Output.Message.Content {
		ms, err := members(raw)
		if err != nil || len(ms) != 1 {
			return fmt.Errorf("block %d is not one thing", i)
		}
		b := &converseBlock{index: i, kind: ms[0].key, raw: validUTF8(raw)}
		if b.kind == "toolUse" {
			if b.use, err = members(ms[0].value); err != nil {
				return fmt.Errorf("block %d: %w", i, err)
			}
		}
		if b.kind == "text" {
			a.show(text(ms[0].value))
			b.text = stringInside(ms[0].value)
		}
		a.blocks = append(a.blocks, b)
	}
	a.started, a.ended, a.metered, a.stop, a.usage = true, true, true, e.Stop, e.Usage
	return nil
}

// stringInside is the inside of a JSON string, nothing for another value.
func stringInside(raw []byte) []byte {
	if !isString(raw) {
		return nil
	}
	return inner(raw)
}

// turn closes the answer. The caller has seen that it ended and why.
func (a *converseAssembler) turn() Turn {
	t := Turn{Vendor: VendorBedrock, Usage: a.usage.neutral()}
	var said strings.Builder
	for _, b := range a.blocks {
		a.show(b.shown.flush())
		switch b.kind {
		case "": // began and never said what it is
			continue
		case "reasoningContent":
			if b.empty() {
				continue
			}
		case "text":
			said.WriteString(unescape(b.text))
		case "toolUse":
			t.ToolCalls = append(t.ToolCalls, b.call(len(t.ToolCalls)))
		}
		t.Blocks = append(t.Blocks, b.bytes())
	}
	t.Content = said.String()
	t.Stop = messagesStop(a.stop, len(t.ToolCalls))
	return t
}
