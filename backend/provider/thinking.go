package provider

import (
	"strconv"
	"strings"

	"hermes/backend/message"
)

// thinking is how a level of reasoning is written in the Anthropic messages
// format. The zero value writes nothing.
type thinking struct {
	members string // with the comma before them
	output  int    // max_tokens, 0 to leave it
	// interleaved asks for reasoning between calls, where the model needs a
	// header for that.
	interleaved bool
	notice      message.Code // "" for none
}

const (
	interleavedBeta = "interleaved-thinking-2025-05-14"
	// leastBudget is the smallest budget the format takes. answerRoom is left for
	// the answer: the budget counts against max_tokens.
	leastBudget = 1024
	answerRoom  = 4096
)

// thinkingFor writes a level for a model (platform.claude.com, Thinking and
// Effort, as of 2026-11). Claude 4.6 and later decide themselves how long they
// think and take a level; older ones take a budget, and so do the models of other
// vendors that speak this format.
func thinkingFor(model, level string, output int) thinking {
	name := family(model)
	claude := strings.HasPrefix(name, "claude")
	switch {
	case level == "":
		return thinking{}
	case claude && isOldClaude(name):
		return thinking{notice: message.EffortUnknown}
	case claude && !hasBudget(name), strings.Contains(name, "kimi"):
		return adaptive(name, level)
	case level == EffortNone: // off is what they are
		return thinking{}
	}
	return budgeted(model, level, output, claude && !strings.HasPrefix(name, "claude-3") && !strings.HasPrefix(name, "claude-haiku"))
}

// isOldClaude names the models that do not think.
func isOldClaude(name string) bool {
	for _, old := range []string{"claude-3-5", "claude-3-opus", "claude-3-sonnet", "claude-3-haiku", "claude-2", "claude-instant"} {
		if strings.HasPrefix(name, old) {
			return true
		}
	}
	return false
}

// hasBudget names the models of Claude that think by a budget.
func hasBudget(name string) bool {
	switch name {
	case "claude-opus-4", "claude-sonnet-4":
		return true
	}
	for _, old := range []string{"claude-3-7", "claude-opus-4-0", "claude-opus-4-1", "claude-opus-4-5", "claude-sonnet-4-0", "claude-sonnet-4-5", "claude-haiku-4-5"} {
		if strings.HasPrefix(name, old) {
			return true
		}
	}
	return false
}

func adaptive(name, level string) thinking {
	switch level {
	case EffortNone:
		switch {
		case strings.HasPrefix(name, "claude-opus-5-5"), strings.HasPrefix(name, "claude-fable"), strings.HasPrefix(name, "claude-mythos"):
			return thinking{notice: message.EffortFixed}
		case strings.HasPrefix(name, "claude-sonnet-5-5"):
			return thinking{members: `,"thinking":{"type":"between_tools"}`}
		case !strings.HasPrefix(name, "claude"):
			return thinking{}
		}
		return thinking{members: `,"thinking":{"type":"disabled"}`}
	case EffortMinimal:
		level = EffortLow
	case EffortXHigh:
		// These two know the highest level and not the one below it.
		if name == "claude-opus-4-6" || name == "claude-sonnet-4-6" {
			level = EffortMax
		}
	}
	return thinking{members: `,"thinking":{"type":"adaptive"},"output_config":{"effort":"` + level + `"}`}
}

func budgeted(model, level string, output int, interleaved bool) thinking {
	budget := leastBudget
	switch level {
	case EffortLow:
		budget = 4000
	case EffortMedium:
		budget = 8000
	case EffortHigh:
		budget = 16_000
	case EffortXHigh, EffortMax:
		budget = 32_000
	}
	output = max(output, budget+answerRoom)
	if facts, known := Facts(model); known && facts.MaxOutput > 0 {
		output = min(output, facts.MaxOutput)
	}
	if budget = min(budget, output-answerRoom); budget < leastBudget {
		return thinking{notice: message.EffortUnknown}
	}
	return thinking{
		members: `,"thinking":{"type":"enabled","budget_tokens":` + strconv.Itoa(budget) + `}`,
		output:  output, interleaved: interleaved,
	}
}
