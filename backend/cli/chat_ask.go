package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"hermes/backend/desk"
	"hermes/backend/terminal"
	"hermes/backend/view"
)

// asker puts what servers ask, and calls that need a yes, before the person at the
// terminal of a one-shot chat. While it asks, nothing else is printed; what
// happens meanwhile is told afterwards, because the turn goes on.
type asker struct {
	desk     *desk.Desk
	terminal *terminal.Terminal
	out      *printer
	cancel   context.CancelFunc
	ended    sync.WaitGroup

	mu     sync.Mutex
	asking bool
	later  []func()
}

// newAsker listens for questions if standard input and standard error are a
// terminal; else nobody listens, and every question is cancelled at once.
func (a *app) newAsker(ctx context.Context, d *desk.Desk, reads bool) *asker {
	t := a.terminal(true)
	t.Out = a.env.Stderr
	q := &asker{desk: d, terminal: t, out: a.out, cancel: func() {}}
	if reads || !t.Interactive() {
		return q
	}
	ctx, q.cancel = context.WithCancel(ctx)
	signals := d.Subscribe(ctx)
	q.ended.Go(func() { q.run(ctx, signals) })
	return q
}

// stop ends the asking.
func (q *asker) stop() {
	q.cancel()
	q.ended.Wait()
}

// between keeps events from being printed into a question.
func (q *asker) between(sink func(view.ChatEvent)) func(view.ChatEvent) {
	return func(event view.ChatEvent) {
		q.mu.Lock()
		defer q.mu.Unlock()
		if q.asking {
			q.later = append(q.later, func() { sink(event) })
			return
		}
		sink(event)
	}
}

// during runs a turn; when it is over nothing of it is left untold.
func (q *asker) during(turn func() error) error {
	err := turn()
	q.stop()
	return err
}

// begin holds events back until the returned function is called.
func (q *asker) begin() (end func()) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.asking = true
	return func() {
		q.mu.Lock()
		defer q.mu.Unlock()
		for _, tell := range q.later {
			tell()
		}
		q.asking, q.later = false, nil
	}
}

const topicQuestions = "questions"

func (q *asker) run(ctx context.Context, signals <-chan view.Signal) {
	for s := range signals {
		if s.Topic != topicQuestions {
			continue
		}
		for {
			open, err := q.desk.Questions()
			if err != nil || len(open.Questions) == 0 || ctx.Err() != nil {
				break
			}
			q.ask(ctx, open.Questions[0], signals)
		}
	}
}

// ask puts one question, until it is answered or taken back.
func (q *asker) ask(ctx context.Context, question view.Question, signals <-chan view.Signal) {
	defer q.begin()()
	ctx, cancel := context.WithCancel(ctx)
	var watching sync.WaitGroup
	watching.Go(func() { q.watch(ctx, cancel, question.ID, signals) })
	defer watching.Wait()
	defer cancel()
	q.introduce(question)
	put := q.answer
	if question.Kind == kindCalls {
		put = q.decide
	}
	for {
		answered, err := put(ctx, question)
		var unfit *desk.Failure
		switch {
		case err == nil && answered:
			return
		case err == nil:
			q.out.note("Too late: the question was answered elsewhere, taken back, or its time was over.")
			return
		case errors.As(err, &unfit):
			q.out.note("%s", printable(unfit.View.Message))
		case ctx.Err() != nil:
			q.out.note("The question is over.")
			return
		default:
			_, _ = q.desk.AnswerQuestion(view.Answer{ID: question.ID, Action: "decline"})
			q.out.note("Declined.")
			return
		}
	}
}

const kindCalls = "calls"

// introduce says who asks for what, and until when.
func (q *asker) introduce(question view.Question) {
	until := ""
	if expires, err := time.Parse(time.RFC3339, question.Expires); err == nil {
		until = expires.Local().Format(time.TimeOnly)
	}
	if question.Kind == kindCalls {
		q.out.note("\n%s Without an answer they are denied at %s.", printable(question.Message), until)
		return
	}
	q.out.note("\nThe server %s asks:", printable(question.Server))
	for line := range strings.Lines(question.Message) {
		q.out.note("  %s", printable(strings.TrimRight(line, "\n")))
	}
	if until != "" {
		q.out.note("Never type passwords or keys: what you type goes to that server. Without an answer it is declined at %s.", until)
	}
}

// watch ends a question at the terminal when it is not open any more.
func (q *asker) watch(ctx context.Context, cancel context.CancelFunc, id string, signals <-chan view.Signal) {
	for {
		open, err := q.desk.Questions()
		still := false
		for _, one := range open.Questions {
			still = still || one.ID == id
		}
		if err != nil || !still {
			cancel()
			return
		}
		select {
		case <-ctx.Done():
			return
		case _, ok := <-signals:
			if !ok {
				cancel()
				return
			}
		}
	}
}

// answer asks for everything once and sends it; false is too late.
func (q *asker) answer(ctx context.Context, question view.Question) (bool, error) {
	word, err := q.terminal.Choice(ctx, "Answer it?", "decline", "accept")
	if err != nil {
		return false, err
	}
	answer := view.Answer{ID: question.ID, Action: word}
	if word == "accept" {
		if answer.Content, err = q.fill(ctx, question.Fields); err != nil {
			return false, err
		}
	}
	answered, err := q.desk.AnswerQuestion(answer)
	if err == nil && answered.Accepted {
		q.out.note("%s.", map[string]string{"accept": "Sent", "decline": "Declined"}[word])
	}
	return answered.Accepted, err
}

// fill asks for each field. What is left empty is left out.
func (q *asker) fill(ctx context.Context, fields []view.QuestionField) (string, error) {
	var members []string
	for _, field := range fields {
		value, err := q.field(ctx, field)
		if err != nil {
			return "", err
		}
		if value == "" {
			continue
		}
		name, err := json.Marshal(field.Name)
		if err != nil {
			return "", err
		}
		members = append(members, string(name)+":"+value)
	}
	return "{" + strings.Join(members, ",") + "}", nil
}

// field asks for one value and gives it as JSON, empty for none.
func (q *asker) field(ctx context.Context, field view.QuestionField) (string, error) {
	if field.Description != "" {
		q.out.note("  %s", printable(field.Description))
	}
	title := printable(field.Title)
	if !field.Required {
		title += " (may be left empty)"
	}
	normal := ""
	_ = json.Unmarshal([]byte(field.Default), &normal) // what is no text has no default here
	switch field.Kind {
	case "switch":
		yes, err := q.terminal.Confirm(ctx, printable(field.Title), field.Default == "true")
		return strconv.FormatBool(yes), err
	case "choice", "choices":
		return q.choose(ctx, field, title)
	case "number", "integer":
		text, err := q.terminal.Text(ctx, title, field.Default)
		if err == nil && json.Valid([]byte(text)) {
			return text, nil
		}
		return quoted(text), err
	}
	if field.Format != "" {
		title += " [" + field.Format + "]"
	}
	text, err := q.terminal.Text(ctx, title, printable(normal))
	return quoted(text), err
}

// choose lets a person name choices by their numbers.
func (q *asker) choose(ctx context.Context, field view.QuestionField, title string) (string, error) {
	var usual []string
	for i, option := range field.Options {
		q.out.note("  %d  %s", i+1, printable(option.Label))
		if preset(field, option.Value) {
			usual = append(usual, strconv.Itoa(i+1))
		}
	}
	hint := "one number"
	if field.Kind == "choices" {
		hint = "numbers, with commas"
	}
	for {
		text, err := q.terminal.Text(ctx, fmt.Sprintf("%s: %s", title, hint), strings.Join(usual, ","))
		if err != nil || text == "" {
			return "", err
		}
		var chosen []string
		for word := range strings.SplitSeq(text, ",") {
			n, err := strconv.Atoi(strings.TrimSpace(word))
			if err != nil || n < 1 || n > len(field.Options) {
				chosen = nil
				break
			}
			value, err := json.Marshal(field.Options[n-1].Value)
			if err != nil {
				return "", err
			}
			chosen = append(chosen, string(value))
		}
		switch {
		case chosen == nil || field.Kind == "choice" && len(chosen) != 1:
			q.out.note("Please answer with %s from 1 to %d.", hint, len(field.Options))
		case field.Kind == "choice":
			return chosen[0], nil
		default:
			return "[" + strings.Join(chosen, ",") + "]", nil
		}
	}
}

// preset tells whether a choice is among the field's defaults.
func preset(field view.QuestionField, value string) bool {
	var one string
	var several []string
	if json.Unmarshal([]byte(field.Default), &one) == nil && one == value {
		return true
	}
	return json.Unmarshal([]byte(field.Default), &several) == nil && slices.Contains(several, value)
}

// quoted is a text as JSON; nothing stays nothing.
func quoted(text string) string {
	if text == "" {
		return ""
	}
	out, err := json.Marshal(text)
	if err != nil {
		return ""
	}
	return string(out)
}
