package host

import (
	"context"
	"encoding/json"
	"time"

	"hermes/backend/config"
)

// A word is what a process of a home tells the others of a person's action. It
// goes over a socket, so that the one who hears it can ask the system who spoke:
// a server's processes are no persons (mcp.Descends).
type word struct {
	Word   string         `json:"word"`
	From   config.Version `json:"from,omitzero"`
	To     config.Version `json:"to,omitzero"`
	Server string         `json:"server,omitempty"`
	// At is when a person acted, in nanoseconds; Message tells that it was a
	// message in a chat.
	At      int64 `json:"at,omitempty"`
	Message bool  `json:"message,omitempty"`
	// Grants are what a person said yes to on a card, by their ids.
	Grants []int64 `json:"grants,omitempty"`
}

const (
	// wordActed: a person acted and no agent is at work; wordTake: what waits is
	// taken; wordStep: an edit of our own is about to be written;
	// wordTrust: a hook was trusted; wordGrant: a card was answered for more than
	// one call. wordLook asks to look at the file and opens
	// nothing, so anybody may say it.
	wordActed = "acted"
	wordTake  = "take"
	wordStep  = "step"
	wordTrust = "trust"
	wordGrant = "grant"
	wordLook  = "look"
)

const (
	// wordWait bounds one exchange, wordBytes one word.
	wordWait  = 2 * time.Second
	wordBytes = 4 << 10
)

// heard does what a person's word says and tells whether it was one.
func (h *Host) heard(data []byte, person bool) bool {
	var said word
	if json.Unmarshal(data, &said) != nil {
		return false
	}
	if said.Word == wordLook {
		return h.lookedNow()
	}
	if !person {
		return false
	}
	switch said.Word {
	case wordActed:
		at := time.Unix(0, said.At)
		if now := time.Now(); at.After(now) {
			at = now
		}
		h.counts(action{at: at, message: said.Message})
	case wordTake:
		h.takeNow()
	case wordTrust:
		h.heardTrust()
	case wordGrant:
		h.heardGrants(said.Grants)
	case wordStep:
		h.file.Expect(said.From, said.To, said.Server)
	default:
		return false
	}
	return true
}

// tellOthers tells every process of the home; who does not hear it goes on
// waiting.
func (h *Host) tellOthers(said word) { h.speak(context.Background(), said) }

// speak tells every process of the home and gives those that refused.
func (h *Host) speak(ctx context.Context, said word) (refused []int) {
	data, err := json.Marshal(said)
	if err != nil {
		return nil
	}
	return speak(ctx, h.options.Home, append(data, '\n'))
}
