package policy

// tool plans switching one tool on or off.
func (e *editor) tool() ([]Op, *Refusal) {
	name := e.intent.Tool
	on := e.intent.Action == ActionOn
	if name == "" {
		return nil, refuse("edit.no_name", nil)
	}
	state := e.rules.State()
	if state == StateInvalid {
		return nil, e.invalid()
	}
	if e.rules.Allows(name) == on {
		return nil, nil
	}
	if isGlob(name) {
		return nil, refuse("edit.pattern_name", nil, show(name))
	}
	if r := e.whole(); r != nil {
		return nil, r
	}
	switch {
	case state == StateOnly && on:
		return e.add(keyInclude, name)
	case state == StateOnly:
		return e.remove(keyInclude, name)
	case on:
		return e.remove(keyExclude, name)
	default:
		return e.add(keyExclude, name)
	}
}

// invalid refuses to switch single tools while the rules cannot be read.
func (e *editor) invalid() *Refusal {
	message, hint := e.rules.fault()
	r := refuse("edit.invalid", nil, message)
	r.Hint = render("edit.invalid.hint", []string{hint})
	r.Line, r.Column = e.rules.Line(), e.rules.Column()
	return r
}

// add plans one more name in include or exclude.
func (e *editor) add(key, name string) ([]Op, *Refusal) {
	tools, ok := child(e.entry, keyTools)
	if !ok {
		return []Op{e.newTools(key, listValue(textValue(name, nil)))}, nil
	}
	if r := inPlace(tools); r != nil {
		return nil, r
	}
	if isNull(tools.value) {
		if r := replaceable(tools); r != nil {
			return nil, r
		}
		return []Op{setValue(flow(key, listValue(textValue(name, nil))), keyTools)}, nil
	}
	list, ok := child(tools.value, key)
	if !ok {
		value := listValue(textValue(name, nil))
		return []Op{{Kind: OpInsertKey, Path: []string{keyTools}, Key: key, Value: value}}, nil
	}
	if r := inPlace(list); r != nil {
		return nil, r
	}
	if list.value.Kind == KindSequence {
		item := textValue(name, list.value.Children)
		return []Op{{Kind: OpInsertItem, Path: []string{keyTools, key}, Value: item}}, nil
	}
	if r := replaceable(list); r != nil {
		return nil, r
	}
	return []Op{setValue(listOf(append(e.named(), name)), keyTools, key)}, nil
}

// named returns the patterns in force without the empty name, which matches
// nothing and is not carried over when a value is written anew.
func (e *editor) named() []string {
	var out []string
	for _, p := range e.rules.Patterns() {
		if p != "" {
			out = append(out, p)
		}
	}
	return out
}

// remove plans taking a name out of include or exclude, every time it stands
// there, and, if the intent says so, the replacement of patterns that hold it.
func (e *editor) remove(key, name string) ([]Op, *Refusal) {
	tools, _ := child(e.entry, keyTools)
	list, _ := child(tools.value, key)
	for _, p := range [...]pair{tools, list} {
		if r := inPlace(p); r != nil {
			return nil, r
		}
	}
	names, refusal := e.expansion(key, name)
	if refusal != nil {
		return nil, refusal
	}
	if list.value.Kind == KindSequence {
		return e.removeItems(tools, list, key, name, names)
	}
	if r := replaceable(list); r != nil {
		return nil, r
	}
	var keep []string
	for _, p := range e.named() {
		if !(&pattern{text: p, glob: compileGlob(p)}).matches(name) {
			keep = append(keep, p)
		}
	}
	if keep = append(keep, names...); len(keep) > 0 {
		return []Op{setValue(listOf(keep), keyTools, key)}, nil
	}
	return e.emptied(tools, key)
}

// emptied plans the end of a list: include stays as an empty list, whatever
// happens; exclude goes.
func (e *editor) emptied(tools pair, key string) ([]Op, *Refusal) {
	if key == keyInclude {
		return []Op{setValue(listValue(), keyTools, keyInclude)}, nil
	}
	return e.dropKeys(tools, keyExclude)
}

// removeItems plans the removal item by item, the last one first, so that no
// index moves; what replaces a pattern is appended before.
func (e *editor) removeItems(tools, list pair, key, name string, names []string) ([]Op, *Refusal) {
	path := []string{keyTools, key}
	items := list.value.Children
	var gone []int
	for i, item := range items {
		if item.Kind != KindScalar || isNull(item) {
			continue
		}
		p := pattern{text: item.Value}
		if isGlob(p.text) {
			p.glob = compileGlob(p.text)
		}
		if !p.matches(name) {
			continue
		}
		if item.Via != "" {
			return nil, refuse("edit.alias", item, show(item.Value), show(item.Via))
		}
		if item.Anchor != "" {
			return nil, refuse("edit.anchor", item, show(item.Value), show(item.Anchor))
		}
		gone = append(gone, i)
	}
	if len(gone) == len(items) && len(names) == 0 {
		if r := replaceable(list); r != nil {
			return nil, r
		}
		return e.emptied(tools, key)
	}
	var ops []Op
	for _, n := range names {
		ops = append(ops, Op{Kind: OpInsertItem, Path: path, Value: textValue(n, items)})
	}
	for i := len(gone) - 1; i >= 0; i-- {
		ops = append(ops, Op{Kind: OpRemoveItem, Path: path, Index: gone[i]})
	}
	return ops, nil
}

// expansion returns the names that take the place of the patterns which hold
// the tool: what they match among the known tools, without the tool itself and
// without what another pattern still covers. Without Expand such a pattern is
// a reason to refuse.
func (e *editor) expansion(key, name string) ([]string, *Refusal) {
	var held, kept []*pattern
	d := e.rules.d
	for i := range d.patterns {
		p := &d.patterns[i]
		switch {
		case p.glob != nil && p.matches(name):
			held = append(held, p)
		case p.text != name:
			kept = append(kept, p)
		}
	}
	if len(held) == 0 {
		return nil, nil
	}
	at := &Node{Line: held[0].at.line, Column: held[0].at.column}
	if !e.intent.Expand {
		code := "edit.held_on"
		if key == keyExclude {
			code = "edit.held_off"
		}
		return nil, refuse(code, at, show(name), held[0].shown)
	}
	if len(e.intent.Known) == 0 {
		return nil, refuse("edit.not_known", at, held[0].shown)
	}
	var names []string
	seen := map[string]bool{name: true}
	for _, known := range e.intent.Known {
		if seen[known] || !anyMatches(held, known) || anyMatches(kept, known) {
			continue
		}
		seen[known] = true
		if isGlob(known) {
			return nil, refuse("edit.pattern_name", at, show(known))
		}
		names = append(names, known)
	}
	return names, nil
}

func anyMatches(list []*pattern, name string) bool {
	for _, p := range list {
		if p.matches(name) {
			return true
		}
	}
	return false
}

// dropKeys plans the removal of keys from tools. A block that becomes empty
// goes as well, unless a person wrote it in braces, or the entry would be left
// without a value, which is a broken server and not an open one.
func (e *editor) dropKeys(tools pair, keys ...string) ([]Op, *Refusal) {
	var ops []Op
	for _, key := range keys {
		p, ok := child(tools.value, key)
		if !ok {
			continue
		}
		if r := replaceable(p); r != nil {
			return nil, r
		}
		ops = append(ops, Op{Kind: OpDeleteKey, Path: []string{keyTools}, Key: key})
	}
	if len(tools.value.Children) > 2*len(ops) {
		return ops, nil
	}
	if tools.value.Style == StyleFlow && e.entry.Style != StyleFlow {
		return ops, nil
	}
	if r := replaceable(tools); r != nil {
		return nil, r
	}
	if len(e.entry.Children) == 2 && e.entry.Style != StyleFlow {
		return []Op{setValue(mapping(StyleFlow), keyTools)}, nil
	}
	return []Op{{Kind: OpDeleteKey, Key: keyTools}}, nil
}

// newTools plans a tools block with one key, in the style of the entry.
func (e *editor) newTools(key string, value *Node) Op {
	style := StyleBlock
	if e.entry.Style == StyleFlow {
		style = StyleFlow
	}
	return Op{Kind: OpInsertKey, Key: keyTools, Value: mapping(style, key, value)}
}
