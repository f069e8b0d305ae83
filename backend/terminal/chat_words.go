package terminal

import (
	"fmt"
	"slices"
	"strings"

	"hermes/backend/view"
)

// replayed is how many events of a stored conversation are shown again.
const replayed = 200

// replay makes a stored conversation the one that goes on, and shows it.
func (t *talk) replay(stored view.Transcript) {
	t.session, t.calls, t.group, t.queue = stored.Session, nil, 0, nil
	events := stored.Events
	if len(events) > replayed {
		t.tell("%s", t.paint.faint(fmt.Sprintf("(%d earlier entries are not shown; hermes sessions show %s prints all)", len(events)-replayed, Printable(stored.Session))))
		events = events[len(events)-replayed:]
	}
	for _, event := range events {
		event.Session = t.session
		if event.Type == "user" {
			t.finished()
			t.part(indented(t.paint.bold("❯ "), t.paint.bold(Passage(event.Text)), t.width)...)
			continue
		}
		t.hear(event)
	}
	for _, c := range t.calls[t.group:] {
		if c.status == "" {
			c.status = "unknown"
		}
	}
	t.finished()
	t.part(t.paint.faint("You go on with " + Printable(stored.Session) + "."))
	if stored.Running {
		t.running, t.began = true, t.now()
	}
}

// welcome is what is said at the start: where one is, which model answers, what
// is wrong, and what starts.
func (t *talk) welcome(o view.Overview, first bool) {
	t.say(cutTo(t.paint.bold("Hermes "+Printable(o.Version))+"  "+t.paint.faint(Printable(o.Home)), t.width))
	if first {
		t.say("")
		t.say(wrap(strings.ReplaceAll(strings.ReplaceAll(o.Scope, "\n", " "), " Not here:", "\nNot here:"), t.width)...)
		t.say("")
		t.tell("This home has no configuration yet, and nothing was written into it.")
		t.tell("  hermes demo                see a batch run, with built-in servers and an offline model")
		t.tell("  hermes mcp catalog         servers to add; hermes mcp add, hermes mcp import")
	}
	if o.ModelProblem != "" {
		t.say(noModel(o, t.width)...)
	} else {
		t.tell("Model: %s", Printable(orWords(t.model, o.Model)))
	}
	if t.yolo {
		t.tell("%s", t.paint.warn("--yolo: calls are allowed without asking. Deny globs, hooks and locks still hold."))
	}
	t.notices(o.Notices)
	var names []string
	for _, program := range o.Programs {
		if program.Starts {
			names = append(names, Printable(program.Server))
		}
	}
	if len(names) > 0 {
		t.tell("%s in the background: %s", counted(len(names), "server starts", "servers start"), strings.Join(names, ", "))
	}
	t.tell("%s", t.paint.faint("/help lists the commands, Ctrl-D leaves."))
}

// noModel says that no model answers and how to choose one.
func noModel(o view.Overview, width int) []string {
	if slices.ContainsFunc(o.Notices, ofFile) {
		return wrap("No model answers as long as the configuration cannot be read.", width)
	}
	return append(wrap("No model answers yet: "+Passage(o.ModelProblem), width),
		wrap("  Write it into "+Printable(o.Home)+"/config.yaml, such as:", width)[0],
		"    model: {provider: openai,",
		"      default: MODEL,",
		"      api_key: ${OPENAI_API_KEY}}")
}

// notices says each problem once, with its place and the next step.
func (t *talk) notices(list []view.Problem) {
	for _, p := range list {
		if t.told[keyOf(p)] == untold {
			t.told[keyOf(p)] = found
			t.problem(p)
		}
	}
}

// problem says one.
func (t *talk) problem(p view.Problem) {
	mark := t.paint.warn("! ")
	switch {
	case p.Severity == view.SeverityError:
		mark = t.paint.bad("✗ ")
	case p.Code == codeRepaired:
		mark = t.paint.good("✓ ")
	}
	text := Printable(p.Message)
	if at := placed(p.File, p.Line, p.Column); at != "" {
		text = Printable(at) + ": " + text
	}
	t.say(indented(mark, text, t.width)...)
	if p.Hint != "" {
		t.say(indented("  ", Printable(p.Hint), t.width)...)
	}
}

// look asks for what changed besides the conversation: problems of the file and
// the states of the servers.
func (t *talk) look() job {
	d := t.desk
	return func() func(*talk) {
		overview, err := d.Overview()
		servers, err2 := d.Servers()
		return func(t *talk) {
			// A notice came before the overview that knows of it.
			t.aside()
			if err == nil {
				t.notices(overview.Notices)
			}
			if err2 == nil {
				t.seen(servers.Servers)
			}
		}
	}
}

// seen takes the servers' states and says which one failed, once each time it
// does.
func (t *talk) seen(servers []view.Server) {
	for _, s := range servers {
		was := slices.IndexFunc(t.servers, func(old view.Server) bool { return old.Name == s.Name })
		if was >= 0 && t.servers[was].Status == s.Status {
			continue
		}
		switch s.Status {
		case view.StatusFailed, view.StatusNeedsAuth, view.StatusParked, view.StatusInvalid:
			text := "server " + Printable(s.Name) + ": " + strings.ReplaceAll(string(s.Status), "_", " ")
			if s.Reason != "" {
				text += ": " + Printable(shorten(s.Reason, 160))
			}
			t.say(indented(t.paint.warn("! "), text, t.width)...)
		}
	}
	t.servers = servers
}

// starting is the line of the servers that are not there yet, empty for none.
func (t *talk) starting() string {
	var words []string
	for _, s := range t.servers {
		if s.Status == view.StatusStarting {
			program, _, _ := strings.Cut(s.Target, " ")
			words = append(words, Printable(s.Name)+" ("+Printable(program)+")")
		}
	}
	switch len(words) {
	case 0:
		return ""
	case 1:
		return "server " + words[0] + " is starting"
	}
	return "servers are starting: " + strings.Join(words, ", ")
}

// questions takes the open ones and says which of those that were shown here are
// gone without an answer from here.
func (t *talk) questions(now []view.Question) {
	has := func(list []view.Question, id string) bool {
		return slices.ContainsFunc(list, func(q view.Question) bool { return q.ID == id })
	}
	for _, old := range t.open {
		if !has(now, old.ID) && !t.stopping {
			t.tell("%s", t.paint.warn("The question is over: it was answered elsewhere, taken back, or its time was over."))
		}
	}
	for id := range t.mine {
		if !has(now, id) {
			delete(t.mine, id)
		}
	}
	t.open = slices.DeleteFunc(slices.Clone(now), func(q view.Question) bool { return t.mine[q.ID] })
}

// askQuestions asks which questions are open.
func (t *talk) askQuestions() job {
	d := t.desk
	return func() func(*talk) {
		now, err := d.Questions()
		return func(t *talk) {
			if err == nil {
				t.questions(now.Questions)
			}
		}
	}
}

// give answers a question. Where the answer does not fit, the question is still
// open, and the words about it are kept for whoever shows it again.
func (t *talk) give(q view.Question, answer view.Answer, said string) job {
	t.mine[q.ID] = true
	t.open = slices.DeleteFunc(slices.Clone(t.open), func(o view.Question) bool { return o.ID == q.ID })
	d := t.desk
	return func() func(*talk) {
		done, err := d.AnswerQuestion(answer)
		return func(t *talk) {
			switch {
			case err != nil:
				delete(t.mine, q.ID)
				t.unfit[q.ID] = Passage(err.Error())
				t.open = append([]view.Question{q}, t.open...)
			case !done.Accepted && t.stopping: // the stop took it back
			case !done.Accepted:
				t.tell("Too late: it was answered elsewhere, taken back, or its time was over.")
			default:
				t.tell("%s", said)
			}
		}
	}
}
