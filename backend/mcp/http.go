package mcp

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"strings"
	"sync/atomic"
	"time"
)

const (
	sessionHeader   = "Mcp-Session-Id"
	lastEventHeader = "Last-Event-Id"
	maxRedirects    = 10
	maxResumes      = 5
)

// httpGate is the only way a session reaches the network: it adds the entry's
// headers, and only for the entry's own origin, ends every request with the
// session, and captures results.
type httpGate struct {
	base    *http.Transport
	origin  *url.URL
	headers map[string]string
	// strict gives a request no headers once it was redirected to another
	// origin, not even when that sends it back.
	strict bool
	// named means that the session stands in the address of a POST, as the older
	// transport has it, and not in a header.
	named bool
	// session ends all requests, also those the SDK detached from theirs.
	session context.Context
	// streamHeaders bounds the wait for the answer to the GET of a stream: the
	// SDK waits for it inside Connect without any limit.
	streamHeaders time.Duration
	// optionalStream lets a session live without the stream of the server's own
	// messages, when that cannot be opened.
	optionalStream bool
	// status is the last status of a POST, for the reason of a failure.
	status atomic.Int32
	// lost counts the streams in a row that could not be resumed.
	lost atomic.Int32
}

// parseEndpoint reads the URL of an entry.
func parseEndpoint(text string) (*url.URL, error) {
	endpoint, err := url.Parse(text)
	if err != nil {
		// The parser's message would repeat the text, which may hold a secret.
		return nil, errors.New("the url cannot be read; write it as https://host/path")
	}
	if (endpoint.Scheme != "http" && endpoint.Scheme != "https") || endpoint.Host == "" {
		return nil, errors.New("the url must begin with http:// or https:// and name a host")
	}
	return endpoint, nil
}

func newHTTPGate(session context.Context, endpoint *url.URL, headers map[string]string, t timing) *httpGate {
	// One transport a session, so that its connections end with it.
	base := &http.Transport{
		Proxy: http.ProxyFromEnvironment, ForceAttemptHTTP2: true, MaxIdleConns: 8, IdleConnTimeout: 90 * time.Second,
		TLSHandshakeTimeout: 10 * time.Second, ExpectContinueTimeout: time.Second,
	}
	return &httpGate{base: base, origin: endpoint, headers: headers, session: session, streamHeaders: t.streamHeaders}
}

func (g *httpGate) client() *http.Client {
	return &http.Client{Transport: g, CheckRedirect: checkRedirect}
}

func checkRedirect(next *http.Request, via []*http.Request) error {
	if len(via) >= maxRedirects {
		return fmt.Errorf("stopped after %d redirects", maxRedirects)
	}
	if via[0].URL.Scheme == "https" && next.URL.Scheme != "https" {
		return errors.New("refused a redirect from https to http")
	}
	return nil
}

// RoundTrip implements http.RoundTripper.
func (g *httpGate) RoundTrip(original *http.Request) (*http.Response, error) {
	ctx, cancel := context.WithCancel(original.Context())
	stop := context.AfterFunc(g.session, cancel)
	release := func() { stop(); cancel() }

	taken := captureFrom(ctx)
	if taken != nil && original.Method == http.MethodPost {
		ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
			WroteHeaders: func() { taken.sent.Store(true) },
		})
	}
	request := original.Clone(ctx)
	g.setHeaders(request)

	stream := original.Method == http.MethodGet
	var response *http.Response
	var err error
	if stream {
		response, err = g.openStream(request, cancel)
	} else {
		response, err = g.base.RoundTrip(request)
	}
	if err != nil {
		release()
		if stream && g.optionalStream {
			return g.withoutStream(original, err)
		}
		return nil, err
	}
	if stream {
		g.lost.Store(0)
	}
	if original.Method == http.MethodPost {
		g.status.Store(int32(response.StatusCode))
		if taken != nil {
			taken.status.Store(int32(response.StatusCode))
			taken.gone.Store(response.StatusCode == http.StatusNotFound && (g.named || request.Header.Get(sessionHeader) != ""))
		}
	}
	response.Body = &releasingBody{ReadCloser: response.Body, release: release}
	if taken != nil {
		taken.filter(response)
	}
	return response, nil
}

// openStream opens the stream of the server's own messages.
func (g *httpGate) openStream(request *http.Request, cancel func()) (*http.Response, error) {
	timer := time.AfterFunc(g.streamHeaders, cancel)
	response, err := g.base.RoundTrip(request)
	if !timer.Stop() && err == nil {
		_ = response.Body.Close()
		return nil, context.DeadlineExceeded
	}
	return response, err
}

// withoutStream keeps the SDK from retrying on its own, which it does for very
// long and, while it connects, without looking at any context. A stream that
// does not open is one the server does not offer; one that cannot be resumed
// again and again means that the session is gone.
func (g *httpGate) withoutStream(request *http.Request, err error) (*http.Response, error) {
	status := http.StatusMethodNotAllowed
	if request.Header.Get(lastEventHeader) != "" {
		if g.lost.Add(1) < maxResumes {
			return nil, err
		}
		status = http.StatusNotFound
	}
	return &http.Response{
		Status: fmt.Sprintf("%d %s", status, http.StatusText(status)), StatusCode: status,
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: http.Header{}, Body: http.NoBody, Request: request,
	}, nil
}

// setHeaders adds the entry's headers, or takes away what another origin must
// not see.
func (g *httpGate) setHeaders(request *http.Request) {
	if !sameOrigin(request.URL, g.origin) || g.strict && g.wandered(request) {
		for _, name := range []string{"Authorization", "Cookie", sessionHeader} {
			request.Header.Del(name)
		}
		for name := range g.headers {
			request.Header.Del(name)
		}
		return
	}
	for name, value := range g.headers {
		if strings.EqualFold(name, "Host") {
			request.Host = value
			continue
		}
		request.Header.Set(name, value)
	}
}

// wandered tells that a request is the end of redirects that left the origin.
func (g *httpGate) wandered(request *http.Request) bool {
	for before := request.Response; before != nil && before.Request != nil; before = before.Request.Response {
		if !sameOrigin(before.Request.URL, g.origin) {
			return true
		}
	}
	return false
}

func sameOrigin(a, b *url.URL) bool {
	return strings.EqualFold(a.Scheme, b.Scheme) && strings.EqualFold(a.Hostname(), b.Hostname()) && portOf(a) == portOf(b)
}

func portOf(u *url.URL) string {
	if port := u.Port(); port != "" {
		return port
	}
	if strings.EqualFold(u.Scheme, "https") {
		return "443"
	}
	return "80"
}

// close gives back the connections.
func (g *httpGate) close() { g.base.CloseIdleConnections() }

// releasingBody frees a request's context with its body.
type releasingBody struct {
	io.ReadCloser
	release func()
}

func (b *releasingBody) Close() error {
	err := b.ReadCloser.Close()
	b.release()
	return err
}
