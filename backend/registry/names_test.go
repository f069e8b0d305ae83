package registry

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestPublicNames(t *testing.T) {
	long := strings.Repeat("x", 128)
	for name, tc := range map[string]struct {
		configured []string
		server     string
		tools      []string
		want       map[string]string // a trailing * stands for a suffix
	}{
		"plain":                     {[]string{"files"}, "files", []string{"read_file"}, map[string]string{"read_file": "mcp__files__read_file"}},
		"dot, slash, space, umlaut": {[]string{"f"}, "f", []string{"a.b/c d", "Größe"}, map[string]string{"a.b/c d": "mcp__f__a_b_c_d", "Größe": "mcp__f__Gr__e"}},
		"case is kept":              {[]string{"F"}, "F", []string{"readFile"}, map[string]string{"readFile": "mcp__F__readFile"}},
		"two tools share a name": {[]string{"f"}, "f", []string{"read-file", "read_file", "other"},
			map[string]string{"read-file": "mcp__f__read_file_*", "read_file": "mcp__f__read_file_*", "other": "mcp__f__other"}},
		"two servers share a name": {[]string{"my-api", "my_api"}, "my-api", []string{"x"}, map[string]string{"x": "mcp__my_api__x_*"}},
		"the other of the two":     {[]string{"my-api", "my_api"}, "my_api", []string{"x"}, map[string]string{"x": "mcp__my_api__x_*"}},
		"a third is not touched":   {[]string{"my-api", "my_api", "z"}, "z", []string{"x"}, map[string]string{"x": "mcp__z__x"}},
		"a server with __":         {[]string{"a__b"}, "a__b", []string{"c"}, map[string]string{"c": "mcp__a__b__c_*"}},
		"a server ending in _":     {[]string{"a_"}, "a_", []string{"b"}, map[string]string{"b": "mcp__a___b_*"}},
		"a tool with __":           {[]string{"a"}, "a", []string{"b__c", "_b"}, map[string]string{"b__c": "mcp__a__b__c", "_b": "mcp__a___b"}},
		"a tool of 128 characters": {[]string{"f"}, "f", []string{long}, map[string]string{long: "mcp__f__" + long[:43] + "_*"}},
		"a server of 128":          {[]string{long}, long, []string{"read_file"}, map[string]string{"read_file": "mcp__" + long[:35] + "__read_file_*"}},
		"both of 128":              {[]string{long}, long, []string{long}, map[string]string{long: "mcp__" + long[:20] + "__" + long[:24] + "_*"}},
		"exactly 64":               {[]string{"f"}, "f", []string{long[:56]}, map[string]string{long[:56]: "mcp__f__" + long[:56]}},
		"65":                       {[]string{"f"}, "f", []string{long[:57]}, map[string]string{long[:57]: "mcp__f__" + long[:43] + "_*"}},
		"ends like a suffix":       {[]string{"f"}, "f", []string{"x_0123456789ab"}, map[string]string{"x_0123456789ab": "mcp__f__x_0123456789ab_*"}},
		"a server not configured":  {nil, "f", []string{"x"}, map[string]string{"x": "mcp__f__x"}},
	} {
		t.Run(name, func(t *testing.T) {
			got := PublicNames(tc.configured, tc.server, tc.tools)
			if len(got) != len(tc.want) {
				t.Fatalf("names %v", got)
			}
			for raw, want := range tc.want {
				pattern := regexp.MustCompile("^" + strings.ReplaceAll(regexp.QuoteMeta(want), `_\*`, "_[0-9a-f]{12}") + "$")
				if !pattern.MatchString(got[raw]) {
					t.Errorf("%q is %q, want %q", raw, got[raw], want)
				}
			}
		})
	}
}

// The suffix is part of the contract: sessions and hooks remember it.
func TestSuffixesAreStable(t *testing.T) {
	for _, tc := range []struct{ server, tool, want string }{
		{"my-api", "x", "mcp__my_api__x_d38c72cfd6e6"},
		{"my_api", "x", "mcp__my_api__x_8bcfadd4925c"},
	} {
		if got := PublicNames([]string{"my-api", "my_api"}, tc.server, []string{"x"})["x"]; got != tc.want {
			t.Errorf("%s/%s is %q, want %q", tc.server, tc.tool, got, tc.want)
		}
	}
}

// nameAlphabet makes collisions likely.
func rawName() *rapid.Generator[string] {
	return rapid.OneOf(
		rapid.StringOfN(rapid.SampledFrom([]rune("ab_-.")), 0, 5, -1),
		rapid.StringOfN(rapid.SampledFrom([]rune("a_-")), 55, 70, -1),
		rapid.String(),
	)
}

func TestNamesAreUniqueAndFit(t *testing.T) {
	allowed := regexp.MustCompile(`^[A-Za-z0-9_]{1,64}$`)
	rapid.Check(t, func(t *rapid.T) {
		servers := rapid.SliceOfNDistinct(rawName(), 1, 6, rapid.ID[string]).Draw(t, "servers")
		owner := map[string]string{}
		claim := func(public, who string) {
			if !allowed.MatchString(public) {
				t.Fatalf("%s is called %q", who, public)
			}
			if other, taken := owner[public]; taken {
				t.Fatalf("%s and %s are both called %q", other, who, public)
			}
			owner[public] = who
		}
		for i, server := range servers {
			tools := rapid.SliceOfNDistinct(rawName(), 0, 8, rapid.ID[string]).Draw(t, fmt.Sprint("tools", i))
			for raw, public := range PublicNames(servers, server, tools) {
				claim(public, fmt.Sprintf("%q/%q", server, raw))
			}
		}
	})
}

// A server must not be able to name a tool into another's suffixed name.
func TestNamesResistAnAttacker(t *testing.T) {
	configured := []string{"a", "a_", "b-c", "b_c"}
	taken := map[string]string{}
	for _, server := range []string{"a_", "b-c"} {
		for _, tool := range []string{"x", "pay"} {
			taken[PublicNames(configured, server, []string{tool})[tool]] = server + "/" + tool
		}
	}
	for public, who := range taken {
		for _, server := range configured {
			prefix := namePrefix + sanitize(server) + nameJoin
			raw, ok := strings.CutPrefix(public, prefix)
			if !ok {
				continue
			}
			if got := PublicNames(configured, server, []string{raw})[raw]; got == public {
				t.Errorf("server %q takes the name of %s with the tool %q", server, who, raw)
			}
		}
	}
}

func TestNamesDoNotDependOnWhoIsConnected(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		servers := rapid.SliceOfNDistinct(rawName(), 2, 5, rapid.ID[string]).Draw(t, "servers")
		tools := map[string][]string{}
		for i, server := range servers {
			tools[server] = rapid.SliceOfNDistinct(rawName(), 1, 5, rapid.ID[string]).Draw(t, fmt.Sprint("tools", i))
		}
		names := func(connected []string, rules func() []Source) map[string]string {
			out := map[string]string{}
			for _, item := range Build(servers, rules()).All() {
				if slices.Contains(connected, item.Server) {
					out[item.Server+"\x00"+item.Tool] = item.Public
				}
			}
			return out
		}
		source := func(server string, deny bool) Source {
			s := Source{Server: server, Rules: open(), Known: true, Tools: named(tools[server]...)}
			if deny {
				s.Rules = only()
			}
			return s
		}
		all := names(servers, func() []Source {
			var out []Source
			for _, s := range servers {
				out = append(out, source(s, false))
			}
			return out
		})
		one := servers[rapid.IntRange(0, len(servers)-1).Draw(t, "alone")]
		alone := names([]string{one}, func() []Source {
			return []Source{source(one, rapid.Bool().Draw(t, "denied"))}
		})
		for key, public := range alone {
			if all[key] != public {
				t.Fatalf("%q is %q alone and %q among all", key, public, all[key])
			}
		}
	})
}

func TestHelpersYieldToNativeTools(t *testing.T) {
	c := Build([]string{"s"}, []Source{{Server: "s", Rules: except("list-resources"), Known: true, Resources: true, Prompts: true,
		Tools: named("list-resources", "get_prompt")}})
	if got, want := publics(c.Entries()), "mcp__s__get_prompt mcp__s__list_prompts mcp__s__read_resource"; got != want {
		t.Errorf("entries %q, want %q", got, want)
	}
	if e, v := c.Resolve("mcp__s__get_prompt"); e.Helper != "" || !v.Allowed {
		t.Errorf("get_prompt is %+v, %+v: the server's own tool wins", e, v)
	}
	// The native tool is denied; its name must not lead to the helper.
	if e, v := c.Resolve("mcp__s__list_resources"); v.Allowed || e.Helper != "" {
		t.Errorf("list_resources is %+v, %+v", e, v)
	}
}
