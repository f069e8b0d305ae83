package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"os"
	"sync/atomic"

	"hermes/backend/config"
	"hermes/backend/host"
)

// whitelist calls add_numbers through the whole program, whose file has a
// whitelist, and says how many calls were seen on the way to the suite's server.
func whitelist(ctx context.Context, address, include string) error {
	counted, calls, stop, err := count(ctx, address)
	if err != nil {
		return err
	}
	defer stop()
	home, err := writeHome(counted, "    tools: {include: "+include+"}\n")
	if err != nil {
		return err
	}
	defer os.RemoveAll(home)
	h := host.New(host.Options{Home: config.Home{Dir: home}, Version: "0", Getenv: os.Getenv, Logger: slog.New(slog.DiscardHandler)})
	defer h.Close()
	if err := h.Start(); err != nil {
		return err
	}
	tools := h.GatewayTools()
	tools.Ready(ctx)
	fmt.Printf("offered: %d; ", len(tools.Entries()))
	for _, name := range []string{"mcp__harness__add_numbers", "add_numbers", "harness:add_numbers"} {
		result := tools.Call(ctx, name, json.RawMessage(`{"a":5,"b":3}`), nil)
		fmt.Printf("%s refused: %v; ", name, result.IsError)
	}
	fmt.Printf("calls that reached the server: %d\n", calls.Load())
	return nil
}

// count puts a counter of tools/call before a server.
func count(ctx context.Context, address string) (before string, calls *atomic.Int32, stop func(), err error) {
	target, err := url.Parse(address)
	if err != nil {
		return "", nil, nil, err
	}
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return "", nil, nil, err
	}
	calls = &atomic.Int32{}
	proxy := &httputil.ReverseProxy{FlushInterval: -1, Rewrite: func(r *httputil.ProxyRequest) {
		r.Out.URL.Scheme, r.Out.URL.Host = target.Scheme, target.Host
		body, err := io.ReadAll(r.In.Body)
		if err != nil {
			return
		}
		if bytes.Contains(body, []byte(`"tools/call"`)) {
			calls.Add(1)
		}
		r.Out.Body, r.Out.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	}}
	server := &http.Server{Handler: proxy}
	go func() { _ = server.Serve(listener) }()
	return "http://" + listener.Addr().String() + target.Path, calls, func() { _ = server.Close() }, nil
}
