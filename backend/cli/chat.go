package cli

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"hermes/backend/desk"
	"hermes/backend/view"
)

func (a *app) chat() *cobra.Command {
	var ask desk.Ask
	cmd := &cobra.Command{
		Use:   "chat [-q TEXT]",
		Short: "Chat in the terminal, or ask once with -q",
		Long: `Without -q, on a terminal, this is the interactive chat, like ` + "`hermes`" + ` alone:
answers as they arrive, calls as they run, questions before calls that need a
yes, /help for its commands. TERM=dumb chats line by line.

With -q it asks once: the answer on stdout, what happens on stderr.`,
		Args: noCommand,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if !cmd.Flags().Changed("query") && a.interactive() {
				return a.talk(cmd, ask)
			}
			reads := ask.Text == "-"
			ask.Typed = time.Now()
			if reads {
				text, err := io.ReadAll(io.LimitReader(a.env.Stdin, 8<<20))
				if err != nil {
					return fmt.Errorf("read the question from standard input: %w", err)
				}
				ask.Text = string(text)
			}
			if strings.TrimSpace(ask.Text) == "" {
				return usageError{command: cmd.CommandPath(), err: errors.New("give the question with -q TEXT (or -q - to read it from standard input)")}
			}
			d, err := a.open()
			if err != nil {
				return err
			}
			asker := a.newAsker(cmd.Context(), d, reads)
			defer asker.stop()
			return a.turn(func(sink func(view.ChatEvent)) error {
				return asker.during(func() error { return d.Ask(cmd.Context(), ask, asker.between(sink)) })
			})
		},
	}
	flags := cmd.Flags()
	flags.StringVarP(&ask.Text, "query", "q", "", "the question; - reads it from standard input")
	flags.StringVarP(&ask.Model, "model", "m", "", "use this model instead of the file's")
	flags.StringVarP(&ask.Resume, "resume", "r", "", "go on with this session")
	flags.BoolVar(&ask.Yolo, "yolo", false, "do not ask; deny globs and locks still hold")
	return cmd
}

// turn prints the events of one turn. A turn that did not end well is exit
// code 1, a stopped one 130.
func (a *app) turn(run func(sink func(view.ChatEvent)) error) error {
	stop, told := "", false
	text := &textPrinter{out: a.out, live: isTerminal(a.env.Stdout), progress: &progressLine{out: a.out.err, live: isTerminal(a.env.Stderr)}}
	defer text.progress.clear()
	err := run(func(event view.ChatEvent) {
		switch event.Type {
		case "done":
			stop = event.StopReason
		case "error":
			told = true
		}
		if a.out.json {
			_ = a.out.lineJSON(event)
			return
		}
		a.printEvent(event, text)
	})
	text.endLine()
	switch {
	case err != nil && told:
		// The error was one of the events; it is not said twice.
		return exitCode(ExitFailed)
	case err != nil:
		return err
	case stop == "end":
		return nil
	case stop == "interrupted":
		return exitCode(ExitInterrupted)
	case !told && !a.out.json:
		a.out.note("hermes: %s", unfinished(stop))
	}
	return exitCode(ExitFailed)
}

// unfinished says why an answer is not a whole one.
func unfinished(stop string) string {
	switch stop {
	case "length":
		return "the answer was cut off: the model reached its limit of output"
	case "budget":
		return "the turn was ended: it used all the model passes it may"
	case "loop":
		return "the turn was ended: the same calls were repeated without progress"
	}
	return "the turn did not end well (" + stop + ")"
}

// textPrinter prints answers. On a terminal the pieces are shown as they
// arrive; a pipe gets stored text only, because a piece may turn out void.
type textPrinter struct {
	out     *printer
	live    bool
	pieces  bool // pieces of the answer to come are on the screen
	midLine bool
	// progress is the line of running calls.
	progress *progressLine
}

func (t *textPrinter) print(event view.ChatEvent) {
	switch {
	case event.Provisional && !t.live:
		return
	case event.Provisional:
		t.pieces = true
	case t.pieces:
		t.pieces = false
		t.endLine()
		return
	}
	fmt.Fprint(t.out.out, passage(event.Text))
	t.midLine = !strings.HasSuffix(event.Text, "\n")
	if !event.Provisional {
		t.endLine()
	}
}

func (t *textPrinter) endLine() {
	if t.midLine {
		t.out.line("")
	}
	t.midLine = false
}

// printEvent prints one event for people: the answer on stdout, the rest on
// stderr.
func (a *app) printEvent(event view.ChatEvent, text *textPrinter) {
	if event.Type == "progress" {
		if !text.midLine {
			text.progress.show(event)
		}
		return
	}
	text.progress.clear()
	if event.Type == "text" {
		text.print(event)
		return
	}
	text.endLine()
	switch event.Type {
	case "tool_call":
		a.out.note("→ %s %s", event.Name, printable(shorten(event.Arguments, 100)))
	case "tool_result":
		first, _, _ := strings.Cut(event.Content, "\n")
		limit := 100
		if event.Status != "ok" {
			limit = 400 // why, with the line that decides
		}
		a.out.note("← %s %s", event.Status, printable(shorten(first, limit)))
	case "notice":
		a.out.note("%s", passage(event.Text))
	case "error":
		a.out.note("hermes: %s", passage(event.Text))
	}
}

func (a *app) demo() *cobra.Command {
	var text string
	cmd := &cobra.Command{
		Use:   "demo",
		Short: "Run the built-in servers and the offline demo model in a temporary home",
		Long: `Runs the embedded default: the built-in servers files, git and tickets, and the
offline demo model, in a temporary home that is removed afterwards. The model is
a fixed set of rules, not a language model. It puts three entries into one
tool_call; Hermes splits them, checks each one by itself and answers in order.`,
		Args: noCommand,
		RunE: func(cmd *cobra.Command, _ []string) error {
			d, err := a.openWith(desk.Options{Demo: true})
			if err != nil {
				return err
			}
			if a.out.json {
				return a.turn(func(sink func(view.ChatEvent)) error {
					return d.Ask(cmd.Context(), desk.Ask{Text: text}, sink)
				})
			}
			return a.runDemo(cmd, d, text)
		},
	}
	cmd.Flags().StringVarP(&text, "query", "q", desk.DemoQuestion, "what to ask the offline demo model")
	return cmd
}

func (a *app) runDemo(cmd *cobra.Command, d *desk.Desk, text string) error {
	a.out.line("Hermes demo: built-in servers files, git, tickets; offline demo model (rules, not a language model).")
	a.out.line("")
	a.out.line("user: %s", text)
	var done view.ChatEvent
	order := &inOrder{out: a.out, results: map[string]view.ChatEvent{}}
	err := d.Ask(cmd.Context(), desk.Ask{Text: text}, func(event view.ChatEvent) {
		switch event.Type {
		case "text":
			if !event.Provisional {
				a.out.line("assistant: %s", passage(event.Text))
			}
		case "done":
			done = event
		case "tool_call":
			a.out.line("call %s: %s %s", event.ID, event.Name, printable(event.Arguments))
			order.calls = append(order.calls, event.ID)
		case "tool_result":
			order.results[event.ID] = event
			order.print()
		case "notice", "error":
			a.out.line("%s: %s", event.Type, passage(event.Text))
		}
	})
	if err != nil {
		return err
	}
	a.out.line("")
	a.out.line("%d messages, %d model passes, %d tool calls, session %s", done.Messages, done.ModelPasses, done.ToolCalls, done.Session)
	if done.StopReason != "end" {
		return exitCode(ExitFailed)
	}
	return nil
}

// inOrder prints results in the order of their calls, whatever finishes first:
// the order in which the model reads them.
type inOrder struct {
	out     *printer
	calls   []string
	results map[string]view.ChatEvent
}

func (o *inOrder) print() {
	for len(o.calls) > 0 {
		event, ok := o.results[o.calls[0]]
		if !ok {
			return
		}
		o.calls = o.calls[1:]
		o.out.line("result %s: %s", event.ID, event.Status)
		for line := range strings.Lines(event.Content) {
			o.out.line("    %s", printable(strings.TrimRight(line, "\n")))
		}
	}
}
