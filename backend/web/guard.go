package web

import (
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"
)

// hosts decides under which Host a request may come. On loopback only the
// names we print are good, so that a foreign name which was made to resolve to
// 127.0.0.1 (DNS rebinding) gets nothing.
type hosts struct {
	exact []string
	// anyLiteral accepts every address literal with the right port: a remote
	// address may have several and none of them can be rebound.
	anyLiteral bool
	port       string
}

func newHosts(bound netip.AddrPort, remote bool, names []string) hosts {
	_, port, _ := net.SplitHostPort(bound.String())
	h := hosts{port: port, anyLiteral: remote}
	h.exact = append(h.exact, net.JoinHostPort("localhost", port))
	if bound.Addr().IsLoopback() {
		h.exact = append(h.exact, bound.String())
	}
	for _, name := range names {
		h.exact = append(h.exact, net.JoinHostPort(strings.ToLower(name), port))
	}
	if port == "80" {
		for _, e := range slices.Clone(h.exact) {
			h.exact = append(h.exact, strings.TrimSuffix(e, ":80"))
		}
	}
	return h
}

func (h hosts) allow(host string) bool {
	host = strings.ToLower(host)
	if slices.Contains(h.exact, host) {
		return true
	}
	if !h.anyLiteral {
		return false
	}
	name, port, err := net.SplitHostPort(host)
	if err != nil || port != h.port {
		return false
	}
	_, err = netip.ParseAddr(name)
	return err == nil
}

// sameOrigin tells whether a request was made by our own page or by a program
// that is no browser. Sec-Fetch-Site is believed only when it says no.
func sameOrigin(r *http.Request) bool {
	if origin, sent := r.Header["Origin"]; sent {
		if len(origin) != 1 || !strings.EqualFold(origin[0], "http://"+r.Host) {
			return false
		}
	}
	switch r.Header.Get("Sec-Fetch-Site") {
	case "", "same-origin", "none":
		return true
	default:
		return false
	}
}

// guardAll checks every request for its Host and sets the headers that hold for
// every answer. There are no CORS headers anywhere: no other site may read us.
func (s *Server) guardAll(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("X-Frame-Options", "DENY")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		h.Set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'")
		h.Set("Permissions-Policy", "camera=(), microphone=(), geolocation=(), payment=(), usb=()")
		limitWrite(w)
		if !s.hosts.allow(r.Host) {
			refuse(w, http.StatusForbidden, "this address is not served under that name",
				"Open the address that `hermes serve` printed.")
			return
		}
		next.ServeHTTP(w, r)
	})
}

// own lets only our own page through.
func own(next http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if !sameOrigin(r) {
			refuse(w, http.StatusForbidden, "another site may not ask here", "")
			return
		}
		next(w, r)
	}
}

// known lets only the holder of this run's token through.
func (s *Server) known(next http.HandlerFunc) http.HandlerFunc {
	return own(func(w http.ResponseWriter, r *http.Request) {
		if !s.keys.holds(r) {
			refuse(w, http.StatusUnauthorized, "the token of this run is missing or wrong",
				"Open the address that `hermes serve` printed last.")
			return
		}
		next(w, r)
	})
}
