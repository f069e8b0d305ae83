//go:build unix

package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// addAsks offers a tool that asks what its argument says before it answers. The
// SDK's server asks by requests of its own or by the result, as the era wants.
func addAsks(server *sdk.Server) {
	sdk.AddTool(server, &sdk.Tool{Name: "ask", Annotations: &sdk.ToolAnnotations{ReadOnlyHint: true}},
		func(_ context.Context, request *sdk.CallToolRequest, args struct {
			Kind string `json:"kind"`
		}) (*sdk.CallToolResult, any, error) {
			params := request.Params
			if answered := params.InputResponses["q"]; answered != nil && args.Kind != "forever" {
				said, err := json.Marshal(answered)
				return text(params.RequestState + " " + string(said)), nil, err
			}
			return &sdk.CallToolResult{InputRequests: questions(args.Kind), RequestState: "state<&>"}, nil, nil
		})
}

func questions(kind string) sdk.InputRequestMap {
	form := &sdk.ElicitParams{Mode: "form", Message: "name?", RequestedSchema: json.RawMessage(`{"type":"object","properties":{"name":{"type":"string"}}}`)}
	switch kind {
	case "sample":
		return sdk.InputRequestMap{"q": &sdk.CreateMessageWithToolsParams{MaxTokens: 5, Messages: []*sdk.SamplingMessageV2{
			{Role: "user", Content: []sdk.Content{&sdk.TextContent{Text: "hello"}}},
		}}}
	case "url":
		return sdk.InputRequestMap{"q": &sdk.ElicitParams{Mode: "url", Message: "sign in", URL: "https://example.com/", ElicitationID: "1"}}
	case "roots":
		return sdk.InputRequestMap{"q": &sdk.ListRootsParams{}}
	case "big":
		form.Message = strings.Repeat("b", maxAsked)
	case "many":
		all := sdk.InputRequestMap{}
		for i := range maxInputs + 1 {
			all[fmt.Sprint(i)] = form
		}
		return all
	}
	return sdk.InputRequestMap{"q": form}
}

// answers is a program that answers servers; it notes what it was asked.
type answers struct {
	asked atomic.Int32
	last  atomic.Value
	fail  atomic.Bool
}

func (a *answers) options() Options {
	answer := func(result string) func(context.Context, string, json.RawMessage) (json.RawMessage, error) {
		return func(_ context.Context, server string, params json.RawMessage) (json.RawMessage, error) {
			a.asked.Add(1)
			a.last.Store(server + " " + string(params))
			if a.fail.Load() {
				return nil, errors.New("nobody is here")
			}
			return json.RawMessage(result), nil
		}
	}
	return Options{
		Sample: answer(`{"role":"assistant","model":"m","content":{"type":"text","text":"completed"}}`),
		Elicit: answer(`{"action":"accept","content":{"name":"Ada"}}`),
	}
}

// askFor calls the tool that asks, and gives what came of it as text.
func askFor(t *testing.T, m *Manager, kind string) string {
	t.Helper()
	got, err := m.Call(testContext(t), "s", "ask", json.RawMessage(fmt.Sprintf(`{"kind":%q}`, kind)))
	switch {
	case err != nil:
		return "refused: " + err.Error()
	case got.IsError:
		return "refused: " + got.Content
	}
	return got.Content
}

func refusedCall(text string) bool { return strings.HasPrefix(text, "refused: ") }

// TestServersAsk has a server ask for a completion and ask the person, over
// every transport and in both eras.
func TestServersAsk(t *testing.T) {
	for _, door := range doors() {
		t.Run(door.name, func(t *testing.T) {
			a := &answers{}
			w := door.want(t, nil)
			m := testManager(t, a.options(), quickTiming())
			w.samples, w.elicits = true, true
			connect(t, m, w)
			got := call(t, m, "s", "ask", `{"kind":"form"}`)
			if want := `state<&> {"action":"accept","content":{"name":"Ada"}}`; got.Content != want || got.IsError {
				t.Errorf("a form: %+v", got)
			}
			if last, _ := a.last.Load().(string); !strings.HasPrefix(last, "s {") || !strings.Contains(last, `"requestedSchema"`) || !strings.Contains(last, "name?") {
				t.Errorf("the program was asked %q", last)
			}
			if got := call(t, m, "s", "ask", `{"kind":"sample"}`); !strings.Contains(got.Content, `"completed"`) || got.IsError {
				t.Errorf("a completion: %+v", got)
			}
			if last, _ := a.last.Load().(string); !strings.Contains(last, `"maxTokens":5`) || !strings.Contains(last, "hello") {
				t.Errorf("the program was asked %q", last)
			}
			before := a.asked.Load()
			for _, kind := range []string{"roots", "big"} {
				if got := askFor(t, m, kind); !refusedCall(got) {
					t.Errorf("%s: %q", kind, got)
				}
			}
			if a.asked.Load() != before {
				t.Errorf("the program was asked what it is not to hear: %v", a.last.Load())
			}
			a.fail.Store(true)
			if got := askFor(t, m, "form"); !refusedCall(got) {
				t.Errorf("nobody there: %q", got)
			}
			if log := strings.Join(m.Log("s"), "\n"); !strings.Contains(log, "its request elicitation/create was refused: nobody is here") {
				t.Errorf("the log does not say why:\n%s", log)
			}
		})
	}
}

// TestServersMayNotAsk leaves the rules as they are by default: nothing is
// offered, and a server that asks all the same is refused.
func TestServersMayNotAsk(t *testing.T) {
	for _, door := range doors() {
		t.Run(door.name, func(t *testing.T) {
			a := &answers{}
			w := door.want(t, nil)
			m := testManager(t, a.options(), quickTiming())
			connect(t, m, w)
			for _, kind := range []string{"form", "sample", "url", "roots"} {
				if got := askFor(t, m, kind); !refusedCall(got) {
					t.Errorf("%s: %q", kind, got)
				}
			}
			if a.asked.Load() != 0 {
				t.Errorf("the program was asked: %v", a.last.Load())
			}
		})
	}
}

// TestRightsChange takes the right away while the session lives: it goes on, and
// the next request is refused; given back, the next one is answered.
func TestRightsChange(t *testing.T) {
	for _, door := range doors() {
		t.Run(door.name, func(t *testing.T) {
			a := &answers{}
			w := door.want(t, nil)
			m := testManager(t, a.options(), quickTiming())
			w.samples, w.elicits = true, true
			born := connect(t, m, w).Since
			for _, may := range []bool{true, false, true} {
				w.samples, w.elicits = may, may
				m.apply(wants(w))
				if got := askFor(t, m, "form"); refusedCall(got) == may {
					t.Errorf("allowed %v: %q", may, got)
				}
			}
			if since := m.Status("s").Since; !since.Equal(born) {
				t.Errorf("the change restarted the server")
			}
		})
	}
}

// TestAnAddressIsNotOpened declines a server that wants an address opened.
func TestAnAddressIsNotOpened(t *testing.T) {
	a := &answers{}
	m := testManager(t, a.options(), quickTiming())
	w := doors()[0].want(t, nil)
	w.elicits = true
	connect(t, m, w)
	if got := askFor(t, m, "url"); got != `state<&> {"action":"decline"}` || a.asked.Load() != 0 {
		t.Errorf("%q, asked %d", got, a.asked.Load())
	}
}

// TestRoundsAreBounded ends a call whose server never has enough.
func TestRoundsAreBounded(t *testing.T) {
	a := &answers{}
	m := testManager(t, a.options(), quickTiming())
	w := doors()[0].want(t, nil)
	w.elicits = true
	connect(t, m, w)
	if got := call(t, m, "s", "ask", `{"kind":"forever"}`); !got.IsError || !strings.Contains(got.Content, "it asked more than 8 times") {
		t.Errorf("%+v", got)
	}
	if got := call(t, m, "s", "ask", `{"kind":"many"}`); !got.IsError || !strings.Contains(got.Content, "more than 8 questions at once") {
		t.Errorf("%+v", got)
	}
	if n := a.asked.Load(); n != maxRounds {
		t.Errorf("the person was asked %d times", n)
	}
}

// TestThinkingDoesNotCount lets a person think longer than the call may take;
// a call that only waits for its server still ends.
func TestThinkingDoesNotCount(t *testing.T) {
	for _, door := range doors() {
		t.Run(door.name, func(t *testing.T) {
			limit := 200 * time.Millisecond
			o := Options{Elicit: func(ctx context.Context, _ string, _ json.RawMessage) (json.RawMessage, error) {
				select {
				case <-time.After(3 * limit):
				case <-ctx.Done():
				}
				return json.RawMessage(`{"action":"accept","content":{"name":"Ada"}}`), ctx.Err()
			}}
			w := door.want(t, nil)
			m := testManager(t, o, quickTiming())
			w.elicits, w.conn.Timeout = true, limit
			connect(t, m, w)
			if got := call(t, m, "s", "ask", `{"kind":"form"}`); got.IsError || !strings.Contains(got.Content, "Ada") {
				t.Errorf("%+v", got)
			}
			_, err := m.Call(WithProgress(testContext(t), func(float64, float64, string) {}), "s", "wait", nil)
			if !errors.Is(err, ErrEffectUnknown) || !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("a call that hangs: %v", err)
			}
			eventually(t, "the server hears of it", func() bool { return call(t, m, "s", "waited", "").Content == "1" })
		})
	}
}

// TestStopEndsAQuestion stops a call while its question is open.
func TestStopEndsAQuestion(t *testing.T) {
	for _, door := range doors()[:4] {
		t.Run(door.name, func(t *testing.T) {
			asked, ended := make(chan struct{}), make(chan struct{})
			o := Options{Elicit: func(ctx context.Context, _ string, _ json.RawMessage) (json.RawMessage, error) {
				close(asked)
				<-ctx.Done()
				close(ended)
				return nil, ctx.Err()
			}}
			w := door.want(t, nil)
			m := testManager(t, o, quickTiming())
			w.elicits = true
			connect(t, m, w)
			ctx, stop := context.WithCancel(testContext(t))
			go func() { <-asked; stop() }()
			got, err := m.Call(ctx, "s", "ask", json.RawMessage(`{"kind":"form"}`))
			if err == nil || !errors.Is(err, context.Canceled) {
				t.Errorf("%+v %v", got, err)
			}
			<-ended
		})
	}
}

// TestLatencyIsTheServersOwn: a call in which the server asked something says
// nothing about its speed.
func TestLatencyIsTheServersOwn(t *testing.T) {
	for _, door := range doors() {
		t.Run(door.name, func(t *testing.T) {
			a := &answers{}
			w := door.want(t, nil)
			m := testManager(t, a.options(), quickTiming())
			w.samples, w.elicits = true, true
			connect(t, m, w)
			// An error is an answer as well.
			if askFor(t, m, "roots"); m.Status("s").Latency <= 0 {
				t.Error("a call without a question has no time")
			}
			before := m.Status("s").Latency
			for _, kind := range []string{"form", "sample"} {
				call(t, m, "s", "ask", `{"kind":"`+kind+`"}`)
				if got := m.Status("s").Latency; got != before {
					t.Errorf("%s: the time of the answer counts: %s, was %s", kind, got, before)
				}
			}
		})
	}
}
