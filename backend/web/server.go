package web

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"time"
	"unicode/utf8"

	"hermes/backend/loopback"
)

// Limits against clients that are slow on purpose.
const (
	headerLimit  = 5 * time.Second
	requestLimit = 15 * time.Second
	idleLimit    = time.Minute
	headerBytes  = 16 << 10
	// grace is how long calls that run may take to end when the program stops.
	grace = 5 * time.Second
)

// Server serves one run of the program. It listens from Listen on and answers
// from Serve on.
type Server struct {
	options  Options
	methods  map[string]method
	keys     *keys
	hosts    loopback.Hosts
	listener net.Listener
	bound    netip.AddrPort
	http     *http.Server
	streams  chan struct{}
	// stopping ends the event streams, which would otherwise hold Shutdown up.
	stopping context.Context
	stop     context.CancelFunc
}

// AddressError tells why an address cannot be served, with the next step.
type AddressError = loopback.AddressError

// Listen takes the address, or says why it cannot be had (*AddressError). An
// address that other machines reach is refused without AllowRemote and a
// password.
func Listen(ctx context.Context, o Options) (*Server, error) {
	o = o.withDefaults()
	listener, bound, remote, err := loopback.Listen(ctx, o.Addr, func() error { return unlockRemote(o) })
	if err != nil {
		return nil, err
	}
	s := &Server{
		options:  o,
		methods:  methods(o),
		keys:     newKeys(o.Password, time.Now),
		hosts:    loopback.NewHosts(bound, remote, o.Hosts),
		listener: listener,
		bound:    bound,
		streams:  make(chan struct{}, streams),
	}
	//nolint:contextcheck // the streams end with Serve, not with the call that took the address
	s.stopping, s.stop = context.WithCancel(context.Background())
	s.http = &http.Server{
		Handler:           s.routes(),
		ReadHeaderTimeout: headerLimit,
		ReadTimeout:       requestLimit,
		IdleTimeout:       idleLimit,
		MaxHeaderBytes:    headerBytes,
		ErrorLog:          slog.NewLogLogger(o.Logger.Handler(), slog.LevelDebug),
	}
	s.http.RegisterOnShutdown(s.stop)
	if remote {
		o.Logger.Warn("the page is reachable from other machines, without encryption", "addr", bound.String())
	}
	return s, nil
}

func (s *Server) routes() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("POST /api/session", own(s.handleSession))
	mux.HandleFunc("GET /api/session", own(s.handleEntry))
	mux.HandleFunc("POST /api/call/{method}", s.known(s.handleCall))
	mux.HandleFunc("GET /api/events", s.known(s.handleEvents))
	mux.HandleFunc("GET /data/", s.known(DataHandler(s.options.Results).ServeHTTP))
	mux.HandleFunc("/api/", noRoute)
	mux.HandleFunc("/", s.handlePage)
	return s.guardAll(mux)
}

// noRoute answers what the table above does not know. A wrong verb on a known
// path is said so.
func noRoute(w http.ResponseWriter, r *http.Request) {
	switch {
	case strings.HasPrefix(r.URL.Path, "/api/call/"):
		w.Header().Set("Allow", http.MethodPost)
		refuse(w, http.StatusMethodNotAllowed, "a method is called with POST", "")
	case r.URL.Path == "/api/events":
		w.Header().Set("Allow", http.MethodGet)
		refuse(w, http.StatusMethodNotAllowed, "events are read with GET", "")
	default:
		refuse(w, http.StatusNotFound, "there is nothing here", "")
	}
}

// Addr is the address that is listened on.
func (s *Server) Addr() netip.AddrPort { return s.bound }

// URL gives an address to open in a browser. Each one holds a new ticket in its
// fragment and is good once; fragments are not sent to servers, so the ticket
// stays out of every log. Where a password is asked for there is no ticket.
func (s *Server) URL() string {
	address := loopback.URL(s.bound) + "/"
	if s.keys.password != nil {
		return address
	}
	return address + "#ticket=" + s.keys.ticket()
}

// Serve answers until ctx ends or Close is called, then ends the event streams,
// lets running calls finish for a while, and returns.
func (s *Server) Serve(ctx context.Context) error {
	ended := make(chan error, 1)
	go func() { ended <- s.http.Serve(s.listener) }()
	select {
	case err := <-ended:
		s.stop()
		if errors.Is(err, http.ErrServerClosed) {
			return nil
		}
		return fmt.Errorf("serve the page: %w", err)
	case <-ctx.Done():
	}
	//nolint:contextcheck // ctx has ended; what runs gets its own time to finish
	err := s.shutdown()
	<-ended
	return err
}

// shutdown stops taking connections, waits for running calls, and cuts off what
// is left after the grace.
func (s *Server) shutdown() error {
	s.stop()
	ctx, cancel := context.WithTimeout(context.Background(), grace)
	defer cancel()
	err := s.http.Shutdown(ctx)
	if errors.Is(err, context.DeadlineExceeded) {
		return s.http.Close()
	}
	return err
}

// Close gives the address back at once, also when Serve was never called.
func (s *Server) Close() error {
	s.stop()
	err := s.http.Close()
	// The http server knows the listener only once Serve has run.
	if cerr := s.listener.Close(); cerr != nil && !errors.Is(cerr, net.ErrClosed) {
		err = errors.Join(err, cerr)
	}
	return err
}

// streamContext ends with the request and with the server.
func (s *Server) streamContext(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	release := context.AfterFunc(s.stopping, cancel)
	return ctx, func() { release(); cancel() }
}

// unlockRemote tells whether an address that other machines reach may be served.
func unlockRemote(o Options) error {
	if !o.AllowRemote {
		return &AddressError{
			Addr: o.Addr, Message: "other machines could reach this address",
			Hint: "Use 127.0.0.1, or say --allow-remote and give a password.",
		}
	}
	if utf8.RuneCountInString(o.Password) < MinPassword {
		return &AddressError{
			Addr: o.Addr, Message: fmt.Sprintf("a remote address needs a password of at least %d characters", MinPassword),
			Hint: "Give a longer password, or use 127.0.0.1.",
		}
	}
	return nil
}
