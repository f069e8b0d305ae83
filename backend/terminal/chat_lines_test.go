package terminal

import (
	"bytes"
	"strings"
	"testing"

	"hermes/backend/view"
)

// A yes, a no or the number of a call typed at a question answers nothing, says how it
// is answered, and is not kept to be sent to the model later.
func TestNoAnswerAtAQuestion(t *testing.T) {
	for _, line := range []string{"1", " 2 ", "1,2", "1 2", "#1", "y", "No!"} {
		k := newTalk(t.Context(), nil, paint{}, 80)
		k.session, k.running, k.lines = "s", true, true
		p := &plain{terminal: &Terminal{Out: &bytes.Buffer{}}, talk: k, work: make(chan func(*talk), 1)}
		k.questions([]view.Question{batchCard()})
		p.sync()
		k.take()
		p.line(line)
		if said := strings.Join(k.take(), "\n"); len(k.queue) > 0 || !strings.Contains(said, "/approve") {
			t.Errorf("%q: queued %v, said %q", line, k.queue, said)
		}
	}
}
