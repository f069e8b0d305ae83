package host

import (
	"context"
	"os"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/gofrs/flock"

	"hermes/backend/config"
	"hermes/backend/hook"
	"hermes/backend/native"
)

// clientRest is how long after its last call a client of the gateway counts as at
// work: an agent's time to think. What arrived before its end waits for a person.
const clientRest = 30 * time.Second

// work knows whether an agent is at work on this home (FILTER section 6). The
// zero value knows of none.
type work struct {
	mu    sync.Mutex
	turns int // turns of this process that run
	calls int // calls of clients that run
	// clients tells that a client called since a person acted here: what waits may
	// be its work, and who speaks to a chat elsewhere does not see it.
	clients bool
	ended   time.Time // when the last turn of this process ended
	after   bool      // a turn ran on this home, and no person acted since
	rest    *time.Timer
	lock    *flock.Flock
	told    string // the last turn that was told of in the folder

	teller teller
	kept   *[]hook.Consent // the trusted hooks from before the work, nil without work
	yeses  yeses           // what people said yes to, likewise
	since  time.Time       // when a turn of others began after which no person acted here
}

// turnFile tells the processes of a home that a turn began: its content is
// another one for each. PID.turn beside it is held as long as one runs, so that
// the end of a process ends it.
func turnFile(home config.Home) string { return filepath.Join(runDir(home), "turn") }

const turnEnding = ".turn"

// maxTurn bounds the file, in bytes.
const maxTurn = 256

// toldTurn names the turn that was told of last, empty for none.
func toldTurn(home config.Home) string {
	if !native.HasFolder(runDir(home)) {
		return ""
	}
	data, err := native.Read(turnFile(home), maxTurn)
	if err != nil {
		return ""
	}
	return string(data)
}

// atWork tells whether an agent is at work on this home, here or in another
// process, or was and no person acted since.
func (h *Host) atWork() bool {
	w := &h.work
	w.mu.Lock()
	defer w.mu.Unlock()
	h.noteTurn()
	return w.turns > 0 || w.calls > 0 || w.after || w.rest != nil || turnsElsewhere(h.options.Home)
}

// noteTurn remembers a turn of another process, so that nothing that happens to
// the files afterwards makes this process forget it. The lock is held.
func (h *Host) noteTurn() {
	w := &h.work
	if told := toldTurn(h.options.Home); told != w.told {
		if w.told = told; told != "" && !w.after {
			w.since = toldAt(told)
		}
		w.after = w.after || told != ""
	}
}

// knowTurns begins to look out for turns of others: what ran before a person
// started this program is over, what runs now is not.
func (h *Host) knowTurns() {
	w := &h.work
	w.mu.Lock()
	defer w.mu.Unlock()
	w.told = toldTurn(h.options.Home)
	w.after = w.after || turnsElsewhere(h.options.Home)
}

// turnsElsewhere tells whether a turn runs in another process.
func turnsElsewhere(home config.Home) bool {
	_, running := elsewhereSince(home)
	return running
}

// elsewhereSince is turnsElsewhere with when the first of them began; where that is
// not known, it is the zero time.
func elsewhereSince(home config.Home) (since time.Time, running bool) {
	folder := runDir(home)
	if !native.HasFolder(folder) {
		return since, false
	}
	entries, err := os.ReadDir(folder)
	if err != nil {
		return since, true
	}
	for _, entry := range entries {
		number, ok := strings.CutSuffix(entry.Name(), turnEnding)
		pid, err := strconv.Atoi(number)
		if !ok || err != nil || pid == os.Getpid() {
			continue
		}
		lock := flock.New(filepath.Join(folder, entry.Name()), flock.SetFlag(os.O_RDONLY|noFollow), flock.SetPermissions(0o600))
		free, err := lock.TryRLock()
		if free {
			_ = os.Remove(lock.Path()) // its process is gone
		}
		_ = lock.Close()
		if free || err != nil {
			continue
		}
		began := time.Time{}
		if info, err := entry.Info(); err == nil {
			began = info.ModTime()
		}
		if !running || began.Before(since) {
			since = began
		}
		running = true
	}
	return since, running
}

// beginTurn marks that a turn runs, here and for the other processes of the home,
// before anything of it does; end takes the mark away. Our own folder is there.
func (h *Host) beginTurn() (end func()) {
	w := &h.work
	w.mu.Lock()
	defer w.mu.Unlock()
	w.turns++
	w.after = true
	h.keepConsents(false)
	h.keepGrants(false)
	if w.turns == 1 {
		if err := h.markTurn(); err != nil {
			h.options.Logger.Warn("other processes are not told of the turn", "error", err)
		}
	}
	return sync.OnceFunc(func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.ended = time.Now()
		w.tellEnd(h.options.Home)
		if w.turns--; w.turns == 0 && w.lock != nil {
			// Removed while held, as in announcer.withdraw.
			_ = os.Remove(w.lock.Path())
			_ = w.lock.Close()
			w.lock = nil
		}
	})
}

// markTurn takes the lock and tells. The lock of work is held.
func (h *Host) markTurn() error {
	home := h.options.Home
	if !home.Exists() {
		return nil
	}
	folder := runDir(home)
	if err := native.Folder(folder); err != nil {
		return err
	}
	lock, err := native.Lock(filepath.Join(folder, strconv.Itoa(os.Getpid())+turnEnding))
	if err != nil {
		return err
	}
	if held, err := lock.TryLock(); err != nil || !held {
		_ = lock.Close()
		return err
	}
	h.work.lock = lock
	told := strconv.Itoa(os.Getpid()) + "-" + strconv.FormatInt(time.Now().UnixNano(), 36)
	h.work.told = told
	return native.Replace(turnFile(home), []byte(told))
}

// beginCall marks a call of a client; end begins its rest.
func (h *Host) beginCall() (end func()) {
	w := &h.work
	w.mu.Lock()
	defer w.mu.Unlock()
	w.calls++
	w.clients = true
	h.keepConsents(false)
	h.keepGrants(false)
	if w.rest != nil {
		w.rest.Stop()
		w.rest = nil
	}
	return sync.OnceFunc(func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		if w.calls--; w.calls > 0 || h.ctx.Err() != nil {
			return
		}
		w.rest = time.AfterFunc(clientRest, h.rested)
	})
}

// rested is the end of a client's rest: what changes from now on does not wait.
// What waits already does, and so does a hook that was trusted meanwhile.
func (h *Host) rested() {
	w := &h.work
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.calls > 0 || h.ctx.Err() != nil {
		return
	}
	w.rest = nil
	if w.turns > 0 || w.after || turnsElsewhere(h.options.Home) {
		return
	}
	if w.kept != nil {
		if now, err := h.HookConsents().List(); err == nil && reflect.DeepEqual(now, *w.kept) {
			w.kept = nil
		}
	}
	h.freeGrants()
}

// endWork stops what waits for a moment.
func (h *Host) endWork() {
	h.work.mu.Lock()
	defer h.work.mu.Unlock()
	if h.work.rest != nil {
		h.work.rest.Stop()
	}
}

// keepConsents remembers which hooks are trusted now, at the beginning of the work
// or, anew, on a person's word. The lock is held.
func (h *Host) keepConsents(anew bool) {
	if h.work.kept != nil && !anew {
		return
	}
	list, err := h.HookConsents().List()
	if err != nil {
		list = nil // nothing of it is known to be a person's word
	}
	h.work.kept = &list
}

// consentsInForce are the trusted hooks, of those that came while an agent is at
// work only the ones a person took.
func (h *Host) consentsInForce() hook.Consents {
	out := h.HookConsents()
	h.work.mu.Lock()
	defer h.work.mu.Unlock()
	out.Kept = h.work.kept
	return out
}

// HookTrusted is called when a person trusted a hook by our own command: it
// counts here at once, and in the processes that hear it.
func (h *Host) HookTrusted() {
	h.heardTrust()
	h.tellOthers(word{Word: wordTrust})
}

func (h *Host) heardTrust() {
	h.work.mu.Lock()
	defer h.work.mu.Unlock()
	if h.work.kept != nil {
		h.keepConsents(true)
	}
}

// announced tells other processes of a step that a person takes here.
func (h *Host) announced(from, to config.Version, server string) {
	h.tellOthers(word{Word: wordStep, From: from, To: to, Server: server})
}

// TakeWaiting is a person's word, in every process of this home that hears it,
// that what waits is taken. It gives those that did not believe that a person
// said it.
func (h *Host) TakeWaiting(ctx context.Context) (refused []int) {
	if h.StartedBy() != "" {
		return nil
	}
	h.takeNow()
	return h.speak(ctx, word{Word: wordTake})
}
