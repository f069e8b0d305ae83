package provider

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"

	"hermes/backend/message"
	"hermes/backend/provider/amazon"
)

// bedrockVersion is the anthropic_version of InvokeModel.
const bedrockVersion = "bedrock-2023-05-31"

// BedrockOptions configure Amazon Bedrock.
type BedrockOptions struct {
	// BaseURL replaces the public address of the region (VPC endpoints).
	BaseURL string
	// Region is the one the file names; empty leaves it to the environment and
	// the profile.
	Region string
	// Key is a Bedrock API key, sent as a bearer token; empty signs requests
	// with the account's credentials.
	Key string
	// Variable looks up a variable of the environment; nil reads the process's.
	Variable func(name string) (string, bool)
	// CacheTTL is how long a marked prefix is kept, "5m" or "1h"; "" marks
	// nothing. Memory is shared by the providers of a program.
	CacheTTL string
	Memory   *Memory
	// Effort is one of the Effort levels of reasoning; "" asks for none.
	Effort string
	// Client is copied; its redirect rule is replaced. Nil uses an own one.
	Client *http.Client
	Logger *slog.Logger
	// FirstByte bounds the wait for the first byte of an answer, Idle the
	// silence inside it; 0 is 5 and 3 minutes.
	FirstByte, Idle time.Duration
}

// Bedrock speaks to models on Amazon Bedrock: Anthropic's in their own format
// through InvokeModelWithResponseStream, so that a conversation can move between
// both, all others through Converse. Nothing of the account is looked for before
// the first pass. It is safe for concurrent use.
type Bedrock struct {
	base    string
	account *amazon.Account
	client  *http.Client
	log     *slog.Logger
	keys    *regexp.Regexp
	memory  *Memory
	cache   string
	effort  *effort

	firstByte, idle time.Duration
}

// NewBedrock returns a provider for Amazon Bedrock. A faulty address or region
// is reported by Stream.
func NewBedrock(o BedrockOptions) *Bedrock {
	client := http.Client{}
	if o.Client != nil {
		client = *o.Client
	} else if t, ok := http.DefaultTransport.(*http.Transport); ok {
		client.Transport = t.Clone()
	}
	client.CheckRedirect = checkRedirect
	p := &Bedrock{
		base:      strings.TrimSpace(o.BaseURL),
		account:   amazon.Open(amazon.Options{Variable: o.Variable, Region: o.Region, Key: o.Key, Client: &client}),
		client:    &client,
		log:       o.Logger,
		keys:      keyPattern(),
		memory:    o.Memory,
		cache:     o.CacheTTL,
		effort:    &effort{level: o.Effort},
		firstByte: orDefault(o.FirstByte, defaultFirstByte),
		idle:      orDefault(o.Idle, defaultIdle),
	}
	if p.log == nil {
		p.log = slog.New(slog.DiscardHandler)
	}
	if p.memory == nil {
		p.memory = NewMemory()
	}
	return p
}

// Close lets go of idle connections.
func (p *Bedrock) Close() error {
	p.client.CloseIdleConnections()
	return nil
}

// isAnthropic tells a model of Anthropic by its id, its ARN or the name of an
// inference profile ("us.anthropic.claude-..."). An application inference
// profile does not say what is behind it: Converse serves it.
func isAnthropic(model string) bool {
	return strings.Contains(strings.ToLower(model), "anthropic.")
}

// bedrockCall is one model pass: where it goes, how it is written and read, and
// the words of its failures.
type bedrockCall struct {
	*endpoint
	account *amazon.Account
	model   string
	region  string
	root    *url.URL
	effort  *effort
	write   func(without map[string]bool) bedrockBody
	waits   func(message.Saying)
}

// bedrockBody is a written request. operation is the last part of the address;
// reader takes its answer.
type bedrockBody struct {
	operation string
	messagesRequest
	reader bedrockReader
}

// Stream runs one model pass. A request that got no answer, or one of 408, 409,
// 424, 429 and 5xx, is sent up to three times in all; an answer that has begun is
// never asked for again.
func (p *Bedrock) Stream(ctx context.Context, req Request, onText func(string)) (Turn, error) {
	var whole Turn
	for range maxPauses {
		c, err := p.call(req, onText)
		if err != nil {
			return Turn{}, err
		}
		turn, paused, err := c.run(ctx)
		if err != nil {
			return Turn{}, err
		}
		whole = continued(whole, turn)
		if !paused {
			return whole, nil
		}
		req.Messages = append(slices.Clip(req.Messages), message.Message{
			Role: message.RoleAssistant, Content: turn.Content, Vendor: turn.Vendor, Blocks: turn.Blocks,
		})
	}
	return Turn{}, &Error{Message: fmt.Sprintf("the vendor paused its answer %d times", maxPauses), Hint: "nothing of it was kept; send the message again", err: ErrCut}
}

// call finds region and address of a pass.
func (p *Bedrock) call(req Request, onText func(string)) (*bedrockCall, error) {
	if req.Model == "" {
		return nil, &Error{Message: "no model is chosen", Hint: "set model.default or pass --model"}
	}
	region, err := amazon.RegionOf(req.Model), error(nil)
	if region == "" {
		if region, err = p.account.Region(); err != nil {
			return nil, accountError(err)
		}
	}
	root, failed := p.root(region)
	if failed != nil {
		return nil, failed
	}
	c := &bedrockCall{account: p.account, model: req.Model, region: region, root: root, effort: p.effort, waits: req.Waits}
	c.endpoint = &endpoint{
		dialect: dialect{format: "the address of Amazon Bedrock's runtime, or leave it out", events: "Bedrock's events"},
		url:     root.String() + "/" + req.Model, host: root.Host, local: isLoopback(root.Hostname()),
		keys: p.keys, client: p.client, log: p.log, memory: p.memory, firstByte: p.firstByte, idle: p.idle,
	}
	if isAnthropic(req.Model) {
		c.write = func(without map[string]bool) bedrockBody {
			w := writeMessages(req, messagesOptions{
				version: bedrockVersion, cache: p.cache, without: without, dead: p.memory.deadBlocks(),
				effort: p.effort.asks(req, without), plain: without[refusedInterleaved],
			})
			return bedrockBody{"invoke-with-response-stream", w, &invokeReader{messageAssembler: messageAssembler{onText: onText}}}
		}
		return c, nil
	}
	c.write = func(without map[string]bool) bedrockBody {
		level := p.effort.asks(req, without)
		members, known := converseEffort(req.Model, level)
		raw, optional := writeConverse(req, converseOptions{cache: p.cache != "", without: without, effort: members})
		asked := thinking{members: string(members)}
		if !known {
			asked.notice = message.EffortUnknown
		}
		operation := "converse-stream"
		if without[converseStream] {
			operation = "converse"
		}
		return bedrockBody{operation, messagesRequest{raw: raw, optional: optional, asked: asked}, &converseReader{converseAssembler{onText: onText}}}
	}
	return c, nil
}

// root is the address before the model's path.
func (p *Bedrock) root(region string) (*url.URL, *Error) {
	base := p.base
	if base == "" {
		base = p.account.Address("bedrock-runtime", "BEDROCK_RUNTIME", region)
	}
	root, err := url.Parse(base)
	switch {
	case err != nil || root.Host == "" || root.Scheme != "http" && root.Scheme != "https":
		return nil, &Error{Message: "model.base_url is not an http or https address", Hint: "leave it out for Bedrock's public address, or write the one of a VPC endpoint"}
	case root.User != nil:
		return nil, &Error{Message: "model.base_url holds a user name or password", Hint: "put a Bedrock API key into model.api_key as ${VAR}"}
	case root.Scheme == "http" && p.account.UsesKey() && !isLoopback(root.Hostname()):
		p.log.Warn("the model key travels unencrypted: model.base_url is http", "host", root.Host)
	}
	root.Fragment, root.RawFragment, root.RawQuery = "", "", ""
	return root, nil
}

// address is the URL of an operation. A model's id may be an ARN with slashes
// and colons, and the service wants all of them escaped.
func (c *bedrockCall) address(operation string) *url.URL {
	u := *c.root
	plain := strings.TrimRight(u.Path, "/") + "/model/"
	coded := strings.TrimRight(u.EscapedPath(), "/") + "/model/"
	u.Path = plain + c.model + "/" + operation
	u.RawPath = coded + escapeModel(c.model) + "/" + operation
	return &u
}

// escapeModel escapes all but unreserved characters, as Amazon's programs do.
func escapeModel(model string) string {
	var out strings.Builder
	for i := 0; i < len(model); i++ {
		switch c := model[i]; {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', c == '-', c == '_', c == '.', c == '~':
			out.WriteByte(c)
		default:
			fmt.Fprintf(&out, "%%%02X", c)
		}
	}
	return out.String()
}
