package host

import (
	"strings"
	"testing"

	"hermes/backend/agent"
	"hermes/backend/guard"
	"hermes/backend/message"
)

// TestRefusalsHaveOneStatus: what the rules deny is denied, whichever rule it is
// and whether its server is offered at all; what is nowhere is an error.
func TestRefusalsHaveOneStatus(t *testing.T) {
	h := demoHost(t, func(text string) string {
		text = strings.Replace(text, "    builtin: files\n", "    builtin: files\n    tools: {include: []}\n", 1)
		return strings.Replace(text, "    builtin: git\n", "    builtin: git\n    tools: {exclude: [log]}\n", 1)
	})
	tools := &tools{host: h}
	for name, want := range map[string]message.Status{
		"mcp__files__read_file": message.StatusDenied, "mcp__files__nothing_there": message.StatusDenied, "mcp__git__log": message.StatusDenied, "mcp__nobody__read": message.StatusError,
	} {
		_, denial := tools.find(name, "{}")
		if denial == nil || denial.Status != want || denial.Unknown != (want == message.StatusError) {
			t.Errorf("%s: %+v, want %s", name, denial, want)
		}
	}
}

// TestLookUpsThatFail: wrong arguments of a look-up are an error, and people read
// a sentence.
func TestLookUpsThatFail(t *testing.T) {
	h := demoHost(t, nil)
	tools := &tools{host: h}
	for arguments, want := range map[string]message.Status{`{"queries":[5]}`: message.StatusError, `{"queries":["read"]}`: message.StatusOK} {
		got := tools.Run(t.Context(), agent.Target{Public: message.NameToolSearch, Handle: handle{bridge: message.NameToolSearch}, Arguments: arguments}, nil)
		if got.Status != want || (got.Shown != "") != (want == message.StatusError) || strings.HasPrefix(got.Shown, "{") {
			t.Errorf("%s: %+v", arguments, got)
		}
	}
	g := &gate{host: h, watch: guard.NewTurn(guard.Options{Redactor: guard.NewRedactor(nil), Limits: guard.DefaultLimits()})}
	if got := g.Settle(t.Context(), agent.Call{}, refusal("locked just now")); got.Shown != "locked just now" || !strings.HasPrefix(got.Content, "{") {
		t.Errorf("%+v", got)
	}
}
