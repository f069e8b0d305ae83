package registry

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"hermes/backend/message"
)

// gateway is a Hosted that answers what it was given, and remembers what it was
// asked.
type gateway struct {
	found  [][]HostedTool
	err    error
	asked  []string
	limits int
}

func (g *gateway) Search(_ context.Context, queries []string, limit int) ([][]HostedTool, error) {
	g.asked, g.limits = append(g.asked, queries...), limit
	return g.found, g.err
}

func (g *gateway) Describe(_ context.Context, names []string) ([]HostedTool, error) {
	g.asked = append(g.asked, names...)
	if len(g.found) == 0 {
		return nil, g.err
	}
	return g.found[0], g.err
}

func TestHostedNames(t *testing.T) {
	for name, want := range map[string]string{
		"connectors__mail__send": "mail send", "connectors__mail__send__now": "mail send__now", "connectors__a.b__c-d": "a.b c-d",
		"connectors__mail": "", "connectors____send": "", "connectors__mail__": "", "mcp__mail__send": "", "connectors__mä__x": "", "connectors__a__b c": "",
		"connectors__mail__" + strings.Repeat("x", maxHostedName): "", ConnectorBatch: "",
	} {
		connector, tool, ok := HostedName(name)
		if got := strings.TrimSpace(connector + " " + tool); got != want || ok != (want != "") {
			t.Errorf("%s: %q %t", name, got, ok)
		}
	}
}

func TestHostedSearch(t *testing.T) {
	c := Build(demoNames(), demoSources())
	mail := HostedTool{Name: "connectors__mail__read", Description: "Reads\u202e mail.", Required: []string{"id"}}
	bad := []HostedTool{{Name: "mcp__files__read_file"}, {Name: "connectors__x"}, {Name: "connectors__a__b", Parameters: json.RawMessage(`[]`)}}
	for name, tc := range map[string]struct {
		args  string
		found [][]HostedTool
		err   error
		asked string
		want  []string
		never string
	}{
		"local first":     {`{"queries":["read_file"],"limit":3}`, [][]HostedTool{{mail}}, nil, "read_file", []string{`"mcp__git__read_resource","connectors__mail__read"]`, `"source":"connectors","source_name":"mail","description":"Reads mail.","required":["id"]`}, "\u202e"},
		"no room":         {`{"queries":["read_file"],"limit":1}`, [][]HostedTool{{mail}}, nil, "", []string{`"matches":["mcp__files__read_file"]`}, "connectors"},
		"one has room":    {`{"queries":["read_file","mail"],"limit":1}`, [][]HostedTool{{mail, mail}}, nil, "mail", []string{`{"query":"mail","matches":["connectors__mail__read"]}`}, `"hint"`},
		"more than room":  {`{"queries":["mail"],"limit":1}`, [][]HostedTool{{mail, {Name: "connectors__mail__second"}}}, nil, "mail", []string{`"matches":["connectors__mail__read"]`}, "second"},
		"nothing fit":     {`{"queries":["mail"]}`, [][]HostedTool{bad}, nil, "mail", []string{`"matches":[]`, `"hint":`}, "connectors__"},
		"failed":          {`{"queries":["mail","read_file"]}`, nil, errors.New("it is down"), "mail read_file", []string{`"connectors":{"error":`, "it is down", "mcp__files__read_file", `"hint":`}, ""},
		"too few answers": {`{"queries":["mail","post"]}`, [][]HostedTool{{mail}}, nil, "mail post", []string{`"connectors":{"error":`}, "connectors__"},
	} {
		t.Run(name, func(t *testing.T) {
			g := &gateway{found: tc.found, err: tc.err}
			got := c.SearchAll(t.Context(), json.RawMessage(tc.args), Options{}, g)
			for _, want := range tc.want {
				if !strings.Contains(got, want) {
					t.Errorf("no %s in %s", want, got)
				}
			}
			if tc.never != "" && strings.Contains(got, tc.never) {
				t.Errorf("%s in %s", tc.never, got)
			}
			if asked := strings.Join(g.asked, " "); asked != tc.asked {
				t.Errorf("asked %q, want %q", asked, tc.asked)
			}
		})
	}
}

func TestHostedDescribe(t *testing.T) {
	c := Build(demoNames(), demoSources())
	args := json.RawMessage(`{"names":["connectors__mail__read","mcp__files__read_file","connectors__mail__gone","connectors__mail__read"]}`)
	g := &gateway{found: [][]HostedTool{{{Name: "connectors__mail__read", Description: "Reads.", Parameters: json.RawMessage(`{"properties":{"$id":{}}}`)}, {Name: "connectors__unasked__x"}}}}
	got := c.DescribeAll(t.Context(), args, g)
	for _, want := range []string{`"connectors__mail__read":{"description":"Reads.","parameters":{"properties":{"$id":{}}}}`, "mcp__files__read_file", `"not_found":["connectors__mail__gone"]`} {
		if !strings.Contains(got, want) {
			t.Errorf("no %s in %s", want, got)
		}
	}
	if strings.Contains(got, "unasked") || !slices.Equal(g.asked, []string{"connectors__mail__read", "connectors__mail__gone"}) {
		t.Errorf("asked %q: %s", g.asked, got)
	}
	if got = c.DescribeAll(t.Context(), args, &gateway{err: errors.New("it is down")}); !strings.Contains(got, "it is down") || !strings.Contains(got, "mcp__files__read_file") || strings.Contains(got, "not_found") {
		t.Error(got)
	}
	if got = c.Describe(args); !strings.Contains(got, `"not_found":["connectors__mail__read","connectors__mail__gone"]`) {
		t.Error(got)
	}
}

// TestHostedToolsNeedTheBridge: they stand in no list, so the bridge is offered
// wherever there are some.
func TestHostedToolsNeedTheBridge(t *testing.T) {
	for _, mode := range []string{ModeAuto, ModeOff} {
		for name, c := range map[string]*Catalog{"tools": Build(demoNames(), demoSources()), "nothing": {}} {
			o := DefaultOptions()
			o.Mode, o.Hosted = mode, true
			search := definition(t, c.ModelTools(o), message.NameToolSearch)
			if definition(t, c.ModelTools(o), message.NameToolCall); !strings.Contains(search.Description, message.ConnectorPrefix) {
				t.Errorf("%s, %s: %s", mode, name, search.Description)
			}
			o.Hosted = false
			for _, d := range c.ModelTools(o) {
				if strings.Contains(d.Description, message.ConnectorPrefix) || mode == ModeOff && isBridge(d.Name) {
					t.Errorf("%s, %s: %s", mode, name, d.Description)
				}
			}
		}
	}
}
