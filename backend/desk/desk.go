package desk

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"sync"

	"hermes/backend/builtin"
	"hermes/backend/config"
	"hermes/backend/host"
	"hermes/backend/view"
)

// Options say which home a desk serves.
type Options struct {
	// Profile names a profile's home; empty is the default one.
	Profile string
	// Demo serves the embedded default in a temporary home.
	Demo bool
	// EmbeddedDefault serves the embedded default where the home has no
	// configuration, as the window and `hermes serve` do.
	EmbeddedDefault bool

	Version string
	Guard   []string
	Confine []string
	Getenv  func(string) string
	Logger  *slog.Logger
	// Log is where the log goes that the environment asks for; nil is stderr. It
	// counts where Logger is nil.
	Log io.Writer
	// Notice is told each thing that a change of the file from outside opened.
	Notice func(view.Problem)
}

// Desk serves the faces. Its methods are safe for concurrent use.
type Desk struct {
	options Options
	// ctx ends what a face started without a context of its own.
	ctx    context.Context
	cancel context.CancelFunc

	mu       sync.Mutex
	host     *host.Host
	demo     string // the temporary home, empty when the home is a real one
	home     config.Home
	watching bool
	report   view.PageReport
	relays   *relays
}

// Open finds the home and reads its file. Nothing is started, and nothing is
// written but the temporary home of the embedded default.
func Open(o Options) (*Desk, error) {
	home, err := config.FindHome(o.Profile, o.Getenv)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(context.Background())
	d := &Desk{options: o, ctx: ctx, cancel: cancel, home: home, relays: newRelays()}
	if o.Demo || o.EmbeddedDefault && !home.Exists() {
		if err := d.openDemo(); err != nil {
			cancel()
			return nil, err
		}
		return d, nil
	}
	d.host = d.newHost(home)
	return d, nil
}

func (d *Desk) newHost(home config.Home) *host.Host {
	options := host.Options{Home: home, Version: d.options.Version, Guard: d.options.Guard, Confine: d.options.Confine, Getenv: d.options.Getenv, Logger: d.options.Logger}
	if d.options.Notice != nil {
		options.Notice = func(p config.Problem) { d.options.Notice(problemView(p)) }
	}
	return host.New(options)
}

// openDemo makes the embedded default. Its servers are built in, so that
// starting them starts no foreign program.
func (d *Desk) openDemo() error {
	dir, err := os.MkdirTemp("", "hermes-demo-")
	if err != nil {
		return fmt.Errorf("make the temporary home of the demo: %w", err)
	}
	home := filepath.Join(dir, "home")
	if err := builtin.DemoHome(home); err != nil {
		return errors.Join(fmt.Errorf("write the demo home: %w", err), os.RemoveAll(dir))
	}
	d.demo = dir
	d.host = d.newHost(config.Home{Dir: home})
	return d.host.Start()
}

// current gives the host in service: UseHome replaces it.
func (d *Desk) current() *host.Host {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.host
}

// Watch begins to follow the file, for faces that stay.
func (d *Desk) Watch() error {
	d.mu.Lock()
	d.watching = true
	h := d.host
	d.mu.Unlock()
	return h.Watch()
}

// Close stops everything and removes the temporary home of a demo.
func (d *Desk) Close() error {
	d.cancel()
	d.mu.Lock()
	h, demo := d.host, d.demo
	d.demo = ""
	d.mu.Unlock()
	err := h.Close()
	d.relays.wait()
	if demo != "" {
		err = errors.Join(err, os.RemoveAll(demo))
	}
	return err
}

// Paths tells where things are.
func (d *Desk) Paths() view.Paths {
	home := d.current().Home()
	return view.Paths{Home: home.Dir, Config: home.Config(), Env: home.Env(), Native: home.Native(), Exists: home.Exists()}
}
