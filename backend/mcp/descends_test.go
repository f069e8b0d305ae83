package mcp

import (
	"os"
	"runtime"
	"testing"
)

// A process that is certainly none of a server's is this one; what cannot be
// asked counts as one.
func TestDescends(t *testing.T) {
	if Descends(os.Getpid()) != (runtime.GOOS != "linux") {
		t.Error("this process counts as a server's")
	}
	for _, pid := range []int{0, -1, 1 << 22} {
		if !Descends(pid) {
			t.Errorf("%d counts as a person's", pid)
		}
	}
}
