package config

import "testing"

func TestLoopSettings(t *testing.T) {
	standard := Loops{Warnings: true, StallGuards: true, HardStopAlone: true, WarnAfter: LoopCounts{2, 3, 2}, HardStopAfter: LoopCounts{5, 8, 5}, ResultChars: 50_000, RedactSecrets: true}
	with := func(change func(*Loops)) Loops {
		l := standard
		change(&l)
		return l
	}
	for name, c := range map[string]struct {
		yaml     string
		want     Loops
		problems int
	}{
		"none": {"", standard, 0},
		"null": {"tool_loop_guardrails:\nagent: {max_turns: null}\ntool_budget:\nsecurity:\n", standard, 0},
		"all": {"tool_loop_guardrails: {warnings_enabled: no, hard_stop_enabled: 'yes', non_interactive_hard_stop_enabled: off, warn_after: {exact_failure: 1, same_tool_failure: '4', idempotent_no_progress: 7}, hard_stop_after: {exact_failure: 9, same_tool_failure: 2, idempotent_no_progress: 3}}\n" +
			"agent: {max_turns: 500, stall_guards: false}\ntool_budget: {mcp_result_size_chars: 20000}\nsecurity: {redact_secrets: false}\n",
			Loops{HardStop: true, WarnAfter: LoopCounts{1, 4, 7}, HardStopAfter: LoopCounts{9, 2, 3}, MaxTurns: 500, ResultChars: 20_000}, 0},
		"large":        {"agent: {max_turns: 1e9}\ntool_budget: {mcp_result_size_chars: 9000000}\ntool_loop_guardrails: {warn_after: {exact_failure: 5000}}\n", with(func(l *Loops) { l.MaxTurns, l.ResultChars, l.WarnAfter.ExactFailure = 10_000, 2_000_000, 1_000 }), 0},
		"mistyped":     {"agent: {max_turns: many, stall_guards: perhaps}\nsecurity: {redact_secrets: [no]}\ntool_budget: {mcp_result_size_chars: 2.5}\ntool_loop_guardrails: {hard_stop_enabled: 7, warn_after: {exact_failure: 0}, hard_stop_after: {same_tool_failure: -1}}\n", standard, 7},
		"no mapping":   {"tool_loop_guardrails: false\n", standard, 1},
		"inner scalar": {"tool_loop_guardrails: {warn_after: 3}\nagent: 5\n", standard, 1},
	} {
		s := load(t, c.yaml)
		problems := 0
		for _, p := range s.Problems {
			if p.Code == "settings.value" {
				problems++
			}
		}
		if s.Settings.Loops != c.want || problems != c.problems {
			t.Errorf("%s: %+v, want %+v; %d problems %+v", name, s.Settings.Loops, c.want, problems, s.Problems)
		}
	}
}
