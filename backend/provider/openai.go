package provider

import (
	"context"
	"net/http"
)

// DefaultBaseURL is the address of NewOpenAI when Options.BaseURL is empty.
const DefaultBaseURL = "https://api.openai.com/v1"

// OpenAI speaks the chat-completions format over server-sent events. It is
// safe for concurrent use.
type OpenAI struct{ *endpoint }

// NewOpenAI returns a provider for an OpenAI-compatible endpoint. A faulty
// address is reported by Stream.
func NewOpenAI(o Options) *OpenAI {
	return &OpenAI{newEndpoint(o, dialect{
		base: DefaultBaseURL, path: []string{"chat", "completions"}, stem: "/v1", variable: "OPENAI_API_KEY",
		format: "an OpenAI-compatible endpoint (chat completions)", events: "chat completions",
		sign: func(h http.Header, key string) {
			if key != "" {
				h.Set("Authorization", "Bearer "+key)
			}
		},
	})}
}

// Stream runs one model pass.
func (p *OpenAI) Stream(ctx context.Context, req Request, onText func(string)) (Turn, error) {
	return p.run(ctx, req.Model, pass{
		write:  func(without map[string]bool) ([]byte, []string) { return body(req, without) },
		events: func(ctx context.Context, in *answerBody) (Turn, *Error) { return p.events(ctx, in, onText) },
		plain:  func(ctx context.Context, in *answerBody) (Turn, *Error) { return p.plain(ctx, in, onText) },
	})
}
