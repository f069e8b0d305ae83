package desk

import (
	"context"
	"io"

	"hermes/backend/gateway"
	"hermes/backend/host"
)

// Gateway offers exactly the allowed tools to one MCP client over a pair of
// pipes until the input ends. A change of the file or of a server reaches the
// client at once.
func (d *Desk) Gateway(ctx context.Context, in io.ReadCloser, out io.Writer) error {
	h := d.current()
	if err := h.Watch(); err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	server := gateway.New(h.GatewayTools(), d.options.Version, d.options.Logger)
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
	err := server.Serve(ctx, in, nopCloser{out})
	cancel()
	<-followed
	return err
}

// nopCloser leaves standard output to the program.
type nopCloser struct{ io.Writer }

func (nopCloser) Close() error { return nil }
