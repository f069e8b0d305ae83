//go:build unix

package mcp

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// TestStoppingReachesTheServer stops a call over every transport and in both
// eras: the server's own context ends, and the session takes the next call.
func TestStoppingReachesTheServer(t *testing.T) {
	for _, door := range doors() {
		t.Run(door.name, func(t *testing.T) {
			w := door.want(t, nil)
			m := testManager(t, Options{}, quickTiming())
			connect(t, m, w)
			ctx, stop := context.WithCancel(testContext(t))
			entered := WithProgress(ctx, func(float64, float64, string) { stop() })
			_, err := m.Call(entered, "s", "wait", nil)
			if !errors.Is(err, ErrEffectUnknown) || !errors.Is(err, context.Canceled) {
				t.Errorf("%v", err)
			}
			eventually(t, "the server hears of it", func() bool {
				return call(t, m, "s", "waited", "").Content == "1"
			})
		})
	}
}

// addWaits offers a tool that says that it began and waits for its end, and one
// that tells how many ends there were. The first answers only once the second was
// asked: an answer to the cancellation never comes before the caller's own word.
func addWaits(server *sdk.Server) {
	var ends atomic.Int32
	told := make(chan struct{})
	tell := sync.OnceFunc(func() { close(told) })
	hint := &sdk.ToolAnnotations{ReadOnlyHint: true}
	sdk.AddTool(server, &sdk.Tool{Name: "wait", Annotations: hint},
		func(ctx context.Context, request *sdk.CallToolRequest, _ anything) (*sdk.CallToolResult, any, error) {
			err := request.Session.NotifyProgress(ctx, &sdk.ProgressNotificationParams{ProgressToken: request.Params.GetProgressToken(), Progress: 1})
			if err != nil {
				return nil, nil, err
			}
			<-ctx.Done()
			ends.Add(1)
			<-told
			return nil, nil, ctx.Err()
		})
	sdk.AddTool(server, &sdk.Tool{Name: "waited", Annotations: hint},
		func(context.Context, *sdk.CallToolRequest, anything) (*sdk.CallToolResult, any, error) {
			if ends.Load() > 0 {
				tell()
			}
			return text(fmt.Sprint(ends.Load())), nil, nil
		})
}
