package guard

import (
	"crypto/sha256"
	"strconv"
	"strings"

	"hermes/backend/message"
)

// Part is one entry of a call that stands for several, and what came of it. Carried
// tells that it was sent.
type Part struct {
	Call    message.CallEvent
	Status  message.Status
	Content string
	Carried bool
}

// AfterParts is After for a call that stands for several: the result is one, and
// each entry counts as a call of its own, so that the order and the company of
// entries hide no repetition.
func (t *Turn) AfterParts(call message.CallEvent, content string, parts []Part) Outcome {
	return t.settle(call, content, func(measured) (string, string) { return t.count(call.ID, parts) })
}

// RefusedParts counts the entries of such a call that was not sent at all.
func (t *Turn) RefusedParts(id string, parts []Part) { t.count(id, parts) }

// count takes what became of the entries of a call, in the place of the call.
func (t *Turn) count(id string, parts []Part) (note, halt string) {
	if t.loops == nil {
		return "", ""
	}
	var notes []string
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.asked, id)
	for i, part := range parts {
		if !part.Carried {
			if refusal(part.Status) {
				t.loops.refuse(part.Call.Name, callKey(part.Call))
			}
			continue
		}
		told := t.loops.after(t.observed(part.Call, part.Status, sumOf(part.Content)))
		if told != "" && len(parts) > 1 {
			told = "Entry " + strconv.Itoa(i+1) + ": " + told
		}
		if told != "" {
			notes = append(notes, told)
		}
	}
	if !t.rounds {
		halt = t.loops.end()
	}
	return strings.Join(notes, "\n"), halt
}

// refusal is how a call ends that was not let through, or could not be sent.
func refusal(status message.Status) bool {
	return status == message.StatusBlocked || status == message.StatusDenied || status == message.StatusError
}

// observed is what is known of a call that was carried out.
func (t *Turn) observed(call message.CallEvent, status message.Status, content [sha256.Size]byte) observation {
	key := callKey(call)
	sum := sha256.New()
	sum.Write(key[:])
	sum.Write([]byte(status))
	sum.Write([]byte{0})
	sum.Write(content[:])
	out := observation{name: call.Name, key: key, status: status, reads: t.reads != nil && t.reads(call)}
	sum.Sum(out.seen[:0])
	return out
}
