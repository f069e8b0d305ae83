package config

import (
	"time"
)

// Reload looks at the file again, publishes what changed and tells whether it
// did. A file that cannot be read, or that is gone or empty while servers are
// known, leaves the last good state in force under a problem (DESIGN invariant
// 6, FILTER section 2 rows 20 and 21). A change that may allow more than before,
// and every change of `.env`, is taken only after a second read, Options.Settle
// later, that finds the same bytes, because a file cut off in the middle of a
// save can be valid YAML; a file that somebody has open for writing waits until
// that ends. Reload waits for the second read, for a second at the most while
// the file keeps changing; then it takes what of it settled. What it saw and did
// not take is Pending, and Settled tells that it is to be asked again.
func (f *File) Reload() (*Snapshot, bool) { return f.reload(f.options.Settle, false) }

// ReloadMoving is Reload for a look in the middle of a save: every change, also
// one that only takes away and one that breaks the file, needs two equal reads
// that are a pause apart.
func (f *File) ReloadMoving(pause time.Duration) (*Snapshot, bool) { return f.reload(pause, true) }

func (f *File) reload(pause time.Duration, moving bool) (*Snapshot, bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.current.Load() == nil {
		return f.load(), true
	}
	var last, r reading
	r = f.reading(f.good)
	for waited := time.Duration(0); ; waited += pause {
		if f.stands(r) {
			f.note(r)
			return f.current.Load(), false
		}
		f.foresee(r)
		f.note(r)
		if waited > maxSettle || waited > 0 && last.isWritten() && r.isWritten() {
			return f.unsettled(last, r)
		}
		if !moving && !r.isWritten() && (f.good == nil || r.env == f.good.env) {
			if snap, sure := f.judge(r); sure {
				return f.decided(snap)
			}
		}
		<-time.After(pause)
		last, r = r, f.reading(r.snapshot)
		if r.same(last) && !r.isWritten() {
			snap, _ := f.judge(r)
			defer f.note(r)
			return f.decided(snap)
		}
	}
}

// stands tells that a reading is the state in force already, and that nothing is
// pending then.
func (f *File) stands(r reading) bool {
	if !f.inForceIs(r) {
		return false
	}
	f.good = r.snapshot
	f.pending.Store(nil)
	f.written = time.Time{}
	return true
}

// decided puts what a reading makes of the state in force; nil is no change.
func (f *File) decided(snap *Snapshot) (*Snapshot, bool) {
	if snap == nil {
		return f.current.Load(), false
	}
	f.publish(snap)
	return snap, true
}

// publish puts a state in force. One that cannot be read leaves what is pending
// as it is: the latest that could be read may deny more than the last good one.
func (f *File) publish(snap *Snapshot) {
	f.current.Store(snap)
	if snap.Broken {
		return
	}
	// Whoever asks both asks the pending one first, so that nothing falls
	// between the two.
	f.used(f.good, snap)
	f.good = snap
	f.written = time.Time{}
	f.pending.Store(nil)
}

// inForceIs tells that a reading is the state that is in force already.
func (f *File) inForceIs(r reading) bool {
	return r.problem == nil && f.good != nil && !f.current.Load().Broken && !(r.empty && len(f.good.Servers) > 0) &&
		r.revision == f.good.Revision && r.env == f.good.env && sameHolds(f.good, r.snapshot)
}
