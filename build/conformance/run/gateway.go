package main

import (
	"bufio"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// gateway is a running `hermes mcp gateway --http` with the shim before it.
type gateway struct {
	cmd  *exec.Cmd
	home string
	shim *shim
	over chan error
}

// startGateway writes a home with two servers and starts the program on it.
func (s *suite) startGateway(ctx context.Context) (*gateway, error) {
	home, err := os.MkdirTemp("", "hermes-conformance-")
	if err != nil {
		return nil, err
	}
	file := fmt.Sprintf("mcp_servers:\n  suite:\n    command: %q\n  changing:\n    command: %q\n",
		filepath.Join(s.bin, "everything"), filepath.Join(s.bin, "changing"))
	if err := os.WriteFile(filepath.Join(home, "config.yaml"), []byte(file), 0o600); err != nil {
		return nil, err
	}
	g := &gateway{home: home, over: make(chan error, 1)}
	token := rand.Text()
	g.cmd = exec.CommandContext(ctx, filepath.Join(s.bin, "hermes"), "mcp", "gateway", "--http", "127.0.0.1:0")
	g.cmd.Env = append(os.Environ(), "HERMES_HOME="+home, "HERMES_GATEWAY_TOKEN="+token)
	g.cmd.Cancel = func() error { return g.cmd.Process.Signal(os.Interrupt) }
	g.cmd.WaitDelay = 10 * time.Second
	g.cmd.Stderr = os.Stderr
	out, err := g.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := g.cmd.Start(); err != nil {
		return nil, fmt.Errorf("start the gateway: %w", err)
	}
	text, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		return nil, errors.Join(fmt.Errorf("the gateway said no address: %w", err), g.cmd.Wait())
	}
	address, err := url.Parse(strings.TrimSpace(text))
	if err != nil {
		return nil, errors.Join(err, g.stop())
	}
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, errors.Join(err, g.stop())
	}
	g.shim = &shim{listener: listener, gateway: address, token: token}
	go func() { g.over <- g.shim.serve() }()
	return g, nil
}

// stop interrupts the gateway, which must end with the code for that.
func (g *gateway) stop() error {
	if g.shim != nil {
		_ = g.shim.listener.Close()
		if err := <-g.over; err != nil && !errors.Is(err, net.ErrClosed) && !errors.Is(err, http.ErrServerClosed) {
			return err
		}
	}
	if err := g.cmd.Process.Signal(os.Interrupt); err != nil {
		return fmt.Errorf("the gateway had ended: %w", err)
	}
	_ = g.cmd.Wait()
	if code := g.cmd.ProcessState.ExitCode(); code != 130 {
		return fmt.Errorf("the interrupted gateway ended with %d, want 130", code)
	}
	return os.RemoveAll(g.home)
}
