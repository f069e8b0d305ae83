package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net"
	"os"
	"sync"
	"sync/atomic"
	"syscall"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"hermes/backend/config"
)

// dialer makes the transport of a session.
type dialer struct {
	logger   *slog.Logger
	timing   timing
	launcher *launcher
	environ  func() []string
	// confineArgs and private are Options.Confine and Options.Private.
	confineArgs []string
	private     string
	builtin     func(name string, conn config.Connection) (*sdk.Server, error)
	// admit is Options.Admit.
	admit   func(server, tool string, offered []Tool) error
	version string
	// maxMessage bounds one message of a program, in bytes.
	maxMessage int
	// sample and elicit are Options.Sample and Options.Elicit; rights is what the
	// snapshot in force lets a server ask for.
	sample, elicit func(ctx context.Context, server string, params json.RawMessage) (json.RawMessage, error)
	rights         func(server string) (samples, elicits bool)
	// tokens numbers the calls whose progress is followed.
	tokens atomic.Int64
}

// link is a transport and what stands behind it.
type link struct {
	transport sdk.Transport
	// stop ends what stands behind the transport and waits for it.
	stop func()
	// ended tells in words how the other side ended, "" when that is not known.
	ended func() string
	// refused is the HTTP status of the last answer, 0 where there is none.
	refused func() int
	pid     int
	// modern is set when a silent server answered the probe after all.
	modern *atomic.Bool
	// refusal is the error with which a program refused the handshake, nil where
	// there is none.
	refusal *atomic.Pointer[jsonrpc.Error]
}

// dial opens the transport of an expanded connection. session bounds its life;
// patience is only had with programs.
func (d *dialer) dial(session context.Context, w want, conn config.Connection, log *serverLog, p patience) (*link, error) {
	switch conn.Transport {
	case config.TransportStdio:
		return d.dialProcess(session, w.name, conn, log, p)
	case config.TransportHTTP, config.TransportSSE:
		return d.dialHTTP(session, w, conn, log)
	case config.TransportBuiltin:
		return d.dialBuiltin(session, w.name, conn)
	default:
		return nil, &connectError{reason: "the entry has neither \"command\" nor \"url\"; write one of them", lasting: true}
	}
}

func (d *dialer) dialProcess(session context.Context, name string, conn config.Connection, log *serverLog, p patience) (*link, error) {
	env := childEnviron(d.environ(), conn.Env)
	find := newFinder(env, conn.Env, d.loginFor(session))
	path, err := find.find(conn.Command, conn.Cwd)
	if err == nil && !d.launcher.login.attended() {
		find.complete()
	}
	if err == nil {
		err = checkBatch(path, conn.Args)
	}
	if err != nil {
		return nil, &connectError{reason: err.Error(), lasting: true}
	}
	if conn.Cwd != "" {
		if info, err := os.Stat(conn.Cwd); err != nil || !info.IsDir() {
			return nil, &connectError{reason: fmt.Sprintf("the folder %q in \"cwd\" is not there; create it or correct the path", conn.Cwd), lasting: true}
		}
	}
	env[MarkVariable] = name
	prog, cleanup := program{path: path, args: conn.Args, env: pairs(env), dir: conn.Cwd}, func() {}
	if conn.Confinement.On {
		if prog, cleanup, err = d.confine(name, prog, conn); err != nil {
			return nil, &connectError{reason: err.Error(), lasting: true}
		}
	}
	process, err := d.launcher.start(prog, log)
	if err != nil {
		cleanup()
		lasting := errors.Is(err, fs.ErrPermission) || errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOEXEC)
		return nil, &connectError{reason: err.Error(), lasting: lasting}
	}
	l := &link{pid: process.pid, stop: sync.OnceFunc(func() { process.stop(); cleanup() }), refused: func() int { return 0 }, ended: process.ended, modern: new(atomic.Bool), refusal: new(atomic.Pointer[jsonrpc.Error])}
	p.heard = func() bool { return wasRead(process.stdin.File) }
	l.transport = &tapTransport{inner: &lineTransport{process: process, log: log, limit: d.maxMessage}, modern: l.modern, refusal: l.refusal, patience: p}
	return l, nil
}

func (d *dialer) dialHTTP(session context.Context, w want, conn config.Connection, log *serverLog) (*link, error) {
	endpoint, err := parseEndpoint(conn.URL)
	if err != nil {
		return nil, &connectError{reason: err.Error(), lasting: true}
	}
	secured, err := tlsConfig(conn.TLS)
	var fault *keyError
	if errors.As(err, &fault) {
		return nil, fault.placed(w)
	}
	if conn.TLS.Insecure {
		log.note("its certificate is not checked (`ssl_verify: false`)")
	}
	// Not the session's own context: saying goodbye outlives the calls.
	life, cancel := context.WithCancel(context.WithoutCancel(session))
	gate := newHTTPGate(life, endpoint, conn.Headers, d.timing)
	gate.base.TLSClientConfig, gate.strict = secured, conn.StrictRedirects
	gate.named = conn.Transport == config.TransportSSE
	l := &link{
		stop:    sync.OnceFunc(func() { cancel(); gate.close() }),
		ended:   func() string { return "" },
		refused: func() int { return int(gate.status.Load()) },
		modern:  new(atomic.Bool),
	}
	if conn.Transport == config.TransportSSE {
		// The stream of the older transport lives in the context it was opened
		// with, which must be the session's and not the handshake's.
		l.transport = &tapTransport{
			inner: &boundTransport{
				inner: &sdk.SSEClientTransport{Endpoint: conn.URL, HTTPClient: gate.client(), MaxEventSize: maxMessage},
				life:  life,
			},
			modern: l.modern,
		}
		return l, nil
	}
	gate.optionalStream = true
	l.transport = &sdk.StreamableClientTransport{
		Endpoint: conn.URL, HTTPClient: gate.client(), MaxEventSize: maxMessage,
		// Proxies end idle streams again and again; that is no failure.
		MaxRetries: 100,
	}
	return l, nil
}

// boundTransport opens its connection in a context of its own.
type boundTransport struct {
	inner sdk.Transport
	life  context.Context
}

// Connect implements sdk.Transport.
func (t *boundTransport) Connect(ctx context.Context) (sdk.Connection, error) {
	bound, cancel := context.WithCancel(t.life)
	stop := context.AfterFunc(ctx, cancel)
	connection, err := t.inner.Connect(bound)
	if err == nil && !stop() {
		_ = connection.Close()
		err = ctx.Err()
	}
	if err != nil {
		cancel()
		return nil, err
	}
	return &boundConn{Connection: connection, cancel: cancel}, nil
}

type boundConn struct {
	sdk.Connection
	cancel context.CancelFunc
}

func (c *boundConn) Close() error {
	defer c.cancel()
	return c.Connection.Close()
}

// dialBuiltin runs one of our own servers over the SDK's in-memory transport.
func (d *dialer) dialBuiltin(session context.Context, name string, conn config.Connection) (*link, error) {
	if d.builtin == nil {
		return nil, &connectError{reason: fmt.Sprintf("there is no built-in server %q here", conn.Builtin), lasting: true}
	}
	server, err := d.builtin(conn.Builtin, conn)
	if err != nil {
		return nil, &connectError{reason: fmt.Sprintf("the built-in server %q did not start: %v", conn.Builtin, err), lasting: true}
	}
	// The SDK's in-memory pair, made here so that both ends can be closed from
	// outside: a handshake that is given up never closes its own.
	near, far := net.Pipe()
	ours := &sdk.IOTransport{Reader: near, Writer: near, MaxLineLength: -1}
	theirs := &sdk.IOTransport{Reader: far, Writer: far, MaxLineLength: -1}
	running, err := server.Connect(session, theirs, nil)
	if err != nil {
		return nil, &connectError{reason: fmt.Sprintf("the built-in server %q did not start: %v", conn.Builtin, err)}
	}
	stop := sync.OnceFunc(func() {
		_ = near.Close()
		_ = far.Close()
		if err := running.Close(); err != nil && !errors.Is(err, sdk.ErrConnectionClosed) {
			d.logger.Debug("closing a built-in server", "server", name, "error", err)
		}
	})
	return &link{
		transport: &tapTransport{inner: ours}, stop: stop,
		ended: func() string { return "" }, refused: func() int { return 0 }, modern: new(atomic.Bool),
	}, nil
}
