package provider

import (
	"bytes"
	"net/http"
	"strings"
	"sync"

	"hermes/backend/message"
)

// The levels of reasoning a model can be asked for, as Hermes Agent names them.
// What a vendor has no level for becomes its nearest one.
const (
	EffortNone    = "none"
	EffortMinimal = "minimal"
	EffortLow     = "low"
	EffortMedium  = "medium"
	EffortHigh    = "high"
	EffortXHigh   = "xhigh"
	EffortMax     = "max"
)

// What a Memory keeps of a model's reasoning, beside the optional fields.
const (
	refusedEffort      = "effort"
	refusedInterleaved = "interleaved"
	// toolsWithoutReasoning is a model that takes no tools at this address while
	// it reasons, which it does unless it is told not to.
	toolsWithoutReasoning = "effort none"
)

// effort is the level of reasoning a provider asks its model for, and what became
// of that. It is safe for concurrent use.
type effort struct {
	level string // "" asks for nothing

	mu     sync.Mutex
	told   bool
	paused bool // for as long as the provider lives
}

// asks is the level of a pass. A bounded answer (a summary) has no room for
// reasoning, so only its absence is asked for.
func (e *effort) asks(req Request, refused map[string]bool) string {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.paused || refused[refusedEffort] || req.MaxTokens > 0 && e.level != EffortNone {
		return ""
	}
	return e.level
}

// tell gives what people are told of the level, once.
func (e *effort) tell(code message.Code, params ...string) []string {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.told {
		return nil
	}
	e.told = true
	return []string{code.Text(params...)}
}

// unsent tells of a level that is not sent because the model refused it before.
func (e *effort) unsent(model string, refused map[string]bool) []string {
	if e.level == "" || !refused[refusedEffort] {
		return nil
	}
	return e.tell(message.EffortRefused, model, e.level)
}

// pause leaves reasoning out for as long as the provider lives, and reports
// whether it was asked for until now.
func (e *effort) pause() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	before := e.paused
	e.paused = true
	return !before
}

// isRefusal reports an answer that refuses a request as it is.
func isRefusal(failed *Error) bool {
	return failed.Status == http.StatusBadRequest || failed.Status == http.StatusUnprocessableEntity
}

// refusesEffort reports a refusal that names the level of reasoning. One that
// speaks of a signature is about earlier reasoning.
func refusesEffort(failed *Error) bool {
	if !isRefusal(failed) {
		return false
	}
	said := bytes.ToLower(failed.body)
	if bytes.Contains(said, []byte("signature")) {
		return false
	}
	for _, word := range []string{
		"reasoning_effort", "reasoning.effort", "reasoning effort", "reasoningconfig", "output_config", "budget_tokens",
		"thinking.type", "thinking: extra", "adaptive thinking", "support thinking", "thinking is not supported", "support effort", "effort level",
	} {
		if bytes.Contains(said, []byte(word)) {
			return true
		}
	}
	return namesField(failed.body, "reasoning") || namesField(failed.body, "effort")
}

// wantsThinkingFirst reports a refusal because the calls that are still open were
// made without the reasoning that is wanted at this moment.
func wantsThinkingFirst(failed *Error) bool {
	return isRefusal(failed) && bytes.Contains(failed.body, []byte("must start with a thinking block"))
}

// wantsNoReasoning reports the refusal of tools for a model that reasons.
func wantsNoReasoning(failed *Error) bool {
	said := bytes.ToLower(failed.body)
	return isRefusal(failed) && bytes.Contains(said, []byte("function tools with reasoning_effort")) && bytes.Contains(said, []byte("'none'"))
}

// chatEffort is the member that asks for a level in the chat-completions format.
// Routers translate a form of their own for every vendor behind them.
func chatEffort(vendor, level string) []byte {
	switch {
	case level == "":
		return nil
	case routesReasoning(vendor):
		return append(appendString([]byte(`,"reasoning":{"effort":`), level), '}')
	}
	return appendString([]byte(`,"reasoning_effort":`), level)
}

func routesReasoning(vendor string) bool { return vendor == vendorOpenRouter || vendor == vendorNous }

// converseEffort is the member that asks for a level in the Converse format. Its
// form is the model's own; false is a model it is not known of.
func converseEffort(model, level string) ([]byte, bool) {
	coarse := level
	switch level {
	case "":
		return nil, true
	case EffortMinimal:
		coarse = EffortLow
	case EffortXHigh, EffortMax:
		coarse = EffortHigh
	}
	const open = `,"additionalModelRequestFields":`
	switch model = strings.ToLower(model); {
	case strings.Contains(model, "amazon.nova-2") && level == EffortNone:
		return []byte(open + `{"reasoningConfig":{"type":"disabled"}}`), true
	case strings.Contains(model, "amazon.nova-2"):
		return []byte(open + `{"reasoningConfig":{"type":"enabled","maxReasoningEffort":"` + coarse + `"}}`), true
	case strings.Contains(model, "openai.gpt-oss") && level != EffortNone:
		return []byte(open + `{"reasoning_effort":"` + coarse + `"}`), true
	}
	return nil, false
}
