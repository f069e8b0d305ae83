package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

const (
	// maxAsked bounds one request of a server, in bytes.
	maxAsked = 64 << 10
	// maxAnswered bounds our answer to one, in bytes.
	maxAnswered = 1 << 20
	// maxOpen bounds the requests of one session that wait for an answer.
	maxOpen = 4
	// maxWaiting bounds how much longer a call may take because its server
	// asks something meanwhile.
	maxWaiting = 30 * time.Minute
	// codeRefused is what the specification's examples answer for a person who
	// says no.
	codeRefused = -1
)

var (
	errForbidden = errors.New("the rules do not allow it")
	errTooMany   = errors.New("too many requests are open")
)

// ask is one kind of request of a server: the word for it, who answers, and
// whether the rules of now allow it.
type ask struct {
	method string
	answer func(ctx context.Context, server string, params json.RawMessage) (json.RawMessage, error)
	may    func() bool
}

// asking is what a server may ask of the program in one session. What it may not
// ask when the session begins is not offered to it; what it may no longer ask is
// refused, because the protocol knows no way to take an offer back.
type asking struct {
	server            string
	sampling, elicits ask
	offered           sdk.ClientCapabilities
	log               *serverLog
	// session ends every open request.
	session context.Context
	open    chan struct{}

	mu    sync.Mutex
	count int
	since time.Time
	spent time.Duration
	// calls counts those that run; busy ends with the last of them.
	calls int
	busy  context.Context
	idle  context.CancelFunc
}

// asking prepares the requests of a session with a server.
func (d *dialer) asking(session context.Context, w want, log *serverLog) *asking {
	a := &asking{server: w.name, log: log, session: session, open: make(chan struct{}, maxOpen)}
	a.sampling = ask{methodSample, d.sample, func() bool { samples, _ := d.rights(w.name); return samples }}
	a.elicits = ask{methodElicit, d.elicit, func() bool { _, elicits := d.rights(w.name); return elicits }}
	if w.samples && d.sample != nil {
		a.offered.Sampling = &sdk.SamplingCapabilities{}
	}
	if w.elicits && d.elicit != nil {
		a.offered.Elicitation = &sdk.ElicitationCapabilities{Form: &sdk.FormElicitationCapabilities{}}
	}
	return a
}

// rights is what the snapshot in force lets a server ask for.
func (m *Manager) rights(server string) (samples, elicits bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	w := m.wants[server]
	return w.run && w.samples, w.run && w.elicits
}

// take has one request answered. Its errors are for people, not for the server.
func (a *asking) take(ctx context.Context, what ask, params json.RawMessage) (json.RawMessage, error) {
	raw, err := a.decide(ctx, what, params)
	if err != nil {
		a.log.note(fmt.Sprintf("its request %s was refused: %v", what.method, err))
		return nil, err
	}
	return raw, nil
}

func (a *asking) decide(ctx context.Context, what ask, params json.RawMessage) (json.RawMessage, error) {
	switch {
	case what.answer == nil || !what.may():
		return nil, errForbidden
	case len(params) > maxAsked:
		return nil, fmt.Errorf("it has more than %d KiB", maxAsked>>10)
	}
	select {
	case a.open <- struct{}{}:
		defer func() { <-a.open }()
	default:
		return nil, errTooMany
	}
	busy := a.begin()
	defer a.end()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(a.session, cancel)()
	// Nobody waits for the answer to a question whose call was given up.
	defer context.AfterFunc(busy, cancel)()
	raw, err := what.answer(ctx, a.server, params)
	switch {
	case err != nil:
		return nil, err
	case len(raw) > maxAnswered:
		return nil, fmt.Errorf("its answer has more than %d KiB", maxAnswered>>10)
	case !what.may():
		// The rules changed while the answer was made.
		return nil, errForbidden
	}
	return raw, nil
}

// refusedRequest is what a server hears: not why.
func refusedRequest() error {
	return &jsonrpc.Error{Code: codeRefused, Message: "the request was refused"}
}

// withoutRoots refuses a request for folders, which are never offered: the SDK
// would answer with an empty list.
func withoutRoots(next sdk.MethodHandler) sdk.MethodHandler {
	return func(ctx context.Context, method string, request sdk.Request) (sdk.Result, error) {
		if method == methodRoots {
			return nil, &jsonrpc.Error{Code: jsonrpc.CodeMethodNotFound, Message: "there are no roots here"}
		}
		return next(ctx, method, request)
	}
}

// begin counts an open request. The context ends when no call runs any more,
// unless none did: then it is the session's.
func (a *asking) begin() context.Context {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.count++; a.count == 1 {
		a.since = time.Now()
	}
	if a.calls == 0 {
		return a.session
	}
	return a.busy
}

func (a *asking) end() {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.count--; a.count == 0 {
		a.spent += time.Since(a.since)
	}
}

// waited is how long the session's requests were open so far, and whether one
// is.
func (a *asking) waited() (spent time.Duration, open bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.count > 0 {
		return a.spent + time.Since(a.since), true
	}
	return a.spent, false
}

// within bounds a call. The time in which the server waits for an answer of ours
// does not count: a person who thinks must not let the call fail.
func (a *asking) within(ctx context.Context, limit time.Duration) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	a.enter()
	start := time.Now()
	before, _ := a.waited()
	var mu sync.Mutex
	var timer *time.Timer
	check := func() {
		mu.Lock()
		defer mu.Unlock()
		spent, open := a.waited()
		left := limit + min(spent-before, maxWaiting) - time.Since(start)
		switch {
		case left <= 0:
			cancel()
		case open:
			timer.Reset(max(left, limit/8))
		default:
			timer.Reset(left)
		}
	}
	mu.Lock()
	timer = time.AfterFunc(limit, check)
	mu.Unlock()
	return ctx, sync.OnceFunc(func() {
		timer.Stop()
		cancel()
		a.leave()
	})
}

func (a *asking) enter() {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.calls++; a.calls == 1 {
		a.busy, a.idle = context.WithCancel(context.WithoutCancel(a.session))
	}
}

func (a *asking) leave() {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.calls--; a.calls == 0 {
		a.idle()
	}
}
