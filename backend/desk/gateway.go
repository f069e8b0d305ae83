package desk

import (
	"context"
	"errors"
	"io"

	"hermes/backend/gateway"
	"hermes/backend/host"
)

// Gateway offers exactly the allowed tools to one MCP client over a pair of
// pipes until the input ends. A change of the file or of a server reaches the
// client at once.
func (d *Desk) Gateway(ctx context.Context, in io.ReadCloser, out io.Writer) error {
	if err := d.meant(); err != nil {
		return err
	}
	server := gateway.New(d.current().GatewayTools(), d.options.Version, d.options.Logger)
	return d.offer(ctx, server, func(ctx context.Context) error { return server.Serve(ctx, in, nopCloser{out}) })
}

// Listening is a gateway over HTTP that has taken its address.
type Listening struct {
	// URL is the endpoint; Token is what a client must show, new unless Given.
	URL, Token string
	// Given tells that the person chose the token, Remote that other machines
	// reach the address.
	Given, Remote bool
}

// GatewayHTTP is Gateway for any number of clients over HTTP at an address. It
// answers until ctx ends, once told has returned without an error. An address
// that cannot be had is a *loopback.AddressError.
func (d *Desk) GatewayHTTP(ctx context.Context, addr string, allowRemote bool, token string, told func(Listening) error) error {
	if err := d.meant(); err != nil {
		return err
	}
	server := gateway.New(d.current().GatewayTools(), d.options.Version, d.options.Logger)
	listener, err := server.Listen(ctx, gateway.HTTPOptions{Addr: addr, AllowRemote: allowRemote, Token: token})
	if err != nil {
		return err
	}
	if err := told(Listening{URL: listener.URL(), Token: listener.Token(), Given: token != "", Remote: listener.Remote()}); err != nil {
		return errors.Join(err, listener.Close())
	}
	return errors.Join(d.offer(ctx, server, listener.Serve), listener.Close())
}

// offer lets the servers start and keeps a gateway in step while it serves.
func (d *Desk) offer(ctx context.Context, server *gateway.Server, serve func(context.Context) error) error {
	h := d.current()
	if err := h.Watch(); err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	signals := h.Subscribe(ctx)
	h.Remember()
	if err := h.Start(); err != nil {
		return err
	}
	followed := make(chan struct{})
	go func() {
		defer close(followed)
		for s := range signals {
			if s.Topic != host.TopicChat {
				server.Update()
			}
		}
	}()
	err := serve(ctx)
	cancel()
	<-followed
	return err
}

// nopCloser leaves standard output to the program.
type nopCloser struct{ io.Writer }

func (nopCloser) Close() error { return nil }
