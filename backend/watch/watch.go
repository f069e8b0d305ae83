package watch

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"sync"
	"time"

	"github.com/fsnotify/fsnotify"
)

const (
	defaultQuiet = 120 * time.Millisecond
	defaultCap   = time.Second
)

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
	look   func()
	events *fsnotify.Watcher
	chains []chain // touched by the running goroutine alone
	cancel context.CancelFunc
	done   chan struct{}
	once   sync.Once
}

// Watch starts watching a file that need not exist: the parent of its folder,
// its folder and the folder of every step of a chain of symbolic links. look is
// called from one goroutine: once at the start, so that a change between
// reading the file and watching it is not lost, and then after each burst of
// events. look must not call Close; Close must be called, also when ctx has
// ended. The error tells that nothing can be watched, for example because the
// system's limit of watches is used up.
func Watch(ctx context.Context, path string, o Options, look func()) (*Watcher, error) {
	w := &Watcher{log: o.Logger, look: look, done: make(chan struct{})}
	if w.log == nil {
		w.log = slog.New(slog.DiscardHandler)
	}
	d := debounce{quiet: o.Quiet, limit: o.Cap}
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
	events, err := fsnotify.NewWatcher()
	if err != nil {
		return nil, fmt.Errorf("watch %s: %w (on Linux the limit is fs.inotify.max_user_instances)", path, err)
	}
	w.events = events
	if err := w.arm(); err != nil && len(events.WatchList()) == 0 {
		return nil, errors.Join(fmt.Errorf("watch %s: %w", path, err), events.Close())
	}
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
		err = w.events.Close()
	})
	return err
}

func (w *Watcher) run(ctx context.Context, d debounce) {
	defer close(w.done)
	w.look()
	d.loop(ctx, w.events.Events, w.events.Errors, w.concerns,
		func(err error) { w.log.Warn("watching the configuration", "error", err) },
		func() {
			// The watches come first: what changes after this is an event, what
			// changed before it is seen by the look.
			if err := w.arm(); err != nil {
				w.log.Warn("watching the configuration", "error", err)
			}
			w.look()
		})
}

func (w *Watcher) concerns(path string) bool {
	for _, c := range w.chains {
		if c.concerns(path) {
			return true
		}
	}
	return false
}

// arm resolves the paths anew and renews every watch. A watch belongs to the
// folder it was put on, not to its name: after a rename or a delete it is deaf
// without a word, so none is trusted to be still the right one.
func (w *Watcher) arm() error {
	folders := map[string]bool{}
	w.chains = w.chains[:0]
	for _, p := range w.paths {
		c := resolve(p)
		w.chains = append(w.chains, c)
		for folder := range c.folders {
			folders[folder] = true
		}
	}
	for _, old := range w.events.WatchList() {
		if err := w.events.Remove(old); err != nil && !errors.Is(err, fsnotify.ErrNonExistentWatch) {
			w.log.Debug("dropping a watch", "folder", old, "error", err)
		}
	}
	var failed []error
	for folder := range folders {
		if err := w.events.Add(folder); err != nil {
			failed = append(failed, fmt.Errorf("%s: %w", folder, err))
		}
	}
	return errors.Join(failed...)
}
