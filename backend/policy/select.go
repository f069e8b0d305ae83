package policy

import "slices"

// The results a picker asks for.
const (
	// ActionSelect turns the tools in Intent.On on and those in Intent.Off off,
	// all of them or none.
	ActionSelect Action = "select"
	// ActionOnly makes include name exactly the tools in Intent.On: everything
	// else is off, also what the server adds later.
	ActionOnly Action = "only"
)

// chosen plans the edits of a picker for as long as it has a choice to make;
// ok is false for an action that is not a picker's.
func (e *editor) chosen() (ops []Op, refusal *Refusal, ok bool) {
	switch e.intent.Action {
	case ActionSelect:
		ops, refusal = e.several()
	case ActionOnly:
		ops, refusal = e.only()
	default:
		return nil, nil, false
	}
	return ops, refusal, true
}

// several plans tool by tool, each on what the one before leaves. What adds to
// the list comes first, so that the list is not emptied, and with it its style
// and its comments, only to be filled again.
func (e *editor) several() ([]Op, *Refusal) {
	if e.rules.State() == StateInvalid {
		return nil, e.invalid()
	}
	for _, name := range e.intent.On {
		if slices.Contains(e.intent.Off, name) {
			return nil, refuse("edit.both", nil, show(name))
		}
	}
	wishes := [...]Intent{{Action: ActionOff}, {Action: ActionOn}}
	if e.rules.State() == StateOnly {
		wishes[0], wishes[1] = wishes[1], wishes[0]
	}
	// What is selected is known, even if the server does not offer it: a pattern
	// that is replaced must not lose it.
	known := e.intent.Known
	if len(known) > 0 {
		known = slices.Concat(known, e.intent.On, e.intent.Off)
	}
	var ops []Op
	entry, rules := e.entry, e.rules
	for _, wish := range wishes {
		names := e.intent.Off
		if wish.Action == ActionOn {
			names = e.intent.On
		}
		for _, name := range names {
			wish.Tool, wish.Expand, wish.Known = name, e.intent.Expand, known
			step, refusal := (&editor{entry: entry, rules: rules, intent: wish}).tool()
			if refusal != nil {
				return nil, refusal
			}
			changed, err := Apply(entry, step)
			if err != nil {
				return nil, refuse("edit.path", entry)
			}
			ops, entry, rules = append(ops, step...), changed, ReadServer(changed)
		}
	}
	return ops, nil
}

// only plans a whitelist of exactly the named tools. An exclude beside it,
// which would be ignored from now on, goes where nothing else refers to it.
func (e *editor) only() ([]Op, *Refusal) {
	if e.rules.State() == StateInvalid {
		return nil, e.invalid()
	}
	names, refusal := e.wanted()
	if refusal != nil {
		return nil, refusal
	}
	if e.rules.State() == StateOnly && sameNames(e.rules.Patterns(), names) {
		return nil, nil
	}
	if r := e.whole(); r != nil {
		return nil, r
	}
	tools, ok := child(e.entry, keyTools)
	if !ok {
		return []Op{e.newTools(keyInclude, listOf(names))}, nil
	}
	if r := inPlace(tools); r != nil {
		return nil, r
	}
	if isNull(tools.value) {
		if r := replaceable(tools); r != nil {
			return nil, r
		}
		return []Op{setValue(flow(keyInclude, listOf(names)), keyTools)}, nil
	}
	include, ok := child(tools.value, keyInclude)
	if ok {
		return e.rewrite(include, names)
	}
	ops := []Op{{Kind: OpInsertKey, Path: []string{keyTools}, Key: keyInclude, Value: listOf(names)}}
	if exclude, ok := child(tools.value, keyExclude); ok && replaceable(exclude) == nil {
		ops = append(ops, Op{Kind: OpDeleteKey, Path: []string{keyTools}, Key: keyExclude})
	}
	return ops, nil
}

// wanted returns the names of the selection, each once.
func (e *editor) wanted() ([]string, *Refusal) {
	var names []string
	for _, name := range e.intent.On {
		switch {
		case name == "":
			return nil, refuse("edit.no_name", nil)
		case isGlob(name):
			return nil, refuse("edit.pattern_name", nil, show(name))
		case !slices.Contains(names, name):
			names = append(names, name)
		}
	}
	return names, nil
}

func sameNames(a, b []string) bool {
	if len(a) != len(b) {
		return false
	}
	for _, name := range a {
		if !slices.Contains(b, name) {
			return false
		}
	}
	return true
}

// rewrite plans the change of an include that is there, item by item where it
// is a list.
func (e *editor) rewrite(include pair, names []string) ([]Op, *Refusal) {
	if r := inPlace(include); r != nil {
		return nil, r
	}
	if include.value.Kind != KindSequence || len(names) == 0 {
		if r := replaceable(include); r != nil {
			return nil, r
		}
		return []Op{setValue(listOf(names), keyTools, keyInclude)}, nil
	}
	path := []string{keyTools, keyInclude}
	items := include.value.Children
	there := map[string]bool{}
	var gone []int
	for i, item := range items {
		switch {
		case item.Kind != KindScalar || isNull(item):
			continue
		case slices.Contains(names, item.Value):
			there[item.Value] = true
			continue
		case item.Via != "":
			return nil, refuse("edit.alias", item, show(item.Value), show(item.Via))
		case item.Anchor != "":
			return nil, refuse("edit.anchor", item, show(item.Value), show(item.Anchor))
		}
		gone = append(gone, i)
	}
	var ops []Op
	for _, name := range names {
		if !there[name] {
			ops = append(ops, Op{Kind: OpInsertItem, Path: path, Value: textValue(name, items)})
		}
	}
	for i := len(gone) - 1; i >= 0; i-- {
		ops = append(ops, Op{Kind: OpRemoveItem, Path: path, Index: gone[i]})
	}
	return ops, nil
}

// chosen verifies the edits of a picker; ok is false for another action.
func (v *verifier) chosen() (refusal *Refusal, ok bool) {
	switch v.intent.Action {
	case ActionSelect:
		return v.several(), true
	case ActionOnly:
		return v.only(), true
	}
	return nil, false
}

func (v *verifier) several() *Refusal {
	if v.old.State() == StateInvalid || v.now.State() == StateInvalid {
		return refuse("verify.result", nil, string(v.intent.Action))
	}
	if !v.sameMode() {
		return refuse("verify.more", nil, string(v.now.State()))
	}
	if s := v.otherSwitch(false); s != "" {
		return refuse("verify.more", nil, s)
	}
	meant := map[string]bool{}
	for _, list := range [...][]string{v.intent.On, v.intent.Off} {
		for _, name := range list {
			meant[name] = true
		}
	}
	for name := range meant {
		if v.now.Allows(name) != slices.Contains(v.intent.On, name) {
			return refuse("verify.result", nil, show(name))
		}
	}
	for _, name := range v.names() {
		if !meant[name] && v.old.Allows(name) != v.now.Allows(name) {
			return refuse("verify.more", nil, show(name))
		}
	}
	if v.intent.Expand {
		return nil
	}
	for _, list := range [...][2]Rules{{v.old, v.now}, {v.now, v.old}} {
		for _, p := range list[0].Patterns() {
			if p != "" && !meant[p] && list[1].d.find(p) < 0 {
				return refuse("verify.more", nil, show(p))
			}
		}
	}
	return nil
}

func (v *verifier) only() *Refusal {
	if v.now.State() != StateOnly || v.old.State() == StateInvalid {
		return refuse("verify.result", nil, string(v.intent.Action))
	}
	if s := v.otherSwitch(false); s != "" {
		return refuse("verify.more", nil, s)
	}
	for _, name := range v.intent.On {
		if v.now.d.find(name) < 0 {
			return refuse("verify.result", nil, show(name))
		}
	}
	for _, p := range v.now.Patterns() {
		if p != "" && !slices.Contains(v.intent.On, p) {
			return refuse("verify.more", nil, show(p))
		}
	}
	return nil
}
