package host

import (
	"context"
	"slices"
	"sync"
	"time"

	"hermes/backend/agent"
	"hermes/backend/guard"
	"hermes/backend/message"
	"hermes/backend/provider"
)

// charsOfToken is about how many characters a token has.
const charsOfToken = 4

// guardTurn watches one turn under the settings of now. Nobody is there to stop
// a one-shot turn that goes in circles, so it is stopped by itself; one that a
// person watches is stopped where the file says so.
func (h *Host) guardTurn(p prepared, reads func(message.CallEvent) bool) *guard.Turn {
	loops := h.file.Current().Settings.Loops
	limits := guard.DefaultLimits()
	limits.SpillAt = loops.ResultChars
	if facts, known := provider.Facts(p.name); known {
		limits = limits.Within(facts.Window * charsOfToken)
	}
	stop := loops.HardStop
	if p.turn.Wait {
		stop = loops.HardStopAlone
	}
	dir := h.resultsFolder()
	if err := guard.Prune(dir, time.Now()); err != nil {
		h.options.Logger.Warn("old results could not be removed", "error", err)
	}
	return guard.NewTurn(guard.Options{
		Limits: limits, Session: p.session, Dir: dir, Redactor: h.redactor(), Reads: reads,
		Rules: guard.Rules{
			Warnings: loops.Warnings, Stalls: loops.StallGuards, Soft: !stop,
			WarnAfter: guard.Counts(loops.WarnAfter), StopAfter: guard.Counts(loops.HardStopAfter),
		},
	})
}

// reading remembers which tools only read, as servers say that are trusted.
// Hints are looked at when a call is judged, so that they are those of the
// definition that is called.
type reading struct {
	mu    sync.Mutex
	names map[string]bool
}

// note takes the hint of a call that is judged.
func (r *reading) note(h *Host, target agent.Target) {
	server, ok := h.file.Current().Server(target.Server)
	reads := ok && !server.Untrusted && target.ReadOnly != nil && *target.ReadOnly
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.names == nil {
		r.names = map[string]bool{}
	}
	r.names[target.Public] = reads
}

func (r *reading) reads(call message.CallEvent) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.names[call.Name]
}

// rounds tells the guard that a new round begins: the results of one answer
// share one budget.
type rounds struct {
	agent.Model
	watch *guard.Turn
}

// Stream is one pass.
func (r rounds) Stream(ctx context.Context, request agent.Request, onText func(string)) (agent.Turn, error) {
	r.watch.Round()
	return r.Model.Stream(ctx, request, onText)
}

// watched tells the guard what is stored: the calls of each round with their
// results, and that the model no longer has what it read before.
type watched struct {
	agent.Journal
	watch *guard.Turn
}

// AppendTurn stores rows at once.
func (w watched) AppendTurn(ctx context.Context, session string, rows []message.Message) error {
	for _, row := range rows {
		w.watch.Asked(row.ToolCalls)
		w.answered(row)
	}
	return w.Journal.AppendTurn(ctx, session, rows)
}

// FinishCall stores the result of a call.
func (w watched) FinishCall(ctx context.Context, session, callID string, row message.Message) error {
	w.answered(row)
	return w.Journal.FinishCall(ctx, session, callID, row)
}

func (w watched) answered(row message.Message) {
	if row.Role == message.RoleTool {
		w.watch.Answered(row.ToolCallID, row.Status)
	}
}

// Compact lets a summary stand for older rows.
func (w watched) Compact(ctx context.Context, session string, summary message.Message, keep int) error {
	w.watch.Forget()
	return w.Journal.Compact(ctx, session, summary, keep)
}

// redaction keeps the redactor of the secrets of now.
type redaction struct {
	mu      sync.Mutex
	secrets []string
	shapes  bool
	made    *guard.Redactor
}

// redactor takes the secrets of now out of text. `security.redact_secrets:
// false` leaves what only looks like a secret; what is one goes always.
func (h *Host) redactor() *guard.Redactor {
	secrets, shapes := h.file.Secrets(), true
	if snap := h.file.Current(); snap != nil {
		shapes = snap.Settings.Loops.RedactSecrets
	}
	r := &h.redaction
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.made == nil || r.shapes != shapes || !slices.Equal(r.secrets, secrets) {
		r.secrets, r.shapes, r.made = secrets, shapes, guard.NewRedactor(secrets)
		if !shapes {
			r.made = r.made.Exactly()
		}
	}
	return r.made
}

func (h *Host) redact(text string) string { return h.redactor().Redact(text) }

// maskKnown takes out secrets that are known to be some, each with its own letters
// alone. It is for what a person decides about.
func (h *Host) maskKnown(text string) string { return h.redactor().Exactly().Redact(text) }
