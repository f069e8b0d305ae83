package config

import (
	"slices"
	"time"

	"hermes/backend/policy"
)

// narrowWait is how long a file that somebody has open for writing may keep a
// restriction from stopping its server; calls it denies at once, see Pending.
const narrowWait = 1500 * time.Millisecond

// Pending is the latest reading that was not taken yet, because the file keeps
// changing or somebody still writes it; nil where the state in force is what was
// read last. A call is allowed only by both: restrictions act at once (FILTER
// section 6). Ask it before Current. A reading that gives no state, such as a
// file that cannot be parsed, changes nothing about it.
func (f *File) Pending() *Snapshot { return f.pending.Load() }

// foresee notes a reading that is not taken yet.
func (f *File) foresee(r reading) {
	if r.problem != nil || f.good == nil || r.empty && len(f.good.Servers) > 0 {
		return
	}
	f.pending.Store(r.snapshot)
}

// unsettled gives up on files that keep changing, or that somebody writes, and
// takes the part that two readings agree on: the file with the `.env` in force,
// or the other way round. Of a file that did not settle it takes what the latest
// reading takes away from whole servers, so that they stop.
func (f *File) unsettled(last, r reading) (*Snapshot, bool) {
	f.options.Logger.Warn("the configuration keeps changing", "file", f.home.Config())
	if saw := f.seen.Load(); saw != nil {
		now := *saw
		now.changing = true
		f.seen.Store(&now)
	}
	if r.isWritten() && f.written.IsZero() {
		f.written = time.Now()
	}
	base := f.good
	if base == nil {
		return f.current.Load(), false
	}
	readable := r.problem == nil && last.problem == nil && !(r.empty && len(base.Servers) > 0)
	config := r.revision == last.revision && r.exists == last.exists && !r.written[0]
	if readable && config && r.revision != base.Revision {
		base = f.mixed(r.snapshot, base)
	}
	if r.scope != nil && r.env == last.env && !r.written[1] && r.env != base.env {
		base = f.mixed(base, &Snapshot{scope: r.scope, env: r.env})
	}
	waiting := r.written[0] && time.Since(f.written) < narrowWait
	if pending := f.pending.Load(); pending != nil && !config && !waiting {
		base = f.narrowed(base, pending)
	}
	if base == f.good {
		return f.current.Load(), false
	}
	pending, since := f.pending.Load(), f.written
	f.publish(base)
	// Still to come, and as old as it was.
	f.pending.Store(pending)
	f.written = since
	return base, true
}

// mixed gives the file of one state with the `.env` of another.
func (f *File) mixed(file, env *Snapshot) *Snapshot {
	s := build(f.home, &document{tree: file.tree}, file.Revision, env.scope, env.env)
	s.empty = file.empty
	return f.inForce(s)
}

// narrowed gives a state without what a later reading takes away from whole
// servers: those that are gone, and those that are locked, switched off or
// unreadable there. It is the state itself where nothing is.
func (f *File) narrowed(base, latest *Snapshot) *Snapshot {
	instead := map[string]*policy.Node{}
	for i := range base.Servers {
		was := &base.Servers[i]
		is, ok := latest.Server(was.Name)
		switch {
		case !ok:
			instead[was.Name] = nil
		case was.idle() || !is.idle():
		case is.Entry != nil:
			instead[was.Name] = is.Entry
		}
	}
	limits := base.Restrictions.under(latest.Restrictions)
	if len(instead) == 0 && sameLimits(limits, base.Restrictions) {
		return base
	}
	tree := replaced(base.tree, instead)
	s := build(f.home, &document{tree: tree}, digest([]byte(base.Revision+latest.Revision)), base.scope, base.env)
	s.empty = base.empty
	s.Restrictions = limits
	if s = f.inForce(s); mayLoosenServers(base, s) {
		return base
	}
	return s
}

// idle tells that nothing of the server can be called by its own entry.
func (sv *Server) idle() bool {
	return !sv.Enabled || sv.Rules.Locked() || sv.Rules.State() == policy.StateInvalid
}

// under gives the restrictions with the switches that others have on, too.
func (r Restrictions) under(o Restrictions) Restrictions {
	out := r
	out.ClientOff, out.StdioOff, out.SafeMode = r.ClientOff || o.ClientOff, r.StdioOff || o.StdioOff, r.SafeMode || o.SafeMode
	if o.Limited && !r.Limited {
		out.Limited, out.Servers = true, o.Servers
	}
	for _, name := range o.Disabled {
		if !slices.Contains(out.Disabled, name) {
			out.Disabled = append(slices.Clip(out.Disabled), name)
		}
	}
	return out
}

// sameLimits compares what under may change.
func sameLimits(a, b Restrictions) bool {
	return a.ClientOff == b.ClientOff && a.StdioOff == b.StdioOff && a.SafeMode == b.SafeMode && a.Limited == b.Limited && len(a.Disabled) == len(b.Disabled)
}

// replaced gives the tree of a file with other entries of some servers; nil
// leaves one out. The nodes of the tree stay as they are.
func replaced(root *policy.Node, instead map[string]*policy.Node) *policy.Node {
	if root == nil || root.Kind != policy.KindMapping {
		return root
	}
	out := *root
	out.Children = slices.Clone(root.Children)
	for i := 0; i+1 < len(out.Children); i += 2 {
		servers := out.Children[i+1]
		if out.Children[i].Value != keyServers || servers.Kind != policy.KindMapping {
			continue
		}
		now := *servers
		now.Children = nil
		for j := 0; j+1 < len(servers.Children); j += 2 {
			name, entry := servers.Children[j], servers.Children[j+1]
			switch other, ok := instead[name.Value]; {
			case !ok:
				now.Children = append(now.Children, name, entry)
			case other != nil:
				now.Children = append(now.Children, name, other)
			}
		}
		out.Children[i+1] = &now
	}
	return &out
}
