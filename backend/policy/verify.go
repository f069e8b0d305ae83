package policy

// Verify decides again after an edit: it returns nil only when exactly the
// intended decisions of one server changed and every other server decides as
// before (FILTER section 5, "decides again for every known tool"). The error
// is a *Refusal; nothing may be written then.
func Verify(before, after Set, server string, intent Intent) error {
	if r := verifyOthers(before, after, server); r != nil {
		return r
	}
	old, _ := before.Rules(server)
	now, ok := after.Rules(server)
	if !ok {
		return refuse("verify.server", nil)
	}
	v := verifier{old: old, now: now, intent: intent}
	var r *Refusal
	switch intent.Action {
	case ActionOn, ActionOff:
		r = v.tool()
	case ActionLock:
		r = v.lock()
	case ActionOpen:
		r = v.open()
	case ActionRestore:
		r = v.restore()
	default:
		if r, ok = v.chosen(); !ok {
			r = refuse("edit.action", nil, show(string(intent.Action)))
		}
	}
	if r != nil {
		return r
	}
	return nil
}

func verifyOthers(before, after Set, server string) *Refusal {
	if len(before.Names()) != len(after.Names()) {
		return refuse("verify.server", nil)
	}
	for _, name := range before.Names() {
		if name == server {
			continue
		}
		old, _ := before.Rules(name)
		now, ok := after.Rules(name)
		if !ok || !old.Equal(now) {
			return refuse("verify.others", nil, show(name))
		}
	}
	return nil
}

type verifier struct {
	old, now Rules
	intent   Intent
}

func (v *verifier) tool() *Refusal {
	tool, on := v.intent.Tool, v.intent.Action == ActionOn
	if v.now.Allows(tool) != on {
		return refuse("verify.result", nil, show(tool))
	}
	if v.old.State() == StateInvalid || v.now.State() == StateInvalid {
		return refuse("verify.result", nil, show(tool))
	}
	if !v.sameMode() {
		return refuse("verify.more", nil, string(v.now.State()))
	}
	if s := v.otherSwitch(false); s != "" {
		return refuse("verify.more", nil, s)
	}
	for _, name := range v.names() {
		if name != tool && v.old.Allows(name) != v.now.Allows(name) {
			return refuse("verify.more", nil, show(name))
		}
	}
	if v.intent.Expand {
		return nil
	}
	for _, list := range [...][2]Rules{{v.old, v.now}, {v.now, v.old}} {
		for _, p := range list[0].Patterns() {
			if p != "" && p != tool && list[1].d.find(p) < 0 {
				return refuse("verify.more", nil, show(p))
			}
		}
	}
	return nil
}

// sameMode tells whether tools to come are decided as before: a whitelist
// stays one, and Open and Except may only turn into each other.
func (v *verifier) sameMode() bool {
	return (v.old.State() == StateOnly) == (v.now.State() == StateOnly)
}

// names are all names whose decision is compared: the plain ones in the file
// before and after, and the known tools.
func (v *verifier) names() []string {
	var out []string
	for _, list := range [...][]string{v.old.Patterns(), v.now.Patterns()} {
		for _, p := range list {
			if !isGlob(p) {
				out = append(out, p)
			}
		}
	}
	return append(out, v.intent.Known...)
}

// otherSwitch returns the first switch or trust that changed, "" for none.
// Helpers and trust may be turned off where the edit is a lock.
func (v *verifier) otherSwitch(lock bool) string {
	if v.old.Untrusted() != v.now.Untrusted() && !(lock && v.now.Untrusted()) {
		return keyTrust
	}
	for s := range v.now.d.switches {
		old, now := v.old.d.switches[s].value, v.now.d.switches[s].value
		helper := s == switchResources || s == switchPrompts
		if old != now && !(lock && helper && now == toggleOff) {
			return switchKey(s)
		}
	}
	return ""
}

// lock accepts that switches below a tools value that could not be read are
// gone with it: under a lock they are off.
func (v *verifier) lock() *Refusal {
	if !v.now.Locked() {
		return refuse("verify.result", nil, string(v.intent.Action))
	}
	if v.old.State() == StateInvalid {
		if v.old.Untrusted() && !v.now.Untrusted() {
			return refuse("verify.more", nil, keyTrust)
		}
		return nil
	}
	if s := v.otherSwitch(true); s != "" {
		return refuse("verify.more", nil, s)
	}
	return nil
}

func (v *verifier) open() *Refusal {
	if v.now.State() != StateOpen {
		return refuse("verify.result", nil, string(v.intent.Action))
	}
	if s := v.otherSwitch(false); s != "" {
		return refuse("verify.more", nil, s)
	}
	return nil
}
