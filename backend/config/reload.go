package config

import (
	"time"
)

// Reload looks at the file again, publishes what changed and tells whether it
// did. A file that cannot be read, or that is gone or empty while servers are
// known, leaves the last good state in force under a problem (DESIGN invariant
// 6, FILTER section 2 rows 20 and 21). A change that may allow more than before
// is taken only after a second read, Options.Settle later, that finds the same
// bytes, because a file cut off in the middle of a save can be valid YAML;
// Reload waits for that. While the file keeps changing, for a second at the
// most, it answers that nothing changed; Settled tells that it is to be asked
// again.
func (f *File) Reload() (*Snapshot, bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.current.Load() == nil {
		return f.load(), true
	}
	for waited := time.Duration(0); waited <= maxSettle; waited += f.options.Settle {
		r := f.read(f.good)
		snap, sure := f.judge(r)
		if snap == nil {
			return f.current.Load(), false
		}
		if sure {
			f.current.Store(snap)
			return snap, true
		}
		<-time.After(f.options.Settle)
		if again := f.read(snap); again.same(r) {
			f.good = snap
			f.current.Store(snap)
			return snap, true
		}
	}
	return f.unsettled()
}

// ReloadMoving is Reload for a look in the middle of a save: every change, also
// one that only takes away and one that breaks the file, needs two equal reads
// that are a pause apart.
func (f *File) ReloadMoving(pause time.Duration) (*Snapshot, bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.current.Load() == nil {
		return f.load(), true
	}
	for waited := time.Duration(0); waited <= maxSettle; waited += pause {
		r := f.read(f.good)
		if f.inForceIs(r) {
			return f.current.Load(), false
		}
		<-time.After(pause)
		again := f.read(r.snapshot)
		if !again.same(r) {
			continue
		}
		snap, sure := f.judge(again)
		if snap == nil {
			return f.current.Load(), false
		}
		if !sure {
			f.good = snap
		}
		f.current.Store(snap)
		return snap, true
	}
	return f.unsettled()
}

// inForceIs tells that a reading is the state that is in force already.
func (f *File) inForceIs(r reading) bool {
	return r.problem == nil && f.good != nil && !f.current.Load().Broken && !(r.empty && len(f.good.Servers) > 0) &&
		r.revision == f.good.Revision && r.env == f.good.env && sameHolds(f.good, r.snapshot)
}

// unsettled gives up on a file that keeps changing.
func (f *File) unsettled() (*Snapshot, bool) {
	f.options.Logger.Warn("the configuration keeps changing", "file", f.home.Config())
	if last := f.seen.Load(); last != nil {
		now := *last
		now.changing = true
		f.seen.Store(&now)
	}
	return f.current.Load(), false
}
