package agent

import (
	"encoding/json"
	"regexp"
	"strings"

	"hermes/backend/message"
)

// brokenKey holds arguments that no vendor would take back as they were written;
// it is the key Anthropic's documentation names for them.
const brokenKey = "INVALID_JSON"

// noName is a call without a name.
const noName = "unnamed_tool"

const maxName = 64

// repair makes the calls of an answer fit to be sent back, in the neutral view
// and in the vendor's blocks alike: a name or arguments that a strict vendor
// refuses would end not only this pass but the whole session, because what was
// sent is never rewritten. Blank arguments are an empty object, an object written
// as JSON text is that object; what is no object at all stays readable for the
// model under brokenKey and is answered as broken. A name gets the characters
// every vendor takes, and is answered as the unknown one it is. Calls that are
// right keep every byte, and so does what is no call.
func repair(turn Turn) Turn {
	if len(turn.ToolCalls) == 0 {
		return turn
	}
	calls := make([]message.ToolCall, len(turn.ToolCalls))
	edits := make(map[string][]edit, len(calls))
	changed := false
	fits := regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`)
	for i, written := range turn.ToolCalls {
		call := written
		if !fits.MatchString(call.Name) {
			call.Name = fitName(call.Name)
		}
		call.Arguments = fitArguments(call.Arguments)
		calls[i] = call
		e := edit{calls: calls[i : i+1], named: call.Name != written.Name, rewritten: call.Arguments != written.Arguments}
		changed = changed || e.named || e.rewritten
		edits[written.ID] = append(edits[written.ID], e)
	}
	if !changed {
		return turn
	}
	turn.ToolCalls = calls
	turn.Blocks = editBlocks(turn.Blocks, edits)
	return turn
}

// fitName writes a name with the characters every vendor takes.
func fitName(name string) string {
	fit := strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '_', r == '-':
			return r
		}
		return '_'
	}, strings.TrimSpace(name))
	fit = fit[:min(len(fit), maxName)]
	if strings.Trim(fit, "_") == "" {
		return noName
	}
	return fit
}

// fitArguments gives arguments that are one JSON object.
func fitArguments(written string) string {
	text := strings.TrimSpace(written)
	switch {
	case text == "" || text == "null":
		return "{}"
	case isObject(text):
		return written
	}
	var inner string
	if json.Unmarshal([]byte(text), &inner) == nil && isObject(strings.TrimSpace(inner)) {
		return inner
	}
	return `{` + string(quote(brokenKey)) + `: ` + string(quote(strings.ToValidUTF8(written, "\uFFFD"))) + `}`
}

func isObject(text string) bool { return strings.HasPrefix(text, "{") && json.Valid([]byte(text)) }

// broken tells arguments that were no JSON object when the model wrote them.
func broken(arguments string) (written string, ok bool) {
	var fields map[string]json.RawMessage
	if json.Unmarshal([]byte(arguments), &fields) != nil || len(fields) != 1 {
		return "", false
	}
	raw, ok := fields[brokenKey]
	if !ok || json.Unmarshal(raw, &written) != nil {
		return "", false
	}
	return written, true
}
