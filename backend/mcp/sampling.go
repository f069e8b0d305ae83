package mcp

import (
	"context"
	"encoding/json"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

const methodSample = "sampling/createMessage"

// sample answers a server that asks for a model's completion.
func (a *asking) sample(ctx context.Context, request *sdk.CreateMessageWithToolsRequest) (*sdk.CreateMessageWithToolsResult, error) {
	params, err := json.Marshal(request.Params)
	if err != nil {
		return nil, refusedRequest()
	}
	result, err := a.completion(ctx, params)
	if err != nil {
		return nil, refusedRequest()
	}
	return result, nil
}

// completion is the answer to the params of a request.
func (a *asking) completion(ctx context.Context, params json.RawMessage) (*sdk.CreateMessageWithToolsResult, error) {
	raw, err := a.take(ctx, a.sampling, params)
	if err != nil {
		return nil, err
	}
	var result sdk.CreateMessageWithToolsResult
	if err := json.Unmarshal(raw, &result); err != nil {
		return nil, err
	}
	return &result, nil
}
