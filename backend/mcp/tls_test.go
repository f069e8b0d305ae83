//go:build unix

package mcp

import (
	"crypto/tls"
	"encoding/pem"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"hermes/backend/config"
)

// serveTLS serves a handler over https and gives the file of its authority.
func serveTLS(t *testing.T, handler http.Handler, auth tls.ClientAuthType) (url, authority string) {
	t.Helper()
	server := httptest.NewUnstartedServer(handler)
	server.TLS = &tls.Config{ClientAuth: auth, MinVersion: tls.VersionTLS12}
	server.StartTLS()
	t.Cleanup(func() {
		server.CloseClientConnections()
		server.Close()
	})
	authority = filepath.Join(t.TempDir(), "authority.pem")
	text := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})
	if err := os.WriteFile(authority, text, 0o600); err != nil {
		t.Fatal(err)
	}
	return server.URL, authority
}

func keyPath(name string) string { return filepath.Join("testdata", "keys", name+".pem") }

// TestCertificateIsChecked connects to a server of an unknown authority: not at
// all, with its authority named, and unchecked.
func TestCertificateIsChecked(t *testing.T) {
	url, authority := serveTLS(t, &older{answer: plainAnswer, lost: plainLost}, tls.NoClientCert)
	for name, test := range map[string]struct {
		tls  config.TLS
		want string
	}{
		"unknown":   {config.TLS{}, "its certificate is not trusted"},
		"named":     {config.TLS{CA: authority}, ""},
		"another":   {config.TLS{CA: keyPath("cert")}, "name the file of its authority in `ssl_verify`"},
		"unchecked": {config.TLS{Insecure: true}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			w := urlWant("s", config.TransportHTTP, url, nil)
			w.conn.TLS = test.tls
			m := testManager(t, Options{}, quickTiming())
			m.apply(wants(w))
			status := waitUntil(t, m, "s", func(s Status) bool { return s.State != StateStarting })
			if test.want == "" && status.State != StateConnected || !strings.Contains(status.Reason, test.want) {
				t.Errorf("%s: %s", status.State, status.Reason)
			}
			if log := strings.Join(m.Log("s"), "\n"); strings.Contains(log, "is not checked") != test.tls.Insecure {
				t.Errorf("log %s", log)
			}
		})
	}
}

// TestClientCertificate shows a certificate whose key stands in every form that
// people have.
func TestClientCertificate(t *testing.T) {
	var shown atomic.Value
	inner := &older{answer: plainAnswer, lost: plainLost}
	url, authority := serveTLS(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		shown.Store(r.TLS.PeerCertificates[0].Subject.CommonName)
		inner.ServeHTTP(w, r)
	}), tls.RequireAnyClientCert)
	for name, given := range map[string]config.TLS{
		"plain":                      {Cert: keyPath("cert"), Key: keyPath("plain")},
		"one file, with a password":  {Cert: keyPath("both"), Password: "open-sesame"},
		"AES, SHA-256":               {Cert: keyPath("cert"), Key: keyPath("aes256"), Password: "open-sesame"},
		"AES, SHA-1":                 {Cert: keyPath("cert"), Key: keyPath("aes128-sha1"), Password: "open-sesame"},
		"triple DES, SHA-512":        {Cert: keyPath("cert"), Key: keyPath("des3-sha512"), Password: "open-sesame"},
		"the cipher in PEM's header": {Cert: keyPath("cert"), Key: keyPath("older"), Password: "open-sesame"},
	} {
		t.Run(name, func(t *testing.T) {
			shown.Store("")
			w := urlWant("s", config.TransportHTTP, url, nil)
			given.CA = authority
			w.conn.TLS = given
			m := testManager(t, Options{}, quickTiming())
			connect(t, m, w)
			if shown.Load() != "client of the tests" {
				t.Errorf("shown %q", shown.Load())
			}
		})
	}
}

// TestKeyFiles says what is wrong with a file at its key and line, and never the
// password.
func TestKeyFiles(t *testing.T) {
	folder := t.TempDir()
	empty := filepath.Join(folder, "empty.pem")
	if err := os.WriteFile(empty, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct {
		tls       config.TLS
		key, want string
	}{
		"no authority":      {config.TLS{CA: filepath.Join(folder, "gone.pem")}, keyVerify, "is not there"},
		"folder":            {config.TLS{CA: folder}, keyVerify, "cannot be read: is a directory"},
		"empty authority":   {config.TLS{CA: empty}, keyVerify, "holds no certificate"},
		"no certificate":    {config.TLS{Cert: filepath.Join(folder, "gone.pem")}, keyCert, "is not there"},
		"no key file":       {config.TLS{Cert: keyPath("cert"), Key: filepath.Join(folder, "gone.pem")}, keyKey, "is not there"},
		"no key in it":      {config.TLS{Cert: keyPath("cert")}, keyCert, "there is none"},
		"key alone":         {config.TLS{Key: keyPath("plain")}, keyKey, "no certificate"},
		"password missing":  {config.TLS{Cert: keyPath("cert"), Key: keyPath("aes256")}, keyKey, "it needs a password"},
		"password wrong":    {config.TLS{Cert: keyPath("cert"), Key: keyPath("aes256"), Password: "hunter2"}, keyKey, "the password is wrong"},
		"older, missing":    {config.TLS{Cert: keyPath("cert"), Key: keyPath("older")}, keyKey, "it needs a password"},
		"older, wrong":      {config.TLS{Cert: keyPath("cert"), Key: keyPath("older"), Password: "hunter2"}, keyKey, "the password is wrong"},
		"scrypt":            {config.TLS{Cert: keyPath("cert"), Key: keyPath("scrypt"), Password: "open-sesame"}, keyKey, "not supported; write it anew with"},
		"not a certificate": {config.TLS{Cert: keyPath("plain"), Key: keyPath("plain")}, keyCert, "cannot be used"},
	} {
		t.Run(name, func(t *testing.T) {
			w := urlWant("s", config.TransportHTTP, "https://127.0.0.1:1/", nil)
			w.conn.TLS = test.tls
			w.place = func(key string) string { return " (config.yaml:7, " + key + ")" }
			m := testManager(t, Options{}, quickTiming())
			m.apply(wants(w))
			status := waitUntil(t, m, "s", func(s Status) bool { return s.State != StateStarting })
			for _, word := range []string{"`" + test.key + "`: ", test.want, " (config.yaml:7, " + test.key + ")"} {
				if !strings.Contains(status.Reason, word) {
					t.Errorf("%q is not in %q", word, status.Reason)
				}
			}
			if strings.Contains(status.Reason, "hunter2") {
				t.Errorf("the password is in %q", status.Reason)
			}
		})
	}
}

// TestKeyLine takes the line from the file.
func TestKeyLine(t *testing.T) {
	home := newHome(t, "mcp_servers:\n  s:\n    url: https://127.0.0.1:1/\n    client_key: k.pem\n    client_cert: gone.pem\n", nil)
	m := testManager(t, Options{}, quickTiming())
	m.Sync(home.snapshot())
	status := waitUntil(t, m, "s", func(s Status) bool { return s.State != StateStarting })
	if !strings.Contains(status.Reason, "config.yaml:5)") {
		t.Errorf("reason %q", status.Reason)
	}
}

// TestStrictRedirects sends a call away and back: the headers of the entry are
// there again only where it is not strict.
func TestStrictRedirects(t *testing.T) {
	for _, strict := range []bool{false, true} {
		handler := &older{answer: plainAnswer, lost: plainLost}
		var home, away string
		var leave atomic.Bool
		var back atomic.Value
		home = serveHTTP(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			switch {
			case r.URL.Path == "/back":
				back.Store(r.Header.Get("X-Api-Key"))
				w.WriteHeader(http.StatusBadRequest)
			case leave.Load():
				http.Redirect(w, r, away, http.StatusTemporaryRedirect)
			default:
				handler.ServeHTTP(w, r)
			}
		})).URL
		away = serveHTTP(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, home+"/back", http.StatusTemporaryRedirect)
		})).URL
		w := urlWant("s", config.TransportHTTP, home, map[string]string{"X-Api-Key": "k3y"})
		w.conn.StrictRedirects = strict
		m := testManager(t, Options{}, quickTiming())
		connect(t, m, w)
		leave.Store(true)
		if _, err := m.Call(testContext(t), "s", "raw", nil); err == nil {
			t.Error("the call went through")
		}
		if got := back.Load(); got != map[bool]string{false: "k3y", true: ""}[strict] {
			t.Errorf("strict %v: back at home with %q", strict, got)
		}
	}
}
