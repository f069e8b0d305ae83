package provider

import (
	"bytes"
	"context"
	"net/http"
	"strings"

	"hermes/backend/message"
)

// DefaultBaseURL is the address of NewOpenAI when Options.BaseURL is empty.
const DefaultBaseURL = "https://api.openai.com/v1"

// The vendors of the format that want something of their own, as the configuration
// names them.
const (
	vendorOpenAI     = "openai"
	vendorOpenRouter = "openrouter"
	vendorNous       = "nous"
	vendorMistral    = "mistral"
)

// OpenAI speaks the chat-completions format over server-sent events. It is
// safe for concurrent use.
type OpenAI struct {
	*endpoint
	vendor, cache string
	effort        *effort
}

// NewOpenAI returns a provider for an OpenAI-compatible endpoint. A faulty
// address is reported by Stream.
func NewOpenAI(o Options) *OpenAI {
	p := &OpenAI{cache: o.CacheTTL, effort: &effort{level: o.Effort}, endpoint: newEndpoint(o, dialect{
		base: DefaultBaseURL, path: []string{"chat", "completions"}, stem: "/v1", variable: "OPENAI_API_KEY",
		format: "an OpenAI-compatible endpoint (chat completions)", events: "chat completions",
		sign: func(h http.Header, key string) {
			if key != "" {
				h.Set("Authorization", "Bearer "+key)
			}
		},
	})}
	p.vendor = hostVendor(p.host)
	if p.vendor == "" && o.Vendor != vendorOpenAI { // at another address it is somebody else
		p.vendor = o.Vendor
	}
	return p
}

// hostVendor tells a vendor by its public host, whatever the configuration calls
// it; "" for any other.
func hostVendor(host string) string {
	host, _, _ = strings.Cut(host, ":")
	for _, known := range []struct{ host, vendor string }{
		{"api.openai.com", vendorOpenAI}, {"openrouter.ai", vendorOpenRouter},
		{"inference-api.nousresearch.com", vendorNous}, {"api.mistral.ai", vendorMistral},
	} {
		if host == known.host || strings.HasSuffix(host, "."+known.host) {
			return known.vendor
		}
	}
	return ""
}

// Stream runs one model pass.
func (p *OpenAI) Stream(ctx context.Context, req Request, onText func(string)) (Turn, error) {
	var notices []string
	var sent chatOptions
	key := modelKey(p.url, req.Model)
	turn, err := p.run(ctx, req.Model, pass{
		waits: req.Waits,
		write: func(without map[string]bool) ([]byte, []string) {
			taught := p.memory.refused(key)
			notices = append(notices, p.effort.unsent(req.Model, taught)...)
			sent = p.options(req, taught)
			sent.without = without
			return body(req, sent)
		},
		events: func(ctx context.Context, in *answerBody) (Turn, *Error) { return p.events(ctx, in, onText) },
		plain:  func(ctx context.Context, in *answerBody) (Turn, *Error) { return p.plain(ctx, in, onText) },
		mend: func(failed *Error) bool {
			told, mended := p.mend(failed, sent, key, req.Model)
			notices = append(notices, told...)
			return mended
		},
	})
	turn.Notices = append(notices, turn.Notices...)
	return turn, err
}

// options is what is known of a model before it is asked.
func (p *OpenAI) options(req Request, taught map[string]bool) chatOptions {
	o := chatOptions{vendor: p.vendor, effort: p.effort.asks(req, taught)}
	if taught[toolsWithoutReasoning] && len(req.Tools) > 0 {
		o.effort = EffortNone
	}
	name := strings.ToLower(req.Model)
	if routesReasoning(p.vendor) && strings.Contains(name, "claude") {
		o.cache = p.cache
	}
	switch {
	case taught[wantsNineIDs], p.vendor == vendorMistral, isMistral(name):
		o.ids = nineID
	case taught[refusedLongIDs], p.vendor == vendorOpenAI:
		o.ids = shortID
	}
	return o
}

// isMistral tells a model of Mistral by its name, whoever serves it: the chat
// templates of these models refuse other ids as well.
func isMistral(name string) bool {
	for _, word := range []string{"mistral", "mixtral", "ministral", "magistral", "codestral", "devstral", "pixtral"} {
		if strings.Contains(name, word) {
			return true
		}
	}
	return false
}

// mend learns from a refusal what this model does not take, and reports whether
// the request is worth sending again.
func (p *OpenAI) mend(failed *Error, sent chatOptions, key, model string) (told []string, mended bool) {
	if !isRefusal(failed) && failed.Status != http.StatusInternalServerError {
		return nil, false
	}
	said := bytes.ToLower(failed.body)
	switch {
	case bytes.Contains(said, []byte("must be a-z, a-z, 0-9, with a length of 9")):
		return nil, p.memory.refuse(key, wantsNineIDs)
	case bytes.Contains(said, []byte("string too long")) && (bytes.Contains(said, []byte("tool_calls")) || bytes.Contains(said, []byte("tool_call_id"))):
		return nil, sent.ids == anyID && p.memory.refuse(key, refusedLongIDs)
	case wantsNoReasoning(failed):
		if !p.memory.refuse(key, toolsWithoutReasoning) {
			return nil, false
		}
		return p.effort.tell(message.EffortOff, model), true
	case sent.effort != "" && refusesEffort(failed) && p.memory.refuse(key, refusedEffort):
		return p.effort.tell(message.EffortRefused, model, sent.effort), true
	}
	return nil, false
}
