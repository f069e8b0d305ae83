package policy

import (
	"slices"
	"testing"
)

// TestNearKeys: a slip of the pen in a key is told, because the key has no
// effect; what is further away is another program's.
func TestNearKeys(t *testing.T) {
	warned := func(tools bool, name string) (hints []string) {
		entry := pairsNode(textNode(name), pairsNode())
		if tools {
			entry = pairsNode(textNode(keyTools), entry)
		}
		for _, p := range ReadServer(entry).Problems() {
			hints = append(hints, p.Code+" "+p.Params[len(p.Params)-1])
		}
		return hints
	}
	for _, c := range []struct {
		known string
		near  []string
		far   []string
	}{
		{keyInclude, []string{
			"Include", "INCLUDE", " include", "include ", "\tinclude\n", "          include          ",
			"includes", "inclued", "xinclude", "inXclude", // one too many
			"nclude", "includ", "inlude", // one missing
			"xnclude", "incLude", "inclxde", "includx", // one wrong
			"nIclude", "inlcude", "includE ", "inclued", // neighbours swapped
		}, []string{
			"", "in", "inclu", "inude", "includess", "xxinclude", "inclxxude", "incyyde", // two
			"inlxude", "inxcude", "incldeu ude", "niclued", // half a swap, two swaps
			"includ\xff\xff", "included_tools",
		}},
		{keyExclude, []string{"excludes", "Exclude", "exlude"}, []string{"exclusion"}},
		{keyResources, []string{"resource", "ressources"}, []string{"res"}},
		{keyPrompts, []string{"prompt", "promts"}, []string{"prompted!"}},
	} {
		for _, name := range c.near {
			if have := warned(true, name); !slices.Equal(have, []string{"tools.near_key " + c.known}) {
				t.Errorf("%q in tools: %q, want a hint to %s", name, have, c.known)
			}
		}
		for _, name := range c.far {
			if have := warned(true, name); have != nil {
				t.Errorf("%q in tools: %q", name, have)
			}
		}
	}
	for _, name := range []string{"tool", "tols", "toools", "Tools", "otols", "toosl"} {
		if have := warned(false, name); !slices.Equal(have, []string{"entry.near_key " + keyTools}) {
			t.Errorf("%q: %q", name, have)
		}
	}
	for _, name := range []string{"otls", "otxols", "tooxxls", "too", "ols", "toolset"} {
		if have := warned(false, name); have != nil {
			t.Errorf("%q: %q", name, have)
		}
	}
	for name, want := range map[string]string{
		"include": "entry.misplaced include", "exclude": "entry.misplaced exclude", "Includes": "", "exclud": "entry.misplaced exclud",
		"trusts": "entry.near_key trust", "samplin": "entry.near_key sampling", "elicitations": "entry.near_key elicitation",
	} {
		if have := warned(false, name); want != "" && !slices.Equal(have, []string{want}) {
			t.Errorf("%q: %q", name, have)
		}
	}
}
