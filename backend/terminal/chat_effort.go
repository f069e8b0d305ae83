package terminal

import (
	"strings"

	"hermes/backend/desk"
)

// chooseEffort sets how much the model reasons in this conversation from the next
// message on.
func (t *talk) chooseEffort(words []string) {
	known := strings.Join(desk.Efforts(), ", ")
	if len(words) == 0 {
		if t.effort == "" {
			t.tell("Reasoning: as the file says (agent.reasoning_effort). /reasoning with one of %s sets it for this chat.", known)
			return
		}
		t.tell("Reasoning: %s (chosen here; /reasoning - goes back to the file's)", t.effort)
		return
	}
	when := "your next message"
	if t.busy() {
		when = "the message after the running turn"
	}
	switch word := strings.ToLower(words[0]); word {
	case "-", "reset":
		t.effort = ""
		t.tell("The file's level of reasoning counts from %s on.", when)
	case "show", "on", "hide":
		t.tell("What the model reasons is not shown here. /reasoning sets how much it reasons: %s.", known)
	default:
		level, ok := desk.ParseEffort(word)
		if !ok {
			t.tell("%s is no level of reasoning; nothing was changed. Levels: %s; - goes back to the file's.", Printable(words[0]), known)
			return
		}
		t.effort = level
		t.tell("Reasoning: %s from %s on.", level, when)
	}
}
