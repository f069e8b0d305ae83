package guard

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"io"
	"strings"

	"hermes/backend/message"
)

// asked is a call of this round that has no result yet.
type asked struct {
	name string
	key  key
}

// Round begins a new round: the results of one answer of the model share one
// budget, and count once where they are the same. It ends with Ended. Without
// rounds each call counts as one.
func (t *Turn) Round() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.round, t.rounds, t.asked = 0, true, map[string]asked{}
}

// Asked is told what the model asks for in this round.
func (t *Turn) Asked(calls []message.ToolCall) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, call := range calls {
		name, arguments := call.Peel()
		name = cmp.Or(call.Target.Name, name)
		if t.asked != nil {
			t.asked[call.ID] = asked{name: name, key: callKey(message.CallEvent{Name: name, Arguments: arguments})}
		}
	}
}

// Answered is told that a call has its result. One that After was not asked about
// was not carried out: it was blocked, denied, or nothing that could be sent.
func (t *Turn) Answered(id string, status message.Status) {
	t.mu.Lock()
	defer t.mu.Unlock()
	call, open := t.asked[id]
	delete(t.asked, id)
	if open && t.loops != nil && refusal(status) {
		t.loops.refuse(call.name, call.key)
	}
}

// Ended is told that every call of a round has its result, and says why the turn
// has to end with it, or "".
func (t *Turn) Ended() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.loops == nil {
		return "nothing watches this turn"
	}
	return t.loops.end()
}

// callKey tells calls apart by their tool and by what their arguments say: white
// space and the order of keys say nothing, the spelling of a number does.
func callKey(call message.CallEvent) key {
	return sha256.Sum256([]byte(call.Name + "\x00" + canonical(call.Arguments)))
}

func canonical(arguments string) string {
	if strings.TrimSpace(arguments) == "" {
		return "{}"
	}
	read := json.NewDecoder(strings.NewReader(arguments))
	read.UseNumber()
	var value any
	if err := read.Decode(&value); err != nil {
		return arguments
	}
	if _, err := read.Token(); err != io.EOF {
		return arguments
	}
	var out bytes.Buffer
	if err := json.NewEncoder(&out).Encode(value); err != nil {
		return arguments
	}
	return strings.TrimSpace(out.String())
}
