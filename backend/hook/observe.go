package hook

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"time"
)

// The bounds of observers: how many run at once, and how many may be about to.
const (
	observersAtOnce  = 4
	observersWaiting = 1000
)

// Observers run the hooks that only watch, a few at a time, for as long as a
// program lives. What they do changes nothing about a call.
type Observers struct {
	logger *slog.Logger
	ctx    context.Context
	cancel context.CancelFunc
	places chan struct{}
	work   sync.WaitGroup

	mu      sync.Mutex
	waiting int
	lost    int
	closed  bool
}

// NewObservers makes the place where observers run; it is to be closed.
func NewObservers(logger *slog.Logger) *Observers {
	if logger == nil {
		logger = slog.New(slog.DiscardHandler)
	}
	ctx, cancel := context.WithCancel(context.Background())
	return &Observers{logger: logger, ctx: ctx, cancel: cancel, places: make(chan struct{}, observersAtOnce)}
}

// begin runs an observer as soon as there is a place, and then ended.
func (o *Observers) begin(run func(ctx context.Context), ended func()) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.closed || o.waiting >= observersWaiting {
		o.lost++
		o.logger.Warn("an observer was not told of a call: too many are about to be, or the program is ending", "untold", o.lost)
		ended()
		return
	}
	o.waiting++
	o.work.Go(func() {
		defer ended()
		defer o.leave()
		select {
		case o.places <- struct{}{}:
			defer func() { <-o.places }()
			if o.ctx.Err() == nil {
				run(o.ctx)
				return
			}
		case <-o.ctx.Done():
		}
		o.mu.Lock()
		o.lost++
		o.mu.Unlock()
	})
}

func (o *Observers) leave() {
	o.mu.Lock()
	o.waiting--
	o.mu.Unlock()
}

// Close waits for the observers at most that long, then ends those that run. It
// tells how many calls were not told to one.
func (o *Observers) Close(within time.Duration) (untold int) {
	o.mu.Lock()
	o.closed = true
	o.mu.Unlock()
	timer := time.AfterFunc(within, o.cancel)
	defer timer.Stop()
	o.work.Wait()
	o.cancel()
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.lost
}

// After tells the post_tool_call hooks that match how a call ended. It waits for
// none of them, and none of them changes anything; told is closed when all have
// ended, for who wants what they do to be done. Whoever calls does so exactly once
// for every call id.
func (r *Runner) After(_ context.Context, call Call, outcome Outcome) (told <-chan struct{}) {
	var all sync.WaitGroup
	for _, rule := range r.set.rules {
		if rule.Event != EventPostToolCall || rule.fault != nil || !rule.matches(call.Public, call.Plain) || r.options.Observers == nil {
			continue
		}
		all.Add(1)
		r.options.Observers.begin(func(ctx context.Context) {
			if trial := r.observe(ctx, rule, call, outcome); trial.Failure != "" {
				r.options.Logger.Warn("an observer failed", "hook", rule.name(), "why", trial.Failure)
			}
		}, all.Done)
	}
	done := make(chan struct{})
	go func() {
		all.Wait()
		close(done)
	}()
	return done
}

// observe tells one hook of one call.
func (r *Runner) observe(ctx context.Context, rule compiled, call Call, outcome Outcome) Trial {
	command, trust := r.trusted(rule.Rule)
	defer command.close()
	if trust.State != Trusted {
		return Trial{Failure: "it " + trust.Reason + "; `hermes hooks trust` lets it run"}
	}
	ended, trial := r.run(ctx, rule, command, newPayload(rule.Event, r.options.Environment, call).ended(outcome))
	if trial.Failure == "" && ended.Code != 0 {
		trial.Failure = fmt.Sprintf("it ended with the exit code %d", ended.Code)
	}
	return trial
}

// Test runs one hook as a call would, and says what came of it. outcome is what
// an observer is told.
func (r *Runner) Test(ctx context.Context, rule Rule, call Call, outcome Outcome) (Verdict, Trial) {
	one := compile([]Rule{rule}).rules[0]
	if rule.Event == EventPostToolCall && one.fault == nil {
		return Verdict{Decision: Allow}, r.observe(ctx, one, call, outcome)
	}
	return r.try(ctx, one, call)
}
