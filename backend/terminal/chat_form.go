package terminal

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"hermes/backend/view"
)

// form is a question of a server with the values it asks for, one after the other.
// Nothing goes to the server before the last one is given, and nothing at all
// unless a person accepted.
type form struct {
	q      view.Question
	at     int // the field that is asked for, -1 before a person accepted
	values []string
	note   string
	armed  bool
}

func newForm(q view.Question) *form {
	return &form{q: q, at: -1, values: make([]string, len(q.Fields))}
}

// intro is what the server asks, and what a person should know about it.
func (f *form) intro(p paint, width int) []string {
	out := wrap(p.warn("▌ The server "+Printable(f.q.Server)+" asks:"), width)
	out = append(out, before("  ", wrap(Passage(f.q.Message), width-2))...)
	words := "Never type passwords or keys: what you type goes to that server."
	if until := deadline(f.q.Expires); until != "" {
		words += " Without an answer it is declined at " + until + "."
	}
	return append(out, wrap(words, width)...)
}

// prompt asks for the next thing.
func (f *form) prompt(width int) []string {
	var out []string
	if f.note != "" {
		out = append(out, wrap(f.note, width)...)
	}
	if f.at < 0 {
		return append(out, "Answer it? a accept, d decline")
	}
	field := f.q.Fields[f.at]
	title := Printable(field.Title)
	if !field.Required {
		title += " (may be left empty)"
	}
	if field.Format != "" {
		title += " [" + Printable(field.Format) + "]"
	}
	switch field.Kind {
	case "switch":
		title += " y or n"
	case "choice":
		title += ": one number"
	case "choices":
		title += ": numbers, with commas"
	}
	if usual := f.usual(field); usual != "" {
		title += ", empty for " + usual
	}
	if field.Description != "" {
		out = append(out, wrap(Printable(field.Description), width)...)
	}
	for i, option := range field.Options {
		out = append(out, cutTo(fmt.Sprintf("  %d  %s", i+1, Printable(option.Label)), width))
	}
	return append(out, wrap(title, width)...)
}

// usual is a field's default as a person would type it.
func (f *form) usual(field view.QuestionField) string {
	var text string
	switch field.Kind {
	case "switch":
		return map[string]string{"true": "y", "false": "n"}[field.Default]
	case "choice", "choices":
		var numbers []string
		for i, option := range field.Options {
			if presetTo(field, option.Value) {
				numbers = append(numbers, strconv.Itoa(i+1))
			}
		}
		return strings.Join(numbers, ",")
	case "number", "integer":
		return Printable(field.Default)
	}
	_ = json.Unmarshal([]byte(field.Default), &text) // what is no text has no default here
	return Printable(text)
}

// step is what a line of a person did to a form.
type step int

const (
	stepOn step = iota
	stepSend
	stepDecline
)

// put takes one line.
func (f *form) put(line string) step {
	f.note = ""
	line = strings.TrimSpace(line)
	if f.at < 0 {
		switch strings.ToLower(line) {
		case "a", "accept":
			f.at = 0
			if len(f.q.Fields) == 0 {
				return stepSend
			}
		case "d", "decline":
			return stepDecline
		default:
			f.note = "Please answer a or d."
		}
		return stepOn
	}
	value, problem := fieldValue(f.q.Fields[f.at], line)
	if problem != "" {
		f.note = problem
		return stepOn
	}
	f.values[f.at] = value
	f.at++
	if f.at < len(f.q.Fields) {
		return stepOn
	}
	return stepSend
}

// unfit begins anew with what was wrong with the answer.
func (f *form) unfit(problem string) {
	f.at, f.note = 0, problem
	if len(f.q.Fields) == 0 {
		f.at = -1
	}
}

func (f *form) answer(action string) view.Answer {
	answer := view.Answer{ID: f.q.ID, Action: action, Choices: []view.AnswerChoice{}}
	if action != "accept" {
		return answer
	}
	var members []string
	for i, field := range f.q.Fields {
		if f.values[i] == "" {
			continue
		}
		if name, err := json.Marshal(field.Name); err == nil {
			members = append(members, string(name)+":"+f.values[i])
		}
	}
	answer.Content = "{" + strings.Join(members, ",") + "}"
	return answer
}

// fieldValue reads what was typed for a field as JSON, empty for nothing. An empty
// line is the default.
func fieldValue(field view.QuestionField, line string) (value, problem string) {
	if line == "" {
		return field.Default, ""
	}
	switch field.Kind {
	case "switch":
		switch strings.ToLower(line) {
		case "y", "yes", "true":
			return "true", ""
		case "n", "no", "false":
			return "false", ""
		}
		return "", "Please answer y or n."
	case "choice", "choices":
		return chosenValue(field, line)
	case "number", "integer":
		if json.Valid([]byte(line)) {
			return line, ""
		}
	}
	out, err := json.Marshal(line)
	if err != nil {
		return "", "That is no text."
	}
	return string(out), ""
}

func chosenValue(field view.QuestionField, line string) (value, problem string) {
	chosen := []string{}
	for word := range strings.SplitSeq(line, ",") {
		n := index(strings.TrimSpace(word))
		if n < 1 || n > len(field.Options) {
			return "", fmt.Sprintf("Please answer with numbers from 1 to %d.", len(field.Options))
		}
		chosen = append(chosen, field.Options[n-1].Value)
	}
	var out []byte
	var err error
	switch {
	case field.Kind == "choices":
		out, err = json.Marshal(chosen)
	case len(chosen) != 1:
		return "", "Please answer with one number."
	default:
		out, err = json.Marshal(chosen[0])
	}
	if err != nil {
		return "", "That is no text."
	}
	return string(out), ""
}

// presetTo tells whether a choice is among the field's defaults.
func presetTo(field view.QuestionField, value string) bool {
	var one string
	var several []string
	if json.Unmarshal([]byte(field.Default), &one) == nil && one == value {
		return true
	}
	return json.Unmarshal([]byte(field.Default), &several) == nil && slices.Contains(several, value)
}
