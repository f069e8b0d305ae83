package catalog

import (
	"fmt"
	"strings"

	"gopkg.in/yaml.v3"
)

// fault is something wrong with a manifest, at a line of it.
type fault struct {
	line    int
	message string
}

func (f *fault) Error() string { return f.message }

// fields reads the keys of one mapping of a manifest and keeps the first fault.
// Keys that nobody asks for are ignored: later versions and other programs add
// some.
type fields struct {
	node  *yaml.Node
	where string
	fault **fault
}

func (f fields) fail(n *yaml.Node, format string, args ...any) {
	if *f.fault != nil {
		return
	}
	line := 0
	if n != nil {
		line = n.Line
	}
	*f.fault = &fault{line: line, message: fmt.Sprintf(format, args...)}
}

func (f fields) path(name string) string {
	if f.where == "" {
		return name
	}
	return f.where + "." + name
}

func (f fields) get(name string) *yaml.Node {
	if f.node == nil {
		return nil
	}
	for i := 0; i+1 < len(f.node.Content); i += 2 {
		if f.node.Content[i].Value == name {
			if v := f.node.Content[i+1]; v.ShortTag() != "!!null" {
				return v
			}
		}
	}
	return nil
}

func (f fields) text(name string) string {
	n := f.get(name)
	if n == nil {
		return ""
	}
	if n.Kind != yaml.ScalarNode {
		f.fail(n, "`%s` must be text", f.path(name))
		return ""
	}
	return strings.TrimSpace(n.Value)
}

func (f fields) flag(name string, normal bool) bool {
	n := f.get(name)
	if n == nil {
		return normal
	}
	switch strings.ToLower(n.Value) {
	case "true", "yes", "on":
		return true
	case "false", "no", "off":
		return false
	}
	f.fail(n, "`%s` must be true or false", f.path(name))
	return normal
}

// list reads a list of texts; present tells an empty list from none.
func (f fields) list(name string) (out []string, present bool) {
	n := f.get(name)
	if n == nil {
		return nil, false
	}
	if n.Kind != yaml.SequenceNode {
		f.fail(n, "`%s` must be a list of texts", f.path(name))
		return nil, true
	}
	out = make([]string, 0, len(n.Content))
	for _, item := range n.Content {
		if item.Kind != yaml.ScalarNode || item.ShortTag() == "!!null" {
			f.fail(item, "`%s` holds something that is not text", f.path(name))
			return nil, true
		}
		out = append(out, item.Value)
	}
	return out, true
}

// texts reads a mapping of texts.
func (f fields) texts(name string) map[string]string {
	inner := f.mapping(name)
	if inner.node == nil {
		return nil
	}
	out := map[string]string{}
	for i := 0; i+1 < len(inner.node.Content); i += 2 {
		key, value := inner.node.Content[i], inner.node.Content[i+1]
		if value.Kind != yaml.ScalarNode || value.ShortTag() != "!!str" {
			f.fail(value, "`%s` must be text, in quotes where it looks like a number", inner.path(key.Value))
			return nil
		}
		out[key.Value] = value.Value
	}
	return out
}

func (f fields) mapping(name string) fields {
	n := f.get(name)
	out := fields{where: f.path(name), fault: f.fault}
	if n == nil {
		return out
	}
	if n.Kind != yaml.MappingNode {
		f.fail(n, "`%s` must be a mapping", f.path(name))
		return out
	}
	out.node = n
	return out
}

// items reads a list of mappings.
func (f fields) items(name string) []fields {
	n := f.get(name)
	if n == nil {
		return nil
	}
	if n.Kind != yaml.SequenceNode {
		f.fail(n, "`%s` must be a list", f.path(name))
		return nil
	}
	var out []fields
	for i, item := range n.Content {
		if item.Kind != yaml.MappingNode {
			f.fail(item, "`%s` holds something that is not a mapping", f.path(name))
			return nil
		}
		out = append(out, fields{node: item, where: fmt.Sprintf("%s[%d]", f.path(name), i), fault: f.fault})
	}
	return out
}

// plain refuses what a manifest has no use for and a reader could misread:
// aliases, merge keys, keys that are no text, and a key that stands twice.
func plain(n *yaml.Node, depth int) *fault {
	if depth > 32 {
		return &fault{line: n.Line, message: "the manifest is nested too deeply"}
	}
	if n.Kind == yaml.AliasNode || n.Anchor != "" {
		return &fault{line: n.Line, message: "anchors and aliases are not allowed in a manifest"}
	}
	if n.Kind == yaml.MappingNode {
		seen := map[string]bool{}
		for i := 0; i+1 < len(n.Content); i += 2 {
			key := n.Content[i]
			switch {
			case key.Kind != yaml.ScalarNode || key.ShortTag() == "!!merge":
				return &fault{line: key.Line, message: "a key of the manifest is not text"}
			case seen[key.Value]:
				return &fault{line: key.Line, message: fmt.Sprintf("the key %q stands twice", key.Value)}
			}
			seen[key.Value] = true
		}
	}
	for _, child := range n.Content {
		if f := plain(child, depth+1); f != nil {
			return f
		}
	}
	return nil
}
