package terminal

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"hermes/backend/desk"
	"hermes/backend/view"
)

// command is one word with a slash. Those that answer a card or leave are done by
// the owner of the talk, which has the card.
type command struct{ name, arguments, help string }

func commands() []command {
	return []command{
		{"/help", "", "this list"},
		{"/stop", "", "stop the running turn; what has not started is not sent (also ESC, Ctrl-C)"},
		{"/approve", "[NUMBERS] [once|session|always]", "allow calls of the open card; once without a word, all without numbers"},
		{"/deny", "[REASON]", "deny all calls of the open card; the model is told the reason"},
		{"/show", "[N|ID]", "the whole arguments and result of a call, the last one without a number"},
		{"/tools", "[SERVER]", "servers with what they offer, or the tools of one"},
		{"/reload-mcp", "", "read the file again now and try failed servers again"},
		{"/model", "[NAME]", "which model answers; with a name, from the next message on (- for the file's)"},
		{"/reasoning", "[LEVEL]", "how much the model reasons: none, minimal, low, medium, high, xhigh, max; from the next message on (- for the file's)"},
		{"/new", "", "begin a new conversation"},
		{"/sessions", "", "stored conversations"},
		{"/resume", "[ID]", "go on with a stored conversation, the latest without an ID"},
		{"/yolo", "[on|off]", "whether calls are allowed without asking; deny globs and locks hold in any case"},
		{"/exit", "", "leave (also Ctrl-D)"},
	}
}

// isCommand tells what is never sent to the model. A text that really begins with
// a slash is sent with a space before it.
func isCommand(text string) bool { return strings.HasPrefix(text, "/") }

// run does one command. The job is nil where nothing takes time.
func (t *talk) run(line string) job {
	words := strings.Fields(line)
	name, words := words[0], words[1:]
	t.part(t.paint.faint(Printable(line)))
	switch name {
	case "/help", "/?":
		t.help()
	case "/stop":
		if !t.busy() {
			t.tell("No turn is running.")
			return nil
		}
		return t.stop()
	case "/show":
		return t.show(words)
	case "/tools":
		return t.tools(words)
	case "/reload-mcp", "/reload":
		return t.reload()
	case "/model":
		return t.chooseModel(words)
	case "/reasoning":
		t.chooseEffort(words)
	case "/new":
		t.leaveSession("A new conversation begins with your next message.")
	case "/sessions":
		return t.sessions()
	case "/resume":
		return t.resume(words)
	case "/yolo":
		t.chooseYolo(words)
	case "/exit", "/quit":
		t.leaving = true
	case "/approve", "/deny":
		t.tell("No call waits for you.")
	default:
		t.tell("There is no command %s; it was not sent to the model. /help lists them. To send a text that begins with a slash, put a space before it.", Printable(name))
	}
	return nil
}

func (t *talk) help() {
	for _, c := range commands() {
		head := t.paint.bold(c.name)
		if c.arguments != "" {
			head += " " + c.arguments
		}
		if t.width < 60 {
			t.say(wrap(head, t.width)...)
			t.say(indented("    ", c.help, t.width)...)
			continue
		}
		pad := strings.Repeat(" ", max(24-cells(head), 1))
		if cells(head) > 23 {
			t.say("  " + head)
			t.say(indented("  "+strings.Repeat(" ", 24), c.help, t.width)...)
			continue
		}
		t.say(indented("  "+head+pad, c.help, t.width)...)
	}
	t.tell("Enter sends; Alt+Enter, Ctrl+J or a backslash at the end begins a new line. Up and down walk through what you typed; a line that begins with a space is not kept. What you send while a turn runs is queued.")
}

func (t *talk) leaveSession(words string) {
	if t.busy() {
		t.tell("A turn is running: stop it first with /stop.")
		return
	}
	t.session, t.calls, t.group, t.queue = "", nil, 0, nil
	t.tell("%s", words)
}

// show prints a call as a whole.
func (t *talk) show(words []string) job {
	if len(t.calls) == 0 {
		t.tell("There was no call in this conversation yet.")
		return nil
	}
	c := t.calls[len(t.calls)-1]
	if len(words) > 0 {
		word := strings.TrimPrefix(words[0], "#")
		at := slices.IndexFunc(t.calls, func(c *call) bool { return c.id == word || strconv.Itoa(c.number) == word })
		if at < 0 {
			t.tell("There is no call %s here; the last one is #%d.", Printable(words[0]), len(t.calls))
			return nil
		}
		c = t.calls[at]
	}
	t.say(t.paint.bold(fmt.Sprintf("#%d %s", c.number, c.label())) + "  " + t.paint.faint(Printable(c.id)))
	t.say(before("  ", ends(pretty(c.arguments, t.width-2), c.arguments, maxShown, "hermes sessions show prints all"))...)
	if c.status == "" {
		t.tell("It has no result yet.")
		return nil
	}
	ctx, d, session, id := t.ctx, t.desk, t.session, c.id
	status := c.status
	return func() func(*talk) {
		data, err := d.Result(ctx, session, id)
		return func(t *talk) {
			if err != nil {
				t.fail(fmt.Errorf("the result of the call is not stored: %w", err))
				return
			}
			t.say(t.paint.bold(Printable(status) + ":"))
			t.say(bounded(string(data), t.width)...)
		}
	}
}

// maxShown bounds what one command prints, in lines of the screen.
const maxShown = 2000

func bounded(text string, width int) []string {
	var out []string
	for line := range strings.SplitSeq(strings.TrimRight(text, "\n"), "\n") {
		for _, piece := range hardWrap(Passage(line), width-2) {
			if len(out) == maxShown {
				return append(out, fmt.Sprintf("  … cut after %d lines; %s in all", maxShown, counted(len(text), "byte", "bytes")))
			}
			out = append(out, "  "+piece)
		}
	}
	return out
}

func (t *talk) tools(words []string) job {
	d := t.desk
	return func() func(*talk) {
		list, err := d.ToolsList()
		return func(t *talk) {
			switch {
			case err != nil:
				t.fail(err)
			case len(list.Servers) == 0:
				t.tell("No MCP server is configured: hermes mcp add NAME --command PROGRAM, or hermes mcp catalog.")
			case len(words) == 0:
				for _, row := range list.Servers {
					t.tell("  %s  %s", t.paint.bold(Printable(row.Server)), Printable(row.Rules.Row.Text)+seenOf(row.Live))
				}
			default:
				t.toolsOf(words[0], list)
			}
		}
	}
}

func seenOf(live view.Live) string {
	if !live.Known {
		return ""
	}
	return fmt.Sprintf("  %d/%d", live.Allowed, live.Total)
}

func (t *talk) toolsOf(name string, list view.ToolsList) {
	at := slices.IndexFunc(list.Servers, func(row view.ToolsRow) bool { return row.Server == name })
	if at < 0 {
		t.tell("There is no server %s; /tools lists them.", Printable(name))
		return
	}
	row := list.Servers[at]
	t.tell("%s  %s", t.paint.bold(Printable(row.Server)), Printable(row.Rules.Row.Text)+seenOf(row.Live))
	for _, tool := range row.Tools {
		mark := t.paint.bad("✗")
		if tool.Allowed {
			mark = t.paint.good("✓")
		}
		first, _, _ := strings.Cut(strings.TrimSpace(tool.Description), "\n")
		t.say(cutTo("  "+mark+" "+Printable(tool.Name)+"  "+t.paint.faint(Printable(first)), t.width))
	}
	if len(row.Tools) == 0 {
		t.tell("  No tool of it was seen yet.")
	}
}

func (t *talk) reload() job {
	d := t.desk
	t.tell("Reading the file again …")
	return func() func(*talk) {
		done, err := d.ReloadNow()
		return func(t *talk) {
			if err != nil {
				t.fail(err)
				return
			}
			changed := func(words string, names []string) {
				if len(names) > 0 {
					t.tell("%s: %s.", words, Printable(strings.Join(names, ", ")))
				}
			}
			changed("Changed", done.Changed)
			changed("Tried again", done.Retried)
			t.tell("%s %s.", counted(done.Servers, "server offers", "servers offer"), counted(done.Tools, "allowed tool", "allowed tools"))
			if len(done.Changed)+len(done.Retried) == 0 {
				t.tell("Nothing changed, so the next message costs what it would have cost.")
				return
			}
			t.tell("If that changes the list of tools, the next message is sent without what the vendor cached of this conversation: its input costs the full price once.")
		}
	}
}

func (t *talk) chooseModel(words []string) job {
	if len(words) > 0 {
		t.model = words[0]
		if t.model == "-" {
			t.model = ""
		}
		when := "your next message"
		if t.busy() {
			when = "the message after the running turn"
		}
		t.tell("%s answers from %s on.", orWords(Printable(t.model), "The model of the file"), when)
		return nil
	}
	if t.model != "" {
		t.tell("Model: %s (chosen here; /model - goes back to the file's)", Printable(t.model))
		return nil
	}
	d := t.desk
	return func() func(*talk) {
		overview, err := d.Overview()
		return func(t *talk) {
			switch {
			case err != nil:
				t.fail(err)
			case overview.ModelProblem != "":
				t.say(noModel(overview, t.width)...)
			default:
				t.tell("Model: %s", Printable(overview.Model))
			}
		}
	}
}

func orWords(text, other string) string {
	if text == "" {
		return other
	}
	return text
}

func (t *talk) chooseYolo(words []string) {
	if len(words) > 0 && (words[0] == "on" || words[0] == "off") {
		t.yolo = words[0] == "on"
	}
	if t.yolo {
		t.tell("%s", t.paint.warn("Calls are allowed without asking (--yolo), from the next message on. Deny globs, hooks and locks still hold. /yolo off asks again."))
		return
	}
	t.tell("You are asked before calls that need a yes. /yolo on turns the asking off for this chat.")
}

// shownSessions is how many conversations a list holds.
const shownSessions = 20

func (t *talk) sessions() job {
	d := t.desk
	return func() func(*talk) {
		rows, err := d.Sessions()
		return func(t *talk) {
			if err != nil {
				t.fail(err)
				return
			}
			if len(rows) == 0 {
				t.tell("Nothing is stored yet.")
			}
			for i, row := range rows {
				if i == shownSessions {
					t.tell("  … and %d more: hermes sessions list", len(rows)-i)
					break
				}
				mark := "  "
				if row.Session == t.session {
					mark = "* "
				}
				t.say(cutTo(fmt.Sprintf("%s%s  %s  %s", mark, Printable(row.Session), t.paint.faint(counted(row.Messages, "message", "messages")), Printable(row.Title)), t.width))
			}
		}
	}
}

// resume goes on with a stored conversation and shows it again. The beginning of
// an id is enough where only one begins so.
func (t *talk) resume(words []string) job {
	if t.busy() {
		t.tell("A turn is running: stop it first with /stop.")
		return nil
	}
	d, wanted, now := t.desk, "", t.session
	if len(words) > 0 {
		wanted = words[0]
	}
	return func() func(*talk) {
		id, err := pickSession(d, wanted, now)
		var stored view.Transcript
		if err == nil {
			stored, err = d.Transcript(id)
		}
		return func(t *talk) {
			if err == nil && t.busy() {
				err = errors.New("a message was sent meanwhile: stop its turn with /stop first, and resume then")
			}
			if err != nil {
				t.fail(err)
				return
			}
			t.replay(stored)
		}
	}
}

// pickSession gives the session that is wanted: its id, the beginning of one, or
// "last"; the latest other one than now where nothing is said.
func pickSession(d *desk.Desk, wanted, now string) (string, error) {
	if wanted != "" {
		row, err := d.Session(wanted)
		return row.Session, err
	}
	rows, err := d.Sessions()
	if err != nil {
		return "", err
	}
	for _, row := range rows {
		if row.Session != now {
			return row.Session, nil
		}
	}
	return "", errors.New("there is no other stored conversation")
}
