package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"strings"
)

// Prefixes are what the gateway puts before the names of its two servers' tools;
// the tool whose call changes the list is the second one's.
const (
	prefix         = "mcp__suite__"
	prefixChanging = "mcp__changing__"
	toolChanging   = "test_trigger_tool_change"
)

// public is the public name of a tool: "added_N" is what a change has added, and
// "its_" marks the first server's tool where both have one of the name.
func public(name string) string {
	if name == toolChanging || strings.HasPrefix(name, "added_") {
		return prefixChanging + name
	}
	return prefix + strings.TrimPrefix(name, "its_")
}

// shim stands between the suite and the gateway and does the two things the
// suite cannot: it shows the gateway's token, and it calls the tools by their
// public names, which a gateway in front of several servers must give them.
// Everything else passes as it came, also what is wrong on purpose: a Host or an
// Origin that is not the shim's own reaches the gateway unchanged.
type shim struct {
	listener net.Listener
	gateway  *url.URL
	token    string
}

// serve answers until the listener is closed.
func (s *shim) serve() error {
	proxy := &httputil.ReverseProxy{Rewrite: s.rewrite, ModifyResponse: unprefix, FlushInterval: -1}
	return http.Serve(s.listener, proxy)
}

func (s *shim) url() string { return "http://" + s.listener.Addr().String() + s.gateway.Path }

func (s *shim) rewrite(r *httputil.ProxyRequest) {
	own := s.listener.Addr().String()
	r.Out.URL.Scheme, r.Out.URL.Host = s.gateway.Scheme, s.gateway.Host
	r.Out.Host = r.In.Host
	if r.In.Host == own {
		r.Out.Host = s.gateway.Host
	}
	if r.In.Header.Get("Origin") == "http://"+own {
		r.Out.Header.Set("Origin", "http://"+s.gateway.Host)
	}
	r.Out.Header.Set("Authorization", "Bearer "+s.token)
	if r.In.Header.Get("Mcp-Method") == "tools/call" {
		if name := r.In.Header.Get("Mcp-Name"); name != "" && !strings.HasPrefix(name, "=?") {
			r.Out.Header.Set("Mcp-Name", public(name))
		}
	}
	body, err := io.ReadAll(r.In.Body)
	if err != nil {
		return
	}
	body = withPrefix(body)
	r.Out.Body, r.Out.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
}

// withPrefix gives the tool of a tools/call its public name.
func withPrefix(body []byte) []byte {
	var message, params map[string]json.RawMessage
	var method, name string
	if json.Unmarshal(body, &message) != nil || json.Unmarshal(message["method"], &method) != nil || method != "tools/call" ||
		json.Unmarshal(message["params"], &params) != nil || json.Unmarshal(params["name"], &name) != nil {
		return body
	}
	params["name"], _ = json.Marshal(public(name))
	message["params"], _ = json.Marshal(params)
	changed, err := json.Marshal(message)
	if err != nil {
		return body
	}
	return changed
}

// unprefix takes the prefix out of an answer, line by line as it comes.
func unprefix(r *http.Response) error {
	source := r.Body
	read, write := io.Pipe()
	go func() {
		lines := bufio.NewReader(source)
		for {
			line, err := lines.ReadBytes('\n')
			line = bytes.ReplaceAll(line, []byte(prefix+toolChanging), []byte("its_"+toolChanging))
			for _, known := range []string{prefix, prefixChanging} {
				line = bytes.ReplaceAll(line, []byte(known), nil)
			}
			if _, werr := write.Write(line); werr != nil {
				err = werr
			}
			if err != nil {
				write.CloseWithError(err)
				return
			}
		}
	}()
	r.Body = body{read, source}
	r.ContentLength = -1
	r.Header.Del("Content-Length")
	return nil
}

// body ends both sides of a pipe.
type body struct {
	*io.PipeReader
	source io.Closer
}

func (b body) Close() error {
	b.PipeReader.Close()
	return b.source.Close()
}
