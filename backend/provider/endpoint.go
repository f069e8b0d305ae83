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
	"time"

	"hermes/backend/message"
)

const (
	defaultFirstByte = 5 * time.Minute // local models read a long prompt first
	defaultIdle      = 3 * time.Minute
	maxRedirects     = 3
)

// Options configure a vendor that is reached over HTTP.
type Options struct {
	// BaseURL is the address before the vendor's own path; the vendor's public
	// one if empty.
	BaseURL string
	// Key is sent to the host of BaseURL and to no other; empty sends none, as
	// local servers like it.
	Key string
	// CacheTTL is how long a vendor that wants its prompt cache marked keeps
	// it, "5m" or "1h"; "" marks nothing.
	CacheTTL string
	// Vendor is the one that is spoken to, as the configuration names it; "" is any.
	Vendor string
	// Effort is one of the Effort levels of reasoning; "" asks for none.
	Effort string
	// Bearer sends the key as a bearer token where the vendor has another header
	// for keys.
	Bearer bool
	// Memory is shared by the providers of a program; nil is one of its own.
	Memory *Memory
	// Client is copied; its redirect rule is replaced. Nil uses an own one.
	Client *http.Client
	Logger *slog.Logger
	// FirstByte bounds the wait for the first byte of an answer, Idle the
	// silence inside it; 0 is 5 and 3 minutes.
	FirstByte, Idle time.Duration
}

// dialect is what differs between the vendors reached over HTTP.
type dialect struct {
	// base is the public address, path what stands behind every address.
	base string
	path []string
	// variable is where people keep the key, stem how a right address ends,
	// format what the server has to speak and events what it should have sent.
	variable, stem, format, events string
	// sign adds the headers of the vendor.
	sign func(h http.Header, key string)
}

// endpoint is the HTTP side of a vendor: the address, the key that goes to it
// alone, the retries, the watch for silence and the words of a failure.
type endpoint struct {
	dialect dialect
	url     string
	host    string
	local   bool
	key     string
	client  *http.Client
	log     *slog.Logger
	keys    *regexp.Regexp
	bad     *Error // why no request can be sent
	memory  *Memory

	firstByte, idle time.Duration
}

func newEndpoint(o Options, d dialect) *endpoint {
	p := &endpoint{
		dialect:   d,
		key:       o.Key,
		log:       o.Logger,
		keys:      keyPattern(),
		memory:    o.Memory,
		firstByte: orDefault(o.FirstByte, defaultFirstByte),
		idle:      orDefault(o.Idle, defaultIdle),
	}
	if p.log == nil {
		p.log = slog.New(slog.DiscardHandler)
	}
	if p.memory == nil {
		p.memory = NewMemory()
	}
	base := o.BaseURL
	if base == "" {
		base = d.base
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

func (p *endpoint) address(base string) {
	u, err := url.Parse(strings.TrimSpace(base))
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		p.bad = &Error{
			Message: "model.base_url is not an http or https address",
			Hint:    "write it like https://api.example.com" + p.dialect.stem,
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
	u = u.JoinPath(missing(u.Path, p.dialect.path)...)
	u.Fragment = ""
	p.url = u.String()
	if u.Scheme == "http" && p.key != "" && !p.local {
		p.log.Warn("the model key travels unencrypted: model.base_url is http", "host", p.host)
	}
}

// missing is the part of a path that an address does not end with yet.
func missing(have string, path []string) []string {
	for n := len(path); n > 0; n-- {
		if strings.HasSuffix(strings.TrimRight(have, "/"), "/"+strings.Join(path[:n], "/")) {
			return path[n:]
		}
	}
	return path
}

func isLoopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// Close lets go of idle connections.
func (p *endpoint) Close() error {
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

// pass is one model pass in the form of a vendor. write gives the body and the
// optional fields in it; events and plain read the two forms of an answer;
// mend, which may be nil, reports whether a refused request is worth sending
// once more because write will now write another.
type pass struct {
	write  func(without map[string]bool) (raw []byte, optional []string)
	events func(ctx context.Context, in *answerBody) (Turn, *Error)
	plain  func(ctx context.Context, in *answerBody) (Turn, *Error)
	mend   func(failed *Error) bool
	// header, which may be nil, adds the headers of this request.
	header func(h http.Header)
	// waits, which may be nil, is told of a pause before the next attempt.
	waits func(message.Saying)
}

// run sends a pass. A request that got no answer, or one of 408, 409, 429 and
// 5xx, is sent up to three times in all; an answer that has begun is never
// asked for again.
func (p *endpoint) run(ctx context.Context, model string, ask pass) (Turn, error) {
	if p.bad != nil {
		return Turn{}, p.bad
	}
	if model == "" {
		return Turn{}, &Error{Message: "no model is chosen", Hint: "set model.default or pass --model"}
	}
	raw, optional := ask.write(p.memory.refused(p.url))
	for attempt := 1; ; {
		turn, failed := p.attempt(ctx, raw, ask)
		if failed == nil {
			return turn, nil
		}
		if err := context.Cause(ctx); err != nil {
			return Turn{}, fmt.Errorf("asking the model: %w", err)
		}
		failed.Attempts = attempt
		if p.learn(failed, optional) || ask.mend != nil && ask.mend(failed) {
			raw, optional = ask.write(p.memory.refused(p.url))
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
		tellWait(ask.waits, wait, failed)
		if err := pause(ctx, wait); err != nil {
			return Turn{}, fmt.Errorf("asking the model: %w", err)
		}
		attempt++
	}
}

// attempt sends the request once.
func (p *endpoint) attempt(ctx context.Context, raw []byte, ask pass) (Turn, *Error) {
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
	p.dialect.sign(req.Header, p.key)
	if ask.header != nil {
		ask.header(req.Header)
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
	read := ask.events
	switch first := stream.first(); {
	case kind == "text/event-stream":
	case kind == "text/html" || first == '<':
		return Turn{}, p.unreadable("a web page", errors.New("Content-Type "+kind))
	case first == '{':
		read = ask.plain
	}
	turn, failed := read(ctx, stream)
	if failed != nil && failed.RetryAfter == 0 {
		failed.RetryAfter = retryAfter(resp.Header, time.Now())
	}
	return turn, failed
}

func (p *endpoint) silent(limit time.Duration) *Error {
	return &Error{
		Message: fmt.Sprintf("the model server %s sent nothing for %s", p.host, limit),
		Hint:    "try again later or choose a faster model",
		err:     errSilent,
	}
}
