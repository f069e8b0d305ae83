package provider

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"mime"
	"net"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"time"
)

// DefaultBaseURL is used when OpenAIOptions.BaseURL is empty.
const DefaultBaseURL = "https://api.openai.com/v1"

const (
	defaultFirstByte = 5 * time.Minute // local models read a long prompt first
	defaultIdle      = 3 * time.Minute
	maxRedirects     = 3
)

// OpenAIOptions configure an OpenAI-compatible endpoint.
type OpenAIOptions struct {
	// BaseURL is the address before /chat/completions; DefaultBaseURL if empty.
	BaseURL string
	// Key is sent as a bearer token to the host of BaseURL and to no other;
	// empty sends none, as local servers like it.
	Key string
	// Client is copied; its redirect rule is replaced. Nil uses an own one.
	Client *http.Client
	Logger *slog.Logger
	// FirstByte bounds the wait for the first byte of an answer, Idle the
	// silence inside it; 0 is 5 and 3 minutes.
	FirstByte, Idle time.Duration
}

// OpenAI speaks the chat-completions format over server-sent events. It is
// safe for concurrent use.
type OpenAI struct {
	url    string
	host   string
	local  bool
	key    string
	client *http.Client
	log    *slog.Logger
	keys   *regexp.Regexp
	bad    *Error // why no request can be sent

	firstByte, idle time.Duration

	mu      sync.Mutex
	refused map[string]bool // optional fields this server does not take
}

// NewOpenAI returns a provider for an OpenAI-compatible endpoint. A faulty
// address is reported by Stream.
func NewOpenAI(o OpenAIOptions) *OpenAI {
	p := &OpenAI{
		key:       o.Key,
		log:       o.Logger,
		keys:      keyPattern(),
		firstByte: orDefault(o.FirstByte, defaultFirstByte),
		idle:      orDefault(o.Idle, defaultIdle),
		refused:   map[string]bool{},
	}
	if p.log == nil {
		p.log = slog.New(slog.DiscardHandler)
	}
	base := o.BaseURL
	if base == "" {
		base = DefaultBaseURL
	}
	p.address(base)
	client := http.Client{}
	if o.Client != nil {
		client = *o.Client
	} else if t, ok := http.DefaultTransport.(*http.Transport); ok {
		client.Transport = t.Clone()
	}
	client.CheckRedirect = checkRedirect
	p.client = &client
	return p
}

func orDefault(d, standard time.Duration) time.Duration {
	if d <= 0 {
		return standard
	}
	return d
}

func (p *OpenAI) address(base string) {
	u, err := url.Parse(strings.TrimSpace(base))
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		p.bad = &Error{
			Message: "model.base_url is not an http or https address",
			Hint:    "write it like https://api.example.com/v1",
		}
		return
	}
	if u.User != nil {
		p.bad = &Error{
			Message: "model.base_url holds a user name or password",
			Hint:    "put the key into model.api_key as ${VAR}",
		}
		return
	}
	p.host = u.Host
	p.local = isLoopback(u.Hostname())
	if !strings.HasSuffix(u.Path, "/chat/completions") {
		u = u.JoinPath("chat", "completions")
	}
	u.Fragment = ""
	p.url = u.String()
	if u.Scheme == "http" && p.key != "" && !p.local {
		p.log.Warn("the model key travels unencrypted: model.base_url is http", "host", p.host)
	}
}

func isLoopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// Close lets go of idle connections.
func (p *OpenAI) Close() error {
	p.client.CloseIdleConnections()
	return nil
}

var errRedirect = errors.New("redirect refused")

// checkRedirect follows only a redirect that keeps method, body and origin:
// the key and the conversation go to the configured host and to no other.
func checkRedirect(req *http.Request, via []*http.Request) error {
	first := via[0].URL
	if req.URL.Scheme != first.Scheme || req.URL.Host != first.Host {
		return errRedirect
	}
	if req.Method != via[0].Method || len(via) > maxRedirects {
		return http.ErrUseLastResponse
	}
	return nil
}

// Stream runs one model pass. A request that got no answer, or one of 408, 409,
// 429 and 5xx, is sent up to three times in all; an answer that has begun is
// never asked for again.
func (p *OpenAI) Stream(ctx context.Context, req Request, onText func(string)) (Turn, error) {
	if p.bad != nil {
		return Turn{}, p.bad
	}
	if req.Model == "" {
		return Turn{}, &Error{Message: "no model is chosen", Hint: "set model.default or pass --model"}
	}
	raw, optional := body(req, p.refusedFields())
	for attempt := 1; ; {
		turn, failed := p.attempt(ctx, raw, onText)
		if failed == nil {
			return turn, nil
		}
		if err := context.Cause(ctx); err != nil {
			return Turn{}, fmt.Errorf("asking the model: %w", err)
		}
		failed.Attempts = attempt
		if p.learn(failed, optional) {
			raw, optional = body(req, p.refusedFields())
			continue
		}
		if !failed.retry || attempt == maxAttempts {
			return Turn{}, failed
		}
		wait, ok := delay(attempt, failed.RetryAfter)
		if !ok {
			failed.Hint = fmt.Sprintf("the vendor asks to wait %s; try again then", failed.RetryAfter.Round(time.Second))
			return Turn{}, failed
		}
		p.log.Warn("model request failed, trying again", "host", p.host, "attempt", attempt,
			"status", failed.Status, "wait", wait, "reason", failed.Message)
		if err := pause(ctx, wait); err != nil {
			return Turn{}, fmt.Errorf("asking the model: %w", err)
		}
		attempt++
	}
}

func (p *OpenAI) refusedFields() map[string]bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	out := make(map[string]bool, len(p.refused))
	for name := range p.refused {
		out[name] = true
	}
	return out
}

// learn remembers an optional field that a strict server names in its refusal
// (422 "reasoning_content: extra inputs are not permitted"), so that the
// request can be sent again without it. The stored messages keep the field.
func (p *OpenAI) learn(failed *Error, optional []string) bool {
	if failed.Status != http.StatusBadRequest && failed.Status != http.StatusUnprocessableEntity {
		return false
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	learned := false
	for _, name := range optional {
		if !p.refused[name] && namesField(failed.body, name) {
			p.refused[name] = true
			learned = true
			p.log.Info("the model server refuses an optional field; it is left out from now on", "host", p.host, "field", name)
		}
	}
	return learned
}

// namesField reports whether an error speaks of the field by name and not of
// the word in general: a plain word ("reasoning") has to stand between quotes
// or path separators.
func namesField(body []byte, name string) bool {
	around := "'\"`.[]\\"
	if strings.Contains(name, "_") {
		around += " ,;:()"
	}
	for at := 0; ; {
		i := bytes.Index(body[at:], []byte(name))
		if i < 0 {
			return false
		}
		start, end := at+i, at+i+len(name)
		if start > 0 && end < len(body) &&
			strings.IndexByte(around, body[start-1]) >= 0 &&
			strings.IndexByte(around, body[end]) >= 0 {
			return true
		}
		at = end
	}
}

// attempt sends the request once.
func (p *OpenAI) attempt(ctx context.Context, raw []byte, onText func(string)) (Turn, *Error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	watch := newWatchdog(p.firstByte, p.idle, cancel)
	defer watch.stop()

	req, err := http.NewRequestWithContext(ctx, http.MethodPost, p.url, bytes.NewReader(raw))
	if err != nil {
		return Turn{}, &Error{Message: "building the model request: " + p.redact(err.Error())}
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "text/event-stream")
	// A compressed stream arrives in blocks, not as the model speaks.
	req.Header.Set("Accept-Encoding", "identity")
	req.Header.Set("User-Agent", "hermes")
	if p.key != "" {
		req.Header.Set("Authorization", "Bearer "+p.key)
	}
	resp, err := p.client.Do(req)
	if err != nil {
		if errors.Is(context.Cause(ctx), errSilent) {
			return Turn{}, p.silent(p.firstByte)
		}
		return Turn{}, p.sendError(err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		watch.waiting(true)
		return Turn{}, p.statusError(resp)
	}
	stream := newBody(resp.Body, watch)
	kind, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	switch first := stream.first(); {
	case kind == "text/event-stream":
		return p.events(ctx, stream, onText)
	case kind == "text/html" || first == '<':
		return Turn{}, p.unreadable("a web page", errors.New("Content-Type "+kind))
	case first == '{':
		return p.plain(ctx, stream, onText)
	default:
		return p.events(ctx, stream, onText)
	}
}

func (p *OpenAI) silent(limit time.Duration) *Error {
	return &Error{
		Message: fmt.Sprintf("the model server %s sent nothing for %s", p.host, limit),
		Hint:    "try again later or choose a faster model",
		err:     errSilent,
	}
}
