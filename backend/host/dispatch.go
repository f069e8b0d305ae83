package host

import (
	"bytes"
	"context"
	"encoding/json"
	"strings"
	"sync"
	"time"

	"hermes/backend/agent"
	"hermes/backend/connector"
	"hermes/backend/message"
	"hermes/backend/registry"
)

// dispatch is a tool_call of connector entries alone, as Resolve found it: one call
// for the loop, and one for each entry behind the gate (reference hermes-agent 1.9).
type dispatch struct {
	entries []message.BatchEntry
	// admitted are the entries as the gate let them through; nil sends nothing.
	admitted *admitted
}

// admitted are the entries of one dispatch on their way through the gate. Each has
// at most one answer.
type admitted struct {
	gate *gate

	mu      sync.Mutex
	entries []*hostedCall
}

type hostedCall struct {
	call agent.Call
	note string // what a hook did
	asks bool   // a person has to answer

	// The answer; status is empty while there is none.
	status  message.Status
	outcome connector.Outcome
	took    time.Duration
}

// fail answers an entry, unless it has an answer.
func (a *admitted) fail(e *hostedCall, status message.Status, failure connector.Failure) {
	a.settle(e, status, connector.Outcome{Failure: &failure}, 0)
}

func (a *admitted) settle(e *hostedCall, status message.Status, outcome connector.Outcome, took time.Duration) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if e.status == "" {
		e.status, e.outcome, e.took = status, outcome, took
	}
}

// deny answers an entry that may not run.
func (a *admitted) deny(e *hostedCall, denial *agent.Denial) {
	status := denial.Status
	if status == "" || status == message.StatusOK {
		status = message.StatusDenied
	}
	a.fail(e, status, connector.Failure{Code: connector.CodeDenied, Message: sentence(denial.Reason)})
}

// sentence takes a reason out of the answer of a bridge tool.
func sentence(reason string) string {
	var wrapped struct {
		Error string `json:"error"`
	}
	if strings.HasPrefix(reason, "{") && json.Unmarshal([]byte(reason), &wrapped) == nil && wrapped.Error != "" {
		return wrapped.Error
	}
	return reason
}

// open are the entries without an answer.
func (a *admitted) open() []*hostedCall {
	a.mu.Lock()
	defer a.mu.Unlock()
	var out []*hostedCall
	for _, e := range a.entries {
		if e.status == "" {
			out = append(out, e)
		}
	}
	return out
}

// dispatch is what a tool_call of connector entries leads to.
func (t *tools) dispatch(arguments string, entries []message.BatchEntry) (agent.Target, *agent.Denial) {
	public, tool := registry.ConnectorBatch, "execute"
	if len(entries) == 1 {
		public, arguments = entries[0].Name, entries[0].Arguments
		tool = strings.TrimPrefix(public, message.ConnectorPrefix)
	}
	if _, reason := t.host.gateway(); reason != "" {
		reason = t.host.redact(reason) + ", so no " + message.ConnectorPrefix + " tool can be called; nothing of this tool_call was sent"
		return agent.Target{Public: public, Arguments: arguments}, &agent.Denial{Status: message.StatusDenied, Unknown: true, Reason: registry.ErrorJSON(reason), Shown: reason}
	}
	return agent.Target{Public: public, Server: registry.Connector, Tool: tool, Arguments: arguments, Overlap: agent.Free,
		Handle: handle{dispatch: &dispatch{entries: entries}}}, nil
}

// runDispatch sends the entries that may be sent, one after another, and puts every
// answer at its place.
func (t *tools) runDispatch(ctx context.Context, d *dispatch) agent.Result {
	a := d.admitted
	if a == nil {
		return agent.Result{Status: message.StatusDenied, Content: "nobody decided about this call; nothing was sent"}
	}
	for _, e := range a.open() {
		t.runEntry(ctx, a, e)
	}
	return a.result()
}

func (t *tools) runEntry(ctx context.Context, a *admitted, e *hostedCall) {
	interrupted := func() bool {
		if ctx.Err() == nil {
			return false
		}
		a.fail(e, message.StatusInterrupted, connector.Failure{Code: connector.CodeInterrupted, Message: "the turn was stopped before this entry was sent; nothing of it was sent"})
		return true
	}
	if interrupted() {
		return
	}
	if denial := a.gate.Confirm(ctx, e.call); denial != nil {
		a.deny(e, denial)
		return
	}
	gateway, reason := t.host.gateway()
	if reason != "" {
		a.deny(e, &agent.Denial{Status: message.StatusDenied, Reason: reason + "; nothing of this entry was sent"})
		return
	}
	if interrupted() {
		return
	}
	defer t.host.callers.enter(e.call.Target.Server, t.turn)()
	began := time.Now()
	outcome := gateway.Execute(ctx, e.call.Target.Public, json.RawMessage(e.call.Target.Arguments))
	status := message.StatusOK
	switch {
	case outcome.Unknown:
		status = message.StatusUnknown
	case outcome.Failure != nil:
		status = message.StatusError
	}
	a.settle(e, status, outcome, time.Since(began))
}

// hostedResult and hostedAnswer are the answer to a dispatch.
type hostedResult struct {
	Index    int             `json:"index"`
	Name     string          `json:"name"`
	Response json.RawMessage `json:"response,omitempty"`
	Error    *hostedError    `json:"error,omitempty"`
	Account  string          `json:"account,omitempty"`
	Note     string          `json:"note,omitempty"`
}

type hostedError struct {
	Code      string `json:"code"`
	Message   string `json:"message"`
	Connector string `json:"connector,omitempty"`
	Hint      string `json:"hint,omitempty"`
}

type hostedAnswer struct {
	Results []hostedResult `json:"results"`
	Success int            `json:"success_count"`
	Errors  int            `json:"error_count"`
	Total   int            `json:"total_count"`
}

// result is the answer to the whole dispatch. Every entry has one; the counters are
// counted here and never taken from the gateway.
func (a *admitted) result() agent.Result {
	a.mu.Lock()
	defer a.mu.Unlock()
	answer := hostedAnswer{Results: make([]hostedResult, len(a.entries)), Total: len(a.entries)}
	seen := map[message.Status]int{}
	for i, e := range a.entries {
		seen[e.status]++
		out := hostedResult{Index: i, Name: e.call.Target.Public, Note: e.note}
		switch failed := e.outcome.Failure; {
		case failed != nil:
			out.Error = &hostedError{failed.Code, failed.Message, failed.Connector, failed.Hint}
			answer.Errors++
		case e.status == "":
			out.Error = &hostedError{Code: connector.CodeInterrupted, Message: "this entry was not sent"}
			answer.Errors++
		default:
			out.Response, out.Account = e.outcome.Response, e.outcome.Account
			answer.Success++
		}
		answer.Results[i] = out
	}
	status := message.StatusError
	switch total := len(a.entries); {
	case seen[message.StatusUnknown] > 0:
		status = message.StatusUnknown
	case answer.Success > 0:
		status = message.StatusOK
	case seen[message.StatusInterrupted] == total:
		status = message.StatusInterrupted
	case seen[message.StatusBlocked] == total:
		status = message.StatusBlocked
	case seen[message.StatusDenied]+seen[message.StatusBlocked] == total:
		status = message.StatusDenied
	}
	return agent.Result{Status: status, Content: answer.text()}
}

func (a hostedAnswer) text() string {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(a); err != nil {
		return registry.ErrorJSON("the answers of the gateway cannot be written: " + err.Error())
	}
	return strings.TrimSpace(b.String())
}
