package hook

import (
	"encoding/json"
	"time"

	"hermes/backend/message"
)

// schemaVersion marks what a hook is given (hermes-agent reference 3.1).
const schemaVersion = "hermes.observer.v1"

// maxResult bounds, in bytes, what an observer is given of a result.
const maxResult = 1 << 20

// payload is what a hook reads on standard input (hermes-agent reference 3.3).
type payload struct {
	Event   string          `json:"hook_event_name"`
	Tool    string          `json:"tool_name"`
	Input   json.RawMessage `json:"tool_input"`
	Session string          `json:"session_id"`
	Dir     string          `json:"cwd"`
	Profile string          `json:"profile"`
	Extra   map[string]any  `json:"extra"`
}

// newPayload tells of a call. A tool goes by the name that Hermes Agent gives
// it, because the hooks of a shared file were written for that one; the name the
// model sees is beside it.
func newPayload(event string, e Environment, call Call) payload {
	name := call.Plain
	if name == "" {
		name = call.Public
	}
	profile := e.Profile
	if profile == "" {
		profile = "default"
	}
	input := call.Arguments
	if len(input) == 0 {
		input = json.RawMessage("{}")
	}
	return payload{Event: event, Tool: name, Input: input, Session: call.Session, Dir: e.Dir, Profile: profile, Extra: map[string]any{
		"tool_call_id": call.ID, "turn_id": call.Turn, "public_name": call.Public, "server": call.Server, "tool": call.Tool,
		"telemetry_schema_version": schemaVersion,
	}}
}

// ended adds how the call ended.
func (p payload) ended(o Outcome) payload {
	status, kind := statusOf(o)
	p.Extra["status"], p.Extra["duration_ms"] = status, o.Duration.Round(time.Millisecond).Milliseconds()
	p.Extra["result"] = cut(o.Content, maxResult)
	if len(o.Content) > maxResult {
		p.Extra["result_cut"] = true
	}
	if status != "ok" {
		p.Extra["error_type"], p.Extra["error_message"] = kind, cut(o.Content, maxReason)
	}
	return p
}

// statusOf gives the words that observers know for an end (hermes-agent
// reference 3.1), with the kind of error where the caller named none.
func statusOf(o Outcome) (status, kind string) {
	switch o.Status {
	case message.StatusOK:
		return "ok", ""
	case message.StatusDenied:
		status, kind = "blocked", "tool_scope_block"
	case message.StatusBlocked:
		status, kind = "blocked", "plugin_block"
	case message.StatusInterrupted:
		status, kind = "cancelled", "user_interrupt"
	case message.StatusUnknown:
		// It was sent and no answer came: its time was over, or a person stopped it.
		status, kind = "timeout", "tool_timeout"
		switch o.ErrorType {
		case "user_interrupt", "keyboard_interrupt", "tool_interrupted":
			status = "cancelled"
		case KindServerLost:
			status = "error"
		}
	default:
		status, kind = "error", "tool_error"
	}
	if o.ErrorType != "" {
		kind = o.ErrorType
	}
	return status, kind
}
