package transfer

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"hermes/backend/config"
	"hermes/backend/policy"
)

// The trees of all formats are policy.Node, so that one set of helpers reads
// JSON, TOML and YAML, and every value knows its line.

// field gives the value of the last key of that name, nil for none. Whoever
// cares about repeated keys asks repeated.
func field(n *policy.Node, name string) *policy.Node {
	var value *policy.Node
	each(n, func(key, v *policy.Node) {
		if key.Value == name {
			value = v
		}
	})
	return value
}

// path walks keys and gives the value, nil when a step is missing.
func path(n *policy.Node, names ...string) *policy.Node {
	for _, name := range names {
		n = field(n, name)
	}
	return n
}

func each(n *policy.Node, visit func(key, value *policy.Node)) {
	if n == nil || n.Kind != policy.KindMapping {
		return
	}
	for i := 0; i+1 < len(n.Children); i += 2 {
		visit(n.Children[i], n.Children[i+1])
	}
}

// repeated gives the first key that stands twice in a mapping.
func repeated(n *policy.Node) (name string, found bool) {
	seen := map[string]bool{}
	each(n, func(key, _ *policy.Node) {
		if seen[key.Value] && !found {
			name, found = key.Value, true
		}
		seen[key.Value] = true
	})
	return name, found
}

// doubledKey gives the first key that stands twice in a mapping, with the lines
// of both.
func doubledKey(n *policy.Node) (name string, lines [2]int) {
	seen := map[string]int{}
	each(n, func(key, _ *policy.Node) {
		if first, twice := seen[key.Value]; twice && name == "" {
			name, lines = key.Value, [2]int{first, key.Line}
		}
		seen[key.Value] = key.Line
	})
	return name, lines
}

// doubled refuses a file with a key that stands twice where servers or switches
// for all of them are kept: which of the two counts there cannot be known.
// Servers that do are refused on their own.
func (r Reading) doubled(root *policy.Node) error {
	for _, block := range []*policy.Node{root, field(root, "mcp"), field(root, "admin"), path(root, "admin", "mcp")} {
		name, lines := doubledKey(block)
		if name == "" || slices.ContainsFunc(r.Servers, func(s Server) bool { return s.Name == name }) {
			continue
		}
		return &Fault{Line: lines[1],
			Message: fmt.Sprintf("`%s` stands twice in it, at line %d and line %d, and which one counts cannot be known", name, lines[0], lines[1])}
	}
	return nil
}

func isMap(n *policy.Node) bool { return n != nil && n.Kind == policy.KindMapping }

// missing is true for what is not there and for null.
func missing(n *policy.Node) bool {
	return n == nil || n.Kind == policy.KindScalar && n.Tag == "!!null"
}

func isText(n *policy.Node) bool {
	return n != nil && n.Kind == policy.KindScalar && n.Tag == "!!str"
}

func textOf(n *policy.Node) string {
	if missing(n) || n.Kind != policy.KindScalar {
		return ""
	}
	return n.Value
}

// strings gives the items of a list of texts; ok is false for anything else.
func textList(n *policy.Node) (list []string, ok bool) {
	if n == nil || n.Kind != policy.KindSequence {
		return nil, false
	}
	list = make([]string, 0, len(n.Children))
	for _, item := range n.Children {
		if !isText(item) {
			return nil, false
		}
		list = append(list, item.Value)
	}
	return list, true
}

// switchOf reads a bool; ok is false for what is neither absent nor one.
func switchOf(n *policy.Node, normal bool) (value, ok bool) {
	if missing(n) {
		return normal, true
	}
	if n.Kind == policy.KindScalar {
		switch strings.ToLower(n.Value) {
		case "true":
			return true, true
		case "false":
			return false, true
		}
	}
	return normal, false
}

// duration reads a positive number in units; zero for none.
func duration(n *policy.Node, unit time.Duration) time.Duration {
	f, err := strconv.ParseFloat(textOf(n), 64)
	if err != nil || !(f > 0) || f > float64(7*24*time.Hour)/float64(unit) {
		return 0
	}
	return time.Duration(f * float64(unit))
}

// The shapes below build trees.

func number(d time.Duration, unit time.Duration) *policy.Node {
	value := strconv.FormatFloat(float64(d)/float64(unit), 'f', -1, 64)
	tag := "!!int"
	if strings.Contains(value, ".") {
		tag = "!!float"
	}
	return &policy.Node{Kind: policy.KindScalar, Tag: tag, Value: value, Style: policy.StylePlain}
}

func boolean(b bool) *policy.Node {
	return &policy.Node{Kind: policy.KindScalar, Tag: "!!bool", Value: strconv.FormatBool(b), Style: policy.StylePlain}
}

func mapping() *policy.Node {
	return &policy.Node{Kind: policy.KindMapping, Tag: "!!map", Style: policy.StyleBlock}
}

func put(m *policy.Node, name string, value *policy.Node) {
	m.Children = append(m.Children, config.Text(name), value)
}

func textMap(values map[string]string) *policy.Node {
	m := mapping()
	for _, name := range sortedKeys(values) {
		put(m, name, config.Text(values[name]))
	}
	return m
}

func kindName(n *policy.Node) string {
	switch {
	case missing(n):
		return "null"
	case n.Kind == policy.KindMapping:
		return "a mapping"
	case n.Kind == policy.KindSequence:
		return "a list"
	}
	return fmt.Sprintf("%.40q", n.Value)
}
