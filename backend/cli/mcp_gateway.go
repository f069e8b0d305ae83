package cli

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"hermes/backend/desk"
)

func (a *app) mcpGateway() *cobra.Command {
	var addr string
	var remote bool
	cmd := &cobra.Command{
		Use:   "gateway",
		Short: "Offer exactly the allowed tools to any MCP client, over stdio or HTTP",
		Long: `Is an MCP server that offers exactly the allowed tools under their public names:
over standard input and output to the client that started it, or with --http to
any number of clients over streamable HTTP.

Over HTTP the address of the endpoint is printed, and a client shows the token in
the header "Authorization: Bearer TOKEN". It is taken from HERMES_GATEWAY_TOKEN
(at least 16 characters), else a new one is made for this run and printed once on
standard error. Only a loopback address is served without --allow-remote.`,
		Args: exactly(0, "no argument"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if remote && addr == "" {
				return usageError{err: errors.New("--allow-remote is for --http"), command: cmd.CommandPath()}
			}
			d, err := a.open()
			if err != nil {
				return err
			}
			in, ok := a.env.Stdin.(*os.File)
			if !ok && addr == "" {
				return errors.New("the gateway needs a pipe as standard input")
			}
			list, err := d.Servers()
			if err != nil {
				return err
			}
			// A client only sees that there are no tools; its user reads here why.
			a.out.problems(list.Config.Problems)
			if addr != "" {
				return a.gatewayHTTP(cmd.Context(), d, addr, remote)
			}
			return d.Gateway(cmd.Context(), in, a.env.Stdout)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&addr, "http", "", "listen on this address instead, for example 127.0.0.1:8090; port 0 takes a free one")
	flags.BoolVar(&remote, "allow-remote", false, "allow an address that other machines reach; nothing on the way is encrypted")
	return cmd
}

// gatewayHTTP serves until it is interrupted.
func (a *app) gatewayHTTP(ctx context.Context, d *desk.Desk, addr string, remote bool) error {
	return d.GatewayHTTP(ctx, addr, remote, a.env.Getenv("HERMES_GATEWAY_TOKEN"), func(l desk.Listening) error {
		if !l.Given {
			a.out.note("token of this run: %s", l.Token)
		}
		if l.Remote {
			a.out.note("warning: other machines reach this address, and nothing on the way is encrypted")
		}
		if a.out.json {
			return a.out.lineJSON(struct {
				URL string `json:"url"`
			}{l.URL})
		}
		_, err := fmt.Fprintln(a.out.out, l.URL)
		return err
	})
}
