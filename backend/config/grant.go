package config

import (
	"fmt"

	"hermes/backend/policy"
)

// endsHold tells the ways out of a hold (FILTER section 6): nothing else ends it.
func endsHold(action policy.Action) bool {
	return action == policy.ActionOpen || action == policy.ActionLock || action == policy.ActionRestore
}

// accepts tells an edit that has nothing to change in the file and still ends
// what is held: the person accepts what the file says.
func (a attempt) accepts(r reading) bool {
	if !a.ends || r.snapshot == nil {
		return false
	}
	rules, _ := r.snapshot.Policy.Rules(a.grant)
	return rules.IsHeld()
}

// allow remembers what is in force before a write that removes any of it, so that
// this is noticed, and gives the grant for what our own edit wants. It comes before the
// file: whoever reads the new file finds the grant. If the file is never written,
// the grant is for a state that does not exist, and the next record drops it. A
// ledger that cannot be read is left alone.
func (f *File) allow(r reading, after *document, a attempt) error {
	if r.snapshot == nil || f.memory.sealed() {
		return nil
	}
	next, _ := f.next(r.snapshot)
	now := policy.ReadFile(after.tree)
	atStake, granted := false, false
	for name, entry := range next.Servers {
		rules, there := now.Rules(name)
		if there && !policy.Held(entry.Restriction, rules, false).IsHeld() {
			continue
		}
		atStake = true
		if name == a.grant && there {
			entry.Grant, granted = grantFor(rules, a.ends), true
			next.Servers[name] = entry
		}
	}
	if !atStake {
		return nil
	}
	err := f.keep(next)
	if err != nil && granted {
		return fmt.Errorf("nothing was written, because the lock ledger cannot be written: %w", err)
	}
	if err != nil {
		f.options.Logger.Warn("the ledger was not written", "error", err)
	}
	return nil
}

// accept ends what is held of a server whose file says what is wanted already.
// Every running process takes it from the ledger.
func (f *File) accept(r reading, server string) (Result, error) {
	if f.memory.sealed() {
		p := f.memory.problem
		return Result{}, &Refused{Message: p.Message, Hint: p.Hint, File: p.File}
	}
	before := f.lawful(r.snapshot)
	f.announce(before.version(), before.version(), server)
	next, _ := f.next(r.snapshot)
	rules, _ := before.Policy.Rules(server)
	entry := next.Servers[server]
	entry.Restriction, entry.Twin = rules.File().Restriction(), ""
	entry.Since, entry.Revision = f.options.Now().UTC().Truncate(timeGrain), r.revision
	if entry.Any() {
		next.Servers[server] = entry
	} else {
		delete(next.Servers, server)
	}
	if err := f.keep(next); err != nil {
		return Result{}, fmt.Errorf("nothing was accepted, because the lock ledger cannot be written: %w", err)
	}
	snap := f.mine(before, r.snapshot, server)
	f.publish(snap)
	return Result{Changed: true, Snapshot: snap}, nil
}
