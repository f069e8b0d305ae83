package gateway

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"os"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"hermes/backend/loopback"
)

// Limits against clients that are slow, large or many on purpose.
const (
	headerLimit = 5 * time.Second
	bodyLimit   = 30 * time.Second
	writeLimit  = 15 * time.Second
	idleLimit   = 2 * time.Minute
	headerBytes = 16 << 10
	// bodyBytes is the largest message of a client over HTTP.
	bodyBytes = 16 << 20
	// maxRequests bounds what is answered at once, streams with it.
	maxRequests = 256
)

// MinToken is the shortest token that a person may choose, in characters.
const MinToken = 16

// Path is where the endpoint is.
const Path = "/mcp"

const (
	versionHeader = "Mcp-Protocol-Version"
	sessionHeader = "Mcp-Session-Id"
	// metaVersion marks a request of the newest protocol in its own body.
	metaVersion = "io.modelcontextprotocol/protocolVersion"
)

// HTTPOptions say where a gateway listens and for whom.
type HTTPOptions struct {
	// Addr is host:port; port 0 takes a free one.
	Addr string
	// AllowRemote permits an address that other machines reach.
	AllowRemote bool
	// Token is what a client must show as a bearer token. Empty makes one; a
	// given one has at least MinToken characters.
	Token string
	// SessionTimeout ends a session of the older protocol that asks nothing and
	// listens to nothing for so long; zero is half an hour.
	SessionTimeout time.Duration
	// BodyWait is how long a message may take to arrive; zero is 30 seconds.
	BodyWait time.Duration
	// MaxSessions bounds the sessions of the older protocol; zero is 64.
	MaxSessions int
	// Grace is how long calls that run may take when the gateway ends; zero is
	// 5 seconds.
	Grace time.Duration
}

// HTTP is a gateway that listens.
type HTTP struct {
	server   *Server
	token    string
	hosts    loopback.Hosts
	listener net.Listener
	bound    netip.AddrPort
	remote   bool
	grace    time.Duration
	body     time.Duration
	http     *http.Server
	requests chan struct{}
	sessions *sessions
	// handshake serves the older protocol with its sessions, single the newest
	// one, where every request stands alone.
	handshake, single http.Handler
	// running ends the streams, which would otherwise hold the end up.
	running context.Context
	stop    context.CancelFunc
}

// Listen takes an address for a gateway, or says why it cannot be had
// (*loopback.AddressError). It answers from Serve on.
func (s *Server) Listen(ctx context.Context, o HTTPOptions) (*HTTP, error) {
	if o.Token != "" && utf8.RuneCountInString(o.Token) < MinToken {
		return nil, &loopback.AddressError{Addr: o.Addr, Message: fmt.Sprintf("the token in HERMES_GATEWAY_TOKEN has fewer than %d characters", MinToken),
			Hint: "Give a longer one, or none: then a new token is made and printed."}
	}
	listener, bound, remote, err := loopback.Listen(ctx, o.Addr, func() error {
		if o.AllowRemote {
			return nil
		}
		return &loopback.AddressError{Addr: o.Addr, Message: "other machines could reach this address", Hint: "Use 127.0.0.1, or say --allow-remote."}
	})
	if err != nil {
		return nil, err
	}
	h := &HTTP{
		server: s, token: o.Token, hosts: loopback.NewHosts(bound, remote, nil), listener: listener, bound: bound, remote: remote, grace: cmp.Or(o.Grace, 5*time.Second), body: cmp.Or(o.BodyWait, bodyLimit),
		requests: make(chan struct{}, maxRequests), sessions: newSessions(s.server, o),
	}
	if h.token == "" {
		h.token = rand.Text()
	}
	offered := func(*http.Request) *mcp.Server { return s.server }
	// Host and Origin are checked here, for every path.
	options := mcp.StreamableHTTPOptions{Logger: s.logger, DisableLocalhostProtection: true, MaxRequestBodyBytes: bodyBytes}
	h.handshake = mcp.NewStreamableHTTPHandler(offered, &options)
	alone := options
	alone.Stateless, alone.PropagateRequestCancellation = true, true
	h.single = mcp.NewStreamableHTTPHandler(offered, &alone)
	//nolint:contextcheck // the streams end with Serve, not with the call that took the address
	h.running, h.stop = context.WithCancel(context.Background())
	h.http = &http.Server{
		Handler: h.guard(http.HandlerFunc(h.serve)), ReadHeaderTimeout: headerLimit, IdleTimeout: idleLimit, MaxHeaderBytes: headerBytes,
		ErrorLog: slog.NewLogLogger(s.logger.Handler(), slog.LevelDebug),
	}
	return h, nil
}

// URL is the address of the endpoint.
func (h *HTTP) URL() string { return loopback.URL(h.bound) + Path }

// Remote tells whether other machines reach it.
func (h *HTTP) Remote() bool { return h.remote }

// Token is what a client must show.
func (h *HTTP) Token() string { return h.token }

// Serve answers until ctx ends. Then streams end, calls that run get a moment,
// and sessions are closed; the error is ctx's.
func (h *HTTP) Serve(ctx context.Context) error {
	ended := make(chan error, 1)
	go func() { ended <- h.http.Serve(h.listener) }()
	tended := make(chan struct{})
	go func() { defer close(tended); h.sessions.tend(h.running) }()
	var err error
	select {
	case err = <-ended:
		err = fmt.Errorf("serve the gateway: %w", err)
	case <-ctx.Done():
		err = ctx.Err()
	}
	h.stop()
	<-tended
	//nolint:contextcheck // ctx has ended; what runs gets its own time to finish
	limited, cancel := context.WithTimeout(context.Background(), h.grace)
	defer cancel()
	if late := h.http.Shutdown(limited); errors.Is(late, context.DeadlineExceeded) {
		_ = h.http.Close()
	}
	h.server.end()
	h.sessions.close()
	return err
}

// Close gives the address back, also when Serve was never called.
func (h *HTTP) Close() error {
	h.stop()
	if err := h.listener.Close(); !errors.Is(err, net.ErrClosed) {
		return err
	}
	return nil
}

// guard lets only a client with the token through, under a name of ours and from
// no other site. There are no CORS headers: no page may read the gateway.
func (h *HTTP) guard(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		// The last bytes of an answer are written after its handler.
		extend := func() { _ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(writeLimit)) }
		extend()
		defer extend()
		w.Header().Set("X-Content-Type-Options", "nosniff")
		w.Header().Set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'")
		switch {
		case !h.hosts.Allow(r.Host):
			refuse(w, http.StatusForbidden, "the gateway does not answer under this name")
		case !loopback.SameOrigin(r):
			refuse(w, http.StatusForbidden, "another site may not ask here")
		case !h.known(r):
			w.Header().Set("WWW-Authenticate", `Bearer realm="hermes"`)
			refuse(w, http.StatusUnauthorized, "the bearer token of this gateway is missing or wrong")
		case r.URL.Path != Path:
			refuse(w, http.StatusNotFound, "the endpoint is "+Path)
		default:
			select {
			case h.requests <- struct{}{}:
				defer func() { <-h.requests }()
				next.ServeHTTP(w, r)
			default:
				w.Header().Set("Retry-After", "1")
				refuse(w, http.StatusServiceUnavailable, "too many requests are open")
			}
		}
	})
}

// known tells whether a request shows the token. Digests are compared, so that
// neither its length nor its beginning is told by the time this takes.
func (h *HTTP) known(r *http.Request) bool {
	kind, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	got, want := sha256.Sum256([]byte(strings.TrimSpace(token))), sha256.Sum256([]byte(h.token))
	return subtle.ConstantTimeCompare(got[:], want[:]) == 1 && strings.EqualFold(kind, "Bearer")
}

func refuse(w http.ResponseWriter, status int, message string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(map[string]any{"error": map[string]string{"message": message}})
}

// serve hands a request to the protocol it speaks.
func (h *HTTP) serve(w http.ResponseWriter, r *http.Request) {
	w = &patient{ResponseWriter: w, control: http.NewResponseController(w)}
	body, ok := h.readBody(w, r)
	if !ok {
		return
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	if r.Method == http.MethodGet || listens(body) {
		ctx, cancel := context.WithCancel(r.Context())
		defer cancel()
		defer context.AfterFunc(h.running, cancel)()
		r = r.WithContext(ctx)
	}
	version, session := r.Header.Get(versionHeader), r.Header.Get(sessionHeader)
	if version >= firstModern || version == "" && session == "" && bytes.Contains(body, []byte(metaVersion)) {
		h.single.ServeHTTP(w, r)
		return
	}
	leave, ok := h.sessions.enter(r)
	if !ok {
		w.Header().Set("Retry-After", "60")
		refuse(w, http.StatusServiceUnavailable, "too many clients are connected")
		return
	}
	defer func() { leave(w.Header().Get(sessionHeader)) }()
	h.handshake.ServeHTTP(w, r)
}

// listens tells whether a message opens a stream that ends only with us.
func listens(body []byte) bool {
	var message struct {
		Method string `json:"method"`
	}
	return json.Unmarshal(body, &message) == nil && message.Method == "subscriptions/listen"
}

// readBody reads a whole message, which must be small and come soon.
func (h *HTTP) readBody(w http.ResponseWriter, r *http.Request) ([]byte, bool) {
	control := http.NewResponseController(w)
	_ = control.SetReadDeadline(time.Now().Add(h.body))
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, bodyBytes))
	if err == nil {
		// A stream has no end that a limit could wait for.
		_ = control.SetReadDeadline(time.Time{})
	} else {
		// Before it answers the server reads the rest, which may never come: the
		// limit stays, and the connection ends.
		w.Header().Set("Connection", "close")
	}
	var large *http.MaxBytesError
	switch {
	case errors.As(err, &large):
		refuse(w, http.StatusRequestEntityTooLarge, fmt.Sprintf("a message has at most %d bytes", bodyBytes))
		return nil, false
	case errors.Is(err, os.ErrDeadlineExceeded):
		refuse(w, http.StatusRequestTimeout, fmt.Sprintf("the message did not arrive within %s", h.body))
		return nil, false
	case err != nil:
		refuse(w, http.StatusBadRequest, "the message did not arrive whole")
		return nil, false
	}
	return body, true
}

// patient gives up on a reader that takes nothing: one stalled client would hold
// up what is told to all.
type patient struct {
	http.ResponseWriter
	control *http.ResponseController
}

func (p *patient) Write(data []byte) (int, error) {
	_ = p.control.SetWriteDeadline(time.Now().Add(writeLimit))
	return p.ResponseWriter.Write(data)
}

// Flush implements http.Flusher.
func (p *patient) Flush() {
	_ = p.control.SetWriteDeadline(time.Now().Add(writeLimit))
	_ = p.control.Flush()
}

// Unwrap gives the writer to http.ResponseController.
func (p *patient) Unwrap() http.ResponseWriter { return p.ResponseWriter }
