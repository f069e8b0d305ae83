package host

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"hermes/backend/config"
	"hermes/backend/native"
	"hermes/backend/policy"
	"hermes/backend/watch"
)

// CodeDeaf is the code of the problem that the system does not tell of every
// change of the file.
const CodeDeaf = "watch.deaf"

// movingPause is how long a file that is being written has to stay the same
// before it counts: the quiet that the watcher waits for otherwise.
const movingPause = 120 * time.Millisecond

// Watch begins to follow the file.
func (h *Host) Watch() error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed {
		return errClosed
	}
	if h.watcher != nil {
		return nil
	}
	home := h.options.Home
	h.request = requested(home)
	w, err := watch.Watch(h.ctx, home.Config(), watch.Options{
		Logger: h.options.Logger, Also: []string{home.Env(), home.Ledger(), h.pins.Path(), requestFile(home), turnFile(home)},
	}, h.look)
	if err != nil {
		return fmt.Errorf("watch %s: %w", home.Config(), err)
	}
	h.watcher = w
	h.hear()
	h.appear()
	poke(h.changed)
	return nil
}

// following tells whether changes of the file are followed.
func (h *Host) following() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.watcher != nil
}

// look is what the watcher calls. It tells whether what it saw is settled.
func (h *Host) look(moving bool) bool {
	h.reload(func() (*config.Snapshot, bool) {
		if moving {
			return h.file.ReloadMoving(movingPause)
		}
		return h.file.Reload()
	})
	h.work.mu.Lock()
	h.noteTurn()
	h.work.mu.Unlock()
	h.listen()
	h.obey()
	return h.file.Settled()
}

// Glance makes sure that what is in force is what stands on the disk now, where
// no event told of a change: on a network file system, behind a new mount. It
// costs a look at the directory; only where that differs it waits for the quiet
// that every reading waits for. It is called at the start of a turn, at the gate
// of a call, at a client's list, and when a window gets the focus.
func (h *Host) Glance(ctx context.Context) {
	h.mu.Lock()
	watcher, closed := h.watcher, h.closed
	h.mu.Unlock()
	if closed {
		return
	}
	deaf := false
	if watcher != nil {
		_, deaf = watcher.Deaf()
	}
	switch {
	case !h.file.Moved(deaf):
	case watcher == nil:
		h.Reload()
	default:
		watcher.Look(ctx)
	}
}

// listen tells once when changes of the file are not heard, and takes it back
// when they are.
func (h *Host) listen() {
	h.mu.Lock()
	if h.watcher == nil {
		h.mu.Unlock()
		return
	}
	reason, deaf := h.watcher.Deaf()
	news := reason != h.deaf
	h.deaf = reason
	problem := h.deafness()
	h.mu.Unlock()
	if !news {
		return
	}
	if deaf {
		h.say(problem)
	}
	h.signals.send(Signal{Topic: TopicOverview, Revision: h.file.Current().Revision})
}

// deafness is the notice about it. The lock is held.
func (h *Host) deafness() config.Problem {
	return config.Problem{
		Severity: policy.SeverityWarning, Code: CodeDeaf, Params: []string{h.deaf}, Message: h.deaf,
		Hint: "Hermes looks at the file before every turn and call and when its window gets the focus; `hermes mcp reload` makes it look at once",
		File: h.options.Home.Config(),
	}
}

// say tells one thing: to the face, and where nobody listens to the log. Both write
// to the same terminal, so it is not said twice.
func (h *Host) say(p config.Problem) {
	if h.options.Notice == nil {
		h.options.Logger.Warn(p.Message)
		return
	}
	h.options.Logger.Debug("a notice was given", "code", p.Code, "file", p.File, "line", p.Line)
	h.options.Notice(p)
}

// sayState tells a face once that the file is not in force, and once that it is
// again; listings and the page show it from the snapshot.
func (h *Host) sayState(old, now *config.Snapshot) {
	switch {
	case now.Broken:
		p := now.Problems[len(now.Problems)-1]
		if p.Code == config.CodeBroken && len(now.Servers) > 0 {
			p.Hint = strings.TrimPrefix(p.Hint+"; the last good rules stay in force until then", "; ")
		}
		h.say(p)
	case old.Broken:
		h.say(config.Problem{
			Severity: policy.SeverityWarning, Code: "file.repaired", Message: "the configuration can be read again and is in force", File: now.Path,
		})
	}
}

// requestFile is touched by `hermes mcp reload`: its content names the request.
func requestFile(home config.Home) string { return filepath.Join(runDir(home), "reload") }

const (
	// maxRequest bounds a request, maxAnswer an answer to one, in bytes.
	maxRequest = 256
	maxAnswer  = 1 << 20
)

func requested(home config.Home) string {
	if !native.HasFolder(runDir(home)) {
		return ""
	}
	data, err := native.Read(requestFile(home), maxRequest)
	if err != nil {
		return ""
	}
	return string(data)
}
