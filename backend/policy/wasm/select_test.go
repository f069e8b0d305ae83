package main

import (
	"testing"

	"hermes/backend/policy"
)

// TestPreviewOfASelection asks what a whitelist of the ticked tools would do to
// an open server, and with names that are cut off.
func TestPreviewOfASelection(t *testing.T) {
	n := native{new(module)}
	h := n.number("read", n.put(policy.EncodeTree(&policy.Node{Kind: policy.KindMapping, Tag: "!!map"})))
	n.number("tools", h, n.put(packed([]string{"a", "b", "c"})))
	only := actionNumber(policy.ActionOnly)
	r := &reader{t, n.record("preview", h, only, 0, n.put(packed([]string{"a", "c"})))}
	if outcome := r.number(); outcome != outcomeChanged {
		t.Fatalf("outcome %d", outcome)
	}
	if state, locked := r.text(), r.toggle(); state != string(policy.StateOnly) || locked {
		t.Errorf("%s, locked %v", state, locked)
	}
	_, row, panel := r.words(), r.words(), r.words()
	if row.Text != "[include only: a, c]" || panel.Text != "2 of 3 on, new ones stay off" {
		t.Errorf("%q, %q", row.Text, panel.Text)
	}
	if count, name, on := r.number(), r.text(), r.toggle(); count != 1 || name != "b" || on {
		t.Errorf("%d changes, %s %v", count, name, on)
	}
	r.end()
	if len(n.record("preview", h, only, 0, n.put([]byte{9, 0, 0, 0, 'a'}))) != 0 {
		t.Error("names that are cut off are taken")
	}
}
