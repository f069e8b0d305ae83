package loopback

import (
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"
)

// Hosts decides under which Host a request may come. On loopback only the names
// we print are good, so that a foreign name which was made to resolve to
// 127.0.0.1 (DNS rebinding) gets nothing. The zero value allows none.
type Hosts struct {
	exact []string
	// anyLiteral accepts every address literal with the right port: a remote
	// address may have several and none of them can be rebound.
	anyLiteral bool
	port       string
}

// NewHosts makes the table of a listener; names are further names, without port.
func NewHosts(bound netip.AddrPort, remote bool, names []string) Hosts {
	_, port, _ := net.SplitHostPort(bound.String())
	h := Hosts{port: port, anyLiteral: remote}
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

// Allow tells whether a request with this Host may be answered.
func (h Hosts) Allow(host string) bool {
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

// URL is where a listener is reached from this machine, without a final slash.
func URL(bound netip.AddrPort) string {
	if !bound.Addr().IsUnspecified() {
		return "http://" + bound.String()
	}
	_, port, _ := net.SplitHostPort(bound.String())
	return "http://" + net.JoinHostPort("127.0.0.1", port)
}

// SameOrigin tells whether a request was made by our own page or by a program
// that is no browser. Sec-Fetch-Site is believed only when it says no.
func SameOrigin(r *http.Request) bool {
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
