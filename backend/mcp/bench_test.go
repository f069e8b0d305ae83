//go:build unix

package mcp

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"slices"
	"syscall"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// BenchmarkCall compares one tool call through the Manager with the bare SDK.
// The two take turns on two processes of the same server, so that a busy
// machine slows both; the figures are medians and the 99th percentile in
// microseconds.
func BenchmarkCall(b *testing.B) {
	for _, peer := range []struct {
		name    string
		command []string
		tool    string
		args    string
	}{
		{"go", []string{os.Args[0], "__server", "tools"}, "echo", `{"message":"x"}`},
		{"everything", []string{"node", everything()}, "echo", `{"message":"x"}`},
	} {
		b.Run(peer.name, func(b *testing.B) {
			m := New(Options{})
			defer func() { _ = m.Close() }()
			w := stdioWant("s", peer.command[1:]...)
			w.conn.Command = peer.command[0]
			m.apply(wants(w))
			if missing := m.Wait(context.Background(), nil); len(missing) > 0 {
				b.Fatal(m.Status("s").Reason)
			}
			bare := connectBare(b, peer.command)
			defer func() { _ = bare.Close() }()
			var ours, theirs []time.Duration
			call := func() {
				start := time.Now()
				if _, err := m.Call(context.Background(), "s", peer.tool, json.RawMessage(peer.args)); err != nil {
					b.Fatal(err)
				}
				ours = append(ours, time.Since(start))
			}
			callBare := func() {
				start := time.Now()
				if _, err := bare.CallTool(context.Background(), &sdk.CallToolParams{Name: peer.tool, Arguments: json.RawMessage(peer.args)}); err != nil {
					b.Fatal(err)
				}
				theirs = append(theirs, time.Since(start))
			}
			for first := true; b.Loop(); first = !first {
				if first {
					call()
					callBare()
				} else {
					callBare()
					call()
				}
			}
			report(b, "ours", ours)
			report(b, "bare", theirs)
		})
	}
}

func everything() string {
	return "../../testdata/npm/node_modules/@modelcontextprotocol/server-everything/dist/index.js"
}

func connectBare(b *testing.B, command []string) *sdk.ClientSession {
	b.Helper()
	client := sdk.NewClient(&sdk.Implementation{Name: "bare", Version: "1"}, &sdk.ClientOptions{Capabilities: &sdk.ClientCapabilities{}})
	cmd := exec.Command(command[0], command[1:]...)
	// A session of its own as well: on a busy machine Linux schedules sessions
	// against each other, and that is not what is measured here.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	session, err := client.Connect(context.Background(), &sdk.CommandTransport{Command: cmd, TerminateDuration: 100 * time.Millisecond}, nil)
	if err != nil {
		b.Fatal(err)
	}
	return session
}

func report(b *testing.B, name string, took []time.Duration) {
	slices.Sort(took)
	at := func(part int) float64 {
		return float64(took[min(len(took)-1, len(took)*part/100)].Nanoseconds()) / 1000
	}
	b.ReportMetric(at(50), name+"-p50-µs")
	b.ReportMetric(at(99), name+"-p99-µs")
}

// BenchmarkBigResult is a result of 20 MB through the Manager; cpu-ms is what this
// program alone works for it.
func BenchmarkBigResult(b *testing.B) {
	m := New(Options{})
	defer func() { _ = m.Close() }()
	m.apply(wants(stdioWant("s", "__server", "raw")))
	if missing := m.Wait(context.Background(), nil); len(missing) > 0 {
		b.Fatal(m.Status("s").Reason)
	}
	var before, after syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &before)
	for b.Loop() {
		result, err := m.Call(context.Background(), "s", "big", nil)
		if err != nil || len(result.Content) != bigResult {
			b.Fatal(len(result.Content), err)
		}
	}
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &after)
	b.ReportMetric(float64(after.Utime.Nano()+after.Stime.Nano()-before.Utime.Nano()-before.Stime.Nano())/1e6/float64(b.N), "cpu-ms/op")
}
