package policy

import "testing"

func TestKnowsTools(t *testing.T) {
	block := func(keys ...string) *Node {
		n := &Node{Kind: KindMapping, Tag: "!!map"}
		for _, key := range keys {
			n.Children = append(n.Children, &Node{Kind: KindScalar, Tag: "!!str", Value: key}, &Node{Kind: KindSequence, Tag: "!!seq"})
		}
		return n
	}
	for _, c := range []struct {
		tools *Node
		want  bool
	}{
		{block(), true}, {block("include"), true}, {block("exclude", "resources", "prompts"), true},
		{block("allowed"), false}, {block("include", "allowed"), false}, {nil, false},
		{&Node{Kind: KindSequence}, false}, {&Node{Kind: KindMapping, Children: []*Node{nil, nil}}, false},
	} {
		if got := KnowsTools(c.tools); got != c.want {
			t.Errorf("%+v: %v", c.tools, got)
		}
	}
}
