package provider

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"hermes/backend/message"
)

const (
	// DefaultAnthropicURL is the address of NewAnthropic when Options.BaseURL
	// is empty.
	DefaultAnthropicURL = "https://api.anthropic.com"
	anthropicVersion    = "2023-06-01"
	// maxPauses bounds how often an answer that the vendor paused is continued.
	maxPauses = 10

	betaHeader = "Anthropic-Beta"
	// signInToken begins the tokens that `claude setup-token` gives. The vendor takes
	// them as bearer tokens alone, under a beta of their own.
	signInToken = "sk-ant-oat"
	signInBeta  = "oauth-2025-04-20"
)

// Anthropic speaks the Anthropic messages format over server-sent events. It
// is safe for concurrent use.
type Anthropic struct {
	*endpoint
	cache  string
	effort *effort
}

// NewAnthropic returns a provider for api.anthropic.com, or for a server that
// speaks like it. A faulty address is reported by Stream.
func NewAnthropic(o Options) *Anthropic {
	bearer := o.Bearer || strings.HasPrefix(o.Key, signInToken)
	return &Anthropic{cache: o.CacheTTL, effort: &effort{level: o.Effort}, endpoint: newEndpoint(o, dialect{
		base: DefaultAnthropicURL, path: []string{"v1", "messages"}, variable: "ANTHROPIC_API_KEY",
		format: "an endpoint of the Anthropic messages format", events: "Anthropic messages",
		sign: func(h http.Header, key string) {
			h.Set("Anthropic-Version", anthropicVersion)
			switch {
			case key == "":
			case bearer:
				h.Set("Authorization", "Bearer "+key)
			default:
				h.Set("X-Api-Key", key)
			}
			if strings.HasPrefix(key, signInToken) {
				h.Add(betaHeader, signInBeta)
			}
		},
	})}
}

// Stream runs one model pass; an answer the vendor paused is continued until
// it is whole.
func (p *Anthropic) Stream(ctx context.Context, req Request, onText func(string)) (Turn, error) {
	answer := messagesAnswer{endpoint: p.endpoint, onText: onText}
	var whole Turn
	for range maxPauses {
		turn, err := p.once(ctx, req, &answer)
		if err != nil {
			return Turn{}, err
		}
		whole = continued(whole, turn)
		if !answer.paused {
			return whole, nil
		}
		req.Messages = append(slices.Clip(req.Messages), message.Message{
			Role: message.RoleAssistant, Content: turn.Content, Vendor: turn.Vendor, Blocks: turn.Blocks,
		})
	}
	return Turn{}, p.cut(fmt.Sprintf("the vendor paused it %d times", maxPauses), nil)
}

func (p *Anthropic) once(ctx context.Context, req Request, answer *messagesAnswer) (Turn, error) {
	var sent messagesRequest
	var notices []string
	key := modelKey(p.url, req.Model)
	turn, err := p.run(ctx, req.Model, pass{
		waits: req.Waits,
		write: func(without map[string]bool) ([]byte, []string) {
			taught := p.memory.refused(key)
			notices = append(notices, p.effort.unsent(req.Model, taught)...)
			sent = writeMessages(req, messagesOptions{
				cache: p.cache, without: without, dead: p.memory.deadBlocks(),
				effort: p.effort.asks(req, taught), plain: taught[refusedInterleaved],
			})
			if sent.asked.notice != "" {
				notices = append(notices, p.effort.tell(sent.asked.notice, req.Model, p.effort.level)...)
			}
			return sent.raw, sent.optional
		},
		events: answer.events,
		plain:  answer.plain,
		header: func(h http.Header) {
			if sent.asked.interleaved {
				h.Add(betaHeader, interleavedBeta)
			}
		},
		mend: func(failed *Error) bool {
			told, mended := mendThinking(failed, sent, p.effort, p.memory, key, req.Model)
			notices = append(notices, told...)
			return mended
		},
	})
	turn.Notices = append(notices, turn.Notices...)
	return turn, err
}

// modelKey is where a Memory keeps what is known of a model at an address.
func modelKey(url, model string) string { return url + " " + model }

// mendThinking finds out what a refusal says of reasoning: that it is not to be
// asked for, not now or not in this way, or that earlier reasoning is not to be
// sent back. It reports whether the request is worth sending again.
func mendThinking(failed *Error, sent messagesRequest, e *effort, memory *Memory, key, model string) (told []string, mended bool) {
	asked := sent.asked.members != ""
	switch {
	case sent.asked.interleaved && isRefusal(failed) && bytes.Contains(failed.body, []byte(interleavedBeta)):
		return nil, memory.refuse(key, refusedInterleaved)
	case asked && wantsThinkingFirst(failed):
		return e.tell(message.EffortPaused, model, e.level), e.pause()
	case asked && refusesEffort(failed):
		if !memory.refuse(key, refusedEffort) {
			return nil, false
		}
		return e.tell(message.EffortRefused, model, e.level), true
	case refusesThinking(failed) && memory.bury(sent.thinking):
		return []string{thinkingRefused}, true
	}
	return nil, false
}

const thinkingRefused = "The vendor refused the signature of the model's earlier reasoning. It is left out of requests from now on; the stored conversation is unchanged."

// refusesThinking reports a refusal that speaks of signed thinking.
func refusesThinking(failed *Error) bool {
	if failed.Status != http.StatusBadRequest && failed.Status != http.StatusUnprocessableEntity {
		return false
	}
	for _, word := range []string{"signature", "`thinking`", "'thinking'", blockRedacted} {
		if bytes.Contains(failed.body, []byte(word)) {
			return true
		}
	}
	return false
}

// continued joins the parts of a paused answer.
func continued(before, after Turn) Turn {
	if before.Vendor == "" {
		return after
	}
	after.Content = before.Content + after.Content
	after.Blocks = append(before.Blocks, after.Blocks...)
	after.ToolCalls = append(before.ToolCalls, after.ToolCalls...)
	after.Usage = before.Usage.Add(after.Usage)
	after.Notices = append(before.Notices, after.Notices...)
	return after
}

// messagesAnswer reads an answer in either form.
type messagesAnswer struct {
	*endpoint
	onText func(string)
	paused bool
}

// events reads a stream to its terminal event, message_stop. A clean end
// without it, or without a stop_reason before it, is a cut answer.
func (p *messagesAnswer) events(ctx context.Context, in *answerBody) (Turn, *Error) {
	dec := newDecoder(in)
	a := &messageAssembler{onText: p.onText}
	for dec.Next() {
		data := bytes.TrimSpace(dec.Event().Data)
		if len(data) == 0 {
			continue
		}
		err := a.event(data)
		var syntax *json.SyntaxError
		switch {
		case errors.Is(err, errVendorEvent), err != nil && dec.Event().Type == "error":
			return Turn{}, p.inStream(a.started, data)
		case errors.As(err, &syntax):
			return Turn{}, p.badEvent(in, a.started, syntax)
		case err != nil:
			return Turn{}, p.unreadable("an answer that cannot be read", err)
		case a.ended:
			turn, failed := p.close(a)
			if failed == nil {
				drain(dec, in)
			}
			return turn, failed
		}
	}
	return Turn{}, p.broken(ctx, in, a.begun, dec.Err())
}

// plain reads the answer of a server that ignores "stream".
func (p *messagesAnswer) plain(ctx context.Context, in *answerBody) (Turn, *Error) {
	raw, failed := p.whole(ctx, in)
	if failed != nil {
		return Turn{}, failed
	}
	var m struct {
		Type    string          `json:"type"`
		Content json.RawMessage `json:"content"`
	}
	if err := json.Unmarshal(raw, &m); err != nil {
		return Turn{}, p.cut("it is not complete JSON", err)
	}
	if m.Type == "error" {
		return Turn{}, p.eventError(raw)
	}
	if m.Type != "message" || !isArray(m.Content) {
		return Turn{}, p.unreadable("JSON that is not a message", errors.New(clip(string(raw))))
	}
	a := &messageAssembler{onText: p.onText}
	if err := a.begin(raw); err != nil {
		return Turn{}, p.unreadable("an answer that cannot be read", err)
	}
	return p.close(a)
}

// close makes a turn of an answer that has ended, if it is a whole one.
func (p *messagesAnswer) close(a *messageAssembler) (Turn, *Error) {
	switch a.stop {
	case "":
		return Turn{}, p.cut("it ended without a stop_reason", nil)
	case stopRefusal:
		e := p.cut("the vendor's safety filter ended it (refusal)", nil)
		e.Hint = "nothing of it was kept and nothing was run; ask in other words, start a new conversation or choose another model"
		return Turn{}, e
	}
	turn := a.turn()
	p.paused = a.stop == stopPause && len(turn.ToolCalls) == 0
	if p.paused && len(turn.Blocks) == 0 {
		return Turn{}, p.cut("the vendor paused before it said anything", nil)
	}
	return turn, nil
}
