package host

import (
	"context"
	"testing"

	"hermes/backend/config"
	"hermes/backend/policy"
)

// TestNoticesEndWithWhatTheyTell: a relaxation that is closed again is no notice
// any more, and a person's own opening later is none.
func TestNoticesEndWithWhatTheyTell(t *testing.T) {
	h, _ := following(t, page1("a"))
	reload := func(text string) {
		t.Helper()
		save(t, h.Home().Config(), text)
		h.Reload()
	}
	reload(page1("a, b"))
	if got := h.Notices(); len(got) != 1 || got[0].Code != config.CodeOpened {
		t.Fatalf("%+v", got)
	}
	reload(page1("a"))
	if got := h.Notices(); len(got) != 0 {
		t.Errorf("closed again, and still told: %+v", got)
	}
	if _, err := h.Apply(context.Background(), config.Edit{Server: "demo", Intent: policy.Intent{Action: policy.ActionOn, Tool: "b"}}); err != nil {
		t.Fatal(err)
	}
	if got := h.Notices(); !allowed(h, "b") || len(got) != 0 {
		t.Errorf("a person's own edit is told: %+v", got)
	}
}
