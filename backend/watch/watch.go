package watch

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"syscall"
	"time"

	"github.com/fsnotify/fsnotify"
)

const (
	defaultQuiet = 120 * time.Millisecond
	defaultCap   = time.Second
)

// pauses are the waits before a look that settled nothing is repeated; after
// the last one, half a minute after the first, the next event, or Look, is waited for.
func pauses() []time.Duration {
	out := make([]time.Duration, 8)
	for i := range out {
		out[i] = 100 * time.Millisecond << i
	}
	return out
}

// Options tune a Watcher. Quiet is how long nothing may happen before a look
// (120 ms when zero), Cap how long a look may be put off while events keep
// coming (1 s when zero). Also are further paths whose change calls for a look,
// such as the `.env` beside the file.
type Options struct {
	Quiet  time.Duration
	Cap    time.Duration
	Also   []string
	Logger *slog.Logger
}

// Watcher calls look after changes until it is closed.
type Watcher struct {
	paths  []string
	log    *slog.Logger
	look   func(moving bool) (settled bool)
	asked  chan chan struct{}
	cancel context.CancelFunc
	done   chan struct{}
	once   sync.Once

	// Touched by the running goroutine alone.
	events *fsnotify.Watcher // nil while the system gives none
	chains []chain
	heard  map[string]fs.FileInfo // what each watch was put on

	mu   sync.Mutex
	deaf string
}

// Watch starts watching a file that need not exist: the folders above it,
// its folder, the folder of every step of a chain of symbolic links, and the
// file itself, which a bind mount shows under other names. look is called from
// one goroutine: once at the start, so that a change between reading the file
// and watching it is not lost, and then after each burst of events. moving tells
// it that a change may not be over: events are still coming, or nobody knows. A look that answers that what it saw is not
// settled is repeated a few times, with growing pauses, without an event. look
// must not call Close or Look; Close must be called, also when ctx has ended.
//
// Where the system cannot tell of changes the Watcher works all the same, and
// looks when Look asks for it: see Deaf. The error tells that a path has no
// absolute form.
func Watch(ctx context.Context, path string, o Options, look func(moving bool) (settled bool)) (*Watcher, error) {
	w := &Watcher{log: o.Logger, look: look, asked: make(chan chan struct{}), done: make(chan struct{})}
	if w.log == nil {
		w.log = slog.New(slog.DiscardHandler)
	}
	d := debounce{quiet: o.Quiet, limit: o.Cap, again: pauses()}
	if d.quiet <= 0 {
		d.quiet = defaultQuiet
	}
	if d.limit <= 0 {
		d.limit = defaultCap
	}
	for _, p := range append([]string{path}, o.Also...) {
		abs, err := filepath.Abs(p)
		if err != nil {
			return nil, fmt.Errorf("watch %s: %w", p, err)
		}
		w.paths = append(w.paths, abs)
	}
	w.arm()
	ctx, w.cancel = context.WithCancel(ctx)
	go w.run(ctx, d)
	return w, nil
}

// Close stops watching and waits until look has returned for the last time.
func (w *Watcher) Close() error {
	var err error
	w.once.Do(func() {
		w.cancel()
		<-w.done
		if w.events != nil {
			err = w.events.Close()
		}
	})
	return err
}

// Look asks for a look, as an event does, and waits until it has happened: after
// the quiet that every look waits for. It returns early when ctx or the watching
// ends.
func (w *Watcher) Look(ctx context.Context) {
	looked := make(chan struct{})
	select {
	case w.asked <- looked:
	case <-w.done:
		return
	case <-ctx.Done():
		return
	}
	select {
	case <-looked:
	case <-w.done:
	case <-ctx.Done():
	}
}

// Deaf tells that not every change is told by the system, and why, with the
// next step: a file system that other machines write to, or used up limits.
// Whoever depends on the file asks for a Look then. It is settled once Watch
// returns, and may change with every look.
func (w *Watcher) Deaf() (reason string, deaf bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.deaf, w.deaf != ""
}

func (w *Watcher) run(ctx context.Context, d debounce) {
	defer close(w.done)
	// Nobody knows what happened before the first look.
	settled := w.look(true)
	d.loop(ctx, feed{
		source: w.source, concerns: w.concerns, asked: w.asked,
		fault: func(err error) { w.log.Warn("watching the configuration", "error", err) },
		fire: func(moving bool) bool {
			// The watches come first: what changes after this is an event, what
			// changed before it is seen by the look.
			w.arm()
			return w.look(moving)
		},
	}, settled)
}

func (w *Watcher) source() (<-chan fsnotify.Event, <-chan error) {
	if w.events == nil {
		return nil, nil
	}
	return w.events.Events, w.events.Errors
}

func (w *Watcher) concerns(path string) bool {
	return slices.ContainsFunc(w.chains, func(c chain) bool { return c.concerns(path) })
}

// arm resolves the paths anew, renews every watch, and says what cannot be
// heard.
func (w *Watcher) arm() {
	reason, err := w.hear()
	if err != nil {
		w.log.Warn("watching the configuration", "error", err)
		reason = exhausted(err)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.deaf = reason
}

// hear renews the watches. A watch belongs to the folder it was put on, not to
// its name: after a rename or a delete it is deaf without a word, so each is
// compared with what its name leads to now.
func (w *Watcher) hear() (silence string, err error) {
	wanted := map[string]bool{}
	w.chains = w.chains[:0]
	for _, p := range w.paths {
		c := resolve(p)
		w.chains = append(w.chains, c)
		for folder := range c.folders {
			wanted[folder] = true
		}
		if c.file != "" {
			wanted[c.file] = true
		}
		for place := range c.telling {
			if kind := silent(place); kind != "" {
				silence = fmt.Sprintf("%s is on a file system (%s) that does not tell of changes made elsewhere", p, kind)
			}
		}
	}
	if w.events == nil {
		if w.events, err = fsnotify.NewWatcher(); err != nil {
			w.events = nil
			return silence, err
		}
	}
	return silence, w.renew(wanted)
}

// renew drops the watches that are on something else by now and puts the ones
// that are missing. One that is still on the same folder stays: the system takes
// milliseconds to end a watch, and there are many of them.
func (w *Watcher) renew(wanted map[string]bool) error {
	kept := map[string]fs.FileInfo{}
	for _, old := range w.events.WatchList() {
		was := w.heard[old]
		if now, err := os.Stat(old); wanted[old] && was != nil && err == nil && os.SameFile(was, now) {
			kept[old] = was
			continue
		}
		if err := w.events.Remove(old); err != nil && !errors.Is(err, fsnotify.ErrNonExistentWatch) {
			w.log.Debug("dropping a watch", "folder", old, "error", err)
		}
	}
	var failed []error
	for place := range wanted {
		if kept[place] != nil {
			continue
		}
		before, _ := os.Stat(place)
		// What vanished since is an event of its folder.
		if err := w.events.Add(place); err != nil && !errors.Is(err, fs.ErrNotExist) {
			failed = append(failed, fmt.Errorf("%s: %w", place, err))
			continue
		}
		if after, err := os.Stat(place); before != nil && err == nil && os.SameFile(before, after) {
			kept[place] = after
		}
	}
	w.heard = kept
	return errors.Join(failed...)
}

// exhausted says why the system gives no watch, and what helps.
func exhausted(err error) string {
	const begin = "changes of the configuration cannot be watched: "
	switch {
	case errors.Is(err, syscall.ENOSPC):
		return begin + "the system's limit of watches is used up (on Linux raise fs.inotify.max_user_watches)"
	case errors.Is(err, syscall.EMFILE), errors.Is(err, syscall.ENFILE):
		return begin + "the limit of open files or of watchers is used up (on Linux raise fs.inotify.max_user_instances or the limit of open files)"
	}
	return begin + err.Error()
}
