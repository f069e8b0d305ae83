//go:build unix

package mcp

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"sync"
	"testing"

	"hermes/backend/config"
)

// TestRealServerAsks lets a real server ask for a completion and ask the person.
// It offers the tools for that only to a client that offers to answer.
func TestRealServerAsks(t *testing.T) {
	const sampling, form = "trigger-sampling-request", "trigger-elicitation-request"
	var mu sync.Mutex
	asked := map[string]string{}
	answer := func(kind, result string) func(context.Context, string, json.RawMessage) (json.RawMessage, error) {
		return func(_ context.Context, _ string, params json.RawMessage) (json.RawMessage, error) {
			mu.Lock()
			defer mu.Unlock()
			asked[kind] = string(params)
			return json.RawMessage(result), nil
		}
	}
	o := Options{
		Sample: answer("sample", `{"role":"assistant","model":"m","content":{"type":"text","text":"forty-two"}}`),
		Elicit: answer("form", `{"action":"accept","content":{"name":"Ada","check":true}}`),
	}
	for _, may := range []bool{false, true} {
		w := stdioWant("s", everything(), "stdio")
		w.conn.Command, w.samples, w.elicits = "node", may, may
		m := testManager(t, o, quickTiming())
		connect(t, m, w)
		offers := func(s Status) bool {
			tools := names(s.Tools)
			return slices.Contains(tools, sampling) == may && slices.Contains(tools, form) == may
		}
		if !may {
			if status := m.Status("s"); !offers(status) {
				t.Errorf("without the offer it has %q", names(status.Tools))
			}
			continue
		}
		waitUntil(t, m, "s", offers)
		if got := call(t, m, "s", sampling, `{"prompt":"the answer?","maxTokens":10}`); got.IsError || !strings.Contains(got.Content, "forty-two") {
			t.Errorf("%+v", got)
		}
		if got := call(t, m, "s", form, `{}`); got.IsError || !strings.Contains(got.Content, "Ada") {
			t.Errorf("%+v", got)
		}
		mu.Lock()
		if !strings.Contains(asked["sample"], "the answer?") || !strings.Contains(asked["form"], "requestedSchema") {
			t.Errorf("asked %v", asked)
		}
		mu.Unlock()
	}
}

// TestProtocolIsChosen speaks what the entry says, and says it at the server
// when that cannot be.
func TestProtocolIsChosen(t *testing.T) {
	real := func() want {
		w := stdioWant("s", everything(), "stdio")
		w.conn.Command = "node"
		return w
	}
	ours := func() want { return stdioWant("s", "__server", "tools") }
	for name, test := range map[string]struct {
		want     want
		protocol string
		spoken   string
	}{
		"auto, newest":   {ours(), config.ProtocolAuto, firstModern},
		"legacy, newest": {ours(), config.ProtocolLegacy, olderProtocol},
		"modern, newest": {ours(), config.ProtocolModern, firstModern},
		"auto, older":    {real(), config.ProtocolAuto, olderProtocol},
		"legacy, older":  {real(), config.ProtocolLegacy, olderProtocol},
		"modern, older":  {real(), config.ProtocolModern, ""},
	} {
		t.Run(name, func(t *testing.T) {
			w := test.want
			w.conn.Protocol = test.protocol
			m := testManager(t, Options{}, quickTiming())
			m.apply(wants(w))
			status := waitUntil(t, m, "s", func(s Status) bool { return s.State != StateStarting })
			if status.Protocol != test.spoken || test.spoken == "" && !strings.Contains(status.Reason, "write `protocol: auto`") {
				t.Errorf("%s, protocol %q: %s", status.State, status.Protocol, status.Reason)
			}
			if n := starts(m, "s"); n != 1 {
				t.Errorf("it was started %d times", n)
			}
		})
	}
}
