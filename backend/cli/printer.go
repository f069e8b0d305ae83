package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"unicode/utf8"

	"hermes/backend/desk"
	"hermes/backend/terminal"
	"hermes/backend/view"
	"hermes/backend/web"
)

// printer writes answers to stdout and problems to stderr.
type printer struct {
	out, err io.Writer
	json     bool
	color    bool
}

// newPrinter prints to the outputs of env; lost is called when nobody reads the
// answers any more.
func newPrinter(env Env, lost func()) *printer {
	return &printer{out: &watched{w: env.Stdout, lost: lost}, err: env.Stderr, color: isTerminal(env.Stdout) && env.Getenv("NO_COLOR") == "" && env.Getenv("TERM") != "dumb"}
}

// watched remembers the first failed write: an answer that was lost is no
// success.
type watched struct {
	w    io.Writer
	err  error
	lost func()
}

func (w *watched) Write(p []byte) (int, error) {
	n, err := w.w.Write(p)
	if err != nil && w.err == nil {
		w.err = err
		if w.lost != nil {
			w.lost()
		}
	}
	return n, err
}

// lost is the error of the first write to stdout that failed.
func (p *printer) lost() error {
	if w, ok := p.out.(*watched); ok && w.err != nil {
		return fmt.Errorf("write to standard output: %w", w.err)
	}
	return nil
}

func isTerminal(w any) bool {
	file, ok := w.(*os.File)
	if !ok {
		return false
	}
	info, err := file.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

func (p *printer) line(format string, args ...any) {
	fmt.Fprintf(p.out, format+"\n", args...)
}

// note goes to stderr: what a person should know and a pipe should not read.
func (p *printer) note(format string, args ...any) {
	fmt.Fprintf(p.err, format+"\n", args...)
}

// value prints a view as JSON.
func (p *printer) value(v any) error {
	enc := json.NewEncoder(p.out)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(v)
}

// lineJSON prints a view as one line of JSON.
func (p *printer) lineJSON(v any) error {
	enc := json.NewEncoder(p.out)
	enc.SetEscapeHTML(false)
	return enc.Encode(v)
}

type exitError int

func (e exitError) Error() string { return "exit code " + strconv.Itoa(int(e)) }

// exitCode ends the program with a code and no further word.
func exitCode(code int) error {
	if code == ExitOK {
		return nil
	}
	return exitError(code)
}

type usageError struct {
	err     error
	command string
}

func (e usageError) Error() string { return e.err.Error() }

// fail prints an error for people, or as JSON, and returns the exit code.
func (p *printer) fail(err error) int {
	if err == nil {
		return ExitOK
	}
	var exit exitError
	if errors.As(err, &exit) {
		return int(exit)
	}
	var usage usageError
	var address *web.AddressError
	shown := view.Error{}
	if errors.As(err, &usage) {
		shown = view.Error{Code: "usage", Message: usage.Error(), Hint: "see " + usage.command + " --help"}
	} else if errors.As(err, &address) {
		shown = view.Error{Code: "failed", Message: address.Error(), Hint: address.Hint}
		if address.Usage {
			shown.Code = "usage"
		}
	} else {
		shown = desk.ErrorView(err)
	}
	if p.json {
		_ = p.lineJSON(struct {
			Error view.Error `json:"error"`
		}{shown})
	} else {
		p.note("hermes: %s", passage(shown.Message))
		if place := place(shown.File, shown.Line, shown.Column); place != "" {
			p.note("  at %s", printable(place))
		}
		if shown.Hint != "" {
			p.note("  %s", passage(shown.Hint))
		}
	}
	switch shown.Code {
	case "usage":
		return ExitUsage
	case "unknown_server":
		return ExitUnknownServer
	}
	return ExitFailed
}

// problems prints problems to stderr, each with its place and remedy.
func (p *printer) problems(list []view.Problem) {
	for _, problem := range list {
		text := string(problem.Severity) + ": " + printable(problem.Message)
		if at := place(problem.File, problem.Line, problem.Column); at != "" {
			text = at + ": " + text
		}
		p.note("%s", text)
		if problem.Hint != "" {
			p.note("  %s", printable(problem.Hint))
		}
	}
}

func place(file string, line, column int) string {
	if file == "" || line == 0 {
		return file
	}
	text := file + ":" + strconv.Itoa(line)
	if column > 0 {
		text += ":" + strconv.Itoa(column)
	}
	return text
}

func quote(s string) string { return strconv.Quote(s) }

// printable keeps names from the file or a server on their line
// (terminal.Printable).
func printable(s string) string { return terminal.Printable(s) }

// passage is printable for text of several lines, such as an answer.
func passage(s string) string { return terminal.Passage(s) }

// table prints rows in columns that are at least as wide as told.
func (p *printer) table(minimum []int, head []string, rows [][]string) {
	widths := make([]int, len(head))
	for i := range head {
		widths[i] = max(minimum[i], utf8.RuneCountInString(head[i]))
		for _, row := range rows {
			widths[i] = max(widths[i], utf8.RuneCountInString(row[i]))
		}
	}
	print := func(row []string) {
		var b strings.Builder
		for i, cell := range row {
			b.WriteString("  ")
			b.WriteString(cell)
			if i < len(row)-1 {
				b.WriteString(strings.Repeat(" ", widths[i]-utf8.RuneCountInString(cell)))
			}
		}
		p.line("%s", strings.TrimRight(b.String(), " "))
	}
	print(head)
	rule := make([]string, len(head))
	for i := range head {
		rule[i] = strings.Repeat("─", widths[i])
	}
	print(rule)
	for _, row := range rows {
		print(row)
	}
}
