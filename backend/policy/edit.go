package policy

// Action is the wanted result of an edit, never "toggle" (FILTER section 5).
type Action string

// The results an edit can ask for.
const (
	// ActionOn makes the tool callable, ActionOff not callable.
	ActionOn  Action = "on"
	ActionOff Action = "off"
	// ActionLock makes everything of the server not callable, by `include: []`.
	ActionLock Action = "lock"
	// ActionOpen removes the filter: all tools, also those to come. Of a server
	// that is held it accepts what the file says and touches nothing.
	ActionOpen Action = "open"
	// ActionRestore writes back the keys that are gone and held.
	ActionRestore Action = "restore"
)

// Intent is what a person wants. Tool is the raw MCP name for on and off.
// Expand lets a pattern with wildcards that holds the tool be replaced by the
// names among Known that it matches. Known are the server's tools as seen now;
// it may be empty.
type Intent struct {
	Action Action
	Tool   string
	Expand bool
	Known  []string
	// On and Off are the tools of a selection.
	On, Off []string
}

// Refusal is the answer to an edit that is not done, with the next step. Line
// and Column point at what stands in the way, 0 for nothing in the file.
type Refusal struct {
	Words        Words
	Hint         string
	Line, Column int
}

// Error returns the sentence without the hint.
func (r *Refusal) Error() string { return r.Words.Text }

func refuse(code string, at *Node, params ...string) *Refusal {
	r := &Refusal{Words: newWords(code, params...), Hint: render(code+hintSuffix, params)}
	if at != nil {
		r.Line, r.Column = at.Line, at.Column
	}
	return r
}

// Edit returns the operations that give an entry the wanted result, nil when
// the file already says so. It writes nothing and obeys the laws of FILTER
// section 5. The error is always a *Refusal.
func Edit(entry *Node, intent Intent) ([]Op, error) {
	return EditServer(ReadServer(entry), entry, intent)
}

// EditServer is Edit for an entry whose rules were decided by ReadFile, which
// also sees what stands around the entry: a server that is written twice is
// refused here, because no edit of one entry can mend it. Where a lost
// restriction is held (Set.Hold), the edit is one of the file, and nothing can be
// turned on that is held off: that takes open, lock or restore.
func EditServer(rules Rules, entry *Node, intent Intent) ([]Op, error) {
	e := &editor{entry: entry, rules: rules.File(), intent: intent}
	if ops, done, refusal := e.heldFirst(rules); done {
		return planned(ops, refusal)
	}
	if rules.d != nil && rules.d.outside {
		return nil, e.duplicate(&Node{Line: rules.Line(), Column: rules.Column()})
	}
	var ops []Op
	var refusal *Refusal
	switch intent.Action {
	case ActionOn, ActionOff:
		ops, refusal = e.tool()
	case ActionLock:
		if ops, refusal = e.lock(); refusal == nil {
			ops, refusal = e.lockTrust(rules, ops)
		}
	case ActionOpen:
		ops, refusal = e.open()
	default:
		var ok bool
		if ops, refusal, ok = e.chosen(); !ok {
			refusal = refuse("edit.action", nil, show(string(intent.Action)))
		}
	}
	return planned(ops, refusal)
}

// planned makes an error of a refusal: one that is nil must not become an error
// that is not.
func planned(ops []Op, refusal *Refusal) ([]Op, error) {
	if refusal != nil {
		return nil, refusal
	}
	return ops, nil
}

// editor plans one edit of one entry.
type editor struct {
	entry  *Node
	rules  Rules
	intent Intent
}

// pair is a key of a mapping with its value.
type pair struct{ key, value *Node }

// child finds a key in a mapping whose pairs were checked.
func child(m *Node, key string) (pair, bool) {
	if m == nil || m.Kind != KindMapping {
		return pair{}, false
	}
	for i := 0; i+1 < len(m.Children); i += 2 {
		k, v := m.Children[i], m.Children[i+1]
		if isKey(k, key) && v != nil {
			return pair{k, v}, true
		}
	}
	return pair{}, false
}

// via returns the anchor through which the pair came here, "" for none.
func (p pair) via() string {
	if p.key.Via != "" {
		return p.key.Via
	}
	return p.value.Via
}

// inPlace refuses what came through an alias or a merge key: changing it would
// change other places as well.
func inPlace(p pair) *Refusal {
	if a := p.via(); a != "" {
		return refuse("edit.alias", p.key, show(p.key.Value), show(a))
	}
	return nil
}

// replaceable refuses to take away a value that other places may refer to.
func replaceable(p pair) *Refusal {
	if a := anchorIn(p.value); a != "" {
		return refuse("edit.anchor", p.value, show(p.key.Value), show(a))
	}
	return inPlace(p)
}

// anchorIn finds an anchor defined in a value that stands here. Below an alias
// the anchors belong to the other place. The value is part of an entry that whole
// accepted, so nothing in it is missing or endless.
func anchorIn(n *Node) string {
	if n.Via != "" {
		return ""
	}
	if n.Anchor != "" {
		return n.Anchor
	}
	for _, c := range n.Children {
		if a := anchorIn(c); a != "" {
			return a
		}
	}
	return ""
}

// whole refuses an entry that cannot be edited at all.
func (e *editor) whole() *Refusal {
	message, hint := e.rules.fault()
	switch {
	case e.entry == nil:
		return refuse("edit.path", nil)
	case e.rules.Broken():
		r := refuse("edit.broken", e.entry, message)
		r.Hint = render("edit.broken.hint", []string{hint})
		return r
	case e.entry.Via != "":
		return refuse("edit.alias_entry", e.entry, show(e.entry.Via))
	case !fits(e.entry) || damaged(e.entry):
		return refuse("edit.path", e.entry)
	}
	if key := doubleKey(e.entry); key != nil {
		return e.duplicate(key)
	}
	return nil
}

func (e *editor) duplicate(at *Node) *Refusal {
	message, hint := e.rules.fault()
	r := refuse("edit.duplicate", at, message)
	r.Hint = render("edit.duplicate.hint", []string{hint})
	return r
}

// damaged tells whether a tree that fits holds what no YAML file can say.
func damaged(n *Node) bool {
	if n == nil || n.Kind == KindNone || n.Kind == KindMapping && len(n.Children)%2 != 0 {
		return true
	}
	for _, c := range n.Children {
		if damaged(c) {
			return true
		}
	}
	return false
}

// doubleKey returns the second of two equal keys of a mapping in good order, nil
// for none.
func doubleKey(m *Node) *Node {
	seen := map[string]bool{}
	for i := 0; i < len(m.Children); i += 2 {
		k := m.Children[i]
		if k.Kind != KindScalar {
			continue
		}
		if seen[k.Value] {
			return k
		}
		seen[k.Value] = true
	}
	return nil
}

// lock plans `include: []` and, where a helper is written on, its false: a
// locked server can do nothing at all. The false stays when the server is
// opened again, so that opening never brings back more than it says. A written
// exclude stays; it is ignored as long as include stands. A value with an anchor
// is replaced as well: whether an alias needs it is seen where the file is
// changed.
func (e *editor) lock() ([]Op, *Refusal) {
	if e.rules.Locked() {
		return nil, nil
	}
	if e.entry != nil && isNull(e.entry) && e.entry.Via == "" && e.entry.Anchor == "" {
		return []Op{{Kind: OpSetValue, Value: block(keyTools, flow(keyInclude, listValue()))}}, nil
	}
	if r := e.whole(); r != nil {
		return nil, r
	}
	tools, ok := child(e.entry, keyTools)
	if !ok {
		return []Op{e.newTools(keyInclude, listValue())}, nil
	}
	if r := inPlace(tools); r != nil {
		return nil, r
	}
	if !isMapping(tools.value) || onlyKnownDouble(tools.value) {
		return []Op{setValue(flow(keyInclude, listValue()), keyTools)}, nil
	}
	if key := doubleKey(tools.value); key != nil {
		return nil, e.duplicate(key)
	}
	return e.lockTools(tools.value)
}

// lockTools plans the lock inside a tools mapping in good order.
func (e *editor) lockTools(tools *Node) ([]Op, *Refusal) {
	var ops []Op
	include, ok := child(tools, keyInclude)
	switch {
	case !ok:
		ops = append(ops, Op{Kind: OpInsertKey, Path: []string{keyTools}, Key: keyInclude, Value: listValue()})
	case e.rules.State() != StateOnly || e.rules.size() > 0:
		if r := inPlace(include); r != nil {
			return nil, r
		}
		ops = append(ops, setValue(listValue(), keyTools, keyInclude))
	}
	for _, key := range [...]string{keyResources, keyPrompts} {
		helper, ok := child(tools, key)
		if !ok {
			continue
		}
		if on, _ := boolLike(helper.value); !on {
			continue
		}
		if r := inPlace(helper); r != nil {
			return nil, r
		}
		ops = append(ops, setValue(falseValue(), keyTools, key))
	}
	return ops, nil
}

// onlyKnownDouble tells whether a tools mapping holds a key twice and nothing
// that a lock would lose by writing the block anew.
func onlyKnownDouble(tools *Node) bool {
	return KnowsTools(tools) && doubleKey(tools) != nil
}

// open plans the removal of include and exclude and sets nothing else.
func (e *editor) open() ([]Op, *Refusal) {
	if e.rules.State() == StateOpen {
		return nil, nil
	}
	if r := e.whole(); r != nil {
		return nil, r
	}
	tools, ok := child(e.entry, keyTools)
	if !ok || !isMapping(tools.value) || doubleKey(tools.value) != nil {
		message, hint := e.rules.fault()
		r := refuse("edit.open_shape", tools.value, message)
		r.Hint = render("edit.open_shape.hint", []string{hint})
		return nil, r
	}
	if r := inPlace(tools); r != nil {
		return nil, r
	}
	return e.dropKeys(tools, keyInclude, keyExclude)
}
