package loopback

import (
	"errors"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// TestListen takes loopback addresses, asks about all others, and says why one
// cannot be had.
func TestListen(t *testing.T) {
	locked := errors.New("locked")
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	for _, row := range []struct {
		addr, want string
		asked      bool
	}{
		{"127.0.0.1:0", "", false}, {"localhost:0", "", false}, {"LocalHost:0", "", false}, {"[::1]:0", "", false}, {"127.8.9.10:0", "", false},
		{"0.0.0.0:0", "locked", true}, {":0", "locked", true}, {"192.0.2.1:0", "locked", true}, {"localhost.example:0", "locked", true},
		{"nonsense", "host:port", false}, {taken.Addr().String(), "in use", false},
	} {
		asked := false
		listener, bound, remote, err := Listen(t.Context(), row.addr, func() error { asked = true; return locked })
		if asked != row.asked {
			t.Errorf("%s: asked %v", row.addr, asked)
		}
		if row.want == "" {
			if err != nil || remote || !bound.Addr().IsLoopback() {
				t.Errorf("%s: %v, bound to %s, remote %v", row.addr, err, bound, remote)
				continue
			}
			if err := listener.Close(); err != nil {
				t.Error(err)
			}
			continue
		}
		if err == nil || !strings.Contains(err.Error(), row.want) {
			t.Errorf("%s: %v, want %q", row.addr, err, row.want)
		}
	}
	listener, bound, remote, err := Listen(t.Context(), "0.0.0.0:0", func() error { return nil })
	if err != nil || !remote {
		t.Fatalf("%v, remote %v", err, remote)
	}
	defer listener.Close()
	if url := URL(bound); !strings.HasPrefix(url, "http://127.0.0.1:") {
		t.Errorf("reached from here under %s", url)
	}
}

// TestHosts lets only names through that no other site can own.
func TestHosts(t *testing.T) {
	here := NewHosts(netip.MustParseAddrPort("127.0.0.1:8090"), false, nil)
	plain := NewHosts(netip.MustParseAddrPort("127.0.0.1:80"), false, nil)
	wide := NewHosts(netip.MustParseAddrPort("0.0.0.0:8090"), true, []string{"Den.local"})
	for _, row := range []struct {
		hosts Hosts
		host  string
		want  bool
	}{
		{here, "127.0.0.1:8090", true}, {here, "LOCALHOST:8090", true}, {here, "127.0.0.1", false}, {here, "127.0.0.2:8090", false},
		{here, "evil.example:8090", false}, {here, "127.0.0.1.evil.example:8090", false}, {here, "", false},
		{plain, "localhost", true}, {plain, "127.0.0.1:80", true},
		{wide, "192.0.2.7:8090", true}, {wide, "den.local:8090", true}, {wide, "192.0.2.7:1", false}, {wide, "evil.example:8090", false},
		{Hosts{}, "localhost:8090", false}, {Hosts{}, ":", false},
	} {
		if got := row.hosts.Allow(row.host); got != row.want {
			t.Errorf("%q: %v, want %v", row.host, got, row.want)
		}
	}
}

// TestSameOrigin believes a browser only when it says no.
func TestSameOrigin(t *testing.T) {
	for _, row := range []struct {
		origin []string
		fetch  string
		want   bool
	}{
		{nil, "", true}, {[]string{"http://127.0.0.1:1"}, "same-origin", true}, {nil, "none", true},
		{[]string{"https://127.0.0.1:1"}, "", false}, {[]string{"null"}, "", false}, {[]string{""}, "", false},
		{[]string{"http://127.0.0.1:1", "http://evil.example"}, "", false}, {nil, "same-site", false}, {nil, "cross-site", false},
	} {
		r := &http.Request{Host: "127.0.0.1:1", Header: http.Header{}}
		if row.origin != nil {
			r.Header["Origin"] = row.origin
		}
		r.Header.Set("Sec-Fetch-Site", row.fetch)
		if got := SameOrigin(r); got != row.want {
			t.Errorf("%q %q: %v, want %v", row.origin, row.fetch, got, row.want)
		}
	}
}
