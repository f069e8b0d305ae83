package terminal

import (
	"context"
	"os"
	"os/signal"
	"strings"
	"time"

	"hermes/backend/view"
)

// plain is the chat of a terminal that cannot move its cursor: a prompt, a line,
// and what happens as lines.
type plain struct {
	terminal *Terminal
	talk     *talk
	work     chan func(*talk)
	card     *card
	form     *form
	shownAt  time.Time // when the question was shown
	begun    string    // a text whose line ended with a backslash
	prompted bool
	ended    bool // there is no more input
}

// lines runs the chat line by line. The read itself cannot be stopped: when the
// chat ends first it is left behind.
func (c *Chat) lines(t *talk, signals <-chan view.Signal, greet func(*talk)) error {
	p := &plain{terminal: c.Terminal, talk: t, work: make(chan func(*talk), 64)}
	interrupts := make(chan os.Signal, 2)
	signal.Notify(interrupts, Endings()...)
	defer signal.Stop(interrupts)
	heard := make(chan heardMsg)
	go listen(t.ctx, c.Desk, signals, func(s view.Signal, lost bool) {
		select {
		case heard <- heardMsg{s, lost}:
		case <-t.ctx.Done():
		}
	})
	typed, more := make(chan answer), make(chan struct{}, 1)
	go p.read(typed, more)
	greet(t)
	p.do(t.look(), t.askQuestions())
	var last time.Time
	for {
		p.show()
		if t.leaving || p.ended && !t.busy() && len(t.queue) == 0 {
			return nil
		}
		select {
		case h := <-heard:
			p.do(t.heard(h.signal, h.lost)...)
		case <-t.beside.heardOf():
		case apply := <-p.work:
			apply(t)
		case a := <-typed:
			p.prompted = false
			if a.err != nil && a.text == "" {
				p.ended = true
				p.terminal.say("\n")
				continue
			}
			p.line(a.text)
			more <- struct{}{}
		case s := <-interrupts:
			now := time.Now()
			if s != os.Interrupt || !last.IsZero() && now.Sub(last) < twice {
				p.terminal.say("\n")
				if s != os.Interrupt {
					return context.Canceled
				}
				return ErrInterrupted
			}
			last = now
			p.begun, p.prompted = "", false
			p.do(append(p.refuse(), t.stop())...)
			t.tell("Ctrl-C again leaves.")
		}
	}
}

// read gives one line after the other, each when it is asked for.
func (p *plain) read(typed chan<- answer, more <-chan struct{}) {
	for {
		a := readLine(p.terminal.In)
		a.text = strings.TrimSuffix(a.text, "\r")
		select {
		case typed <- a:
		case <-p.talk.ctx.Done():
			return
		}
		if a.err != nil {
			return
		}
		select {
		case <-more:
		case <-p.talk.ctx.Done():
			return
		}
	}
}

// do begins work whose result comes back through p.work.
func (p *plain) do(jobs ...job) {
	for _, j := range jobs {
		if j != nil {
			go func() {
				apply := j.done()
				select {
				case p.work <- apply:
				case <-p.talk.ctx.Done():
				}
			}()
		}
	}
}

// show prints what was said, the question that is new, and the prompt.
func (p *plain) show() {
	p.talk.aside()
	p.sync()
	p.do(p.talk.halt())
	if p.card == nil && p.form == nil && !p.talk.leaving {
		p.do(p.talk.next())
	}
	lines := p.talk.take()
	if len(lines) > 0 && p.prompted {
		p.terminal.say("\n")
		p.prompted = false
	}
	for _, line := range lines {
		p.terminal.say("%s\n", tame(line))
	}
	if asked := p.card != nil || p.form != nil; !p.prompted && !p.talk.leaving && !p.ended && (asked || p.begun != "" || !p.talk.busy()) {
		p.terminal.say("%s", p.prompt())
		p.prompted = true
	}
}

func (p *plain) prompt() string {
	switch {
	case p.begun != "":
		return "… "
	case p.card != nil:
		return "/approve or /deny > "
	case p.form != nil:
		return "answer > "
	}
	return "> "
}

func (p *plain) sync() {
	id := ""
	switch {
	case p.card != nil:
		id = p.card.q.ID
	case p.form != nil:
		id = p.form.q.ID
	}
	for _, q := range p.talk.open {
		if q.ID == id {
			return
		}
	}
	p.card, p.form = nil, nil
	for _, q := range p.talk.open {
		switch {
		case q.Kind == kindCalls && len(q.Calls) > 0:
			p.card = newCard(q)
			p.talk.part(p.card.text(p.talk.paint, p.talk.width)...)
			if words := p.talk.unfit[q.ID]; words != "" {
				p.talk.tell("%s", words)
			}
		case q.Kind == kindElicitation:
			p.form = newForm(q)
			p.talk.part(p.form.intro(p.talk.paint, p.talk.width)...)
			if words := p.talk.unfit[q.ID]; words != "" {
				p.form.unfit(words)
			}
			p.talk.say(p.form.prompt(p.talk.width)...)
		default:
			continue
		}
		p.shownAt = time.Now()
		return
	}
}

func (p *plain) refuse() []job {
	switch {
	case p.card != nil:
		c := newCard(p.card.q)
		return []job{p.talk.give(c.q, c.answer(), c.verdict())}
	case p.form != nil:
		return []job{p.talk.give(p.form.q, p.form.answer("decline"), "Declined.")}
	}
	return nil
}

// line takes one line of the person.
func (p *plain) line(text string) {
	if rest, goesOn := strings.CutSuffix(text, "\\"); goesOn {
		p.begun += rest + "\n"
		return
	}
	text = p.begun + text
	p.begun = ""
	trimmed := strings.TrimSpace(text)
	if p.card != nil && yesOrNo(trimmed) {
		p.talk.tell("%q answers nothing and was not sent. The calls still wait: %s", trimmed, cardWays)
		return
	}
	asked := p.card != nil || p.form != nil
	if asked && time.Since(p.shownAt) < quiet {
		p.talk.tell("What was typed before the question was shown does not answer it; type it again.")
		return
	}
	switch {
	case p.form != nil && !isCommand(text):
		p.fill(trimmed)
	case trimmed == "":
	case isCommand(text):
		p.command(trimmed)
	default:
		p.do(p.talk.ask(text))
		if p.talk.busy() && len(p.talk.queue) > 0 {
			p.talk.tell("Queued for after this turn.")
		}
	}
}

func (p *plain) fill(text string) {
	switch p.form.put(text) {
	case stepSend:
		p.do(p.talk.give(p.form.q, p.form.answer("accept"), "Sent."))
	case stepDecline:
		p.do(p.refuse()...)
	default:
		p.talk.say(p.form.prompt(p.talk.width)...)
	}
}

func (p *plain) command(line string) {
	name, rest, _ := strings.Cut(line, " ")
	switch {
	case p.card != nil && name == "/deny":
		for i := range p.card.choices {
			p.card.deny(i, strings.TrimSpace(rest))
		}
	case p.card != nil && name == "/approve":
		if problem := p.card.approve(strings.Fields(rest)); problem != "" {
			p.talk.tell("%s", Printable(problem))
			return
		}
	case p.card != nil && name == "/show":
		n := 1
		if rest = strings.TrimSpace(rest); rest != "" {
			n = index(rest)
		}
		if n < 1 || n > len(p.card.q.Calls) {
			p.talk.tell("The card has %s.", counted(len(p.card.q.Calls), "call", "calls"))
			return
		}
		p.talk.say(p.card.whole(n, p.talk.width)...)
		return
	default:
		p.do(p.talk.run(line))
		return
	}
	p.do(p.talk.give(p.card.q, p.card.answer(), p.card.verdict()))
}
