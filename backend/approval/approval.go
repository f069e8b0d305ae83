package approval

import (
	"strings"

	"hermes/backend/message"
)

// DenyGlob is one entry of approvals.deny and where it stands (file:line).
type DenyGlob struct{ Pattern, Where string }

// Options are the approval settings of a home and of this run.
type Options struct {
	// Mode is approvals.mode as written: off asks nobody; everything else, also
	// smart and words nobody knows, is manual (DESIGN invariant 12).
	Mode string
	Deny []DenyGlob
	// Yolo is the flag --yolo: like the mode off, for one run.
	Yolo bool
}

// Rules are the settings a call is decided by. The zero value denies
// everything.
type Rules struct {
	known bool
	deny  []DenyGlob
	asks  bool
}

// New reads the settings.
func New(o Options) Rules {
	r := Rules{known: true, deny: o.Deny, asks: !o.Yolo}
	switch strings.ToLower(strings.TrimSpace(o.Mode)) {
	case "off", "false", "no": // YAML 1.1 reads a bare off as false
		r.asks = false
	}
	return r
}

// Facts are what is known about a call. ReadOnly, Destructive and OpenWorld are
// the server's own words, nil if it said nothing: they are shown to whoever
// decides and never make a call need less (DESIGN section 5).
type Facts struct {
	Public, Server, Tool string
	// Arguments is the JSON object the tool would get.
	Arguments string
	// Untrusted is the server's trust setting, Where the line that says so.
	Untrusted                        bool
	Where                            string
	ReadOnly, Destructive, OpenWorld *bool
	// Identity names the program behind the server's name, Definition is the hash
	// of what it says of the tool. Where one is not known no grant counts.
	Identity, Definition string
	// HookAsks tells that a hook wants a person to decide, Hook why, HookRule by
	// which of its rules: a grant for one rule is none for another.
	HookAsks       bool
	Hook, HookRule string
	// OwnFiles names the file of ours that the arguments name, empty for none.
	OwnFiles string
	// Tainted names an untrusted server whose result this conversation holds,
	// empty for none.
	Tainted string
}

// Outcome is what a decision lets happen. The zero value denies.
type Outcome int

// The outcomes: Denied runs nothing, Allowed needs nobody, Asks needs a person.
const (
	Denied Outcome = iota
	Allowed
	Asks
)

// Decision is the answer to a call. The zero value denies. Rule is what decided:
// "deny", "unknown", the code of the first reason to ask, or "". Reason is given
// where the call is denied. Why are the reasons to ask a person, also where
// --yolo or the mode off lifted them, which Lifted tells. Scopes are the answers
// to offer, Binding is the definition
// a grant has to be for, empty for none that could be.
type Decision struct {
	Outcome Outcome
	Rule    string
	Reason  string
	Why     []Why
	Lifted  bool
	Scopes  []Scope
	Binding string
}

// Decide answers for one call: first the deny globs, which no flag lifts, then
// the files of ours, about which a person is asked whatever the mode, then what
// the mode and --yolo lift: the trust in the server, hooks that want a person,
// and what may follow from a result that nobody vouches for.
func (r Rules) Decide(f Facts) Decision {
	if !r.known {
		return Decision{Rule: "unknown", Reason: "The approval settings were not read, so nothing may run. The call was not sent."}
	}
	if reason := r.Denies(f); reason != "" {
		return Decision{Rule: "deny", Reason: reason}
	}
	d := Decision{Outcome: Allowed, Why: f.whys()}
	if len(d.Why) == 0 {
		return d
	}
	own := f.OwnFiles != ""
	if !r.asks && !own {
		d.Lifted = true
		return d
	}
	d.Outcome, d.Rule, d.Binding = Asks, d.Why[0].Code, f.binding()
	switch {
	case own, !f.bound(), f.HookAsks && f.HookRule == "":
		// Nothing of these is for another call.
		d.Scopes = []Scope{ScopeOnce}
	default:
		d.Scopes = []Scope{ScopeOnce, ScopeSession, ScopeAlways}
		if d.Has(WhyTainted) {
			// It is a reason of this conversation alone, so no answer to it is for good.
			d.Scopes = []Scope{ScopeOnce, ScopeSession}
		}
	}
	return d
}

// Denies says why a deny glob forbids a call, or "".
func (r Rules) Denies(f Facts) string {
	for _, glob := range r.deny {
		if what, hit := glob.match(f); hit {
			return message.DenyGlob.Text(place(glob.Where), quoted(glob.Pattern), what)
		}
	}
	return ""
}

func place(where string) string {
	if where == "" {
		return ""
	}
	return where + ": "
}

// match looks at everything a glob may have been written for: the names of the
// tool and every text among the arguments, such as a shell command. It returns
// which of them it was.
func (g DenyGlob) match(f Facts) (what string, hit bool) {
	pattern := strings.ToLower(g.Pattern)
	names := []string{f.Public, f.Tool, f.Server}
	if f.Server != "" {
		names = append(names, f.Server+":"+f.Tool)
	}
	for _, name := range names {
		if name != "" && globMatch(pattern, strings.ToLower(name)) {
			return name, true
		}
	}
	hit = anyText(f.Arguments, func(text string) bool { return globMatch(pattern, strings.ToLower(strings.TrimSpace(text))) })
	if hit {
		return "one of its arguments", true
	}
	return "", false
}
