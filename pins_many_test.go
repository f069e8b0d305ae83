package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestManyTools: a server of 10,000 tools on a new home is remembered whole, none
// is told as changed, and no message names them all.
func TestManyTools(t *testing.T) {
	t.Parallel()
	const count = 10_000
	h := newPinHome(t, "")
	offer := func(description string) {
		tools := make([]string, count)
		for i := range tools {
			tools[i] = fmt.Sprintf(`{"name":"tool_%05d","description":"%s %d."}`, i, description, i)
		}
		h.offer("[" + strings.Join(tools, ",") + "]")
	}
	run := func(args ...string) (stdout, stderr string) {
		t.Helper()
		var out, told bytes.Buffer
		process := hermes(t.Context(), h.dir, args...)
		process.Stdout, process.Stderr = &out, &told
		// Changes that are shown end with 1; what is printed tells everything.
		_ = process.Run()
		return out.String(), told.String()
	}
	offer("Reads")
	if out, told := run("mcp", "test", "demo"); told != "" || !strings.Contains(out, "Tools discovered: 10001") || strings.Contains(out, "Blocked") {
		t.Errorf("the first sight: %.300q, %.300q", told, out)
	}
	if out, _ := run("mcp", "changes"); !strings.Contains(out, "No tool is new or changed") {
		t.Errorf("changes: %.300q", out)
	}
	if info, err := os.Stat(filepath.Join(h.dir, "native", "pins.json")); err != nil || info.Size() > 8<<20 {
		t.Errorf("the file: %+v, %v", info, err)
	}

	offer("Writes")
	_, told := run("mcp", "test", "demo")
	if len(told) > 1500 || !strings.Contains(told, " and 9980 more") {
		t.Errorf("told %.1500q", told)
	}
	if out, told := run("mcp", "accept", "demo"); strings.Count(out, ": accepted (") != count || told != "" {
		t.Errorf("accepted %d, %.300q", strings.Count(out, ": accepted ("), told)
	}
	if out, _ := run("mcp", "changes"); !strings.Contains(out, "No tool is new or changed") {
		t.Errorf("changes after the acceptance: %.300q", out)
	}
}
