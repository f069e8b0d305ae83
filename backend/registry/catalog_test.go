package registry

import (
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"

	"hermes/backend/message"
	"hermes/backend/policy"
)

// Every door, asked for an allowed and for a denied tool (field case A4).
func TestDeniedToolsAreUnreachable(t *testing.T) {
	for name, tc := range map[string]struct {
		rules policy.Rules
		know  bool // the server is configured
		block bool // its definition is not the accepted one
	}{
		"not in the whitelist": {only("a"), true, false},
		"excluded":             {except("secret_tool"), true, false},
		"locked":               {only(), true, false},
		"no rules":             {policy.Rules{}, true, false},
		"not configured":       {open(), false, false},
		"changed and open":     {open(), true, true},
		"changed and named":    {only("a", "secret_tool"), true, true},
	} {
		t.Run(name, func(t *testing.T) {
			configured := []string{"other"}
			if tc.know {
				configured = append(configured, "s")
			}
			src := Source{Server: "s", Rules: tc.rules, Known: true, Tools: []Tool{
				tool("a", "Harmless.", ""), tool("secret_tool", "Launches rockets.", `{"type":"object","properties":{"orbit":{"type":"string"}}}`)}}
			if tc.block {
				src.Blocked = map[string]string{"secret_tool": "it changed"}
			}
			c := Build(configured, []Source{src, {Server: "other", Rules: open(), Known: true, Tools: named("b")}})
			const public = "mcp__s__secret_tool"

			if entry, verdict := c.Resolve(public); verdict.Allowed || verdict.Reason.Text == "" || entry.Tool != "secret_tool" {
				t.Errorf("resolve: %+v, %+v", entry, verdict)
			}
			for _, e := range c.Entries() {
				if e.Public == public {
					t.Error("it is among the entries")
				}
			}
			for _, mode := range []string{ModeOff, ModeAuto} {
				for _, d := range c.ModelTools(Options{Mode: mode, MaxLimit: 25, ThresholdPercent: 5, ListingMaxTokens: 4000}) {
					if strings.Contains(d.Name+d.Description+string(d.Parameters), "secret") || strings.Contains(d.Description, "rockets") {
						t.Errorf("mode %s offers it: %s %s", mode, d.Name, d.Description)
					}
				}
			}
			for _, query := range []string{"secret_tool", public, "secret tool", "launches rockets", "orbit"} {
				args, _ := json.Marshal(map[string]any{"queries": []string{query}})
				answer := strings.ReplaceAll(c.Search(args, Options{}), query, "")
				if strings.Contains(answer, "secret") || strings.Contains(answer, "rockets") {
					t.Errorf("search for %q finds it: %s", query, answer)
				}
			}
			for _, name := range []string{public, "secret_tool", "MCP__S__SECRET-TOOL"} {
				args, _ := json.Marshal(map[string]any{"names": []string{name}})
				answer := c.Describe(args)
				if strings.Contains(answer, "rockets") || strings.Contains(answer, "orbit") || !strings.Contains(answer, `"not_found":["`+name) {
					t.Errorf("describe %q: %s", name, answer)
				}
				if repaired, ok := c.Repair(name); ok {
					t.Errorf("repair %q gives %q", name, repaired)
				}
			}
			// A batch child takes the same way as a call of its own.
			entries, err := c.Normalize(json.RawMessage(`{"calls":[{"name":"mcp__other__b","arguments":{}},{"name":"` + public + `","arguments":{}}]}`))
			if err != nil || len(entries) != 2 {
				t.Fatalf("entries %v, error %v", entries, err)
			}
			for i, want := range []bool{true, false} {
				if _, verdict := c.Resolve(entries[i].Name); verdict.Allowed != want {
					t.Errorf("entry %d: allowed %v, want %v", i, verdict.Allowed, want)
				}
			}
			// To the model it is as if it did not exist.
			unknown := strings.ReplaceAll(c.Refusal("mcp__s__no_such_thing"), "no_such_thing", "secret_tool")
			if got := c.Refusal(public); got != unknown {
				t.Errorf("refusal %q differs from that of an unknown tool %q", got, unknown)
			}
		})
	}
}

func TestHelpersAskTheirOwnRule(t *testing.T) {
	src := Source{Server: "s", Known: true, Resources: true, Prompts: true, Tools: named("a")}
	for name, tc := range map[string]struct {
		rules policy.Rules
		want  string
	}{
		"open":           {open(), "mcp__s__a mcp__s__get_prompt mcp__s__list_prompts mcp__s__list_resources mcp__s__read_resource"},
		"a whitelist":    {only("a", "list_resources"), "mcp__s__a"},
		"written on":     {policy.ReadServer(mapping(word("tools"), mapping(word("include"), list(), word("resources"), boolean(true)))), "mcp__s__list_resources mcp__s__read_resource"},
		"written off":    {policy.ReadServer(mapping(word("tools"), mapping(word("prompts"), boolean(false)))), "mcp__s__a mcp__s__list_resources mcp__s__read_resource"},
		"no rules":       {policy.Rules{}, ""},
		"excluded names": {except("read_resource"), "mcp__s__a mcp__s__get_prompt mcp__s__list_prompts mcp__s__list_resources mcp__s__read_resource"},
	} {
		t.Run(name, func(t *testing.T) {
			src := src
			src.Rules = tc.rules
			if got := publics(Build([]string{"s"}, []Source{src}).Entries()); got != tc.want {
				t.Errorf("entries %q, want %q", got, tc.want)
			}
		})
	}
}

func TestAllShowsDeniedTools(t *testing.T) {
	c := Build(demoNames(), demoSources())
	denied := 0
	for _, item := range c.All() {
		if item.Tool == "write_file" {
			denied++
			if item.Verdict.Allowed || item.Verdict.Line != 7 || item.Verdict.Reason.Text == "" {
				t.Errorf("verdict %+v", item.Verdict)
			}
		}
	}
	if denied != 1 || len(c.All()) != len(c.Entries())+1 {
		t.Errorf("%d denied of %d", denied, len(c.All()))
	}
}

func TestRefusals(t *testing.T) {
	sources := append(demoSources(),
		Source{Server: "slow", Rules: open(), Pending: true},
		Source{Server: "locked", Rules: only(), Pending: true},
		Source{Server: "broken", Rules: policy.Rules{}, Pending: true})
	c := Build(append(demoNames(), "slow", "locked", "broken"), sources)
	for name, want := range map[string]string{
		"mcp__fs__read_file":             "Did you mean 'mcp__files__read_file'?",
		"read_file":                      "Did you mean 'mcp__files__read_file'?",
		"Mcp__Files__Read-File":          "Did you mean 'mcp__files__read_file'?",
		"terminal":                       "Use tool_search",
		"mcp__slow__x":                   "not connected right now",
		"mcp__locked__x":                 "Use tool_search",
		"mcp__broken__x":                 "Use tool_search",
		"":                               "Use tool_search",
		strings.Repeat("x\n\u202e", 999): "Use tool_search",
	} {
		got := c.Refusal(name)
		if !strings.Contains(got, want) || len(got) > 500 || strings.Contains(got, "\n") {
			t.Errorf("%.40q: %q, want %q", name, got, want)
		}
	}
	if server, ok := c.Pending("mcp__slow__x"); !ok || server != "slow" {
		t.Errorf("pending %q, %v", server, ok)
	}
	if _, ok := c.Pending("mcp__files__read_file"); ok {
		t.Error("a known tool waits for nobody")
	}
	listing := definition(t, c.ModelTools(Options{}), message.NameToolSearch).Description
	if !strings.Contains(listing, "- slow: not connected") || strings.Contains(listing, "locked") || strings.Contains(listing, "broken") {
		t.Errorf("listing\n%s", listing)
	}
}

// A server must not get the calls that were meant for another's tool.
func TestRepairLeadsNobodyAstray(t *testing.T) {
	c := Build([]string{"a", "b"}, []Source{
		{Server: "a", Rules: only("refund"), Known: true, Tools: named("pay", "Refund", "refund")},
		{Server: "b", Rules: open(), Known: true, Tools: named("mcp__a__pay", "mcp__a__gone", "MCP__A__PAY ", "other")},
	})
	for _, name := range []string{"mcp__a__pay", "mcp__a__gone", "MCP__a__pay", "mcp__a__Refund"} {
		if public, ok := c.Repair(name); ok {
			t.Errorf("%q is led to %q", name, public)
		}
	}
	if public, ok := c.Repair("Other"); !ok || public != "mcp__b__other" {
		t.Errorf("repaired to %q, %v", public, ok)
	}
}

// The doors ask policy themselves, whatever the entries say.
func TestEveryDoorAsksAgain(t *testing.T) {
	c := Build([]string{"s"}, []Source{{Server: "s", Rules: open(), Known: true, Tools: named("launch")}})
	c.rules["s"] = policy.Rules{}
	if _, verdict := c.Resolve("mcp__s__launch"); verdict.Allowed {
		t.Error("resolved")
	}
	if got := c.Search(json.RawMessage(`{"queries":["launch"]}`), Options{}); strings.Contains(got, "mcp__s__launch") {
		t.Errorf("found: %s", got)
	}
	if got := c.Describe(json.RawMessage(`{"names":["mcp__s__launch"]}`)); !strings.Contains(got, `"tools":{}`) {
		t.Errorf("described: %s", got)
	}
}

func TestPlainNames(t *testing.T) {
	if got := PlainName("my-api", "read.file"); got != "mcp__my_api__read_file" {
		t.Errorf("plain name %q", got)
	}
}

func TestTheModelIsOfferedNothingWhereNothingIs(t *testing.T) {
	for name, c := range map[string]*Catalog{
		"zero": {}, "no servers": Build(nil, nil),
		"locked": Build([]string{"s"}, []Source{{Server: "s", Rules: only(), Known: true, Tools: named("a")}}),
	} {
		if tools := c.ModelTools(Options{}); len(tools) != 0 {
			t.Errorf("%s: %+v", name, tools)
		}
		if got := c.Search(json.RawMessage(`{"queries":["a"]}`), Options{}); !strings.Contains(got, `"matches":[]`) {
			t.Errorf("%s: search %s", name, got)
		}
		if _, verdict := c.Resolve("mcp__s__a"); verdict.Allowed {
			t.Errorf("%s: allowed", name)
		}
	}
	if pending := Build([]string{"s"}, []Source{{Server: "s", Rules: open(), Pending: true}}); len(pending.ModelTools(Options{})) != 3 {
		t.Error("tools that are about to come are searched for")
	}
}

func TestDuplicatesFromOneServer(t *testing.T) {
	c := Build([]string{"s"}, []Source{
		{Server: "s", Rules: open(), Known: true, Tools: []Tool{tool("a", "first", ""), tool("a", "second", ""), tool("", "nameless", "")}},
		{Server: "s", Rules: open(), Known: true, Tools: named("b")},
	})
	if got := publics(c.Entries()); got != "mcp__s__a" || c.Entries()[0].Description != "first" {
		t.Errorf("entries %q", got)
	}
}

func TestCollidingHashesFailClosed(t *testing.T) {
	c := &Catalog{rules: map[string]policy.Rules{"s": open()}, byPublic: map[string]int{}}
	for _, tool := range []string{"a", "b"} {
		c.all = append(c.all, Listed{Entry: Entry{Public: "mcp__s__same", Server: "s", Tool: tool}, Verdict: policy.Verdict{Allowed: true}})
	}
	c.index()
	if _, verdict := c.Resolve("mcp__s__same"); verdict.Allowed || len(c.Entries()) != 0 {
		t.Errorf("verdict %+v, entries %v", verdict, c.Entries())
	}
}

func TestSwapWhileReading(t *testing.T) {
	var r Registry
	if _, verdict := r.Current().Resolve("x"); verdict.Allowed {
		t.Fatal("an empty registry allows")
	}
	r.Swap(Build(demoNames(), demoSources()))
	stop := make(chan struct{})
	var readers sync.WaitGroup
	for range 4 {
		readers.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				c := r.Current()
				for _, e := range c.Entries() {
					if _, verdict := c.Resolve(e.Public); !verdict.Allowed {
						t.Errorf("%s is an entry and denied", e.Public)
					}
				}
				c.ModelTools(Options{})
				if got := c.Search(json.RawMessage(`{"queries":["ticket","file"]}`), Options{}); !strings.Contains(got, "results") {
					t.Errorf("search %s", got)
				}
			}
		})
	}
	for i := range 40 {
		sources := demoSources()
		if i%2 == 1 {
			sources[0].Rules = only()
		}
		r.Swap(Build(demoNames(), sources))
	}
	close(stop)
	readers.Wait()
}

func TestEntriesBelongToTheCaller(t *testing.T) {
	c := Build(demoNames(), demoSources())
	entries := c.Entries()
	entries[0].Public = "changed"
	if c.Entries()[0].Public == "changed" {
		t.Error("the catalogue changed through its entries")
	}
}

func ExampleCatalog_Resolve() {
	c := Build(demoNames(), demoSources())
	entry, verdict := c.Resolve("mcp__files__write_file")
	fmt.Println(entry.Server, entry.Tool, verdict.Allowed)
	fmt.Println(verdict.Reason.Text)
	// Output:
	// files write_file false
	// exclude lists write_file
}
