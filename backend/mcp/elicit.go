package mcp

import (
	"context"
	"encoding/json"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

const methodElicit = "elicitation/create"

// ask answers a server that asks the person something.
func (a *asking) ask(ctx context.Context, request *sdk.ElicitRequest) (*sdk.ElicitResult, error) {
	params, err := json.Marshal(request.Params)
	if err != nil {
		return nil, refusedRequest()
	}
	result, err := a.form(ctx, params)
	if err != nil {
		return nil, refusedRequest()
	}
	return result, nil
}

// form is the answer to the params of a request. A server that wants an address
// opened is declined without asking: the address is its own choice.
func (a *asking) form(ctx context.Context, params json.RawMessage) (*sdk.ElicitResult, error) {
	var kind struct {
		Mode string `json:"mode"`
		URL  string `json:"url"`
	}
	if err := json.Unmarshal(params, &kind); err != nil {
		return nil, err
	}
	if may := a.elicits.answer != nil && a.elicits.may(); may && (kind.URL != "" || kind.Mode != "" && kind.Mode != "form") {
		a.log.note("its request " + methodElicit + " was declined: it wants an address opened")
		return &sdk.ElicitResult{Action: "decline"}, nil
	}
	raw, err := a.take(ctx, a.elicits, params)
	if err != nil {
		return nil, err
	}
	var result sdk.ElicitResult
	if err := json.Unmarshal(raw, &result); err != nil {
		return nil, err
	}
	return &result, nil
}
