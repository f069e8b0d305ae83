package host

import (
	"context"
	"os"
	"time"

	"hermes/backend/config"
	"hermes/backend/message"
	"hermes/backend/native"
)

// action is what a person did, and when: a message typed, an edit begun. One
// without a time is nobody's.
type action struct {
	at      time.Time
	message bool // typed into a chat, where nobody sees what a client left
}

// acts is a person's action: what waits is taken, unless an agent is at work. It
// counts for what a person can have seen: not where a turn ended after it, or a
// change was noticed after it, whatever of that the disk has and nobody has
// noticed yet included. It tells whether it counted.
func (h *Host) acts(did action) bool {
	if h.StartedBy() != "" || !h.counts(did) {
		return false
	}
	h.tellOthers(word{Word: wordActed, At: did.at.UnixNano(), Message: did.message})
	return true
}

// counts takes what waits if an action counts for it.
func (h *Host) counts(did action) bool {
	w := &h.work
	if did.at.IsZero() {
		return false
	}
	if h.atWork() || len(h.file.Current().Waiting) > 0 {
		h.Reload()
	}
	w.mu.Lock()
	h.noteTurn()
	shown := h.file.Current()
	waits := len(shown.Waiting) > 0
	if w.turns > 0 || w.calls > 0 || turnsElsewhere(h.options.Home) ||
		!did.at.After(w.ended) || !did.at.After(lastTurn(h.options.Home)) ||
		waits && (!did.at.After(shown.WaitingSeen) || did.message && w.clients) {
		w.mu.Unlock()
		return false
	}
	w.settle()
	w.mu.Unlock()
	if waits {
		h.reload(func() (*config.Snapshot, bool) { return h.file.ReleaseSeen(shown) })
	} else {
		h.take()
	}
	return true
}

// lastTurn is when a turn of any process of the home began or ended last; the
// zero time for none. Where it cannot be read, nobody is known to have acted
// after it.
func lastTurn(home config.Home) time.Time {
	if !native.HasFolder(runDir(home)) {
		return time.Time{}
	}
	info, err := os.Lstat(turnFile(home))
	if err != nil {
		return time.Time{}
	}
	return info.ModTime()
}

// tellEnd tells the other processes when the turn ended. The lock is held.
func (w *work) tellEnd(home config.Home) {
	if w.lock != nil {
		_ = os.Chtimes(turnFile(home), w.ended, w.ended)
	}
}

// settle ends the time after a turn. The lock is held.
func (w *work) settle() {
	w.after, w.clients, w.kept = false, false, nil
	w.yeses, w.since = yeses{}, time.Time{}
	if w.rest != nil {
		w.rest.Stop()
		w.rest = nil
	}
}

// take puts in force what waits. While an agent is at work, what changes after
// it waits again.
func (h *Host) take() { h.reload(h.file.Release) }

// takeNow is a person's word for it: Reload now, or `hermes mcp reload`.
func (h *Host) takeNow() {
	w := &h.work
	w.mu.Lock()
	if w.turns == 0 && w.calls == 0 && !turnsElsewhere(h.options.Home) {
		w.settle()
	} else {
		h.keepConsents(true)
		h.keepGrants(true)
	}
	w.mu.Unlock()
	h.take()
}

// stillWaiting is what a turn says whose message does not count, where something
// waits.
func (h *Host) stillWaiting() (message.Event, bool) {
	snap := h.file.Current()
	if len(snap.Waiting) == 0 {
		return message.Event{}, false
	}
	first := snap.Waiting[0]
	return message.Told(message.Say(message.ChangeWaits, first.Message, first.Hint), problemSaid(first)...), true
}

// problemSaid is a problem of the file as the page says it.
func problemSaid(p config.Problem) []message.Saying {
	return []message.Saying{
		{Code: message.Code(p.Code), Params: p.Params, Text: p.Message},
		{Code: message.Code(p.Code + ".hint"), Params: p.Params, Text: p.Hint},
	}
}

// LookNow asks the processes of this home, where they can be asked, to look at
// the file, and tells whether one of them has a turn or a call that runs, or
// holds something back.
func (h *Host) LookNow(ctx context.Context) (busy bool) {
	return len(h.speak(ctx, word{Word: wordLook})) > 0 || turnsElsewhere(h.options.Home)
}

// lookedNow answers it: whether what stands in the file is in force here, and no
// agent is at work.
func (h *Host) lookedNow() bool {
	h.Reload()
	h.work.mu.Lock()
	defer h.work.mu.Unlock()
	snap := h.file.Current()
	return h.work.turns == 0 && h.work.calls == 0 && len(snap.Waiting) == 0 && h.file.Settled()
}
