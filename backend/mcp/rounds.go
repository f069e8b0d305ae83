package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

const (
	// maxRounds bounds how often one call may come back with questions.
	maxRounds = 8
	// maxInputs bounds the questions of one round.
	maxInputs = 8
	// maxState bounds what a server has us carry from round to round, in bytes.
	maxState = 1 << 20

	inputRequired = "input_required"
	methodRoots   = "roots/list"
)

// inputs are what a call of the newest protocol is sent with again, after the
// server asked for more: our answers, and its own state untouched.
type inputs struct {
	responses sdk.InputResponseMap
	state     string
	rounds    int
	// why says what was not answered, nil for nothing.
	why error
}

// wantsInput is a result that asks for more. The look at the bytes spares the
// reading of large results.
func wantsInput(raw json.RawMessage) (requests map[string]json.RawMessage, state string, ok bool) {
	if !bytes.Contains(raw, []byte(inputRequired)) {
		return nil, "", false
	}
	var wire struct {
		ResultType string                     `json:"resultType"`
		Requests   map[string]json.RawMessage `json:"inputRequests"`
		State      string                     `json:"requestState"`
	}
	if json.Unmarshal(raw, &wire) != nil || wire.ResultType != inputRequired {
		return nil, "", false
	}
	return wire.Requests, wire.State, true
}

// again answers what a result asks for, and tells whether the call is to be sent
// once more. Without an answer the result stands as it is.
func (in *inputs) again(ctx context.Context, session *session, raw json.RawMessage) bool {
	if in == nil || session.client.InitializeResult().ProtocolVersion < firstModern {
		return false
	}
	requests, state, ok := wantsInput(raw)
	if !ok {
		in.why = nil
		return false
	}
	in.rounds++
	in.why = in.answer(ctx, session.asking, requests, state)
	return in.why == nil
}

// unmet tells that the latest result asks for what it was not given.
func (in *inputs) unmet() bool { return in != nil && in.why != nil }

func (in *inputs) answer(ctx context.Context, a *asking, requests map[string]json.RawMessage, state string) error {
	switch {
	case in.rounds > maxRounds:
		return fmt.Errorf("it asked more than %d times", maxRounds)
	case len(requests) > maxInputs:
		return fmt.Errorf("it asked more than %d questions at once", maxInputs)
	case len(state) > maxState:
		return fmt.Errorf("its state has more than %d KiB", maxState>>10)
	case len(requests) == 0 && state == "":
		return fmt.Errorf("it did not say what it needs")
	}
	responses := sdk.InputResponseMap{}
	// One after the other: a person reads one question at a time.
	for _, id := range slices.Sorted(maps.Keys(requests)) {
		response, err := a.input(ctx, requests[id])
		if err != nil {
			return err
		}
		responses[id] = response
	}
	in.responses, in.state = responses, state
	return nil
}

// input answers one question.
func (a *asking) input(ctx context.Context, raw json.RawMessage) (sdk.InputResponse, error) {
	var request struct {
		Method string          `json:"method"`
		Params json.RawMessage `json:"params"`
	}
	if err := json.Unmarshal(raw, &request); err != nil {
		return nil, fmt.Errorf("its request cannot be read")
	}
	if len(request.Params) == 0 {
		request.Params = json.RawMessage("{}")
	}
	switch request.Method {
	case methodElicit:
		return a.form(ctx, request.Params)
	case methodSample:
		return a.completion(ctx, request.Params)
	case methodRoots:
		return nil, fmt.Errorf("%s is not answered here", methodRoots)
	}
	return nil, fmt.Errorf("its request is of an unknown kind")
}

// unanswered is the result of a call whose questions were not answered.
func (in *inputs) unanswered(raw json.RawMessage) Result {
	return Result{
		Blocks: raw, IsError: true,
		Content: fmt.Sprintf("The server asked for more input, which it is not given here: %v. It did not carry out the call.", in.why),
	}
}
