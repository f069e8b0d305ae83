package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// capture takes the exact bytes of one call's result on its way to the SDK,
// which would turn big integers into floats and refuse unknown content blocks.
// It travels in the call's context.
type capture struct {
	// strip hands the SDK an empty result instead of the real one. Never set
	// for what the SDK caches.
	strip bool
	// sent is true once a byte of the request may have reached the server.
	sent atomic.Bool
	// status is the answer's HTTP status, zero where there is none. From 400 to
	// 499 the server says that it did not take the request.
	status atomic.Int32
	// gone is true when the server no longer knew the session.
	gone atomic.Bool

	mu      sync.Mutex
	raw     json.RawMessage
	refused *jsonrpc.Error
	// tap and id tell where the capture is registered, for drop.
	tap *tapConn
	id  jsonrpc.ID
}

type captureKey struct{}

func withCapture(ctx context.Context, c *capture) context.Context {
	return context.WithValue(ctx, captureKey{}, c)
}

func captureFrom(ctx context.Context) *capture {
	c, _ := ctx.Value(captureKey{}).(*capture)
	return c
}

// take keeps the raw result and returns what the SDK is to see.
func (c *capture) take(raw json.RawMessage) json.RawMessage {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.raw = raw
	if c.strip {
		return json.RawMessage(emptyResult)
	}
	return raw
}

// refuse keeps the server's error. The SDK's own errors look the same, so what
// it returns does not tell.
func (c *capture) refuse(err error) {
	var refusal *jsonrpc.Error
	if !errors.As(err, &refusal) {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.refused = refusal
}

func (c *capture) refusal() *jsonrpc.Error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.refused
}

// emptyResult reads as a result of tools/call and of prompts/get.
const emptyResult = `{"content":[],"messages":[]}`

func (c *capture) result() json.RawMessage {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.raw
}

// drop forgets a capture whose call was given up. Its late answer goes to the
// SDK, which ignores it.
func (c *capture) drop() {
	if c.tap != nil {
		c.tap.forget(c.id)
	}
}

const (
	methodDiscover   = "server/discover"
	methodInitialize = "initialize"
)

var errHandshake = errors.New("no answer to the handshake")

// patience is how long a program may be silent during the handshake. The zero
// value waits for ever.
type patience struct {
	// probe is the time for server/discover. When it is over, the probe is
	// answered in the server's place, so that the SDK goes on with the older
	// handshake on the same process and a slow start is not begun anew.
	probe time.Duration
	// handshake is the time for that handshake, after which the connection is
	// given up: some servers hang on a request they do not know. Zero never
	// gives up.
	handshake time.Duration
	// heard tells whether the server has read what it was sent; before that,
	// silence does not count.
	heard func() bool
}

// tapTransport lets results be captured by message id, and loses patience with
// a server that stays silent.
type tapTransport struct {
	inner    sdk.Transport
	patience patience
	// modern is set when the server answered the probe, even if too late.
	modern *atomic.Bool
	// refusal is the server's own error to the handshake; nil keeps none.
	refusal *atomic.Pointer[jsonrpc.Error]
}

// Connect implements sdk.Transport.
func (t *tapTransport) Connect(ctx context.Context) (sdk.Connection, error) {
	inner, err := t.inner.Connect(ctx)
	if err != nil {
		return nil, err
	}
	return &tapConn{
		Connection: inner, patience: t.patience, modern: t.modern, refusal: t.refusal,
		probing: t.patience.probe > 0, waiting: map[jsonrpc.ID]*capture{},
	}, nil
}

type tapConn struct {
	sdk.Connection
	patience patience
	modern   *atomic.Bool
	refusal  *atomic.Pointer[jsonrpc.Error]

	mu      sync.Mutex
	hello   jsonrpc.ID
	waiting map[jsonrpc.ID]*capture

	// probing is true until the probe is answered, by the server or by us.
	probing bool
	probe   jsonrpc.ID
	timer   *time.Timer
	expired bool
	gaveUp  bool
	// interrupt ends the Read that is waiting while the probe may expire.
	interrupt context.CancelFunc
}

// Write registers the capture of a call before the call can be answered.
func (c *tapConn) Write(ctx context.Context, message jsonrpc.Message) error {
	request, ok := message.(*jsonrpc.Request)
	if !ok || !request.IsCall() {
		return c.Connection.Write(ctx, message)
	}
	if request.Method == methodDiscover {
		c.watchProbe(request.ID)
	}
	if request.Method == methodInitialize {
		c.mu.Lock()
		c.hello = request.ID
		c.mu.Unlock()
	}
	taken := captureFrom(ctx)
	if taken == nil {
		return c.Connection.Write(ctx, message)
	}
	taken.tap, taken.id = c, request.ID
	c.mu.Lock()
	c.waiting[request.ID] = taken
	c.mu.Unlock()
	taken.sent.Store(true)
	err := c.Connection.Write(ctx, message)
	var unwritten *unwrittenError
	if errors.As(err, &unwritten) {
		taken.sent.Store(false)
	}
	return err
}

func (c *tapConn) forget(id jsonrpc.ID) *capture {
	c.mu.Lock()
	defer c.mu.Unlock()
	taken := c.waiting[id]
	delete(c.waiting, id)
	return taken
}

// Read hands on the next message, with the results of captured calls taken out.
func (c *tapConn) Read(ctx context.Context) (jsonrpc.Message, error) {
	message, err := c.next(ctx)
	if err != nil {
		return nil, err
	}
	response, ok := message.(*jsonrpc.Response)
	if !ok {
		return message, nil
	}
	c.noteAnswer(response)
	switch taken := c.forget(response.ID); {
	case taken == nil:
	case response.Error != nil:
		taken.refuse(response.Error)
	default:
		response.Result = taken.take(response.Result)
	}
	return message, nil
}

// next reads one message, or makes up the answer to a silent probe.
func (c *tapConn) next(ctx context.Context) (jsonrpc.Message, error) {
	c.mu.Lock()
	if !c.probing {
		c.mu.Unlock()
		message, err := c.Connection.Read(ctx)
		if err != nil && c.hasGivenUp() {
			return nil, errHandshake
		}
		return message, err
	}
	reading, cancel := context.WithCancel(ctx)
	defer cancel()
	if c.expired {
		cancel()
	}
	c.interrupt = cancel
	c.mu.Unlock()

	message, err := c.Connection.Read(reading)

	c.mu.Lock()
	defer c.mu.Unlock()
	c.interrupt = nil
	if err == nil || !c.expired || ctx.Err() != nil || !errors.Is(err, context.Canceled) {
		return message, err
	}
	c.probing = false
	if c.patience.handshake > 0 {
		c.timer = time.AfterFunc(c.patience.handshake, c.loseHandshake)
	}
	return &jsonrpc.Response{ID: c.probe, Error: &jsonrpc.Error{
		Code: jsonrpc.CodeMethodNotFound, Message: "no answer to " + methodDiscover,
	}}, nil
}

func (c *tapConn) hasGivenUp() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.gaveUp
}

func (c *tapConn) watchProbe(id jsonrpc.ID) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.probe = id
	if c.probing && c.timer == nil {
		c.timer = time.AfterFunc(c.patience.probe, c.loseProbe)
	}
}

// loseProbe ends the wait for the probe, unless the server has not read it yet.
func (c *tapConn) loseProbe() {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case !c.probing:
	case !c.patience.heard():
		c.timer.Reset(c.patience.probe)
	default:
		c.expired = true
		if c.interrupt != nil {
			c.interrupt()
		}
	}
}

// loseHandshake gives the connection up. The server had read the probe by then,
// so it is not starting any more.
func (c *tapConn) loseHandshake() {
	c.mu.Lock()
	c.gaveUp = c.timer != nil
	over := c.gaveUp
	c.mu.Unlock()
	if over {
		_ = c.Connection.Close()
	}
}

// noteAnswer ends the watch: a server that answers anything is not silent. Late
// answers to the probe are remembered as well.
func (c *tapConn) noteAnswer(response *jsonrpc.Response) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.noteRefusal(response)
	if !c.probe.IsValid() {
		return
	}
	if response.ID != c.probe {
		c.rest()
		return
	}
	if c.probing {
		c.probing = false
		c.rest()
	}
	if response.Error == nil && c.modern != nil {
		c.modern.Store(true)
	}
}

// noteRefusal keeps why the server refused the handshake: it ends or is ended
// then, and its end says less. That a method is not known is how an older server
// answers the probe, and is no refusal. The lock is held.
func (c *tapConn) noteRefusal(response *jsonrpc.Response) {
	var said *jsonrpc.Error
	if c.refusal == nil || !errors.As(response.Error, &said) {
		return
	}
	hello := c.hello.IsValid() && response.ID == c.hello
	probe := c.probe.IsValid() && response.ID == c.probe && said.Code != jsonrpc.CodeMethodNotFound
	if hello || probe {
		c.refusal.Store(said)
	}
}

// rest stops the timer. The lock is held.
func (c *tapConn) rest() {
	if c.timer != nil {
		c.timer.Stop()
		c.timer = nil
	}
}

// Close ends the connection and the watch on the handshake.
func (c *tapConn) Close() error {
	c.mu.Lock()
	c.probing = false
	c.rest()
	c.mu.Unlock()
	return c.Connection.Close()
}
