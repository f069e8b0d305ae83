package hook

import (
	"slices"
	"strings"
	"testing"
	"time"
)

// TestKeptConsents: a consent that comes while an agent works, and one whose files
// change, do not count; one that is taken back is gone at once.
func TestKeptConsents(t *testing.T) {
	old := Consent{Event: EventPreToolCall, Matcher: "a", Command: "old", Files: []File{{Path: "/x", SHA256: "1"}}, ApprovedAt: time.Unix(1, 0)}
	c := Consents{Folder: t.TempDir()}
	if err := c.Trust(old); err != nil {
		t.Fatal(err)
	}
	list, err := c.List()
	if err != nil {
		t.Fatal(err)
	}
	kept := slices.Clone(list)
	c.Kept = &kept
	rule := func(command string) Rule { return Rule{Event: EventPreToolCall, Matcher: "a", Command: command} }
	if _, known, err := c.find(rule("old")); !known || err != nil {
		t.Errorf("what was trusted before: %v, %v", known, err)
	}
	late := old
	late.Command = "late"
	other := old
	other.Files = []File{{Path: "/x", SHA256: "2"}}
	for name, consent := range map[string]Consent{"late": late, "old": other} {
		if err := c.Trust(consent); err != nil {
			t.Fatal(err)
		}
		if _, known, err := c.find(rule(name)); known || err == nil || !strings.Contains(err.Error(), "waits") {
			t.Errorf("%s: %v, %v", name, known, err)
		}
	}
	if _, err := c.Revoke(rule("old")); err != nil {
		t.Fatal(err)
	}
	if _, known, _ := c.find(rule("old")); known {
		t.Error("a consent that was taken back counts")
	}
	c.Kept = nil
	if _, known, err := c.find(rule("late")); !known || err != nil {
		t.Errorf("after a person's word: %v, %v", known, err)
	}
}
