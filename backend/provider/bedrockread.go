package provider

import (
	"encoding/json"
	"errors"
	"fmt"
)

// bedrockReader builds an answer from the events of a stream, or from a whole
// answer.
type bedrockReader interface {
	event(kind string, payload []byte) error
	whole(body []byte) error
	// progress tells how far a stream is: begun once something of the answer is
	// there, ended once it is complete, closed once nothing more is awaited.
	progress() (begun, ended, closed bool)
	finish(c *bedrockCall) (turn Turn, paused bool, failed *Error)
}

// invokeReader reads the events of an Anthropic model: each chunk carries one.
type invokeReader struct {
	messageAssembler
	paused bool
}

func (r *invokeReader) event(kind string, payload []byte) error {
	if kind != "chunk" {
		return nil // an event of tomorrow
	}
	var chunk struct {
		Bytes []byte `json:"bytes"`
	}
	if err := json.Unmarshal(payload, &chunk); err != nil {
		return fmt.Errorf("reading a chunk: %w", err)
	}
	if len(chunk.Bytes) == 0 {
		return errors.New("a chunk is empty")
	}
	return r.messageAssembler.event(chunk.Bytes)
}

func (r *invokeReader) whole(body []byte) error {
	var m struct{ Content json.RawMessage }
	if err := json.Unmarshal(body, &m); err != nil || !isArray(m.Content) {
		return errors.New("it holds no message")
	}
	return r.begin(body)
}

func (r *invokeReader) progress() (begun, ended, closed bool) {
	return r.started, r.messageAssembler.ended, r.messageAssembler.ended
}

func (r *invokeReader) finish(c *bedrockCall) (Turn, bool, *Error) {
	answer := messagesAnswer{endpoint: c.endpoint}
	turn, failed := answer.close(&r.messageAssembler)
	return turn, answer.paused, failed
}

// converseReader reads the events of Converse.
type converseReader struct{ converseAssembler }

func (r *converseReader) progress() (begun, ended, closed bool) {
	return r.started, r.ended, r.ended && r.metered
}

func (r *converseReader) finish(c *bedrockCall) (Turn, bool, *Error) {
	failed := func(why, hint string) (Turn, bool, *Error) {
		e := c.cut(why, nil)
		if hint != "" {
			e.Hint = hint
		}
		return Turn{}, false, e
	}
	const otherWords = "nothing of it was kept and nothing was run; ask in other words or choose another model"
	switch r.stop {
	case "":
		return failed("it ended without a stop reason", "")
	case "guardrail_intervened":
		return failed("a guardrail of the AWS account withheld it", otherWords)
	case "content_filtered":
		return failed("the vendor's content filter withheld it", otherWords)
	case "malformed_model_output", "malformed_tool_use":
		return failed("the model wrote something that is no answer ("+r.stop+")", "")
	}
	return r.turn(), false, nil
}
