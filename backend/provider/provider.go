package provider

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"

	"hermes/backend/message"
)

// VendorOpenAI is the value of Turn.Vendor and message.Message.Vendor for the
// chat-completions format: Blocks is one raw JSON assistant message.
const VendorOpenAI = "openai"

// The provider names New understands (DESIGN section 4).
const (
	NameOpenAI    = "openai"
	NameAnthropic = "anthropic"
	NameBedrock   = "bedrock"
	NameDemo      = "demo"
)

// Request is one model pass: the whole conversation and the tools on offer.
// MaxTokens bounds the answer; 0 leaves the bound to the vendor.
type Request struct {
	Model     string
	System    string
	Messages  []message.Message
	Tools     []message.ToolDef
	MaxTokens int
	// Waits, which may be nil, is told of a pause of a second or more before the
	// request is sent again, from the goroutine of the pass.
	Waits func(message.Saying)
}

// Turn is one complete answer. It exists only when the vendor said that the
// answer is complete; a cut one is an error.
type Turn struct {
	Content   string
	ToolCalls []message.ToolCall
	// Vendor and Blocks are what has to be stored beside the neutral view so
	// that the answer can be replayed byte for byte.
	Vendor string
	Blocks []json.RawMessage
	Usage  message.Usage
	Stop   message.StopReason
	// Notices are what people have to be told of this pass.
	Notices []string
}

// Provider runs one model pass. onText is called from the calling goroutine
// with provisional text as it arrives and may be nil; after an error the text
// it was given is not part of the conversation.
type Provider interface {
	Stream(ctx context.Context, req Request, onText func(string)) (Turn, error)
}

// Settings are the resolved model settings of DESIGN section 4.
type Settings struct {
	Provider string
	BaseURL  string
	Key      string
	// CacheTTL is `prompt_caching.cache_ttl`, "5m" or "1h"; "" marks nothing.
	CacheTTL string
	// Vendor, Effort and Bearer are those of Options.
	Vendor string
	Effort string
	Bearer bool
	// Memory is kept by the caller from provider to provider; nil is none.
	Memory *Memory
	// Region is `model.region`, of Bedrock; "" leaves it to the environment and
	// the profile. Variable looks up a variable of the environment, `.env`
	// first; nil reads the process's.
	Region   string
	Variable func(name string) (string, bool)
	Client   *http.Client
	Logger   *slog.Logger
}

func (s Settings) options() Options {
	return Options{
		BaseURL: s.BaseURL, Key: s.Key, CacheTTL: s.CacheTTL, Vendor: s.Vendor, Effort: s.Effort, Bearer: s.Bearer,
		Memory: s.Memory, Client: s.Client, Logger: s.Logger,
	}
}

func (s Settings) bedrock() BedrockOptions {
	return BedrockOptions{
		BaseURL: s.BaseURL, Key: s.Key, Region: s.Region, Variable: s.Variable, CacheTTL: s.CacheTTL, Effort: s.Effort,
		Memory: s.Memory, Client: s.Client, Logger: s.Logger,
	}
}

// New returns the provider the settings name. An unknown vendor is an error that
// says what to configure instead; it never falls back to another one.
func New(s Settings) (Provider, error) {
	switch s.Provider {
	case NameOpenAI:
		return NewOpenAI(s.options()), nil
	case NameAnthropic:
		return NewAnthropic(s.options()), nil
	case NameDemo:
		return NewDemo(), nil
	case NameBedrock:
		return NewBedrock(s.bedrock()), nil
	case "":
		return nil, &Error{
			Message: "no model provider is configured",
			Hint:    "set model.provider (openai, anthropic, bedrock, or demo for the offline demo model) and model.default",
		}
	default:
		return nil, &Error{
			Message: fmt.Sprintf("unknown model provider %q", s.Provider),
			Hint:    "known: openai (any OpenAI-compatible endpoint with model.base_url), anthropic, bedrock and demo",
		}
	}
}
