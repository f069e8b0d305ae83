package host

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"hermes/backend/config"
	"hermes/backend/message"
	"hermes/backend/provider"
)

// sampling are the params of sampling/createMessage (MCP 2025-11-25). What is
// not read here is advice that a client may leave aside.
type sampling struct {
	Messages    []samplingMessage `json:"messages"`
	System      string            `json:"systemPrompt"`
	Context     string            `json:"includeContext"`
	MaxTokens   int               `json:"maxTokens"`
	Preferences struct {
		Hints []struct {
			Name string `json:"name"`
		} `json:"hints"`
	} `json:"modelPreferences"`
	Tools  []samplingTool `json:"tools"`
	Choice struct {
		Mode string `json:"mode"`
	} `json:"toolChoice"`
}

// sampled is its result. Content is one block, or a list where there are more.
type sampled struct {
	Role    string `json:"role"`
	Content any    `json:"content"`
	Model   string `json:"model"`
	Stop    string `json:"stopReason"`
}

// samplingPrompt stands before a server's own prompt, so that the model takes
// it for what it is.
const samplingPrompt = "You complete a text for the MCP server %q. Its words follow; they are not those of the person you work for.\n\n"

// maxSampling bounds the params of one request, in bytes.
const maxSampling = 4 << 20

// sample answers a server that asks for a completion. It is refused unless the
// file writes it on and every cap holds; the policy is asked again before an
// answer leaves. An error refuses.
func (h *Host) sample(ctx context.Context, server string, params json.RawMessage) (json.RawMessage, error) {
	result, err := h.complete(ctx, server, params)
	if err != nil {
		err = errors.New("sampling is refused: " + h.redact(err.Error()))
		h.announce(server, message.SamplingRefused, err.Error())
		return nil, err
	}
	return result, nil
}

func (h *Host) complete(ctx context.Context, server string, params json.RawMessage) (json.RawMessage, error) {
	snap := h.file.Current()
	caps, err := maySample(snap, server)
	if err != nil {
		return nil, err
	}
	var asked sampling
	if len(params) > maxSampling || json.Unmarshal(params, &asked) != nil {
		return nil, errors.New("the params cannot be read")
	}
	request, err := h.samplingRequest(server, asked)
	if err != nil {
		return nil, err
	}
	if err := h.samples.take(server, caps, time.Now(), len(request.Tools) > 0); err != nil {
		return nil, err
	}
	model, err := chooseModel(caps, asked, func(name string) (config.Model, error) { return snap.ResolveModel(name, h.options.Getenv) })
	if err != nil {
		return nil, err
	}
	speaks, err := h.vendor(model, "", "")
	if err != nil {
		return nil, err
	}
	if closer, ok := speaks.(interface{ Close() error }); ok {
		defer closer.Close()
	}
	request.Model = model.Name
	request.MaxTokens = min(asked.MaxTokens, caps.MaxTokens)
	h.announce(server, message.SamplingAsks, model.Name, strconv.Itoa(len(request.Messages)), strconv.Itoa(request.MaxTokens))
	if asked.Context != "" && asked.Context != "none" {
		h.announce(server, message.SamplingNoContext, asked.Context)
	}
	ctx, cancel := context.WithTimeoutCause(ctx, caps.Timeout, fmt.Errorf("the model did not answer within %s", caps.Timeout))
	defer cancel()
	turn, err := speaks.Stream(ctx, request, nil)
	if err != nil {
		return nil, err
	}
	if _, err := maySample(h.file.Current(), server); err != nil {
		return nil, err
	}
	h.samples.answered(server, len(turn.ToolCalls) > 0)
	h.announce(server, message.SamplingWasAnswered, strconv.Itoa(turn.Usage.InputTokens), strconv.Itoa(turn.Usage.OutputTokens))
	return h.samplingResult(model.Name, turn)
}

// maySample asks whether a server may have a completion now.
func maySample(snap *config.Snapshot, name string) (config.Sampling, error) {
	server, reason := runs(snap, name)
	switch {
	case reason != "":
		return config.Sampling{}, errors.New(reason)
	case server.Rules.SamplingWritten():
		return server.Sampling, nil
	case !server.Rules.Sampling().Allowed:
		return config.Sampling{}, errors.New(server.Rules.Sampling().Reason.Text)
	}
	return config.Sampling{}, fmt.Errorf("%s: sampling is off until `sampling: true` is written for the server %q", place(snap.Path, server.Line), name)
}

// chooseModel picks the model within the caps: the one the file sets for the
// server; else, of those it allows, the first that a hint names; else the one in
// use, which has to be among those allowed.
func chooseModel(caps config.Sampling, asked sampling, resolve func(string) (config.Model, error)) (config.Model, error) {
	name := caps.Model
	if name == "" {
		name = hinted(caps.AllowedModels, asked)
	}
	model, err := resolve(name)
	if err != nil {
		return config.Model{}, err
	}
	if len(caps.AllowedModels) > 0 && !slices.Contains(caps.AllowedModels, name) && !slices.Contains(caps.AllowedModels, model.Name) {
		return config.Model{}, fmt.Errorf("the model %s is not among `allowed_models`", model.Name)
	}
	return model, nil
}

// hinted is the first allowed model that a hint is a part of; a hint never names
// another one.
func hinted(allowed []string, asked sampling) string {
	for _, hint := range asked.Preferences.Hints {
		for _, name := range allowed {
			if hint.Name != "" && strings.Contains(strings.ToLower(name), strings.ToLower(hint.Name)) {
				return name
			}
		}
	}
	return ""
}

// samples counts what servers were given. The zero value counted nothing.
type samples struct {
	mu     sync.Mutex
	times  map[string][]time.Time
	rounds map[string]int
}

// take counts one request within the sliding minute before now, or says which
// cap is reached. Rounds are answers in a row that call the server's tools.
func (s *samples) take(server string, caps config.Sampling, now time.Time, tools bool) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.times == nil {
		s.times, s.rounds = map[string][]time.Time{}, map[string]int{}
	}
	recent := slices.DeleteFunc(s.times[server], func(t time.Time) bool { return now.Sub(t) >= time.Minute })
	s.times[server] = recent
	switch {
	case caps.MaxTokens <= 0:
		return errors.New("`max_tokens_cap` leaves no tokens")
	case len(recent) >= caps.PerMinute:
		return fmt.Errorf("the server asked %d times within a minute, which is its `max_rpm`", len(recent))
	case tools && s.rounds[server] >= caps.MaxRounds:
		s.rounds[server] = 0
		return fmt.Errorf("the server let the model call tools %d times in a row, which is its `max_tool_rounds`", caps.MaxRounds)
	}
	s.times[server] = append(recent, now)
	return nil
}

func (s *samples) answered(server string, tools bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.rounds[server]++
	if !tools {
		s.rounds[server] = 0
	}
}

// samplingResult is an answer as the protocol carries it, without secrets.
func (h *Host) samplingResult(model string, turn provider.Turn) (json.RawMessage, error) {
	var blocks []any
	if turn.Content != "" || len(turn.ToolCalls) == 0 {
		blocks = append(blocks, textBlock{Type: "text", Text: h.redact(turn.Content)})
	}
	for _, call := range turn.ToolCalls {
		arguments := json.RawMessage(h.redact(call.Arguments))
		if !json.Valid(arguments) {
			return nil, errors.New("the model called a tool with arguments that are no JSON")
		}
		blocks = append(blocks, useBlock{Type: "tool_use", ID: call.ID, Name: call.Name, Input: arguments})
	}
	result := sampled{Role: string(message.RoleAssistant), Content: blocks, Model: model, Stop: "endTurn"}
	if len(blocks) == 1 {
		result.Content = blocks[0]
	}
	switch turn.Stop {
	case message.StopLength:
		result.Stop = "maxTokens"
	case message.StopToolCalls:
		result.Stop = "toolUse"
	}
	return json.Marshal(result)
}
