package agent_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"hermes/backend/agent"
	"hermes/backend/message"
)

func TestMain(m *testing.M) {
	crashChild()
	workerChild()
	goleak.VerifyTestMain(m)
}

// answer is one scripted model pass.
type answer struct {
	Text  string
	Calls []message.ToolCall
	Stop  message.StopReason
	Error string
	Usage message.Usage
	// Vendor and Blocks are handed through.
	Vendor string
	Blocks []json.RawMessage
}

// model answers as scripted and keeps what it was asked.
type model struct {
	t       testing.TB
	answers []answer
	asked   []agent.Request
	during  func(ctx context.Context) // runs in the middle of a pass
}

func (m *model) Stream(ctx context.Context, request agent.Request, onText func(string)) (agent.Turn, error) {
	request.Messages = slices.Clone(request.Messages)
	m.asked = append(m.asked, request)
	if len(m.asked) > len(m.answers) {
		m.t.Errorf("pass %d was not expected", len(m.asked))
		return agent.Turn{}, errors.New("the script is over")
	}
	a := m.answers[len(m.asked)-1]
	for piece := range strings.SplitAfterSeq(a.Text, " ") {
		if piece != "" {
			onText(piece)
		}
	}
	if m.during != nil {
		m.during(ctx)
	}
	if err := ctx.Err(); err != nil {
		return agent.Turn{}, err
	}
	if a.Error != "" {
		return agent.Turn{}, errors.New(a.Error)
	}
	return agent.Turn{Content: a.Text, ToolCalls: a.Calls, Stop: a.Stop, Vendor: a.Vendor, Blocks: a.Blocks, Usage: a.Usage}, nil
}

// tool is what the fake servers do with one tool.
type tool struct {
	Server string
	Result string
	Status message.Status
	// Deny, Schema and Gate refuse at that step.
	Deny, Schema, Gate string
	// DenyChanged and SchemaChanged do so for arguments other than Written.
	DenyChanged, SchemaChanged, Written string
	Overlap                             agent.Overlap
	run                                 func(ctx context.Context, target agent.Target) agent.Result
	// reports are told while the call runs.
	reports []message.ProgressEvent
}

// tools is a registry, a policy and the servers behind them.
type tools struct {
	known map[string]*tool
	mu    sync.Mutex
	sent  []string
	// news is told once, to whoever asks first.
	news string
	// starting are the servers that are not there yet; Await waits until their
	// channel is closed.
	starting map[string]chan struct{}
	// failed are those that are not there after that either.
	failed map[string]bool
}

func (f *tools) News() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	news := f.news
	f.news = ""
	return news
}

func (f *tools) Definitions() []message.ToolDef {
	var defs []message.ToolDef
	for _, name := range slices.Sorted(maps.Keys(f.known)) {
		defs = append(defs, message.ToolDef{Name: name})
	}
	return defs
}

func (f *tools) Resolve(call message.ToolCall) (agent.Target, *agent.Denial) {
	unknown := func(format string, args ...any) *agent.Denial {
		return &agent.Denial{Status: message.StatusError, Reason: fmt.Sprintf(format, args...), Unknown: true}
	}
	name, arguments := call.Peel()
	if name == message.NameToolCall {
		entries, err := message.ParseBatch(arguments)
		switch {
		case err != nil:
			return agent.Target{}, unknown("%v", err)
		case !slices.ContainsFunc(entries, func(e message.BatchEntry) bool { return !strings.HasPrefix(e.Name, "connectors__") }):
			return agent.Target{Public: "connectors__execute", Arguments: arguments, Overlap: agent.Free}, nil
		}
		return agent.Target{}, unknown("too many calls: %d > max 10", len(entries))
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	t, ok := f.known[name]
	if !ok {
		return agent.Target{}, unknown("'%s' is not a known tool name.", name)
	}
	if !f.there(t.Server) {
		return agent.Target{Public: name, Server: t.Server, Arguments: arguments, Awaits: t.Server},
			&agent.Denial{Status: message.StatusError, Reason: "the server is not connected"}
	}
	target := agent.Target{Public: name, Server: t.Server, Tool: strings.TrimPrefix(name, "mcp__"+t.Server+"__"), Arguments: arguments, Overlap: t.Overlap, Handle: t}
	if t.Deny != "" {
		return target, &agent.Denial{Status: message.StatusDenied, Reason: t.Deny}
	}
	if t.DenyChanged != "" && arguments != t.Written {
		return target, &agent.Denial{Status: message.StatusDenied, Reason: t.DenyChanged}
	}
	return target, nil
}

func (f *tools) Validate(target agent.Target) *agent.Denial {
	t, ok := target.Handle.(*tool)
	switch {
	case ok && t.Schema != "":
		return &agent.Denial{Status: message.StatusError, Reason: t.Schema}
	case ok && t.SchemaChanged != "" && target.Arguments != t.Written:
		return &agent.Denial{Status: message.StatusError, Reason: t.SchemaChanged}
	}
	return nil
}

func (f *tools) Run(ctx context.Context, target agent.Target, report func(message.ProgressEvent)) agent.Result {
	f.mu.Lock()
	f.sent = append(f.sent, target.Public+" "+target.Arguments)
	f.mu.Unlock()
	t, ok := target.Handle.(*tool)
	if !ok {
		return agent.Result{Status: message.StatusOK, Content: "dispatched"}
	}
	for _, progress := range t.reports {
		report(progress)
	}
	if t.run != nil {
		result := t.run(ctx, target)
		for _, progress := range t.reports {
			report(progress)
		}
		return result
	}
	status := t.Status
	if status == "" && t.Result != "" {
		status = message.StatusOK
	}
	return agent.Result{Status: status, Content: t.Result}
}

// gate asks nobody: it refuses what the tool says. Every method can be taken
// over.
type gate struct {
	before  func(agent.Call) (string, *agent.Denial)
	judge   func(agent.Call) agent.Judgement
	ask     func(ctx context.Context, calls []agent.Call, put func(string)) []*agent.Denial
	confirm func(agent.Call) *agent.Denial
	settle  func(agent.Result) agent.Result
	after   func(agent.Call, agent.Result, time.Duration)
}

func (g gate) Before(_ context.Context, call agent.Call) (string, *agent.Denial) {
	if g.before != nil {
		return g.before(call)
	}
	return "", nil
}

func (g gate) Judge(_ context.Context, call agent.Call) agent.Judgement {
	if g.judge != nil {
		return g.judge(call)
	}
	if t, ok := call.Target.Handle.(*tool); ok && t.Gate != "" {
		return agent.Judgement{Denial: &agent.Denial{Status: message.StatusBlocked, Reason: t.Gate}}
	}
	return agent.Judgement{Ruling: agent.Run}
}

func (g gate) Ask(ctx context.Context, calls []agent.Call, put func(string)) []*agent.Denial {
	if g.ask != nil {
		return g.ask(ctx, calls, put)
	}
	return nil
}

func (g gate) Confirm(_ context.Context, call agent.Call) *agent.Denial {
	if g.confirm != nil {
		return g.confirm(call)
	}
	return nil
}

func (g gate) Settle(_ context.Context, _ agent.Call, result agent.Result) agent.Result {
	if g.settle != nil {
		return g.settle(result)
	}
	return result
}

func (g gate) After(_ context.Context, call agent.Call, result agent.Result, took time.Duration) {
	if g.after != nil {
		g.after(call, result, took)
	}
}

// journal is a store in memory that checks the rules of one: it is for tests
// in virtual time and for faults.
type journal struct {
	t      testing.TB
	mu     sync.Mutex
	rows   []message.Message
	states map[string]string
	wrote  []string
	fail   func(deed string) error
}

func (j *journal) do(deed string, change func()) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.fail != nil {
		if err := j.fail(deed); err != nil {
			return err
		}
	}
	j.wrote = append(j.wrote, deed)
	change()
	return nil
}

func (j *journal) stored() []message.Message {
	j.mu.Lock()
	defer j.mu.Unlock()
	return slices.Clone(j.rows)
}

func (j *journal) Begin(context.Context, string) (history, recovered []message.Message, release func(), err error) {
	if j.states == nil {
		j.states = map[string]string{}
	}
	return slices.Clone(j.rows), nil, func() {}, nil
}

func (j *journal) AppendTurn(_ context.Context, _ string, rows []message.Message) error {
	return j.do("append", func() {
		for _, row := range rows {
			if row.Role == message.RoleTool {
				j.finish(row)
				continue
			}
			for id, state := range j.states {
				if state != "done" {
					j.t.Errorf("a %s row was stored while call %s has no result", row.Role, id)
				}
			}
			j.rows = append(j.rows, row)
			for _, call := range row.ToolCalls {
				if j.states[call.ID] != "" {
					j.t.Errorf("call %s was stored twice", call.ID)
				}
				j.states[call.ID] = "stored"
			}
		}
	})
}

func (j *journal) MarkStarted(_ context.Context, _, id string) error {
	return j.do("start "+id, func() {
		if j.states[id] != "stored" {
			j.t.Errorf("call %s was started in the state %q", id, j.states[id])
		}
		j.states[id] = "started"
	})
}

func (j *journal) FinishCall(_ context.Context, _, id string, row message.Message) error {
	return j.do("finish "+id, func() { j.finish(row) })
}

func (j *journal) Compact(_ context.Context, _ string, summary message.Message, keep int) error {
	return j.do("compact", func() {
		for id, state := range j.states {
			if state != "done" {
				j.t.Errorf("a summary was stored while call %s has no result", id)
			}
		}
		j.rows = append([]message.Message{summary}, j.rows[len(j.rows)-keep:]...)
	})
}

func (j *journal) finish(row message.Message) {
	if state := j.states[row.ToolCallID]; state != "stored" && state != "started" {
		j.t.Errorf("call %s got a result in the state %q", row.ToolCallID, state)
	}
	j.states[row.ToolCallID] = "done"
	j.rows = append(j.rows, row)
}

// told writes events down as lines.
type told struct {
	t     testing.TB
	lines []string
	calls map[string]int // terminal events by call id
	text  string
}

func (e *told) sink(event message.Event) {
	if e.calls == nil {
		e.calls = map[string]int{}
	}
	switch event.Type {
	case message.EventText:
		if event.Provisional {
			e.text += event.Text
			return
		}
		e.lines = append(e.lines, fmt.Sprintf("text %s (streamed %s)", event.Text, e.text))
		e.text = ""
	case message.EventToolCall:
		if _, twice := e.calls[event.Call.ID]; twice {
			e.t.Errorf("call %s was told twice", event.Call.ID)
		}
		e.calls[event.Call.ID] = 0
		e.lines = append(e.lines, fmt.Sprintf("call %s %s [%s/%s] %s", event.Call.ID, event.Call.Name, event.Call.Server, event.Call.Tool, event.Call.Arguments))
	case message.EventToolResult:
		e.calls[event.Result.ID]++
		e.lines = append(e.lines, fmt.Sprintf("result %s %s %s", event.Result.ID, event.Result.Status, event.Result.Content))
	case message.EventDone:
		d := event.Done
		e.lines = append(e.lines, fmt.Sprintf("done messages %d passes %d calls %d %s", d.Messages, d.ModelPasses, d.ToolCalls, d.StopReason))
	case message.EventApproval:
		word := "put"
		if event.Approval.Settled {
			word = "settled"
		}
		line := "approval " + event.Approval.Question + " " + word
		for _, call := range event.Approval.Calls {
			if n, known := e.calls[call.ID]; !known || n > 0 && !event.Approval.Settled {
				e.t.Errorf("a card holds call %q, which does not wait", call.ID)
			}
			line += " " + call.Name
		}
		e.lines = append(e.lines, line)
	case message.EventProgress:
		if n, known := e.calls[event.Progress.ID]; !known || n > 0 {
			e.t.Errorf("progress of call %q, which does not run", event.Progress.ID)
		}
		p := event.Progress
		e.lines = append(e.lines, fmt.Sprintf("progress %s %v of %v %s", p.ID, p.Done, p.Total, p.Text))
	default:
		e.text = "" // pieces that no stored text follows are void
		e.lines = append(e.lines, fmt.Sprintf("%s %s", event.Type, event.Text))
	}
}

// complete checks that every call has exactly one terminal event and that the
// last event is done.
func (e *told) complete() {
	e.t.Helper()
	for id, n := range e.calls {
		if n != 1 {
			e.t.Errorf("call %s has %d terminal events", id, n)
		}
	}
	if len(e.lines) == 0 || !strings.HasPrefix(e.lines[len(e.lines)-1], "done ") {
		e.t.Errorf("the last event is not done: %q", e.lines)
	}
}

// listing writes stored rows down as lines.
func listing(rows []message.Message) []string {
	var out []string
	for _, row := range rows {
		switch {
		case row.Role == message.RoleTool:
			out = append(out, fmt.Sprintf("tool %s %s %s: %s", row.ToolCallID, row.ToolName, row.Status, row.Content))
		default:
			out = append(out, fmt.Sprintf("%s: %s", row.Role, row.Content))
			for _, call := range row.ToolCalls {
				out = append(out, fmt.Sprintf("  call %s %s %s -> %s", call.ID, call.Name, call.Arguments, call.Target.Name))
			}
			for _, block := range row.Blocks {
				out = append(out, fmt.Sprintf("  block %s", block))
			}
		}
	}
	return out
}
