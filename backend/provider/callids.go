package provider

import (
	"crypto/sha256"
	"strconv"

	"hermes/backend/message"
)

// idRule says which ids of calls a server takes. Only the request carries others:
// the history keeps the ids it has.
type idRule int

const (
	anyID   idRule = iota
	nineID         // Mistral: exactly nine letters and digits
	shortID        // OpenAI: at most forty characters
)

const (
	nineLength = 9
	maxShortID = 40
)

// What a Memory keeps of the ids a server takes.
const (
	refusedLongIDs = "ids above 40"
	wantsNineIDs   = "ids of 9"
)

func (r idRule) fits(id string) bool {
	switch r {
	case nineID:
		for _, c := range []byte(id) {
			if c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' {
				continue
			}
			return false
		}
		return len(id) == nineLength
	case shortID:
		return len(id) <= maxShortID
	}
	return true
}

// instead is an id that fits, always the same for the same one; nth tells apart
// those that would meet.
func (r idRule) instead(id string, nth int) string {
	if r != nineID {
		return message.DeterministicCallID(id, "", nth)
	}
	const signs = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
	sum := sha256.Sum256([]byte(id + ":" + strconv.Itoa(nth)))
	var out [nineLength]byte
	for i := range out {
		out[i] = signs[(int(sum[2*i])<<8+int(sum[2*i+1]))%len(signs)]
	}
	return string(out[:])
}

// callIDs are the ids that a request carries. They depend on the conversation
// alone, so that the next request begins with the same bytes, also after a restart.
type callIDs struct {
	rule idRule
	sent map[string]string
}

func newCallIDs(rule idRule, rows []message.Message) callIDs {
	ids := callIDs{rule: rule}
	if rule == anyID {
		return ids
	}
	ids.sent = map[string]string{}
	used := map[string]bool{}
	each := func(do func(id string)) {
		for _, row := range rows {
			for _, call := range row.ToolCalls {
				do(call.ID)
			}
			if row.Role == message.RoleTool {
				do(row.ToolCallID)
			}
		}
	}
	each(func(id string) {
		if rule.fits(id) {
			ids.sent[id], used[id] = id, true
		}
	})
	each(func(id string) {
		if _, known := ids.sent[id]; known {
			return
		}
		other := rule.instead(id, 0)
		for nth := 1; used[other]; nth++ {
			other = rule.instead(id, nth)
		}
		ids.sent[id], used[other] = other, true
	})
	return ids
}

// of is the id that stands for another in the request.
func (c callIDs) of(id string) string {
	if other, known := c.sent[id]; known {
		return other
	}
	return id
}
