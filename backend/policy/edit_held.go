package policy

import "slices"

// heldFirst answers the edits whose meaning changes while a lost restriction is
// held. done is false for all others.
func (e *editor) heldFirst(rules Rules) (ops []Op, done bool, refusal *Refusal) {
	if !rules.IsHeld() {
		if e.intent.Action == ActionRestore {
			return nil, true, refuse("edit.not_held", nil)
		}
		return nil, false, nil
	}
	switch e.intent.Action {
	case ActionOpen:
		return nil, true, nil
	case ActionRestore:
		ops, refusal := e.restore(rules)
		return ops, true, refusal
	}
	wanted := e.intent.On
	if e.intent.Action == ActionOn {
		wanted = []string{e.intent.Tool}
	}
	for _, name := range wanted {
		if !rules.Allows(name) && e.intent.Action != ActionOff && e.intent.Action != ActionLock {
			return nil, true, e.heldBack(rules, rules.heldCode(name))
		}
	}
	return nil, false, nil
}

func (e *editor) heldBack(rules Rules, code string) *Refusal {
	return refuse(code, &Node{Line: rules.Line(), Column: rules.Column()}, show(rules.d.hold.server))
}

// heldCode is the refusal to turn on what is held off.
func (r Rules) heldCode(name string) string {
	switch h := r.d.hold; {
	case h.firm.Allows(name):
		return "edit.waits"
	case h.other:
		return "edit.held_other"
	}
	return "edit.held"
}

// restore plans the keys that are gone: the whitelist in force, else the
// blacklist, the helpers that were off, and the missing trust. It refuses where
// one of them stands there again with what somebody wrote since, and where the
// keys would not bring back all that is held, such as an exclude beside an
// include that was written since.
func (e *editor) restore(rules Rules) ([]Op, *Refusal) {
	if rules.OnlyWaits() {
		return nil, e.heldBack(rules, "edit.restore_waits")
	}
	if rules.State() == StateInvalid {
		return nil, e.heldBack(rules, "edit.restore_unreadable")
	}
	if r := e.whole(); r != nil {
		return nil, r
	}
	lost := rules.d.hold.lost
	if there := e.rules.Standing(Restriction{State: StateOpen, Lost: lost}); len(there) > 0 {
		return nil, refuse("edit.restore_present", e.place(there[0].Key), standingText(there), show(rules.d.hold.server))
	}
	keys := Restriction{State: StateOpen, Lost: lost}.Keys()
	var pairs []any
	for _, key := range keys {
		switch key {
		case keyInclude:
			pairs = append(pairs, key, listOf(rules.Patterns()))
		case keyExclude:
			if rules.State() == StateExcept {
				pairs = append(pairs, key, listOf(rules.Patterns()))
			}
		case keyResources, keyPrompts:
			pairs = append(pairs, key, falseValue())
		}
	}
	ops, refusal := e.writeTools(pairs)
	if refusal != nil {
		return nil, refusal
	}
	if slices.Contains(keys, keyTrust) {
		op, refusal := e.write(e.entry, nil, keyTrust, textValue("untrusted", nil))
		if refusal != nil {
			return nil, refusal
		}
		ops = append(ops, op)
	}
	after, err := Apply(e.entry, ops)
	if err != nil || len(lostBy([]Restriction{{State: StateOpen, Lost: lost}}, ReadServer(after))) > 0 {
		return nil, e.heldBack(rules, "edit.restore_short")
	}
	return ops, nil
}

// place is where a key that restricts stands, else where the entry does.
func (e *editor) place(key string) *Node {
	if tools, ok := child(e.entry, keyTools); ok {
		if there, ok := child(tools.value, key); ok {
			return there.key
		}
	}
	if there, ok := child(e.entry, key); ok {
		return there.key
	}
	return e.entry
}

// lockTrust adds a missing `trust: untrusted` to a lock: locking ends what is
// held, and opening the server later must not bring trust that nobody gave.
func (e *editor) lockTrust(rules Rules, ops []Op) ([]Op, *Refusal) {
	if !rules.IsHeld() || !rules.Untrusted() || e.rules.Untrusted() {
		return ops, nil
	}
	op, refusal := e.write(e.entry, nil, keyTrust, textValue("untrusted", nil))
	if refusal != nil {
		return nil, refusal
	}
	return append(ops, op), nil
}

// writeTools plans keys of the tools block, with the block where there is none.
func (e *editor) writeTools(pairs []any) ([]Op, *Refusal) {
	if len(pairs) == 0 {
		return nil, nil
	}
	tools, ok := child(e.entry, keyTools)
	if !ok {
		style := StyleBlock
		if e.entry.Style == StyleFlow {
			style = StyleFlow
		}
		return []Op{{Kind: OpInsertKey, Key: keyTools, Value: mapping(style, pairs...)}}, nil
	}
	if r := inPlace(tools); r != nil {
		return nil, r
	}
	if !isMapping(tools.value) || len(tools.value.Children) == 0 {
		if r := replaceable(tools); r != nil {
			return nil, r
		}
		return []Op{setValue(mapping(StyleFlow, pairs...), keyTools)}, nil
	}
	var ops []Op
	for i := 0; i < len(pairs); i += 2 {
		key, _ := pairs[i].(string)
		value, _ := pairs[i+1].(*Node)
		op, refusal := e.write(tools.value, []string{keyTools}, key, value)
		if refusal != nil {
			return nil, refusal
		}
		ops = append(ops, op)
	}
	return ops, nil
}

// write plans one key of a mapping, new or with another value.
func (e *editor) write(m *Node, path []string, key string, value *Node) (Op, *Refusal) {
	there, ok := child(m, key)
	if !ok {
		return Op{Kind: OpInsertKey, Path: path, Key: key, Value: value}, nil
	}
	if r := replaceable(there); r != nil {
		return Op{}, r
	}
	return setValue(value, append(slices.Clone(path), key)...), nil
}

// restore accepts whatever forbids more: nothing may be allowed after it that
// the file did not allow before.
func (v *verifier) restore() *Refusal {
	if v.now.State() == StateInvalid || v.old.State() == StateInvalid {
		return refuse("verify.result", nil, string(v.intent.Action))
	}
	if v.now.State() == StateOpen && v.old.State() != StateOpen {
		return refuse("verify.more", nil, string(v.now.State()))
	}
	for _, name := range v.names() {
		if v.now.Allows(name) && !v.old.Allows(name) {
			return refuse("verify.more", nil, show(name))
		}
	}
	for s := range v.now.d.switches {
		if v.now.on(s) && !v.old.on(s) {
			return refuse("verify.more", nil, switchKey(s))
		}
	}
	if v.old.Untrusted() && !v.now.Untrusted() {
		return refuse("verify.more", nil, keyTrust)
	}
	return nil
}
