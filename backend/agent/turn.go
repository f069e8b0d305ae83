package agent

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"hermes/backend/message"
)

const (
	// unanswered closes a turn that ended without an answer, so that no user
	// row ever follows a tool row or another user row: some vendors refuse it.
	unanswered = "This turn ended before I could answer."

	// maxStrikes is how many rounds in a row may hold nothing but calls of
	// unknown tools or broken arguments.
	maxStrikes = 3

	// maxRefused is how often room is made for one pass that does not fit.
	maxRefused = 3
)

// turn is one run of the loop.
type turn struct {
	loop    *Loop
	session string
	emit    func(message.Event)
	history []message.Message
	taken   map[string]bool // call ids of the session
	passes  int
	calls   int
	strikes int
	usage   message.Usage
	// measured is what the vendor counted last; no summary is tried before the
	// pass quietUntil.
	measured   measure
	quietUntil int
	// closing is added to the system prompt of the last pass.
	closing string
}

func (t *turn) run(ctx context.Context, text string) (message.StopReason, error) {
	if err := t.loop.check(); err != nil {
		return message.StopError, err
	}
	// Also where a stop came first: what was asked is not lost.
	history, recovered, release, err := t.loop.Journal.Begin(context.WithoutCancel(ctx), t.session)
	if err != nil {
		return message.StopError, fmt.Errorf("begin the turn: %w", err)
	}
	defer release()
	t.history = history
	t.tellRecovered(ctx, recovered)
	if err := t.take(context.WithoutCancel(ctx)); err != nil {
		return message.StopError, err
	}
	var rows []message.Message
	if open(history) {
		rows = append(rows, message.Message{Role: message.RoleAssistant, Content: unanswered})
	}
	if err := t.append(ctx, append(rows, message.Message{Role: message.RoleUser, Content: message.Noted(text, t.loop.Tools.News())})...); err != nil {
		return message.StopError, err
	}
	for {
		if t.passes >= t.loop.maxPasses() {
			return t.lastWord(ctx)
		}
		stop, err := t.pass(ctx)
		if err != nil || stop != message.StopToolCalls {
			return stop, err
		}
	}
}

// tellRecovered tells of the calls that an earlier turn left without a result.
func (t *turn) tellRecovered(ctx context.Context, rows []message.Message) {
	calls := map[string]message.ToolCall{}
	for _, row := range t.history {
		for _, call := range row.ToolCalls {
			calls[call.ID] = call
		}
	}
	for _, row := range rows {
		t.emit(resultEvent(row, Result{}))
		call := calls[row.ToolCallID]
		name, arguments := call.Peel()
		told := Call{Session: t.session, ID: row.ToolCallID, Target: Target{
			Public: cmp.Or(call.Target.Name, name), Server: call.Target.Server, Tool: call.Target.Tool, Arguments: arguments,
		}}
		t.loop.running.Go(func() {
			t.loop.tellAfter(context.WithoutCancel(ctx), told, Result{Status: row.Status, Content: row.Content}, 0)
		})
	}
}

// open reports that the last turn has no answer.
func open(history []message.Message) bool {
	if len(history) == 0 {
		return false
	}
	last := history[len(history)-1]
	return last.Role != message.RoleAssistant || len(last.ToolCalls) > 0
}

// append stores rows and only then counts them as history.
func (t *turn) append(ctx context.Context, rows ...message.Message) error {
	if err := t.loop.Journal.AppendTurn(context.WithoutCancel(ctx), t.session, rows); err != nil {
		return fmt.Errorf("record the turn, nothing was run: %w", err)
	}
	t.history = append(t.history, rows...)
	return nil
}

// pass asks the model once and runs the calls of its answer. StopToolCalls
// means that the model is to see the results.
func (t *turn) pass(ctx context.Context) (message.StopReason, error) {
	if err := ctx.Err(); err != nil {
		return message.StopInterrupted, err
	}
	if _, err := t.makeRoom(ctx, 0); err != nil {
		return message.StopError, err
	}
	answer, err := t.ask(ctx)
	for refused := 1; refused <= maxRefused && err != nil && ctx.Err() == nil && t.loop.Compaction.tooLong(err); refused++ {
		made, failed := t.makeRoom(ctx, refused)
		if failed != nil {
			return message.StopError, failed
		}
		if !made {
			break
		}
		answer, err = t.ask(ctx)
	}
	switch {
	case err != nil && ctx.Err() != nil:
		return message.StopInterrupted, ctx.Err()
	case err != nil:
		return message.StopError, err
	case cutOff(answer):
		return message.StopLength, message.Fail(message.AnswerCutOff)
	case len(answer.ToolCalls) == 0 && strings.TrimSpace(answer.Content) == "":
		return message.StopError, message.Fail(message.AnswerEmpty)
	case len(answer.ToolCalls) == 0:
		return t.answer(ctx, answer)
	}
	return t.callTools(ctx, split(repair(answer), t.taken))
}

// ask runs one model pass over the history.
func (t *turn) ask(ctx context.Context) (Turn, error) {
	t.passes++
	answer, err := t.loop.Model.Stream(ctx, Request{
		Model: t.loop.Name, System: t.loop.System + t.closing, Messages: t.history, Tools: t.loop.Tools.Definitions(),
	}, func(piece string) {
		t.emit(message.Event{Type: message.EventText, Text: piece, Provisional: true})
	})
	if err != nil {
		return Turn{}, err
	}
	t.usage = t.usage.Add(answer.Usage)
	for _, notice := range answer.Notices {
		t.emit(message.Heard(notice))
	}
	if read := answer.Usage.InputTokens; read > 0 {
		t.measured = measure{tokens: read + answer.Usage.OutputTokens, rows: len(t.history) + 1}
	}
	return answer, nil
}

// cutOff reports an answer whose last words are missing: arguments that end in
// the middle, or none at all where the model ran out of room.
func cutOff(answer Turn) bool {
	for _, call := range answer.ToolCalls {
		arguments := strings.TrimSpace(call.Arguments)
		switch {
		case arguments == "":
			if answer.Stop == message.StopLength {
				return true
			}
		case json.Valid([]byte(arguments)):
		case answer.Stop != message.StopLength && isWhole(arguments):
			// Something stands behind a whole value: broken, and not cut off.
		case answer.Stop == message.StopLength, !strings.HasSuffix(arguments, "}") && !strings.HasSuffix(arguments, "]"):
			return true
		}
	}
	return false
}

// isWhole tells that a text begins with a complete JSON value.
func isWhole(text string) bool {
	var value json.RawMessage
	return json.NewDecoder(strings.NewReader(text)).Decode(&value) == nil
}

func (t *turn) answer(ctx context.Context, answer Turn) (message.StopReason, error) {
	if err := t.append(ctx, assistantRow(answer)); err != nil {
		return message.StopError, err
	}
	t.emit(message.Event{Type: message.EventText, Text: answer.Content})
	if answer.Stop == message.StopLength {
		return message.StopLength, nil
	}
	return message.StopEnd, nil
}

func assistantRow(answer Turn) message.Message {
	return message.Message{Role: message.RoleAssistant, Content: answer.Content, ToolCalls: answer.ToolCalls, Vendor: answer.Vendor, Blocks: answer.Blocks}
}

// callTools stores the answer with its calls and with the answers to those that
// can never run, and then runs the others.
func (t *turn) callTools(ctx context.Context, answer Turn) (message.StopReason, error) {
	answers := map[string]message.Message{}
	events := make([]message.Event, len(answer.ToolCalls))
	targets := make([]Target, len(answer.ToolCalls))
	var broken []message.Message
	var told []message.Event
	for i, call := range answer.ToolCalls {
		target, denial := t.describe(call)
		targets[i] = target
		answer.ToolCalls[i].Target = message.Target{Name: target.Public, Server: target.Server, Tool: target.Tool, ReadOnly: target.Reads}
		events[i] = message.Event{Type: message.EventToolCall, Call: message.CallEvent{
			ID: call.ID, Name: target.Public, Server: target.Server, Tool: target.Tool, Arguments: target.Arguments,
		}}
		if denial != nil && denial.Unknown {
			result := denial.result()
			row := toolRow(call, result.Status, result.Content)
			answers[call.ID], broken = row, append(broken, row)
			told = append(told, resultEvent(row, result))
		}
		t.taken[call.ID] = true
	}
	assistant := assistantRow(answer)
	if err := t.append(ctx, append([]message.Message{assistant}, broken...)...); err != nil {
		return message.StopError, err
	}
	t.calls += len(answer.ToolCalls)
	if answer.Content != "" {
		t.emit(message.Event{Type: message.EventText, Text: answer.Content})
	}
	for _, event := range append(events, told...) {
		t.emit(event)
	}
	r := newRound(t, ctx, answer.ToolCalls, targets, answers)
	r.run()
	t.history = append(t.history[:len(t.history)-len(broken)], r.rows()...)
	return t.afterRound(ctx, r, len(broken) == len(answer.ToolCalls))
}

// describe says what a call means before it is stored. Arguments that are not
// a JSON object never reach the tools.
func (t *turn) describe(call message.ToolCall) (Target, *Denial) {
	if written, ok := broken(call.Arguments); ok {
		return Target{Public: call.Name, Arguments: written}, &Denial{Status: message.StatusError, Reason: message.CallArguments.Text(), Unknown: true}
	}
	target, denial := t.loop.Tools.Resolve(call)
	if target.Public == "" || target.Arguments == "" {
		name, arguments := call.Peel()
		target.Public = cmp.Or(target.Public, name)
		target.Arguments = cmp.Or(target.Arguments, arguments)
	}
	return target, denial
}

func (t *turn) afterRound(ctx context.Context, r *round, nothingReal bool) (message.StopReason, error) {
	broken, halt := r.outcome()
	switch {
	case broken != nil:
		return message.StopError, broken
	case ctx.Err() != nil:
		return message.StopInterrupted, nil
	case halt != "":
		said := "I stopped here: " + halt
		if err := t.append(ctx, message.Message{Role: message.RoleAssistant, Content: said}); err != nil {
			return message.StopError, err
		}
		t.emit(message.Event{Type: message.EventText, Text: said})
		return message.StopLoop, nil
	}
	if !nothingReal {
		t.strikes = 0
		return message.StopToolCalls, nil
	}
	if t.strikes++; t.strikes >= maxStrikes {
		return message.StopError, message.Fail(message.OnlyUnknown, strconv.Itoa(maxStrikes))
	}
	return message.StopToolCalls, nil
}
