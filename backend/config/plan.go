package config

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"hermes/backend/policy"
)

// Edit is a wanted result for one server. Seen is the revision a person looked
// at: the edit is a *Conflict when the file is another one by now. An empty
// Seen compares nothing.
type Edit struct {
	Server string
	Intent policy.Intent
	Seen   string
}

// plan works out the bytes that an edit makes of a document, and proves them:
// they parse, the entry is what the operations make of it, everything else in
// the file is the same, and exactly the intended decisions changed. after is
// nil when the file already says so. Rules are what is in force of the server.
func plan(file string, doc *document, edit Edit, rules policy.Rules) (after *document, err error) {
	before := policy.ReadFile(doc.tree)
	entry := before.Entry(edit.Server)
	if entry == nil {
		return nil, unknownServer(file, edit.Server, before.Names())
	}
	if err := faultAround(file, before, edit.Server, entry); err != nil {
		return nil, err
	}
	if !rules.IsHeld() {
		rules = policy.ReadServer(entry)
	}
	ops, err := policy.EditServer(rules, entry, edit.Intent)
	if err != nil {
		return nil, refusedBy(file, err)
	}
	if len(ops) == 0 {
		return nil, nil
	}
	want, err := policy.Apply(entry, ops)
	if err != nil {
		return nil, refusedBy(file, err)
	}
	for _, second := range []bool{false, true} {
		if after, err = perform(doc, edit.Server, entry, want, ops, second); err == nil {
			break
		}
	}
	if err != nil {
		return nil, byHand(file, edit.Server, entry, ops, err)
	}
	now := policy.ReadFile(after.tree)
	if err := policy.Verify(before, now, edit.Server, edit.Intent); err != nil {
		return nil, refusedBy(file, err)
	}
	return after, nil
}

// faultAround refuses to edit a server that something outside its entry makes
// invalid, such as a second entry of its name: no edit of the entry mends that.
func faultAround(file string, set policy.Set, server string, entry *policy.Node) error {
	rules, _ := set.Rules(server)
	first, alone := firstError(rules), firstError(policy.ReadServer(entry))
	if first == nil || alone != nil && alone.Code == first.Code {
		return nil
	}
	return &Refused{
		Message: first.Message + "; nothing was written", Hint: first.Hint,
		File: file, Line: first.Line, Column: first.Column,
	}
}

func firstError(rules policy.Rules) *policy.Problem {
	for _, p := range rules.Problems() {
		if p.Severity == policy.SeverityError {
			return &p
		}
	}
	return nil
}

// perform splices the operations one after the other and proves the result.
func perform(doc *document, server string, entry, want *policy.Node, ops []policy.Op, second bool) (*document, error) {
	after := doc
	for _, op := range ops {
		data, err := splice(after, server, op, second)
		if err != nil {
			return nil, err
		}
		if after, err = parse(data); err != nil {
			return nil, err
		}
	}
	got := policy.ReadFile(after.tree).Entry(server)
	if !sameTree(want, got, nil, nil) || !sameTree(doc.tree, after.tree, entry, got) {
		return nil, errLayout
	}
	return after, nil
}

func unknownServer(file, name string, known []string) error {
	if len(known) == 0 {
		return fmt.Errorf("%w: %q (%s has no servers)", ErrUnknownServer, name, file)
	}
	return fmt.Errorf("%w: %q (%s has: %s)", ErrUnknownServer, name, file, strings.Join(known, ", "))
}

// refusedBy gives a refusal of policy the file's name.
func refusedBy(file string, err error) error {
	var r *policy.Refusal
	if !errors.As(err, &r) {
		return fmt.Errorf("edit %s: %w", file, err)
	}
	return &Refused{Message: r.Words.Text, Hint: r.Hint, File: file, Line: r.Line, Column: r.Column, Cause: err}
}

// byHand refuses an edit that cannot be done in place and says what to type.
func byHand(file, server string, entry *policy.Node, ops []policy.Op, cause error) error {
	var r *Refused
	if errors.As(cause, &r) {
		out := *r
		out.File = file
		return &out
	}
	return &Refused{
		Message: fmt.Sprintf("%v; nothing was written", errLayout),
		Hint:    "edit the file by hand: " + describe(server, ops),
		File:    file, Line: entry.Line, Column: entry.Column, Cause: cause,
	}
}

// describe says in words what the operations would do.
func describe(server string, ops []policy.Op) string {
	steps := make([]string, 0, len(ops))
	for _, op := range ops {
		path := strings.Join(append([]string{keyServers, server}, op.Path...), ".")
		value := ""
		if op.Value != nil {
			value, _ = renderFlow(op.Value)
		}
		switch op.Kind {
		case policy.OpSetValue:
			steps = append(steps, fmt.Sprintf("set `%s` to `%s`", path, value))
		case policy.OpInsertKey:
			steps = append(steps, fmt.Sprintf("add `%s: %s` below `%s`", op.Key, value, path))
		case policy.OpDeleteKey:
			steps = append(steps, fmt.Sprintf("remove `%s` below `%s`", op.Key, path))
		case policy.OpInsertItem:
			steps = append(steps, fmt.Sprintf("add `%s` to the list `%s`", value, path))
		case policy.OpRemoveItem:
			steps = append(steps, fmt.Sprintf("remove item %d from the list `%s`", op.Index+1, path))
		}
	}
	return strings.Join(steps, ", then ")
}

// sameTree compares two trees in everything but places and styles. The node
// skip in a and its counterpart in b are taken as equal.
func sameTree(a, b, skip, counterpart *policy.Node) bool {
	if a == nil || b == nil {
		return a == b
	}
	if skip != nil && a == skip {
		return b == counterpart
	}
	if a.Kind != b.Kind || a.Value != b.Value || a.Via != b.Via || a.Anchor != b.Anchor ||
		tagOf(a) != tagOf(b) || len(a.Children) != len(b.Children) {
		return false
	}
	if a.Kind == policy.KindMapping {
		// A new pair may stand elsewhere than policy.Apply puts it; in a
		// mapping the order says nothing.
		a, b = sorted(a), sorted(b)
	}
	for i := range a.Children {
		if !sameTree(a.Children[i], b.Children[i], skip, counterpart) {
			return false
		}
	}
	return true
}

// tagOf gives a node's tag, or the usual one where an operation left it out.
func tagOf(n *policy.Node) string {
	if n.Tag != "" {
		return n.Tag
	}
	switch n.Kind {
	case policy.KindMapping:
		return "!!map"
	case policy.KindSequence:
		return "!!seq"
	}
	return "!!str"
}

// sorted gives a mapping with its pairs in the order of their keys, those
// that came through a merge key last.
func sorted(n *policy.Node) *policy.Node {
	pairs := make([][2]*policy.Node, 0, len(n.Children)/2)
	for i := 0; i+1 < len(n.Children); i += 2 {
		pairs = append(pairs, [2]*policy.Node{n.Children[i], n.Children[i+1]})
	}
	slices.SortStableFunc(pairs, func(a, b [2]*policy.Node) int {
		if merged := a[0].Via != n.Via; merged != (b[0].Via != n.Via) {
			if merged {
				return 1
			}
			return -1
		}
		return strings.Compare(a[0].Value, b[0].Value)
	})
	out := *n
	out.Children = make([]*policy.Node, 0, len(n.Children))
	for _, p := range pairs {
		out.Children = append(out.Children, p[0], p[1])
	}
	return &out
}
