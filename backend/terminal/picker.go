package terminal

import (
	"context"
	"fmt"
	"slices"
	"strings"
)

// Row is one line of a picker. Texts are printed as they are: the caller makes
// them safe. Held says why the row cannot be changed, empty where it can be. A
// Switch is a question beside the tools: it is neither counted nor taken by
// "all" and "none".
type Row struct {
	Name, Description string
	On                bool
	Held              string
	Switch            bool
}

// text is the row as people read it.
func (r Row) text() string {
	switch {
	case r.Held != "":
		return r.Name + "  —  " + r.Held
	case r.Description != "":
		return r.Name + "  —  " + r.Description
	}
	return r.Name
}

// mark shows the state; without brackets it cannot be changed.
func (r Row) mark(on bool) string {
	state := " "
	if on {
		state = "x"
	}
	if r.Held != "" {
		return " " + state + " "
	}
	return "[" + state + "]"
}

// Picker asks which of several rows shall be on.
type Picker struct {
	Title string
	Rows  []Row
}

// count gives the number of rows that are on and that can be counted.
func (p Picker) count(on []bool) (k, n int) {
	for i, row := range p.Rows {
		if row.Switch {
			continue
		}
		n++
		if on[i] {
			k++
		}
	}
	return k, n
}

func (p Picker) state() []bool {
	on := make([]bool, len(p.Rows))
	for i, row := range p.Rows {
		on[i] = row.On
	}
	return on
}

// Pick shows the picker and gives what is on afterwards, row by row. Leaving it
// is ErrCanceled or ErrInterrupted.
func (t *Terminal) Pick(ctx context.Context, p Picker) ([]bool, error) {
	if t.Plain {
		return t.pickPlain(ctx, p)
	}
	m := newModel(p, t.Color)
	if err := t.run(ctx, m); err != nil {
		return nil, err
	}
	return m.on, nil
}

// Choose shows the rows and gives the index of the one that was chosen.
func (t *Terminal) Choose(ctx context.Context, p Picker) (int, error) {
	if t.Plain {
		return t.choosePlain(ctx, p)
	}
	m := newModel(p, t.Color)
	m.single = true
	if err := t.run(ctx, m); err != nil {
		return -1, err
	}
	return m.chosen, nil
}

func (t *Terminal) pickPlain(ctx context.Context, p Picker) ([]bool, error) {
	k, n := p.count(p.state())
	t.say("%s  (%d of %d on)\n", p.Title, k, n)
	for i, row := range p.Rows {
		t.say("%4d %s %s\n", i+1, row.mark(row.On), row.text())
	}
	t.say("Type the numbers of all that shall be on, such as 3 5-7, or all, or none. Empty leaves everything as it is, q cancels.\n")
	for {
		t.say("> ")
		text, err := t.line(ctx)
		if err != nil {
			return nil, err
		}
		on, problem, err := p.read(strings.ToLower(strings.TrimSpace(text)))
		if err != nil {
			return nil, err
		}
		if problem == "" {
			return on, nil
		}
		t.say("%s\n", problem)
	}
}

// read understands one answer; problem says what is wrong with it.
func (p Picker) read(text string) (on []bool, problem string, err error) {
	on = p.state()
	var want []bool
	switch text {
	case "":
		return on, "", nil
	case "q", "quit", "cancel":
		return nil, "", ErrCanceled
	case "all", "none":
		for i, row := range p.Rows {
			if row.Held == "" && !row.Switch {
				on[i] = text == "all"
			}
		}
		return on, "", nil
	}
	if want, problem = numbers(text, len(p.Rows)); problem != "" {
		return nil, problem, nil
	}
	for i, row := range p.Rows {
		switch {
		case row.Held == "":
			on[i] = want[i]
		case want[i] && !on[i]:
			return nil, fmt.Sprintf("%d %s", i+1, row.text()), nil
		}
	}
	return on, "", nil
}

// numbers reads "3 5-7".
func numbers(text string, n int) (want []bool, problem string) {
	want = make([]bool, n)
	for _, word := range strings.FieldsFunc(text, func(r rune) bool { return r == ' ' || r == ',' || r == '\t' }) {
		first, last, isRange := strings.Cut(word, "-")
		if !isRange {
			last = first
		}
		from, to := index(first), index(last)
		if from < 1 || to < from || to > n {
			return nil, fmt.Sprintf("%q is not a number from 1 to %d", word, n)
		}
		for i := from; i <= to; i++ {
			want[i-1] = true
		}
	}
	return want, ""
}

// index reads a small number, 0 for none.
func index(text string) int {
	n := 0
	if len(text) > 6 {
		return 0
	}
	for _, r := range text {
		if r < '0' || r > '9' {
			return 0
		}
		n = n*10 + int(r-'0')
	}
	return n
}

func (t *Terminal) choosePlain(ctx context.Context, p Picker) (int, error) {
	t.say("%s\n", p.Title)
	for i, row := range p.Rows {
		t.say("%4d %s\n", i+1, row.text())
	}
	for {
		t.say("Type one number; empty or q leaves: ")
		text, err := t.line(ctx)
		if err != nil {
			return -1, err
		}
		text = strings.ToLower(strings.TrimSpace(text))
		if slices.Contains([]string{"", "q", "quit", "cancel"}, text) {
			return -1, ErrCanceled
		}
		if n := index(text); n >= 1 && n <= len(p.Rows) {
			return n - 1, nil
		}
		t.say("%q is not a number from 1 to %d\n", text, len(p.Rows))
	}
}
