package config

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"

	"hermes/backend/policy"
)

// splicer performs one operation on the bytes of a file. It knows how YAML is
// laid out and nothing of what the keys mean.
type splicer struct {
	scanner
	entry   *step               // the entry the edit is about, for the indentation
	top     *yaml.Node          // the root
	targets map[*yaml.Node]bool // nodes that an alias somewhere refers to
	second  bool                // use the second choice of places, see splice
	json    bool                // what is around the place of the edit is in double quotes
	changes []change
}

// change replaces a range of bytes.
type change struct {
	span
	text string
}

// step is a node on the way from the root, with the pair that leads to it.
type step struct {
	parent, key, node *yaml.Node
}

// splice performs an operation on a server's entry and gives the new bytes.
// second asks for the second choice of places, for files in which a literal
// text stands next to the first one and would change with it: a key is added
// before the others instead of after them, and the end of the file gets a line
// break it did not have. The
// error is a *Refused without the file's name where the place says why it
// cannot be done, else errLayout.
func splice(doc *document, server string, op policy.Op, second bool) ([]byte, error) {
	op.Path = append([]string{keyServers, server}, op.Path...)
	return spliceAt(doc, []policy.Op{op}, second)
}

// spliceAt is splice for operations whose paths begin at the top of the file.
// Several of them must not touch each other's bytes.
func spliceAt(doc *document, ops []policy.Op, second bool) ([]byte, error) {
	s := &splicer{scanner: scanner{newText(doc.data)}, targets: map[*yaml.Node]bool{}, second: second}
	markTargets(doc.root, s.targets)
	for _, op := range ops {
		s.top, s.entry = doc.root, &step{node: doc.root}
		var err error
		switch {
		case len(op.Path) == 0 && op.Kind == policy.OpSetValue:
			err = s.setRoot(doc, op.Value)
		case doc.root == nil:
			err = errLayout
		default:
			err = s.perform(op, doc.root)
		}
		if err != nil {
			return nil, err
		}
	}
	return s.result()
}

// markTargets notes the nodes that aliases refer to.
func markTargets(n *yaml.Node, targets map[*yaml.Node]bool) {
	if n == nil {
		return
	}
	if n.Kind == yaml.AliasNode {
		targets[n.Alias] = true
		return
	}
	for _, child := range n.Content {
		markTargets(child, targets)
	}
}

// child steps to the value of a key that is written in place.
func (s *splicer) child(from *step, name string) (*step, error) {
	n := from.node
	if n.Kind != yaml.MappingNode {
		return nil, errLayout
	}
	if s.targets[n] {
		return nil, s.shared(n)
	}
	var found *step
	for i := 0; i+1 < len(n.Content); i += 2 {
		if key := n.Content[i]; key.Kind == yaml.ScalarNode && key.Value == name && !isMergeKey(key) {
			found = &step{parent: n, key: key, node: n.Content[i+1]}
		}
	}
	if found == nil {
		return nil, &Refused{
			Message: fmt.Sprintf("`%s` is not written here but comes through an alias or a merge key", name),
			Hint:    "edit the place where the anchor stands, or write the key out here",
			Line:    n.Line, Column: n.Column,
		}
	}
	if found.node.Kind == yaml.AliasNode {
		return nil, &Refused{
			Message: fmt.Sprintf("the value of `%s` is the alias `*%s`; changing it would change every place that uses `&%s`", name, found.node.Value, found.node.Value),
			Hint:    "write the value out here instead of the alias",
			Line:    found.node.Line, Column: found.node.Column,
		}
	}
	return found, nil
}

// mention is child, but for a value that is to be replaced: where it is an
// alias, only this mention goes.
func (s *splicer) mention(from *step, name string) (*step, error) {
	found, err := s.child(from, name)
	if err == nil || from.node.Kind != yaml.MappingNode || s.targets[from.node] {
		return found, err
	}
	for i := 0; i+1 < len(from.node.Content); i += 2 {
		key, value := from.node.Content[i], from.node.Content[i+1]
		if key.Kind == yaml.ScalarNode && key.Value == name && value.Kind == yaml.AliasNode && !isMergeKey(key) {
			return &step{parent: from.node, key: key, node: value}, nil
		}
	}
	return nil, err
}

func (s *splicer) shared(n *yaml.Node) error {
	return &Refused{
		Message: fmt.Sprintf("the anchor `&%s` stands here, and `*%s` uses it elsewhere; an edit would change both", n.Anchor, n.Anchor),
		Hint:    "write the value out where the alias is used",
		Line:    n.Line, Column: n.Column,
	}
}

// unshared refuses a node that goes away while an alias needs something in it.
func (s *splicer) unshared(n *yaml.Node) error {
	if s.targets[n] {
		return s.shared(n)
	}
	for _, child := range n.Content {
		if err := s.unshared(child); err != nil {
			return err
		}
	}
	return nil
}

func (s *splicer) perform(op policy.Op, root *yaml.Node) error {
	at := &step{node: root}
	s.json = false
	for i, name := range op.Path {
		s.likeJSON(at.node)
		var err error
		if op.Kind == policy.OpSetValue && i == len(op.Path)-1 {
			at, err = s.mention(at, name)
		} else {
			at, err = s.child(at, name)
		}
		if err != nil {
			return err
		}
		if i < 2 {
			s.entry = at
		}
	}
	if s.targets[at.node] {
		return s.shared(at.node)
	}
	if op.Kind != policy.OpSetValue {
		s.likeJSON(at.node)
	}
	switch op.Kind {
	case policy.OpSetValue:
		return s.setValue(at, op.Value)
	case policy.OpInsertKey:
		return s.insertKey(at, op.Key, op.Value)
	case policy.OpDeleteKey:
		return s.deleteKey(at, op.Key)
	case policy.OpInsertItem:
		return s.insertItem(at, op.Value)
	case policy.OpRemoveItem:
		return s.removeItem(at, op.Index)
	}
	return errLayout
}

// put notes a replacement.
func (s *splicer) put(start, end int, text string) {
	s.changes = append(s.changes, change{span{start, end}, text})
}

// result applies the noted changes.
func (s *splicer) result() ([]byte, error) {
	slices.SortStableFunc(s.changes, func(a, b change) int { return a.start - b.start })
	var out bytes.Buffer
	at := 0
	for _, c := range s.changes {
		if c.start < at || c.end < c.start || c.end > len(s.data) {
			return nil, errLayout
		}
		out.Write(s.data[at:c.start])
		out.WriteString(c.text)
		at = c.end
	}
	out.Write(s.data[at:])
	return out.Bytes(), nil
}

// newline gives the line break of a line, or of the file where that line has
// none.
func (s *splicer) newline(line int) string {
	for _, l := range []int{line, 1} {
		if text := string(s.data[s.lineEnd(l):s.nextLine(l)]); text != "" {
			return text
		}
	}
	return "\n"
}

// insertLine puts a line after another one. The file's last line may have no
// break, and then the new last line has none either.
func (s *splicer) insertLine(after int, text string) {
	newline := s.newline(after)
	if at := s.nextLine(after); at > s.lineEnd(after) {
		s.put(at, at, text+newline)
		return
	}
	s.put(len(s.data), len(s.data), newline+text)
}

// removeLines takes whole lines out. Where the last of them ends the file
// without a break, the line before gives up its break, so that the file still
// ends without one.
func (s *splicer) removeLines(from, to int) {
	start, end := s.starts[from-1], s.nextLine(to)
	if end == s.lineEnd(to) && from > 1 && !s.second {
		s.put(s.lineEnd(from-1), end, "")
		return
	}
	s.put(start, end, "")
}

// alone tells whether only blanks stand before an offset on its line, with the
// marks of an explicit key or a list item where allowed.
func (s *splicer) alone(at int, marks string) bool {
	head := string(s.data[s.starts[s.line(at)-1]:at])
	return strings.Trim(head, " \t"+marks) == "" && strings.Count(head, "?") <= 1 && strings.Count(head, "-") <= 1
}

// finished tells whether only blanks and a comment follow an offset on its
// line.
func (s *splicer) finished(at int) bool {
	next := s.skipSpaces(at)
	return next == s.lineEnd(s.line(at)) || next < len(s.data) && s.data[next] == '#' && (next > at || s.isCommentStart(next))
}

// indentation gives the blanks before an offset on its line.
func (s *splicer) indentation(at int) string {
	return string(s.data[s.starts[s.line(at)-1]:at])
}

// stepWidth gives the file's indentation: that of the entry an edit is about,
// else of the first one beside it that has lines of its own, else of the first
// such value of the file, else two blanks.
func (s *splicer) stepWidth() string {
	if s.entry.key != nil {
		if width := widthOf(s.entry.key, s.entry.node); width != "" {
			return width
		}
	}
	for _, n := range []*yaml.Node{s.entry.parent, s.top} {
		for i := 0; n != nil && n.Kind == yaml.MappingNode && i+1 < len(n.Content); i += 2 {
			if width := widthOf(n.Content[i], n.Content[i+1]); width != "" {
				return width
			}
		}
	}
	return "  "
}

// widthOf gives the blanks by which the keys of a block stand further right
// than the key it belongs to, empty where there are none.
func widthOf(key, value *yaml.Node) string {
	if value.Kind != yaml.MappingNode || isFlow(value) || len(value.Content) == 0 {
		return ""
	}
	width := value.Content[0].Column - key.Column
	if width <= 0 || width > 16 {
		return ""
	}
	return strings.Repeat(" ", width)
}

// removeWhole takes out the lines of a value that stands below its key, where
// its parts do not each stand on lines of their own. A comment among them would
// be lost, so then nothing is done.
func (s *splicer) removeWhole(n *yaml.Node, keyLine, indent int) error {
	start, err := s.start(n)
	if err != nil {
		return err
	}
	end, err := s.end(n, indent)
	if err != nil {
		return err
	}
	from, to := s.line(start), s.line(end)
	if from <= keyLine || !s.alone(start, "") || !s.finished(end) {
		return errLayout
	}
	for line := from; line <= to; line++ {
		if s.isCommentLine(line, nil) {
			return errLayout
		}
	}
	s.removeLines(from, to)
	return nil
}
