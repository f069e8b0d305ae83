package terminal

import (
	"context"
	"errors"
	"fmt"
	"time"

	tea "charm.land/bubbletea/v2"
	"golang.org/x/term"

	"hermes/backend/desk"
	"hermes/backend/view"
)

// Chat is an interactive chat in a terminal. What is finished goes into the
// terminal's own scrollback; below it are what runs, what is asked, and the line
// that is typed. A plain terminal gets the same, line by line.
type Chat struct {
	Terminal *Terminal
	Desk     *desk.Desk
	// Model beats the file's, Resume is the session to go on with, empty for a new one.
	Model, Resume string
	Yolo          bool
	// Aside has what is said beside the conversation, nil for nothing.
	Aside *Aside
}

// Run chats until the person leaves (nil), types Ctrl-C twice (ErrInterrupted), or
// ctx ends (its error). The servers of a configured home start at once and in the
// background. A session that is not stored is an error before anything is shown.
func (c *Chat) Run(ctx context.Context) error {
	inner, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	t := newTalk(inner, c.Desk, paint{c.Terminal.Color && !c.Terminal.Plain}, 79)
	t.model, t.yolo, t.lines = c.Model, c.Yolo, c.Terminal.Plain
	t.beside = c.Aside
	var stored view.Transcript
	if c.Resume != "" {
		id, err := pickSession(c.Desk, c.Resume, "")
		if err == nil {
			stored, err = c.Desk.Transcript(id)
		}
		if err != nil {
			return err
		}
	}
	// Before the servers start: nothing of what they say is missed.
	signals := c.Desk.Subscribe(inner)
	first := !c.Desk.Paths().Exists
	wrong := begin(c.Desk)
	if err := c.Desk.Watch(); err != nil {
		t.tell("! The file is not followed: %s; /reload-mcp reads it.", Printable(err.Error()))
	}
	greet := func(t *talk) {
		if overview, err := c.Desk.Overview(); err != nil {
			t.fail(err)
		} else {
			t.welcome(overview, first)
		}
		// A file that cannot be read is one of the notices.
		if wrong != nil && c.Desk.Readable() == nil {
			t.fail(wrong)
		}
		if stored.Session != "" {
			t.replay(stored)
		}
	}
	if c.Terminal.Plain {
		if fd, ok := fileOf(c.Terminal.Out); ok {
			if width, _, err := term.GetSize(fd); err == nil && width > 20 {
				t.width = width - 1
			}
		}
		return c.lines(t, signals, greet)
	}
	return c.live(ctx, t, signals, greet)
}

// live shows the chat on a terminal that can move its cursor.
func (c *Chat) live(ctx context.Context, t *talk, signals <-chan view.Signal, greet func(*talk)) error {
	m := newScreen(t, c.Desk.Typed(), greet)
	options := []tea.ProgramOption{tea.WithContext(ctx), tea.WithInput(c.Terminal.In), tea.WithOutput(c.Terminal.Out), tea.WithoutSignalHandler()}
	program := tea.NewProgram(m, options...)
	listening, stop := context.WithCancel(t.ctx)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		listen(listening, c.Desk, signals, func(s view.Signal, lost bool) { program.Send(heardMsg{s, lost}) })
	}()
	aside := make(chan struct{})
	go func() {
		defer close(aside)
		for {
			select {
			case <-listening.Done():
				return
			case <-c.Aside.heardOf():
				program.Send(asideMsg{})
			}
		}
	}()
	_, err := program.Run()
	stop()
	<-ended
	<-aside
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case m.interrupted, errors.Is(err, tea.ErrInterrupted):
		return ErrInterrupted
	case err != nil:
		return fmt.Errorf("show the chat: %w; TERM=dumb chats line by line", err)
	}
	return nil
}

// listen hands on signals until ctx ends. A listener that was too slow was cut
// off: it subscribes again and is told that something was lost.
func listen(ctx context.Context, d *desk.Desk, signals <-chan view.Signal, hear func(s view.Signal, lost bool)) {
	for {
		select {
		case <-ctx.Done():
			return
		case s, ok := <-signals:
			if ok {
				hear(s, false)
				continue
			}
		}
		// Not in a loop without a pause: a desk that closes ends every subscription.
		pause := time.NewTimer(time.Second / 5)
		select {
		case <-ctx.Done():
			pause.Stop()
			return
		case <-pause.C:
		}
		signals = d.Subscribe(ctx)
		hear(view.Signal{}, true)
	}
}

// heard takes a signal; the job asks for what it is about.
func (t *talk) heard(s view.Signal, lost bool) []job {
	switch {
	case lost:
		return []job{t.again(), t.look(), t.askQuestions()}
	case s.Topic == "chat" && s.Chat != nil:
		t.hear(*s.Chat)
	case s.Topic == "questions":
		return []job{t.askQuestions()}
	case s.Topic == "servers" || s.Topic == "config" || s.Topic == "overview":
		return []job{t.look()}
	}
	return nil
}

// done does a job. A fault inside the program is told like any error: the chat goes on,
// and its terminal is left as a chat leaves it.
func (j job) done() (apply func(*talk)) {
	defer func() {
		if recover() != nil {
			apply = (*talk).faulted
		}
	}()
	return j()
}

// faulted tells of a fault inside the program. What it says may hold anything, so it
// is not shown.
func (t *talk) faulted() {
	err := errors.New("this failed inside Hermes; the chat goes on, and what is stored stays")
	if t.sending {
		t.sent("", err)
		return
	}
	t.fail(err)
}
