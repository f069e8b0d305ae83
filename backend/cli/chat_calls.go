package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"hermes/backend/view"
)

// maxShown bounds the lines of arguments that are shown of one call.
const maxShown = 40

const deny = "deny"

// decide asks about each call of a card and sends the answers at once; false is
// too late.
func (q *asker) decide(ctx context.Context, question view.Question) (bool, error) {
	answer := view.Answer{ID: question.ID, Action: "accept"}
	var said []string
	for i, call := range question.Calls {
		q.showCall(i+1, len(question.Calls), call)
		choice, err := q.choice(ctx, call)
		if err != nil {
			return false, err
		}
		answer.Choices = append(answer.Choices, choice)
		word := "denied"
		if choice.Allow {
			word = "allowed (" + choice.Scope + ")"
		}
		said = append(said, printable(call.Server+"/"+call.Tool)+" "+word)
	}
	answered, err := q.desk.AnswerQuestion(answer)
	if err == nil && answered.Accepted {
		q.out.note("Answered: %s.", strings.Join(said, ", "))
	}
	return answered.Accepted, err
}

// choice asks about one call. No word is no.
func (q *asker) choice(ctx context.Context, call view.QuestionCall) (view.AnswerChoice, error) {
	out := view.AnswerChoice{Call: call.Call}
	word, err := q.terminal.Choice(ctx, fmt.Sprintf("Allow %s?", printable(call.Server+"/"+call.Tool)), append([]string{deny}, call.Scopes...)...)
	switch {
	case err != nil:
		return out, err
	case word != deny:
		out.Allow, out.Scope = true, word
		return out, nil
	}
	out.Reason, err = q.terminal.Text(ctx, "Reason for the model (may be left empty)", "")
	return out, err
}

func (q *asker) showCall(n, of int, call view.QuestionCall) {
	q.out.note("  %d of %d  %s", n, of, printable(call.Server+"/"+call.Tool))
	for _, why := range call.Why {
		q.out.note("     because %s", printable(why.Text))
	}
	if words := hints(call); words != "" {
		q.out.note("     the server says: %s", words)
	}
	lines := strings.Split(pretty(call.Arguments), "\n")
	for i, line := range lines {
		// What matters may stand at either end.
		if i >= maxShown/2 && i < len(lines)-maxShown/2 {
			if i == maxShown/2 {
				q.out.note("     … %d lines are not shown …", len(lines)-maxShown)
			}
			continue
		}
		q.out.note("     %s", printable(line))
	}
}

// pretty lays JSON out in lines; anything else stays as it is.
func pretty(text string) string {
	var out bytes.Buffer
	if json.Indent(&out, []byte(text), "", "  ") != nil {
		return text
	}
	return out.String()
}

// hints are the server's own words about a tool, empty where it said nothing.
func hints(call view.QuestionCall) string {
	var words []string
	for _, hint := range []struct {
		set     *bool
		yes, no string
	}{{call.ReadOnly, "only reads", "changes things"}, {call.Destructive, "may destroy", "only adds"}, {call.OpenWorld, "reaches outside", "stays inside"}} {
		switch {
		case hint.set == nil:
		case *hint.set:
			words = append(words, hint.yes)
		default:
			words = append(words, hint.no)
		}
	}
	return strings.Join(words, ", ")
}
