package policy_test

import (
	"pgregory.net/rapid"

	"hermes/backend/policy"
)

// Random entries for the property tests: mostly what people write, with every
// odd shape now and then.

func pool() []string {
	return []string{"a", "b", "read_file", "write_file", "x-1", "x.2", "ä", "42", "on", "ab", newTool}
}

func globPool() []string {
	return []string{"*", "a*", "?", "[ab]", "*_file", "[!a]*", "x[-.]?", "[", "x-*", "[b-a]", "ä*"}
}

func scalar(tag, value string, style policy.Style) *policy.Node {
	return &policy.Node{Kind: policy.KindScalar, Tag: tag, Value: value, Style: style}
}

func key(name string) *policy.Node { return scalar("!!str", name, policy.StylePlain) }

func list(items ...*policy.Node) *policy.Node {
	style := policy.StyleBlock
	if len(items) == 0 {
		style = policy.StyleFlow
	}
	return &policy.Node{Kind: policy.KindSequence, Tag: "!!seq", Style: style, Children: items}
}

func dict(style policy.Style, pairs ...*policy.Node) *policy.Node {
	return &policy.Node{Kind: policy.KindMapping, Tag: "!!map", Style: style, Children: pairs}
}

func genStyle() *rapid.Generator[policy.Style] {
	return rapid.SampledFrom([]policy.Style{policy.StyleBlock, policy.StyleFlow})
}

func genName() *rapid.Generator[*policy.Node] {
	return rapid.Custom(func(t *rapid.T) *policy.Node {
		name := rapid.SampledFrom(append(pool(), "", "ghost")).Draw(t, "name")
		style := rapid.SampledFrom([]policy.Style{policy.StylePlain, policy.StyleDoubleQuoted, policy.StyleSingleQuoted}).Draw(t, "quotes")
		if style == policy.StylePlain && name == "42" {
			return scalar("!!int", name, style)
		}
		return scalar("!!str", name, style)
	})
}

func genGlob() *rapid.Generator[*policy.Node] {
	return rapid.Custom(func(t *rapid.T) *policy.Node {
		return scalar("!!str", rapid.SampledFrom(globPool()).Draw(t, "glob"), policy.StyleDoubleQuoted)
	})
}

func genOdd() *rapid.Generator[*policy.Node] {
	return rapid.Custom(func(t *rapid.T) *policy.Node {
		return rapid.SampledFrom([]*policy.Node{
			scalar("!!null", "", policy.StylePlain), scalar("!!null", "~", policy.StylePlain),
			scalar("!!bool", "true", policy.StylePlain), scalar("!!float", "1.10", policy.StylePlain),
			scalar("!!timestamp", "2026-01-01", policy.StylePlain), scalar("!mine", "a", policy.StylePlain),
			list(key("a")), dict(policy.StyleFlow, key("a"), key("b")), {}, nil,
		}).Draw(t, "odd")
	})
}

func genItem() *rapid.Generator[*policy.Node] {
	return rapid.Custom(func(t *rapid.T) *policy.Node {
		switch n := rapid.IntRange(0, 11).Draw(t, "kind"); {
		case n == 0:
			return genOdd().Draw(t, "item")
		case n < 4:
			return genGlob().Draw(t, "item")
		default:
			return genName().Draw(t, "item")
		}
	})
}

func genSet() *rapid.Generator[*policy.Node] {
	return rapid.Custom(func(t *rapid.T) *policy.Node {
		set := &policy.Node{Kind: policy.KindMapping, Tag: "!!set", Style: policy.StyleFlow}
		for _, item := range rapid.SliceOfN(genName(), 0, 3).Draw(t, "members") {
			set.Children = append(set.Children, item, scalar("!!null", "", policy.StylePlain))
		}
		return set
	})
}

func genList() *rapid.Generator[*policy.Node] {
	return rapid.Custom(func(t *rapid.T) *policy.Node {
		var n *policy.Node
		switch rapid.IntRange(0, 9).Draw(t, "form") {
		case 0:
			return genOdd().Draw(t, "value")
		case 1:
			n = genName().Draw(t, "value")
		case 2:
			n = genSet().Draw(t, "value")
		default:
			n = list(rapid.SliceOfN(genItem(), 0, 9).Draw(t, "items")...)
		}
		n.Anchor = rapid.SampledFrom([]string{"", "", "", "", "", "", "", "allow"}).Draw(t, "anchor")
		n.Via = rapid.SampledFrom([]string{"", "", "", "", "", "", "", "", "", "base"}).Draw(t, "via")
		return n
	})
}

func genSwitch() *rapid.Generator[*policy.Node] {
	return rapid.SampledFrom([]*policy.Node{
		scalar("!!bool", "true", policy.StylePlain), scalar("!!bool", "false", policy.StylePlain),
		scalar("!!str", "yes", policy.StylePlain), scalar("!!str", "off", policy.StyleDoubleQuoted),
		scalar("!!int", "1", policy.StylePlain), scalar("!!str", "maybe", policy.StylePlain),
		scalar("!!null", "", policy.StylePlain),
	})
}

func genTools() *rapid.Generator[*policy.Node] {
	return rapid.Custom(func(t *rapid.T) *policy.Node {
		if rapid.IntRange(0, 14).Draw(t, "odd tools") == 0 {
			return genOdd().Draw(t, "tools")
		}
		n := dict(genStyle().Draw(t, "style"))
		keys := rapid.SliceOfN(rapid.SampledFrom([]string{"include", "include", "exclude", "resources", "prompts", "colour"}), 0, 4).Draw(t, "keys")
		seen := map[string]bool{}
		for _, k := range keys {
			if seen[k] && rapid.IntRange(0, 5).Draw(t, "twice") > 0 {
				continue
			}
			seen[k] = true
			value := genSwitch().Draw(t, k)
			if k == "include" || k == "exclude" {
				value = genList().Draw(t, k)
			}
			n.Children = append(n.Children, key(k), value)
		}
		return n
	})
}

func genEntry() *rapid.Generator[*policy.Node] {
	return rapid.Custom(func(t *rapid.T) *policy.Node {
		if rapid.IntRange(0, 30).Draw(t, "odd entry") == 0 {
			return genOdd().Draw(t, "entry")
		}
		n := dict(genStyle().Draw(t, "entry style"))
		for _, k := range rapid.SliceOfN(rapid.SampledFrom([]string{"command", "tools", "tools", "tools", "trust", "sampling", "elicitation"}), 0, 3).Draw(t, "entry keys") {
			switch {
			case childOf(n, k) != nil && rapid.IntRange(0, 9).Draw(t, "twice") > 0:
			case k == "tools":
				n.Children = append(n.Children, key(k), genTools().Draw(t, k))
			case k == "sampling" && rapid.Bool().Draw(t, "as mapping"):
				n.Children = append(n.Children, key(k), dict(policy.StyleFlow, key("enabled"), genSwitch().Draw(t, k)))
			default:
				n.Children = append(n.Children, key(k), genSwitch().Draw(t, k))
			}
		}
		return n
	})
}

func genIntent() *rapid.Generator[policy.Intent] {
	return rapid.Custom(func(t *rapid.T) policy.Intent {
		return policy.Intent{
			Action: rapid.SampledFrom([]policy.Action{policy.ActionOn, policy.ActionOff, policy.ActionOn, policy.ActionOff, policy.ActionLock, policy.ActionOpen}).Draw(t, "action"),
			Tool:   rapid.SampledFrom(append(pool(), "unseen", "*", "")).Draw(t, "tool"),
			Expand: rapid.IntRange(0, 3).Draw(t, "expand") == 0,
			Known:  rapid.SliceOfDistinct(rapid.SampledFrom(pool()), rapid.ID[string]).Draw(t, "known"),
		}
	})
}
