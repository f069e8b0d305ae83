//go:build unix

package mcp

import (
	"context"
	"fmt"
	"os/exec"
	"syscall"
	"testing"
	"time"
)

// BenchmarkStart starts a hundred servers and waits until all are connected. The
// floor beside it starts the same hundred programs with nothing but pipes and
// waits for one line of each, the answer to the same first request. The two take
// turns, so that a busy machine slows both.
func BenchmarkStart(b *testing.B) {
	const servers = 100
	var ours, floor []time.Duration
	for first := true; b.Loop(); first = !first {
		if first {
			ours, floor = append(ours, startAll(b, servers)), append(floor, startBare(b, servers))
		} else {
			floor, ours = append(floor, startBare(b, servers)), append(ours, startAll(b, servers))
		}
	}
	report(b, "ours", ours)
	report(b, "bare", floor)
}

func startAll(b *testing.B, n int) time.Duration {
	b.Helper()
	all := map[string]want{}
	for i := range n {
		w := stdioWant(fmt.Sprintf("s%d", i), "__server", "plain")
		all[w.name] = w
	}
	m := New(Options{})
	defer func() { _ = m.Close() }()
	began := time.Now()
	m.apply(all)
	if missing := m.Wait(context.Background(), nil); len(missing) > 0 {
		b.Fatalf("missing %v: %s", missing, m.Status(missing[0]).Reason)
	}
	return time.Since(began)
}

func startBare(b *testing.B, n int) time.Duration {
	b.Helper()
	commands := make([]*exec.Cmd, n)
	answers := make(chan error, n)
	began := time.Now()
	for i := range commands {
		cmd := exec.Command(testBinary(), "__server", "plain")
		cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
		in, err := cmd.StdinPipe()
		if err != nil {
			b.Fatal(err)
		}
		out, err := cmd.StdoutPipe()
		if err == nil {
			err = cmd.Start()
		}
		if err != nil {
			b.Fatal(err)
		}
		commands[i] = cmd
		go func() {
			_, err := fmt.Fprintln(in, `{"jsonrpc":"2.0","id":1,"method":"initialize"}`)
			if err == nil {
				_, err = out.Read(make([]byte, 1))
			}
			answers <- err
		}()
	}
	for range commands {
		if err := <-answers; err != nil {
			b.Fatal(err)
		}
	}
	took := time.Since(began)
	for _, cmd := range commands {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	}
	return took
}
