package config

import (
	"math"
	"strconv"
	"strings"
	"time"

	"hermes/backend/policy"
)

// pair gives the last key of that name in a mapping and its value, nil for
// none. A key that stands twice is policy's matter where it matters.
func pair(m *policy.Node, name string) (key, value *policy.Node) {
	if m == nil || m.Kind != policy.KindMapping {
		return nil, nil
	}
	for i := 0; i+1 < len(m.Children); i += 2 {
		if k := m.Children[i]; k.Kind == policy.KindScalar && k.Value == name {
			key, value = k, m.Children[i+1]
		}
	}
	return key, value
}

// at walks a path of keys given as "mcp.client" and gives the value, nil when a
// step is missing.
func at(n *policy.Node, path string) *policy.Node {
	for _, step := range strings.Split(path, ".") {
		if _, n = pair(n, step); n == nil {
			return nil
		}
	}
	return n
}

// isNull is true for what is not there, too.
func isNull(n *policy.Node) bool {
	return n == nil || n.Kind == policy.KindScalar && n.Tag == "!!null"
}

func isScalar(n *policy.Node) bool {
	return n != nil && n.Kind == policy.KindScalar && n.Tag != "!!null"
}

// scalarText gives a scalar's text, trimmed; empty for everything else.
func scalarText(n *policy.Node) string {
	if !isScalar(n) {
		return ""
	}
	return strings.TrimSpace(n.Value)
}

// boolLike reads the words Python Hermes takes for true and false in any case,
// quoted or not; ok is false for everything else.
func boolLike(n *policy.Node) (value, ok bool) {
	switch strings.ToLower(scalarText(n)) {
	case "true", "yes", "on", "1", "1.0":
		return true, true
	case "false", "no", "off", "0", "0.0":
		return false, true
	}
	return false, false
}

// isUnset is what counts as "not written" for a bool-like key: absent, null or
// an empty text.
func isUnset(n *policy.Node) bool { return isNull(n) || isScalar(n) && scalarText(n) == "" }

// maxSeconds bounds a time limit, so that no number overflows a duration.
const maxSeconds = 7 * 24 * 3600

// seconds reads a positive number of seconds; ok is false for everything else.
func seconds(n *policy.Node) (d time.Duration, ok bool) {
	f, err := strconv.ParseFloat(scalarText(n), 64)
	if err != nil || math.IsNaN(f) || f <= 0 {
		return 0, false
	}
	return time.Duration(min(f, maxSeconds) * float64(time.Second)), true
}

// number reads a finite number.
func number(n *policy.Node) (f float64, ok bool) {
	f, err := strconv.ParseFloat(scalarText(n), 64)
	return f, err == nil && !math.IsNaN(f) && !math.IsInf(f, 0)
}

// words reads a list of names: a list of scalars, a lone scalar, or the text of
// a list as `hermes config set` stores it. ok is false when there is something
// in it that is no name; null is an empty list.
func words(n *policy.Node) (list []string, ok bool) {
	switch {
	case isNull(n):
		return nil, true
	case n.Kind == policy.KindScalar:
		text := scalarText(n)
		if strings.HasPrefix(text, "[") {
			list, err := listText(text)
			return list, err == nil
		}
		if text == "" {
			return nil, true
		}
		return []string{text}, true
	case n.Kind != policy.KindSequence:
		return nil, false
	}
	for _, item := range n.Children {
		if !isScalar(item) {
			return list, false
		}
		list = append(list, item.Value)
	}
	return list, true
}
