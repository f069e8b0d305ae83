package config

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"hermes/backend/policy"
)

// planChange works out the bytes that steps make of a document, and proves
// them. after is nil when the file already says so.
func planChange(file string, doc *document, steps []Step) (after *document, err error) {
	var ops []policy.Op
	tree := doc.tree
	for _, step := range steps {
		more, err := resolve(tree, step)
		if err != nil {
			return nil, inFile(file, err)
		}
		for _, op := range more {
			if tree = expect(tree, op); tree == nil {
				return nil, changeByHand(file, doc, op, errLayout)
			}
		}
		ops = append(ops, more...)
	}
	now := doc
	for len(ops) > 0 {
		n := together(ops)
		next, err := performSome(now, ops[:n])
		if err != nil && n > 1 {
			n = 1
			next, err = performSome(now, ops[:n])
		}
		if err != nil {
			return nil, changeByHand(file, now, ops[0], err)
		}
		now, ops = next, ops[n:]
	}
	if now == doc || string(now.data) == string(doc.data) {
		return nil, nil
	}
	if err := proveOthers(file, doc, now, steps); err != nil {
		return nil, err
	}
	return now, nil
}

// together counts the operations at the start that add keys to one mapping. They
// are spliced at once, because an import of many servers would read the file
// again for each.
func together(ops []policy.Op) int {
	n := 1
	for n < len(ops) && ops[0].Kind == policy.OpInsertKey && ops[n].Kind == policy.OpInsertKey && slices.Equal(ops[n].Path, ops[0].Path) {
		n++
	}
	return n
}

// performSome splices operations and proves that they did that and nothing
// else. Where the first choice of places does not do, the second may.
func performSome(doc *document, ops []policy.Op) (*document, error) {
	want := doc.tree
	for _, op := range ops {
		if want = expect(want, op); want == nil {
			return nil, errLayout
		}
	}
	after, first := attemptSome(doc, ops, want, false)
	if first == nil {
		return after, nil
	}
	if after, err := attemptSome(doc, ops, want, true); err == nil {
		return after, nil
	}
	return nil, first
}

func attemptSome(doc *document, ops []policy.Op, want *policy.Node, second bool) (*document, error) {
	data, err := spliceAt(doc, ops, second)
	if err != nil {
		return nil, err
	}
	after, err := parse(data)
	if err != nil {
		return nil, err
	}
	op := ops[0]
	if sameTree(want, after.tree, nil, nil) {
		return after, nil
	}
	if op.Kind == policy.OpDeleteKey {
		if n := Lookup(after.tree, op.Path); n != nil && n.Kind == policy.KindMapping {
			if key, _ := pair(n, op.Key); key != nil && key.Via != n.Via {
				return nil, uncovered(n, key, op)
			}
		}
	}
	return nil, errLayout
}

// uncovered refuses to remove a key under which one of a merge key waits: it
// would be there still, with another value.
func uncovered(n, key *policy.Node, op policy.Op) error {
	return &Refused{
		Message: fmt.Sprintf("without `%s` the value of the merge key `<<: *%s` would take its place", FormatPath(append(slices.Clone(op.Path), op.Key)), key.Via),
		Hint:    "set another value, or remove the merge key by hand",
		Line:    n.Line, Column: n.Column,
	}
}

// proveOthers decides again for every server: those that no step is about have
// the rules they had, and the file has no fault that it did not have.
func proveOthers(file string, before, after *document, steps []Step) error {
	touched, all := map[string]bool{}, false
	for _, step := range steps {
		if step.Path[0] == keyServers && len(step.Path) == 1 {
			all = true
		} else if step.Path[0] == keyServers {
			touched[step.Path[1]] = true
		}
	}
	was, is := policy.ReadFile(before.tree), policy.ReadFile(after.tree)
	for _, name := range slices.Concat(was.Names(), is.Names()) {
		old, known := was.Rules(name)
		now, still := is.Rules(name)
		if !all && !touched[name] && (known != still || !old.Equal(now)) {
			return &Refused{
				Message: fmt.Sprintf("the edit would change the rules of %q; nothing was written", name),
				Hint:    "edit the file by hand", File: file,
			}
		}
	}
	if len(is.Problems()) > len(was.Problems()) {
		p := is.Problems()[len(is.Problems())-1]
		return &Refused{Message: "after the edit the file could not be used: " + p.Message + "; nothing was written", Hint: p.Hint, File: file}
	}
	return nil
}

// inFile gives a refusal the file's name.
func inFile(file string, err error) error {
	var r *Refused
	if !errors.As(err, &r) {
		return err
	}
	out := *r
	out.File = file
	return &out
}

// changeByHand refuses a step that cannot be done in place and says what to
// type.
func changeByHand(file string, doc *document, op policy.Op, cause error) error {
	var r *Refused
	if errors.As(cause, &r) {
		return inFile(file, r)
	}
	out := &Refused{
		Message: fmt.Sprintf("%v; nothing was written", errLayout),
		Hint:    "edit the file by hand: " + describeOp(op), File: file, Cause: cause,
	}
	if n := Lookup(doc.tree, op.Path); n != nil {
		out.Line, out.Column = n.Line, n.Column
	}
	return out
}

// describeOp says what an operation would do, without the value, which may be
// secret.
func describeOp(op policy.Op) string {
	path := FormatPath(op.Path)
	switch op.Kind {
	case policy.OpInsertKey:
		return fmt.Sprintf("add `%s`", FormatPath(append(slices.Clone(op.Path), op.Key)))
	case policy.OpDeleteKey:
		return fmt.Sprintf("remove `%s`", FormatPath(append(slices.Clone(op.Path), op.Key)))
	case policy.OpInsertItem:
		return fmt.Sprintf("add an item to the list `%s`", path)
	case policy.OpRemoveItem:
		return fmt.Sprintf("remove item %d from the list `%s`", op.Index+1, path)
	}
	return fmt.Sprintf("set `%s`", path)
}

// FormatPath writes a path as ParsePath reads it: keys with a dot in them in
// quotes.
func FormatPath(path []string) string {
	out := make([]string, len(path))
	for i, key := range path {
		out[i] = key
		if key == "" || strings.ContainsAny(key, ".\"'\\ \t[]") || !isPrintable(key) {
			out[i] = quote(key)
		}
	}
	return strings.Join(out, ".")
}
