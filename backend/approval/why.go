package approval

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
)

// The codes of the reasons for which a person is asked.
const (
	WhyUntrusted = "untrusted"
	WhyHook      = "hook"
	WhyOwnFiles  = "own-files"
	WhyTainted   = "tainted"
)

// whys are the reasons to ask about a call, the strongest first.
func (f Facts) whys() []Why {
	var out []Why
	if f.OwnFiles != "" {
		out = append(out, Why{WhyOwnFiles, fmt.Sprintf("its arguments name files of Hermes itself: %s", label(f.OwnFiles, maxTitle))})
	}
	if f.HookAsks {
		text := "a hook wants a person to decide"
		if f.Hook != "" {
			text += ": " + label(f.Hook, maxDescription)
		}
		out = append(out, Why{WhyHook, text})
	}
	if f.Untrusted {
		out = append(out, Why{WhyUntrusted, fmt.Sprintf("%sthe server %q is not trusted, so a person approves its tools", place(f.Where), f.Server)})
	}
	if f.Tainted != "" && f.mayHarm() {
		out = append(out, Why{WhyTainted, fmt.Sprintf("this conversation holds a result of the untrusted server %q, and this tool may change things or reach outside", f.Tainted)})
	}
	return out
}

// mayHarm tells whether a call may change things or reach outside, by the server's
// own words and the defaults of the specification: what is not said to only read
// may destroy and reach outside. An untrusted server that says it only reads gains
// nothing: for its trust a person is asked all the same.
func (f Facts) mayHarm() bool {
	reads := f.ReadOnly != nil && *f.ReadOnly
	for _, hint := range []*bool{f.Destructive, f.OpenWorld} {
		if hint != nil && *hint || hint == nil && !reads {
			return true
		}
	}
	return false
}

// tainted marks a grant that was given after a result nobody vouches for.
const tainted = ".tainted"

// bound tells that what stands behind the names is known.
func (f Facts) bound() bool { return f.Identity != "" && f.Definition != "" }

// binding is the definition a grant for this call is bound to, with the rule of
// the hook that asks.
func (f Facts) binding() string {
	switch {
	case !f.bound():
		return ""
	case !f.HookAsks:
		return f.Definition
	}
	sum := sha256.Sum256([]byte(f.HookRule))
	return f.Definition + ".hook" + hex.EncodeToString(sum[:8])
}

// Has tells whether a code is among the reasons of a decision.
func (d Decision) Has(code string) bool {
	for _, why := range d.Why {
		if why.Code == code {
			return true
		}
	}
	return false
}

// Codes are the codes of the reasons, with commas.
func (d Decision) Codes() string {
	codes := make([]string, len(d.Why))
	for i, why := range d.Why {
		codes[i] = why.Code
	}
	return strings.Join(codes, ",")
}

// Refused is what the model reads of a call that a person would have to approve
// where no yes came; because says why none came.
func (d Decision) Refused(because string) string {
	texts := make([]string, len(d.Why))
	for i, why := range d.Why {
		texts[i] = why.Text
	}
	return "A person has to approve this call (" + strings.Join(texts, "; ") + "). " + because + " The call was not sent; do not retry it."
}

// Unasked says why nobody was asked and what a person does about it.
func (d Decision) Unasked(server, reason string) string {
	text := "It was refused: " + reason + ". A person asks again where approvals can be answered (the window, the page, a terminal)"
	switch {
	case d.Has(WhyOwnFiles):
		return text + "."
	case d.Has(WhyUntrusted):
		return text + fmt.Sprintf(", writes `trust: full` for the server %q, or starts Hermes with --yolo.", server)
	}
	return text + " or starts Hermes with --yolo."
}
