package approval

import (
	"crypto/sha256"
	"encoding/hex"
	"strconv"
	"strings"

	"hermes/backend/message"
)

// The codes of the reasons for which a person is asked.
const (
	WhyUntrusted = "untrusted"
	WhyHook      = "hook"
	WhyOwnFiles  = "own-files"
	WhyTainted   = "tainted"
)

// The bounds of a hook's words and of the name of a file of ours on a card, in bytes.
const (
	maxHook = 1000
	maxOwn  = 500
)

// whys are the reasons to ask about a call, the strongest first.
func (f Facts) whys() []Why {
	var out []Why
	if f.OwnFiles != "" {
		out = append(out, Why{WhyOwnFiles, message.AskedOwnFiles.Text(Excerpt(visible(f.OwnFiles, false), maxOwn))})
	}
	if f.HookAsks {
		text := message.AskedHook.Text()
		if f.Hook != "" {
			text = message.AskedHookSays.Text(Excerpt(visible(f.Hook, false), maxHook))
		}
		out = append(out, Why{WhyHook, text})
	}
	if f.Untrusted {
		out = append(out, Why{WhyUntrusted, message.AskedUntrusted.Text(place(f.Where), quoted(f.Server))})
	}
	if f.Tainted != "" && f.mayHarm() {
		out = append(out, Why{WhyTainted, message.AskedTainted.Text(quoted(f.Tainted))})
	}
	return out
}

// mayHarm tells whether a call may change things or reach outside, by the server's
// own words and the defaults of the specification: what is not said to only read may
// destroy, and what is not said to stay here reaches outside, also where it only
// reads: a page that is fetched by an address can carry away what the address says.
// An untrusted server that says otherwise gains nothing: for its trust a person is
// asked all the same.
func (f Facts) mayHarm() bool {
	reads := f.ReadOnly != nil && *f.ReadOnly
	destroys := f.Destructive == nil && !reads || f.Destructive != nil && *f.Destructive
	return destroys || f.OpenWorld == nil || *f.OpenWorld
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
	return message.CallNoYes.Text(d.texts(), because)
}

// Again is what the model reads where a person has to be asked only since the call was
// judged: the next one of its kind is asked about.
func (d Decision) Again(because string) string {
	return message.CallAsksAgain.Text(d.texts(), because)
}

func (d Decision) texts() string {
	texts := make([]string, len(d.Why))
	for i, why := range d.Why {
		texts[i] = why.Text
	}
	return strings.Join(texts, "; ")
}

// Unasked says why nobody was asked and what a person does about it. Trust is what
// one writes into the file to trust the server, with its place.
func (d Decision) Unasked(trust, reason string) string {
	switch {
	case d.Has(WhyOwnFiles):
		return message.NoYesOwn.Text(reason)
	case d.Has(WhyUntrusted):
		return message.NoYesUntrusted.Text(reason, trust)
	}
	return message.NoYes.Text(reason)
}

// quoted is a name inside quotes that stand in a sentence.
func quoted(name string) string {
	name = strconv.Quote(name)
	return name[1 : len(name)-1]
}
