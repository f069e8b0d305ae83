package host

import (
	"context"
	"errors"
	"sync"

	"hermes/backend/agent"
	"hermes/backend/config"
	"hermes/backend/mcp"
	"hermes/backend/message"
	"hermes/backend/registry"
)

var (
	// errLocked is the cause of a call that ended because its tool was locked.
	errLocked = errors.New("cancelled: the tool was locked while it ran")
	// errLockedBefore is a call that never started for that reason.
	errLockedBefore = errors.New("the tool was locked before this call was sent; nothing was sent")
)

// flights are the calls that run now. The zero value has none.
type flights struct {
	mu  sync.Mutex
	all map[*flight]struct{}
}

type flight struct {
	entry  registry.Entry
	cancel context.CancelCauseFunc
}

// take notes a call; whoever takes one asks the policy after that, so that no
// lock falls between the two.
func (f *flights) take(ctx context.Context, entry registry.Entry) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	one := &flight{entry: entry, cancel: cancel}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.all == nil {
		f.all = map[*flight]struct{}{}
	}
	f.all[one] = struct{}{}
	return ctx, func() {
		cancel(nil)
		f.mu.Lock()
		defer f.mu.Unlock()
		delete(f.all, one)
	}
}

// ground cancels the calls whose tool a snapshot does not allow any more, where
// `mcp.locked_calls: cancel` asks for it; otherwise they finish.
func (f *flights) ground(snap *config.Snapshot) {
	if !snap.Settings.CancelLocked {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	for one := range f.all {
		if refused(snap, one.entry) != "" {
			one.cancel(errLocked)
		}
	}
}

// lockedError is the error of a call that was cancelled by a lock; kind says
// what is known of its effect.
type lockedError struct{ kind error }

func (e *lockedError) Error() string {
	if errors.Is(e.kind, mcp.ErrNotSent) {
		return errLocked.Error() + "; nothing was sent"
	}
	return errLocked.Error() + "; it was sent, and whether it took effect is not known: look before you repeat it"
}

func (e *lockedError) Unwrap() []error { return []error{errLocked, e.kind} }

// locked says of the error of a call that was cancelled that the lock did it.
func locked(ctx context.Context, err error) error {
	switch {
	case err == nil || !errors.Is(context.Cause(ctx), errLocked):
		return err
	case errors.Is(err, mcp.ErrNotSent):
		return &lockedError{mcp.ErrNotSent}
	}
	return &lockedError{mcp.ErrEffectUnknown}
}

// cancelled is the result of such a call.
func cancelled(err error) agent.Result {
	status := message.StatusUnknown
	if errors.Is(err, mcp.ErrNotSent) {
		status = message.StatusInterrupted
	}
	return agent.Result{Status: status, Content: err.Error()}
}
