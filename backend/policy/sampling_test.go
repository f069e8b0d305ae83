package policy_test

import (
	"testing"

	"hermes/backend/policy"
)

// TestSamplingWritten holds what the runtime asks before a completion: only what
// is written on, and only where it is allowed.
func TestSamplingWritten(t *testing.T) {
	for entry, want := range map[string]bool{
		"{command: x}":                 false,
		"{command: x, sampling: true}": true,
		"{command: x, sampling: {enabled: yes, max_rpm: 3}}":                          true,
		"{command: x, sampling: {max_rpm: 3}}":                                        false,
		"{command: x, sampling: false}":                                               false,
		"{command: x, sampling:}":                                                     false,
		"{command: x, sampling: perhaps}":                                             false,
		"{command: x, tools: {include: [a]}}":                                         false,
		"{command: x, tools: {include: [a]}, sampling: true}":                         true,
		"{command: x, tools: {exclude: [a]}}":                                         false,
		"{command: x, tools: 42, sampling: true}":                                     false,
		"{command: x, tools: {include: [], resources: true}, sampling: {enabled: 1}}": true,
	} {
		rules := policy.ReadServer(entryOf(t, entry))
		if got := rules.SamplingWritten(); got != want {
			t.Errorf("%s: %v, want %v", entry, got, want)
		}
	}
	was := policy.ReadServer(entryOf(t, "{command: x, tools: {exclude: [a]}, sampling: true}"))
	now := policy.Held(was.Restriction(), policy.ReadServer(entryOf(t, "{command: x}")), false)
	if !now.IsHeld() || !now.Sampling().Allowed || now.SamplingWritten() {
		t.Error("a hold writes on what the file does not")
	}
	if (policy.Rules{}).SamplingWritten() {
		t.Error("rules nobody read allow it")
	}
}
