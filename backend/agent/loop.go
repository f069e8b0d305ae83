package agent

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"hermes/backend/message"
)

// DefaultMaxPasses bounds the model passes of a turn when the Loop sets none.
const DefaultMaxPasses = 100

// DefaultGrace is how long a running call may take to end after a stop before
// it is answered for.
const DefaultGrace = 3 * time.Second

// Loop runs turns. Model, Tools, Journal and Gate have to be set: a missing one
// ends the turn before anything happens. A Loop is not to be copied.
type Loop struct {
	Model   Model
	Tools   Tools
	Journal Journal
	Gate    Gate

	// Name is the model asked for, System the system prompt; both are sent as
	// they are with every pass.
	Name   string
	System string
	// MaxPasses bounds the model passes of a turn; 0 is DefaultMaxPasses.
	MaxPasses int
	// Grace is DefaultGrace when 0.
	Grace time.Duration
	// Compaction says when the older part of a conversation is summarised.
	Compaction Compaction
	// Price tells what a usage costs in US dollars, where that is known; nil knows
	// nothing.
	Price func(message.Usage) (cost float64, priced bool)
	// Ended is asked when every call of a round has its result, and says why the
	// turn has to end with it, or ""; nil never ends one.
	Ended func() string
	// Redact takes secrets out of error texts; nil leaves them as they are.
	Redact func(string) string
	// Logger may be nil.
	Logger *slog.Logger

	running sync.WaitGroup
}

// Run answers text in the session and tells sink what happens, one event at a
// time, the last of them done; sink is not called after Run returned.
// Cancelling ctx is the stop button: calls that have not started are answered
// so and never sent, the history stays complete, and Run returns without an
// error and with StopInterrupted. An error is also told as an event.
func (l *Loop) Run(ctx context.Context, session, text string, sink func(message.Event)) (message.DoneEvent, error) {
	var mu sync.Mutex
	over := false
	t := &turn{loop: l, session: session, taken: map[string]bool{}, emit: func(e message.Event) {
		mu.Lock()
		defer mu.Unlock()
		if !over { // what was left behind after a stop has nobody to tell
			sink(e)
		}
		over = e.Type == message.EventDone
	}}
	stop, err := t.run(ctx, text)
	if err != nil && ctx.Err() != nil && errors.Is(err, ctx.Err()) {
		stop, err = message.StopInterrupted, nil
	}
	if err != nil {
		told := t.redacted(err)
		t.emit(message.Event{Type: message.EventError, Text: told, Said: message.Recognise(told)})
	}
	done := message.DoneEvent{Session: session, Messages: len(t.history), ModelPasses: t.passes, ToolCalls: t.calls, StopReason: stop, Usage: t.usage}
	if l.Price != nil {
		done.Cost, done.Priced = l.Price(t.usage)
	}
	t.emit(message.Event{Type: message.EventDone, Done: done})
	return done, err
}

// Wait returns when no call of any turn runs any more, also none that was left
// behind after a stop.
func (l *Loop) Wait() { l.running.Wait() }

// tellAfter tells the gate of a terminal event. An observer changes nothing, also
// not by its fault.
func (l *Loop) tellAfter(ctx context.Context, call Call, result Result, took time.Duration) {
	defer func() {
		if fault := recover(); fault != nil {
			l.logger().Error("an observer of a call failed inside the program", "call", call.ID, "fault", fault)
		}
	}()
	l.Gate.After(ctx, call, result, took)
}

func (l *Loop) check() error {
	switch {
	case l.Model == nil:
		return errors.New("no model is set: nothing was asked")
	case l.Tools == nil, l.Gate == nil:
		return errors.New("no gate for tool calls is set: nothing was asked")
	case l.Journal == nil:
		return errors.New("no session store is set: nothing was asked")
	}
	return nil
}

func (l *Loop) maxPasses() int {
	if l.MaxPasses > 0 {
		return l.MaxPasses
	}
	return DefaultMaxPasses
}

func (l *Loop) grace() time.Duration {
	if l.Grace > 0 {
		return l.Grace
	}
	return DefaultGrace
}

func (l *Loop) logger() *slog.Logger {
	if l.Logger != nil {
		return l.Logger
	}
	return slog.New(slog.DiscardHandler)
}
