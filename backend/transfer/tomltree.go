package transfer

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/pelletier/go-toml/v2"

	"hermes/backend/config"
	"hermes/backend/policy"
)

// maxTOML bounds a TOML file: nesting cannot be counted without parsing, and a
// file this small cannot nest deep enough to hurt the parser.
const maxTOML = 1 << 20

// readTOML reads TOML into a tree. Only the tables of servers know their line.
func readTOML(data []byte) (*policy.Node, error) {
	data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
	if len(data) > maxTOML {
		return nil, fmt.Errorf("the file is larger than %d MiB", maxTOML>>20)
	}
	var root map[string]any
	if err := toml.Unmarshal(data, &root); err != nil {
		var at *toml.DecodeError
		if errors.As(err, &at) {
			line, _ := at.Position()
			return nil, &placed{line: line, text: "it is no TOML: " + strings.TrimPrefix(at.Error(), "toml: ")}
		}
		return nil, fmt.Errorf("it is no TOML: %w", err)
	}
	tree := tomlNode(root)
	tableHead := regexp.MustCompile(`^\s*\[\s*mcp_servers\s*\.\s*("[^"]*"|'[^']*'|[A-Za-z0-9_-]+)`)
	lines := map[string]int{}
	for i, row := range strings.Split(string(data), "\n") {
		if m := tableHead.FindStringSubmatch(row); m != nil {
			name := strings.Trim(m[1], `"'`)
			if lines[name] == 0 {
				lines[name] = i + 1
			}
		}
	}
	servers := field(tree, "mcp_servers")
	each(servers, func(key, value *policy.Node) { key.Line, value.Line = lines[key.Value], lines[key.Value] })
	sortByLine(servers)
	return tree, nil
}

// placed is a fault with a line.
type placed struct {
	line int
	text string
}

func (p *placed) Error() string { return p.text }

// sortByLine puts entries back into the order of the file, which a map lost.
func sortByLine(m *policy.Node) {
	if !isMap(m) {
		return
	}
	type pair struct{ key, value *policy.Node }
	var pairs []pair
	each(m, func(key, value *policy.Node) { pairs = append(pairs, pair{key, value}) })
	slices.SortStableFunc(pairs, func(a, b pair) int { return a.key.Line - b.key.Line })
	m.Children = m.Children[:0]
	for _, p := range pairs {
		m.Children = append(m.Children, p.key, p.value)
	}
}

func tomlNode(v any) *policy.Node {
	switch v := v.(type) {
	case map[string]any:
		n := mapping()
		for _, name := range sortedKeys(v) {
			put(n, name, tomlNode(v[name]))
		}
		return n
	case []any:
		n := config.List()
		for _, item := range v {
			n.Children = append(n.Children, tomlNode(item))
		}
		return n
	case string:
		return config.Text(v)
	case bool:
		return boolean(v)
	case int64:
		return &policy.Node{Kind: policy.KindScalar, Tag: "!!int", Value: strconv.FormatInt(v, 10)}
	case float64:
		return &policy.Node{Kind: policy.KindScalar, Tag: "!!float", Value: strconv.FormatFloat(v, 'f', -1, 64)}
	}
	return &policy.Node{Kind: policy.KindScalar, Tag: "!!timestamp", Value: fmt.Sprint(v)}
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for key := range m {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys
}

// tomlText writes a basic string.
func tomlText(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r < ' ' || r == 0x7f:
			fmt.Fprintf(&b, `\u%04X`, r)
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
	return b.String()
}

// tomlKey writes a key, quoted where it must be.
func tomlKey(s string) string {
	for _, r := range s {
		if !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_' || r == '-') {
			return tomlText(s)
		}
	}
	if s == "" {
		return `""`
	}
	return s
}

// tomlValue writes a scalar, a list of texts or an inline table of texts.
func tomlValue(n *policy.Node) string {
	switch n.Kind {
	case policy.KindSequence:
		items := make([]string, len(n.Children))
		for i, item := range n.Children {
			items[i] = tomlValue(item)
		}
		return "[" + strings.Join(items, ", ") + "]"
	case policy.KindMapping:
		var pairs []string
		each(n, func(key, value *policy.Node) { pairs = append(pairs, tomlKey(key.Value)+" = "+tomlValue(value)) })
		return "{ " + strings.Join(pairs, ", ") + " }"
	}
	if n.Tag == "!!str" {
		return tomlText(n.Value)
	}
	return n.Value
}
