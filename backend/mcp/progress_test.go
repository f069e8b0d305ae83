//go:build unix

package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// addSteps offers a tool that reports its steps and then waits until release is
// called, so that a test decides when a call ends.
func addSteps(server *sdk.Server) {
	released := make(chan struct{})
	hint := &sdk.ToolAnnotations{ReadOnlyHint: true}
	sdk.AddTool(server, &sdk.Tool{Name: "steps", Annotations: hint},
		func(ctx context.Context, request *sdk.CallToolRequest, args struct {
			Name  string  `json:"name"`
			Steps int     `json:"steps"`
			Total float64 `json:"total,omitempty"`
		}) (*sdk.CallToolResult, any, error) {
			token := request.Params.GetProgressToken()
			for step := 1; token != nil && step <= args.Steps; step++ {
				err := request.Session.NotifyProgress(ctx, &sdk.ProgressNotificationParams{
					ProgressToken: token, Progress: float64(step), Total: args.Total, Message: args.Name,
				})
				if err != nil {
					return nil, nil, err
				}
			}
			select {
			case <-released:
				return text(fmt.Sprintf("%s token:%v", args.Name, token != nil)), nil, nil
			case <-ctx.Done():
				return nil, nil, ctx.Err()
			}
		})
	once := sync.OnceFunc(func() { close(released) })
	sdk.AddTool(server, &sdk.Tool{Name: "release", Annotations: hint},
		func(context.Context, *sdk.CallToolRequest, anything) (*sdk.CallToolResult, any, error) {
			once()
			return text("ok"), nil, nil
		})
}

// TestProgressReachesItsCall runs two calls at once over every transport and in
// both eras: each sink hears of its own call alone, up to the last report.
func TestProgressReachesItsCall(t *testing.T) {
	for _, door := range doors() {
		t.Run(door.name, func(t *testing.T) {
			w := door.want(t, nil)
			m := testManager(t, Options{}, quickTiming())
			status := connect(t, m, w)
			if modern := status.Protocol >= firstModern; modern != door.modern {
				t.Fatalf("protocol %s", status.Protocol)
			}
			var waiting sync.WaitGroup
			var calls sync.WaitGroup
			for _, name := range []string{"left", "right"} {
				waiting.Add(1)
				calls.Go(func() {
					var over atomic.Bool
					last := sync.OnceFunc(waiting.Done)
					ctx := WithProgress(testContext(t), func(done, total float64, text string) {
						if over.Load() || text != name || total != 50 {
							t.Errorf("%s heard %v of %v, %q; over %v", name, done, total, text, over.Load())
						}
						if done == 50 {
							last()
						}
					})
					got, err := m.Call(ctx, "s", "steps", json.RawMessage(fmt.Sprintf(`{"name":%q,"steps":50,"total":50}`, name)))
					over.Store(true)
					if err != nil || got.Content != name+" token:true" {
						t.Errorf("%s: %+v %v", name, got, err)
					}
				})
			}
			waiting.Wait()
			call(t, m, "s", "release", "")
			calls.Wait()
			// Without a sink no token is sent.
			if got := call(t, m, "s", "steps", `{"name":"quiet","steps":3}`); got.Content != "quiet token:false" {
				t.Errorf("without a sink: %+v", got)
			}
		})
	}
}

// TestSlowSinkHoldsNobodyUp lets a sink wait: the session goes on, the reports
// between are left out, and the call waits for the sink before it returns.
func TestSlowSinkHoldsNobodyUp(t *testing.T) {
	m := testManager(t, Options{}, quickTiming())
	connect(t, m, stdioWant("s", "__server", "tools"))
	entered, leave := make(chan struct{}), make(chan struct{})
	var heard []float64
	done := make(chan Result)
	go func() {
		ctx := WithProgress(testContext(t), func(step, _ float64, _ string) {
			if len(heard) == 0 {
				close(entered)
				<-leave
			}
			heard = append(heard, step)
		})
		got, err := m.Call(ctx, "s", "steps", json.RawMessage(`{"name":"x","steps":10000}`))
		if err != nil {
			t.Errorf("%v", err)
		}
		done <- got
	}()
	<-entered
	call(t, m, "s", "release", "")
	call(t, m, "s", "echo", `{}`)
	select {
	case got := <-done:
		t.Errorf("the call returned while its sink runs: %+v", got)
	case <-time.After(20 * time.Millisecond):
	}
	close(leave)
	<-done
	if len(heard) > 5000 {
		t.Errorf("a slow sink heard %d reports", len(heard))
	}
}

// TestProgressIsBounded cuts what a server says of its progress, and hides what
// is secret in it.
func TestProgressIsBounded(t *testing.T) {
	var board progressBoard
	var tokens atomic.Int64
	said := make(chan string, 1)
	token, end := board.watch(WithProgress(t.Context(), func(_, _ float64, text string) { said <- text }), &tokens, time.Millisecond)
	defer end()
	clean := newRedactor(nil, []string{"s3cr3t-value"})
	for _, params := range []*sdk.ProgressNotificationParams{
		nil, {}, {ProgressToken: 7.0}, {ProgressToken: "call-99"},
		{ProgressToken: token, Message: "s3cr3t-value " + strings.Repeat("ä", 1000)},
	} {
		board.take(params, clean)
	}
	if got := <-said; strings.Contains(got, "s3cr3t") || len(got) > maxProgressText || !strings.HasSuffix(got, "ä") {
		t.Errorf("%d bytes: %q", len(got), got)
	}
}

// TestRealProgress hears of a real server's long operation.
func TestRealProgress(t *testing.T) {
	w := stdioWant("s", everything(), "stdio")
	w.conn.Command = "node"
	if _, err := os.Stat(everything()); err != nil {
		t.Fatal(err)
	}
	m := testManager(t, Options{}, quickTiming())
	connect(t, m, w)
	last := 0.0
	ctx := WithProgress(testContext(t), func(done, total float64, _ string) {
		if total != 3 || done < last {
			t.Errorf("%v of %v after %v", done, total, last)
		}
		last = done
	})
	got, err := m.Call(ctx, "s", "trigger-long-running-operation", json.RawMessage(`{"duration":0.3,"steps":3}`))
	if err != nil || got.IsError || last < 2 {
		t.Errorf("%v of 3: %+v %v", last, got, err)
	}
}

// TestFastProgress does not wait the pause of people between two reports.
func TestFastProgress(t *testing.T) {
	var board progressBoard
	var tokens atomic.Int64
	said := make(chan string)
	token, end := board.watch(WithFastProgress(t.Context(), func(_, _ float64, text string) { said <- text }), &tokens, time.Hour)
	defer end()
	for _, text := range []string{"one", "two"} {
		board.take(&sdk.ProgressNotificationParams{ProgressToken: token, Message: text}, redactor{})
		if got := <-said; got != text {
			t.Errorf("heard %q, want %q", got, text)
		}
	}
}
