package config

import (
	"fmt"
	"path/filepath"
	"slices"
	"strconv"

	"hermes/backend/policy"
)

// CodeWaits: a change from outside opens something while an agent is at work, so
// it is not in force yet (FILTER section 6). CodeWaitsMore: how many more do.
const (
	CodeWaits     = "config.waits"
	CodeWaitsMore = "config.waits_more"
)

// waitHint is what a person can do about a change that waits.
const waitHint = "look at the file; `hermes mcp reload`, or Reload in the window, takes the change, and in a chat so does a message you type from now on, once the agent is done"

// maxWaiting is how many lines about waiting changes stand among the problems of
// a state.
const maxWaiting = 20

// wait puts off what a state of the disk opens beyond the state in force while an
// agent is at work on this home, and as long as anything waits already. What it
// takes away is kept, server by server and key by key: the result never allows
// more than either. It is asked at the moment of every reading.
func (f *File) wait(s *Snapshot) *Snapshot {
	base := f.good
	if base == nil || f.taking && (f.only == nil || *f.only == s.version()) || len(base.Waiting) == 0 && f.options.Busy == nil {
		return s
	}
	if len(base.Waiting) == 0 && !f.options.Busy() {
		return s
	}
	under, own := f.based(base, s)
	out := s.under(under, day(f.options.Now()))
	f.noticed(base, out, own)
	return out
}

// noticed writes down when the latest change that waits was seen for the first
// time; own tells that a person's own step is all that changed. Any other version
// counts as new: the same key may say something nobody was shown.
func (f *File) noticed(base, out *Snapshot, own bool) {
	switch {
	case len(out.Waiting) == 0:
	case own, out.version() == base.version() && len(NewlyWaiting(base, out)) == 0:
		out.WaitingSeen = base.WaitingSeen
	default:
		out.WaitingSeen = f.options.Now()
	}
}

// under gives a state without what it opens beyond another one, which lines in
// Waiting name; the state itself where it opens nothing.
func (s *Snapshot) under(base *Snapshot, since string) *Snapshot {
	out := *s
	if out.bare == nil {
		out.bare = s
	}
	out.Servers = slices.Clone(s.Servers)
	w := &waiter{base: base, now: &out, since: since}
	w.env()
	for i := range out.Servers {
		w.server(&out.Servers[i])
	}
	w.restrictions()
	w.settings()
	if len(w.list) == 0 {
		return s
	}
	out.Waiting = w.list
	out.Problems = append(slices.Clip(slices.Clone(s.Problems)), w.list[:min(len(w.list), maxWaiting)]...)
	if more := len(w.list) - maxWaiting; more > 0 {
		out.Problems = append(out.Problems, Problem{
			Severity: policy.SeverityWarning, Code: CodeWaitsMore, Params: []string{strconv.Itoa(more)},
			Message: fmt.Sprintf("waits: %d more changes from while the agent was at work", more), Hint: waitHint, File: s.Path,
		})
	}
	return &out
}

// waiter holds a new state down to one in force.
type waiter struct {
	base, now *Snapshot
	since     string
	list      []Problem
}

// opens notes one thing that the new state would open. line is 0 where the file
// has no place for it, because the key is gone.
func (w *waiter) opens(what string, line int) *Problem {
	file := w.now.Path
	at := filepath.Base(file)
	if line > 0 {
		at += ":" + strconv.Itoa(line)
	}
	w.list = append(w.list, Problem{
		Severity: policy.SeverityWarning, Code: CodeWaits, Params: []string{what},
		Message: "waits: changed while the agent was at work; would open: " + what + " (" + at + ")",
		Hint:    waitHint, File: file, Line: line,
	})
	return &w.list[len(w.list)-1]
}

// env keeps the values of `.env` that were in force: which server gets which one
// cannot be told by its name alone. What `.env` forbids is among the
// restrictions.
func (w *waiter) env() {
	was, is := w.base.scope, w.now.scope
	if was == nil || is == nil {
		return
	}
	names := map[string]bool{}
	for name, value := range is.file {
		if old, there := was.file[name]; !there || old != value {
			names[name] = true
		}
	}
	for name := range was.file {
		if _, there := is.file[name]; !there {
			names[name] = true
		}
	}
	if len(names) == 0 {
		return
	}
	w.now.scope = was
	for _, name := range sortedSet(names) {
		p := w.opens(".env/"+name, 0)
		p.Message = "waits: changed while the agent was at work; would open: the value of " + name + " (.env)"
		p.File = was.home.Env()
	}
}

func sortedSet(names map[string]bool) []string {
	out := make([]string, 0, len(names))
	for name := range names {
		out = append(out, name)
	}
	slices.Sort(out)
	return out
}

// server holds one server down.
func (w *waiter) server(sv *Server) {
	was, known := w.base.Server(sv.Name)
	if !known || was.fresh {
		sv.fresh = true
		sv.Waits = w.opens(sv.Name+" (a new server)", sv.Line)
		w.rules(sv, policy.Rules{})
		return
	}
	opened := sv.relaxed(w.now.Path, was.Rules)
	for _, p := range opened {
		w.opens(sv.Name+"/"+p.Params[1], p.Line)
	}
	if len(opened) == 0 && was.Rules.Layered() && len(policy.Both(was.Rules, sv.Rules, sv.Name, "").Lost()) > len(sv.Rules.Lost()) {
		opened = append(opened, *w.opens(sv.Name+"/tools that were off", sv.Line))
	}
	if len(opened) > 0 {
		w.rules(sv, was.Rules)
	}
	w.connection(sv, was)
	sv.identity = sv.Conn.identity(w.now.scope)
	if sv.Enabled && !was.Enabled {
		sv.Waits = w.opens(sv.Name+"/enabled", sv.keyLine("enabled"))
		sv.Enabled = false
	}
	if sv.Parallel && !was.Parallel {
		w.opens(sv.Name+"/supports_parallel_tool_calls", sv.keyLine("supports_parallel_tool_calls"))
		sv.Parallel = false
	}
	w.sampling(sv, was)
}

// rules puts rules under those that were in force.
func (w *waiter) rules(sv *Server, was policy.Rules) {
	w.now.Policy = w.now.Policy.Under(sv.Name, was, w.since)
	sv.Rules, _ = w.now.Policy.Rules(sv.Name)
	sv.Untrusted = sv.Rules.Untrusted()
	sv.waiting = true
}

// keyLine is where a key of the entry stands, else where the entry does.
func (sv *Server) keyLine(name string) int {
	if key, _ := pair(sv.Entry, name); key != nil {
		return key.Line
	}
	return sv.Line
}

// NewlyWaiting are the changes that wait under a state and did not before.
func NewlyWaiting(old, now *Snapshot) []Problem {
	var out []Problem
	for _, p := range now.Waiting {
		if !slices.ContainsFunc(old.Waiting, p.equal) {
			out = append(out, p)
		}
	}
	return out
}
