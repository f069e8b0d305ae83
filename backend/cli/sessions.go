package cli

import (
	"cmp"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"hermes/backend/desk"
	"hermes/backend/view"
)

const sessionsLong = `Lists, shows, searches, exports and deletes what was said. A session is named
by its id, by the beginning of its id, or as "last". They are kept in this home,
in native/state.db, word for word: what you typed, what the model wrote and the
arguments of calls hold the secrets that were in them; out of the results of tools
secrets were taken before. Whatever is shown has no value that this home knows as a
secret ('hermes sessions export --verbatim' alone writes what is stored).`

func (a *app) sessions() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "sessions",
		Short: "List, show, search, export and delete stored sessions",
		Long:  sessionsLong,
		Args:  noCommand,
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(a.sessionsList(), a.sessionsShow(), a.sessionsSearch(), a.sessionsExport(), a.sessionsDelete())
	return cmd
}

// kept is open for what reads the sessions: it says where some may be missing.
func (a *app) kept() (*desk.Desk, error) {
	d, err := a.open()
	if err == nil && d.SessionsLacking() {
		a.out.note("The home cannot be written, so what was said last may be missing here; make it writable, or make room on its disk.")
	}
	return d, err
}

func (a *app) sessionsList() *cobra.Command {
	limit := 0
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List the stored sessions, the one used last first",
		Args:  exactly(0, "no argument; 'hermes sessions search' looks for words"),
		RunE: func(*cobra.Command, []string) error {
			d, err := a.kept()
			if err != nil {
				return err
			}
			rows, err := d.Sessions()
			if err != nil {
				return err
			}
			if limit > 0 && len(rows) > limit {
				rows = rows[:limit]
			}
			return a.printSessions(rows, "No sessions are stored.")
		},
	}
	cmd.Flags().IntVarP(&limit, "limit", "n", 0, "list this many at most; 0 lists all")
	return cmd
}

func (a *app) sessionsSearch() *cobra.Command {
	limit := 20
	cmd := &cobra.Command{
		Use:   "search WORDS",
		Short: "Look for words in everything that was said",
		Long: `Looks for words in questions, answers, calls and results. All of them have to
be in one message, each as the beginning of a word; "in quotes" they are looked
for exactly. Case and accents do not matter. Exit code 1: nothing was found.`,
		Example: `  hermes sessions search rollout berlin
  hermes sessions search '"permission denied"'`,
		Args: atLeast(1, "the words to look for"),
		RunE: func(_ *cobra.Command, args []string) error {
			if limit < 1 {
				return usageError{err: errors.New("--limit is at least 1"), command: "hermes sessions search"}
			}
			d, err := a.kept()
			if err != nil {
				return err
			}
			rows, err := d.SearchSessions(strings.Join(args, " "), limit)
			if err != nil {
				return err
			}
			if err := a.printSessions(rows, "Nothing was found."); err != nil {
				return err
			}
			if len(rows) == 0 {
				return exitCode(ExitFailed)
			}
			return nil
		},
	}
	cmd.Flags().IntVarP(&limit, "limit", "n", limit, "give this many sessions at most")
	return cmd
}

func (a *app) printSessions(rows []view.SessionRow, none string) error {
	if a.out.json {
		return a.out.value(view.SessionList{Sessions: rows})
	}
	if len(rows) == 0 {
		a.out.line("%s", none)
		return nil
	}
	cells := make([][]string, len(rows))
	for i, row := range rows {
		text := row.Title
		if row.Match != "" {
			text = row.Match
		}
		cells[i] = []string{row.Session, localTime(row.Updated), strconv.Itoa(row.Messages), printable(cmp.Or(row.Model, "-")), printable(cmp.Or(text, "-"))}
	}
	last := "Title"
	if rows[0].Match != "" {
		last = "Found"
	}
	a.out.table([]int{24, 16, 8, 5, 5}, []string{"Session", "Used", "Messages", "Model", last}, cells)
	return nil
}

// localTime is a time of a view as people here write it.
func localTime(stored string) string {
	at, err := time.Parse(time.RFC3339, stored)
	if err != nil {
		return stored
	}
	return at.Local().Format("2006-01-02 15:04")
}

func (a *app) sessionsShow() *cobra.Command {
	return &cobra.Command{
		Use:   "show SESSION",
		Short: "Print what was said in a session",
		Args:  exactly(1, "one session: its id, the beginning of it, or last"),
		RunE: func(_ *cobra.Command, args []string) error {
			d, err := a.kept()
			if err != nil {
				return err
			}
			row, err := d.Session(args[0])
			if err != nil {
				return err
			}
			said, err := d.WholeTranscript(row.Session)
			if err != nil {
				return err
			}
			if a.out.json {
				return a.out.value(said)
			}
			a.printSession(row, said.Events)
			return nil
		},
	}
}

func (a *app) printSession(row view.SessionRow, events []view.ChatEvent) {
	a.out.line("Session %s, begun %s in %s, %d messages", row.Session, localTime(row.Started), printable(cmp.Or(row.Source, "an unknown place")), row.Messages)
	if u := row.Usage; u != nil {
		a.out.line("Model %s: %s", printable(row.Model), usageWords(*u))
	}
	for _, event := range events {
		switch event.Type {
		case "user":
			a.out.line("\nuser: %s", passage(event.Text))
		case "text":
			a.out.line("assistant: %s", passage(event.Text))
		case "tool_call":
			a.out.line("call %s: %s %s", printable(event.ID), printable(event.Name), printable(event.Arguments))
		case "tool_result":
			a.out.line("result %s: %s", printable(event.ID), event.Status)
			a.indented(event.Content)
		default:
			first, rest, _ := strings.Cut(event.Text, "\n")
			a.out.line("--- %s", printable(first))
			if rest != "" {
				a.indented(rest)
			}
		}
	}
}

func (a *app) indented(text string) {
	for line := range strings.Lines(text) {
		a.out.line("    %s", printable(strings.TrimRight(line, "\n")))
	}
}

func usageWords(u view.Usage) string {
	words := fmt.Sprintf("%d tokens in (%d from the cache), %d out", u.InputTokens, u.CacheRead, u.OutputTokens)
	if u.Cost != nil {
		words += fmt.Sprintf(", about $%.4f", *u.Cost)
	}
	return words
}

func (a *app) sessionsExport() *cobra.Command {
	verbatim := false
	cmd := &cobra.Command{
		Use:   "export SESSION",
		Short: "Print a stored session as JSON",
		Long: `Prints the stored session as JSON: all messages in order in the shape of the
chat-completions API, and the vendor's own content blocks. Values that this home
knows as secrets are masked. With --verbatim everything is as it is stored, the
blocks byte for byte, and with the secrets that were said.`,
		Example: "  hermes sessions export last > session.json",
		Args:    exactly(1, "one session: its id, the beginning of it, or last"),
		RunE: func(cmd *cobra.Command, args []string) error {
			d, err := a.kept()
			if err != nil {
				return err
			}
			data, err := d.ExportSession(cmd.Context(), args[0], verbatim)
			if err != nil {
				return err
			}
			_, err = a.out.out.Write(data)
			return err
		},
	}
	cmd.Flags().BoolVar(&verbatim, "verbatim", false, "mask nothing: the stored bytes, with the secrets in them")
	return cmd
}

func (a *app) sessionsDelete() *cobra.Command {
	var yes bool
	cmd := &cobra.Command{
		Use:     "delete SESSION...",
		Aliases: []string{"rm"},
		Short:   "Delete stored sessions for good",
		Long: `Deletes sessions with their messages, calls and the answers that counted for
them alone. A session whose turn runs is not deleted. The beginning of an id has
at least four characters here. Without a terminal it needs --yes.`,
		Args: atLeast(1, "the sessions: ids, beginnings of ids, or last"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.deleteSessions(cmd, args, yes)
		},
	}
	cmd.Flags().BoolVar(&yes, "yes", false, "do not ask")
	return cmd
}

func (a *app) deleteSessions(cmd *cobra.Command, words []string, yes bool) error {
	d, err := a.open()
	if err != nil {
		return err
	}
	// All are found before the first is gone: "last" means one session.
	var rows []view.SessionRow
	seen := map[string]bool{}
	for _, word := range words {
		row, err := d.Doomed(word)
		if err != nil {
			return err
		}
		if !seen[row.Session] {
			rows = append(rows, row)
		}
		seen[row.Session] = true
	}
	if !yes {
		t := a.terminal(false)
		if !t.Interactive() {
			return a.noTerminal("hermes sessions delete", "without one, give --yes; nothing was deleted")
		}
		question := fmt.Sprintf("Delete %d sessions for good?", len(rows))
		if len(rows) == 1 {
			question = fmt.Sprintf("Delete session %s (%s, %d messages) for good?", rows[0].Session, printable(cmp.Or(rows[0].Title, "no title")), rows[0].Messages)
		}
		agreed, err := t.Confirm(cmd.Context(), question, false)
		if err != nil {
			return a.left(err, "Not deleted.", ExitFailed)
		}
		if !agreed {
			a.out.note("Not deleted.")
			return exitCode(ExitFailed)
		}
	}
	done := view.SessionsDeleted{Deleted: []string{}}
	for _, row := range rows {
		if err := d.DeleteSession(cmd.Context(), row.Session); err != nil {
			if len(done.Deleted) > 0 {
				a.out.note("Deleted before that: %s", strings.Join(done.Deleted, ", "))
			}
			return err
		}
		done.Deleted = append(done.Deleted, row.Session)
	}
	if a.out.json {
		return a.out.value(done)
	}
	a.out.line("Deleted %s", strings.Join(done.Deleted, ", "))
	return nil
}
