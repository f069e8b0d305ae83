package mcp

import (
	"strings"
	"testing"
)

// TestOldKernelsRefuse: a limit that cannot be held in full is none.
func TestOldKernelsRefuse(t *testing.T) {
	for version, want := range map[int]string{-1: "cannot limit", 0: "cannot limit", 1: "(version 1)", 2: "(version 2)", 3: "", 9: ""} {
		err := confinableAt(version)
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("version %d: %v", version, err)
		}
	}
}
