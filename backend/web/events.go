package web

import (
	"encoding/json"
	"fmt"
	"net/http"
	"time"
)

// streams bounds how many pages listen at once.
const streams = 32

// handleEvents serves GET /api/events: server-sent events, "ready" once and
// "signal" for each view.Signal. The stream ends when the program stops, when
// the page goes away, or when it is too slow; the page then comes again.
func (s *Server) handleEvents(w http.ResponseWriter, r *http.Request) {
	select {
	case s.streams <- struct{}{}:
		defer func() { <-s.streams }()
	default:
		refuse(w, http.StatusServiceUnavailable, "too many pages listen at once", "Close some of them.")
		return
	}
	ctx, cancel := s.streamContext(r.Context())
	defer cancel()
	signals := s.options.Signals.Subscribe(ctx)
	// A stream has no end that a read limit could wait for.
	_ = http.NewResponseController(w).SetReadDeadline(time.Time{})
	w.Header().Set("Content-Type", "text/event-stream; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(http.StatusOK)
	if !sendEvent(w, "ready", struct{}{}) {
		return
	}
	for {
		select {
		case <-ctx.Done():
			return
		case signal, open := <-signals:
			if !open || !sendEvent(w, "signal", signal) {
				return
			}
		}
	}
}

// sendEvent writes one event and tells whether the reader is still there.
func sendEvent(w http.ResponseWriter, name string, value any) bool {
	data, err := json.Marshal(value)
	if err != nil {
		return false
	}
	limitWrite(w)
	if _, err := fmt.Fprintf(w, "event: %s\ndata: %s\n\n", name, data); err != nil {
		return false
	}
	return http.NewResponseController(w).Flush() == nil
}
