package terminal

import (
	"strings"
	"testing"
)

func TestReasoningCommand(t *testing.T) {
	k := newTalk(t.Context(), nil, paint{}, 200)
	for _, c := range []struct{ line, level, says string }{
		{"/reasoning", "", "as the file says"},
		{"/reasoning HIGH", "high", "high from your next message on"},
		{"/reasoning", "high", "chosen here"},
		{"/reasoning hihg", "high", "hihg is no level of reasoning; nothing was changed"},
		{"/reasoning show", "high", "is not shown here"},
		{"/reasoning ultra", "max", "max from your next message on"},
		{"/reasoning off", "none", "none from"},
		{"/reasoning -", "", "The file's level"},
	} {
		k.run(c.line)
		if said := strings.Join(k.take(), "\n"); k.effort != c.level || !strings.Contains(said, c.says) {
			t.Errorf("%s: level %q, said %q", c.line, k.effort, said)
		}
	}
	k.running = true
	k.run("/reasoning low")
	if said := strings.Join(k.take(), "\n"); k.effort != "low" || !strings.Contains(said, "after the running turn") {
		t.Errorf("while a turn runs: %q, %q", k.effort, said)
	}
}
