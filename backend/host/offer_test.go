package host

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"hermes/backend/config"
	"hermes/backend/message"
	"hermes/backend/policy"
	"hermes/backend/registry"
)

// catalogOf offers tools "server/tool[=description]" of servers without a filter.
func catalogOf(tools ...string) *registry.Catalog {
	byServer, order := map[string][]registry.Tool{}, []string{}
	for _, name := range tools {
		name, description, _ := strings.Cut(name, "=")
		server, tool, _ := strings.Cut(name, "/")
		if byServer[server] == nil {
			order = append(order, server)
		}
		byServer[server] = append(byServer[server], registry.Tool{Name: tool, Description: description, InputSchema: json.RawMessage(`{"type":"object","properties":{"path":{"type":"string"}}}`)})
	}
	var sources []registry.Source
	for _, server := range order {
		entry := &policy.Node{Kind: policy.KindMapping, Tag: "!!map"}
		sources = append(sources, registry.Source{Server: server, Rules: policy.ReadServer(entry), Tools: byServer[server], Known: true})
	}
	return registry.Build(order, sources)
}

func names(defs []message.ToolDef) string {
	var out []string
	for _, def := range defs {
		out = append(out, strings.TrimPrefix(def.Name, "mcp__"))
	}
	return strings.Join(out, " ")
}

func bytesOf(t *testing.T, defs []message.ToolDef) string {
	t.Helper()
	data, err := json.Marshal(defs)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// TestOfferBehindTheBridge plays a session's passes: additions keep the list byte
// for byte and are told once, a tool that is gone makes it anew and costs.
func TestOfferBehindTheBridge(t *testing.T) {
	options := registry.DefaultOptions()
	down := map[string]bool{}
	away := func(e registry.Entry) bool { return down[e.Server] }
	o := (&offers{}).of("s")
	if note, _ := o.news(catalogOf("a/x"), options, away); note != "" {
		t.Errorf("news before the first pass: %q", note)
	}
	first, cost := o.pass(catalogOf("a/x", "b/z"), options, away)
	if cost.Text != "" || !strings.Contains(first[0].Description, "mcp__a__x") {
		t.Fatalf("%q %s", cost.Text, bytesOf(t, first))
	}
	// The same tools in another catalogue are no news.
	if again, cost := o.pass(catalogOf("a/x", "b/z"), options, away); cost.Text != "" || bytesOf(t, again) != bytesOf(t, first) {
		t.Errorf("a reload without a change: %q", cost.Text)
	}
	more := catalogOf("a/x", "a/y", "b/z")
	if again, cost := o.pass(more, options, away); cost.Text != "" || bytesOf(t, again) != bytesOf(t, first) {
		t.Errorf("an addition rewrote the list: %q", cost.Text)
	}
	note, said := o.news(more, options, away)
	if !strings.Contains(note, "mcp__a__y(path") || strings.Contains(note, "mcp__a__x") || !strings.Contains(said.Text, "1 added") || !strings.Contains(said.Text, "cache stays") {
		t.Errorf("%q %q", note, said.Text)
	}
	if note, said := o.news(more, options, away); note != "" || said.Text != "" {
		t.Errorf("told twice: %q", note)
	}
	changed := catalogOf("a/x=new words", "a/y", "b/z")
	if note, said := o.news(changed, options, away); !strings.Contains(note, "new words") || !strings.Contains(said.Text, "1 changed") {
		t.Errorf("%q %q", note, said.Text)
	}
	// A server that is only not there for the moment costs nothing.
	down["b"] = true
	if again, cost := o.pass(catalogOf("a/x=new words", "a/y"), options, away); cost.Text != "" || bytesOf(t, again) != bytesOf(t, first) {
		t.Errorf("a lost connection rewrote the list: %q", cost.Text)
	}
	down["b"] = false
	last := catalogOf("a/y", "b/z", "c/new")
	if note, _ := o.news(last, options, away); note != "" {
		t.Errorf("told what the next pass lists: %q", note)
	}
	again, cost := o.pass(last, options, away)
	if cost.Text != "the tool list changed (1 added, 0 changed, 1 gone); the model's prompt cache for this session starts anew" ||
		strings.Contains(again[0].Description, "mcp__a__x") || !strings.Contains(again[0].Description, "mcp__c__new") {
		t.Errorf("%q %s", cost.Text, bytesOf(t, again))
	}
	if _, cost := o.pass(last, options, away); cost.Text != "" {
		t.Errorf("the cost is said twice: %q", cost.Text)
	}
	options.Listing = registry.ModeOff
	if _, cost := o.pass(last, options, away); !strings.Contains(cost.Text, "its settings") {
		t.Errorf("%q", cost.Text)
	}
}

// TestOfferOfServersThatWereStarting: what was only starting at the first pass is
// in the list of the second one, and nobody is told of a change; later it is one.
func TestOfferOfServersThatWereStarting(t *testing.T) {
	never := func(registry.Entry) bool { return false }
	starting := func(tools ...string) *registry.Catalog {
		rules := policy.ReadServer(&policy.Node{Kind: policy.KindMapping, Tag: "!!map"})
		sources := []registry.Source{{Server: "slow", Rules: rules, Pending: true}, {Server: "slower", Rules: rules, Pending: true}}
		order := []string{"slow", "slower"}
		for _, name := range tools {
			server, tool, _ := strings.Cut(name, "/")
			order = append(order, server)
			sources = append(sources, registry.Source{Server: server, Rules: rules, Tools: []registry.Tool{{Name: tool, InputSchema: json.RawMessage(`{"type":"object","properties":{"path":{"type":"string"}}}`)}}, Known: true})
		}
		return registry.Build(order, sources)
	}
	for name, mode := range map[string]string{"bridge": registry.DefaultOptions().Mode, "off": registry.ModeOff} {
		for _, before := range [][]string{nil, {"a/x"}} {
			options := registry.DefaultOptions()
			options.Mode = mode
			o := (&offers{}).of("s")
			o.pass(starting(before...), options, never)
			one := catalogOf(append(before, "slow/z")...)
			if note, said := o.news(one, options, never); note != "" || said.Text != "" {
				t.Errorf("%s: told %q %q", name, note, said.Text)
			}
			defs, cost := o.pass(one, options, never)
			if cost.Text != "" || !strings.Contains(bytesOf(t, defs), "mcp__slow__z") {
				t.Errorf("%s %v: %q %s", name, before, cost.Text, bytesOf(t, defs))
			}
			two := catalogOf(append(before, "slow/z", "slower/y")...)
			_, cost = o.pass(two, options, never)
			_, said := o.news(two, options, never)
			if !strings.Contains(cost.Text+said.Text, "1 added") {
				t.Errorf("%s: an addition after the second pass is not told: %q %q", name, cost.Text, said.Text)
			}
			// Another addition beside a late one is told.
			o = (&offers{}).of("s2")
			o.pass(starting("a/x"), options, never)
			mixed := catalogOf("a/x", "a/new", "slow/z")
			_, cost = o.pass(mixed, options, never)
			_, said = o.news(mixed, options, never)
			if !strings.Contains(cost.Text+said.Text, "2 added") {
				t.Errorf("%s: mixed: %q %q", name, cost.Text, said.Text)
			}
		}
	}
}

// TestOfferWithoutTheBridge keeps the place of every tool that was offered.
func TestOfferWithoutTheBridge(t *testing.T) {
	options := registry.Options{Mode: registry.ModeOff}
	never := func(registry.Entry) bool { return false }
	o := &offer{}
	for i, step := range []struct{ tools, want, cost string }{
		{"b/b b/d", "b__b b__d", ""},
		{"a/a b/b b/c b/d", "b__b b__d a__a b__c", "2 added"},
		{"a/a b/b b/c b/d", "b__b b__d a__a b__c", ""},
		{"a/a b/c b/d", "b__d a__a b__c", "1 gone"},
		{"a/a b/b b/c b/d", "b__d a__a b__c b__b", "1 added"},
		{"a/a=other b/b b/c b/d", "b__d a__a b__c b__b", "1 changed"},
	} {
		defs, cost := o.pass(catalogOf(strings.Fields(step.tools)...), options, never)
		if names(defs) != step.want || (cost.Text == "") != (step.cost == "") || !strings.Contains(cost.Text, step.cost) {
			t.Errorf("step %d: %s, %q", i, names(defs), cost.Text)
		}
		if note, _ := o.news(catalogOf("z/z"), options, never); note != "" {
			t.Errorf("step %d: told %q", i, note)
		}
	}
}

func TestOffersAreBounded(t *testing.T) {
	var o offers
	first := o.of("0")
	if o.of("0") != first {
		t.Error("a session lost its offer")
	}
	for i := range maxOffers {
		o.of(fmt.Sprint(i + 1))
	}
	if len(o.all) != maxOffers || o.of("0") == first {
		t.Errorf("%d offers are kept", len(o.all))
	}
}

// TestLockedToolLeavesTheNextPass locks a tool through the file between two turns
// of a session: it leaves the list, and the cost is said once.
func TestLockedToolLeavesTheNextPass(t *testing.T) {
	h := demoHost(t, nil)
	ask := func(session string) (string, []string) {
		t.Helper()
		var said []string
		done, err := h.Ask(t.Context(), Turn{Session: session, Text: "help"}, func(_ string, e message.Event) {
			if e.Type == message.EventNotice {
				said = append(said, e.Text)
			}
		})
		if err != nil {
			t.Fatal(err)
		}
		return done.Session, said
	}
	session, said := ask("")
	if len(said) != 0 {
		t.Fatalf("said at the first pass: %q", said)
	}
	if _, err := h.Apply(t.Context(), config.Edit{Server: "files", Intent: policy.Intent{Action: policy.ActionOff, Tool: "read_file"}}); err != nil {
		t.Fatal(err)
	}
	if _, said := ask(session); len(said) != 1 || !strings.Contains(said[0], "1 gone); the model's prompt cache for this session starts anew") {
		t.Errorf("%q", said)
	}
	if _, said := ask(session); len(said) != 0 {
		t.Errorf("said again: %q", said)
	}
}
