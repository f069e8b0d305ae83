package policy

// include reads the value of the key include. The key is present, so the
// server is never open (FILTER section 2 rows 3 to 10 and 18).
func (r *reader) include(key, value *Node) {
	r.d.state = StateOnly
	r.d.at = placeOf(key)
	switch {
	case isNull(value):
		r.warn("include.null", value)
	case isText(value):
		r.one(keyInclude, value)
	case isList(value):
		r.d.setPatterns(r.list(keyInclude, elements(value), false))
	default:
		r.fail("include.shape", value, kindWord(value))
	}
}

// exclude reads the value of the key exclude where there is no include (FILTER
// section 2 rows 12 to 14 and 18).
func (r *reader) exclude(key, value *Node) {
	switch {
	case isNull(value):
	case isText(value) && value.Value == "":
		r.warn("exclude.empty_name", value)
	case isText(value):
		r.except(key)
		r.one(keyExclude, value)
	case isList(value):
		items := elements(value)
		if len(items) == 0 {
			return
		}
		r.except(key)
		r.d.setPatterns(r.list(keyExclude, items, true))
	default:
		r.fail("exclude.shape", value, kindWord(value))
	}
}

func (r *reader) except(key *Node) {
	r.d.state = StateExcept
	r.d.at = placeOf(key)
}

// one reads a lone string as one pattern, neither split nor trimmed.
func (r *reader) one(key string, value *Node) {
	if value.Value == "" {
		r.warn(key+".empty_name", value)
	} else {
		r.warn(key+".scalar", value, show(value.Value))
	}
	r.d.setPatterns([]pattern{newPattern(value)})
}

// list reads the elements of a list or set. Any scalar but null is the text as
// written. What names no tool is ignored, or, where strict, makes the rules
// invalid: in include it could only narrow, in exclude it could only widen.
func (r *reader) list(key string, items []*Node, strict bool) []pattern {
	out := make([]pattern, 0, len(items))
	seen := make(map[string]bool, len(items))
	for _, item := range items {
		if item == nil || item.Kind != KindScalar || isNull(item) {
			if strict {
				r.fail(key+".element", item, kindWord(item))
			} else {
				r.warn(key+".element", item, kindWord(item))
			}
			continue
		}
		if seen[item.Value] {
			r.warn(key+".twice", item, show(item.Value))
			continue
		}
		seen[item.Value] = true
		switch {
		case !isText(item):
			r.warn(key+".not_text", item, show(item.Value), kindWord(item))
		case item.Value == "":
			r.warn(key+".empty_name", item)
		}
		out = append(out, newPattern(item))
	}
	return out
}

func newPattern(n *Node) pattern {
	return pattern{text: n.Value, shown: show(n.Value), at: placeOf(n)}
}

// elements returns the items of a list, or the keys of a set.
func elements(n *Node) []*Node {
	if n.Kind == KindSequence {
		return n.Children
	}
	var keys []*Node
	for i := 0; i < len(n.Children); i += 2 {
		keys = append(keys, n.Children[i])
	}
	return keys
}
