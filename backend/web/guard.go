package web

import (
	"net/http"

	"hermes/backend/loopback"
)

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
		if !s.hosts.Allow(r.Host) {
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
		if !loopback.SameOrigin(r) {
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
