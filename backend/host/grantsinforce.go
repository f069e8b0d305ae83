package host

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"time"

	"hermes/backend/approval"
	"hermes/backend/store"
)

// yeses are the grants that count while an agent is at work: those from before, and
// those of which this process knows that a person gave them since. The zero value
// lets every grant count.
type yeses struct {
	kept  *[]store.Grant // nil without work
	given []store.Grant  // by a card of this process, or by a person's word from another
}

// maxGiven bounds what is remembered of words.
const maxGiven = 1000

func (y *yeses) count(g store.Grant) bool {
	return y.kept == nil || slices.Contains(*y.kept, g) || slices.Contains(y.given, g)
}

// keepGrants remembers what people said yes to before the work or, anew, on a
// person's word. Where a turn of others came first, what was said since it began is
// left out. The lock of work is held.
func (h *Host) keepGrants(anew bool) {
	w := &h.work
	if w.yeses.kept != nil && !anew {
		return
	}
	kept := []store.Grant{}
	stored, err := h.Grants(h.ctx)
	if err != nil {
		stored = nil // nothing of it is known to be a person's word
	}
	since, work := elsewhereSince(h.options.Home)
	if !w.since.IsZero() && (!work || w.since.Before(since)) {
		since, work = w.since, true
	}
	for _, g := range stored {
		if anew || !work || g.At.Before(since.Truncate(time.Millisecond)) {
			kept = append(kept, g)
		}
	}
	w.yeses.kept = &kept
}

// freeGrants ends the keeping where nothing waits. The lock of work is held.
func (h *Host) freeGrants() {
	y := &h.work.yeses
	stored, err := h.Grants(h.ctx)
	if err == nil && !slices.ContainsFunc(stored, func(g store.Grant) bool { return !y.count(g) }) {
		*y = yeses{}
	}
}

// grantsInForce are what people said yes to for more than one call, of what came
// while an agent is at work only what a person is known to have said. What is gone
// from the store counts no more.
func (h *Host) grantsInForce(ctx context.Context) ([]approval.Grant, error) {
	stored, err := h.Grants(ctx)
	if err != nil {
		return nil, err
	}
	h.work.mu.Lock()
	defer h.work.mu.Unlock()
	out := make([]approval.Grant, 0, len(stored))
	for _, g := range stored {
		if h.work.yeses.count(g) {
			out = append(out, approval.Grant{ID: g.ID, Session: g.Session, Server: g.Server, Tool: g.Tool, Identity: g.Identity,
				Definition: g.Definition, Scope: approval.Scope(g.Scope), Allow: g.Allow})
		}
	}
	return out, nil
}

// gave notes that a person gave this grant on a card of this process, and tells the
// others.
func (h *Host) gave(ctx context.Context, grant approval.Grant) error {
	stored, err := h.Grants(ctx)
	if err != nil {
		return err
	}
	var ids []int64
	for _, g := range stored {
		if g.Server == grant.Server && g.Tool == grant.Tool && g.Identity == grant.Identity && g.Definition == grant.Definition &&
			g.Scope == string(grant.Scope) && g.Session == grant.Session {
			ids = append(ids, g.ID)
			h.given(g)
		}
	}
	h.tellOthers(word{Word: wordGrant, Grants: ids})
	return nil
}

// heardGrants takes a person's word from another process.
func (h *Host) heardGrants(ids []int64) {
	stored, err := h.Grants(h.ctx)
	if err != nil {
		return // then they wait
	}
	for _, g := range stored {
		if slices.Contains(ids, g.ID) {
			h.given(g)
		}
	}
}

func (h *Host) given(g store.Grant) {
	h.work.mu.Lock()
	defer h.work.mu.Unlock()
	y := &h.work.yeses
	if !slices.Contains(y.given, g) {
		y.given = append(y.given, g)
		y.given = y.given[max(0, len(y.given)-maxGiven):]
	}
}

// toldAt is when a turn began that others were told of (markTurn); the zero time
// where that is not said.
func toldAt(told string) time.Time {
	_, at, _ := strings.Cut(told, "-")
	nanos, err := strconv.ParseInt(at, 36, 64)
	if err != nil {
		return time.Time{}
	}
	return time.Unix(0, nanos)
}
