package message_test

import (
	"testing"

	"pgregory.net/rapid"

	"hermes/backend/message"
)

// TestSameAs: what stands for a repeated result is read back, however it is
// stored.
func TestSameAs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		id := rapid.StringMatching(`[a-zA-Z0-9_ (.-]{1,40}`).Draw(t, "id")
		path := rapid.StringMatching(`(/[a-z .()0-9_-]{1,9}){0,4}`).Draw(t, "path")
		text := message.SameAs(id, rapid.IntRange(0, 1<<40).Draw(t, "size"), path)
		for _, stored := range []string{text, message.Fence("s", text), message.Noted(text, "a note"), message.Noted(message.Fence("s", text), "a note"), text + "\n"} {
			if got, ok := message.SameAsID(stored); !ok || got != id {
				t.Errorf("%q of %q", got, stored)
			}
		}
	})
}

func TestSameAsOfOthers(t *testing.T) {
	text := message.SameAs("call_1", 900, "")
	for _, other := range []string{"", "x", text[:len(text)-1], text + " And more.", "He said: " + text, message.SameAs("", 5, ""), "The result is the same, character by character, as that of call a above (many characters), so it is not repeated."} {
		if id, ok := message.SameAsID(other); ok {
			t.Errorf("%q is of %q", other, id)
		}
	}
}
