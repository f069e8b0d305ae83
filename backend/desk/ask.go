package desk

import (
	"encoding/json"
	"errors"
	"strings"
	"time"

	"hermes/backend/approval"
	"hermes/backend/view"
)

// Questions are those that wait for a person, oldest first.
func (d *Desk) Questions() (view.Questions, error) {
	out := view.Questions{Questions: []view.Question{}}
	for _, q := range d.current().Questions() {
		out.Questions = append(out.Questions, questionView(q))
	}
	return out, nil
}

// AnswerQuestion answers one. Too late is no error: Accepted is false. An answer
// that does not fit the form is one, and the question stays open.
func (d *Desk) AnswerQuestion(answer view.Answer) (view.Answered, error) {
	given := approval.Answer{Action: approval.Action(answer.Action)}
	if answer.Content != "" {
		given.Content = json.RawMessage(answer.Content)
	}
	first, err := d.current().Answer(answer.ID, given)
	if errors.Is(err, approval.ErrAnswer) {
		err = Fail(view.Error{Code: "usage", Message: err.Error(), Hint: "correct it, or decline the question"}, err)
	}
	return view.Answered{ID: answer.ID, Accepted: first}, err
}

func questionView(q approval.Question) view.Question {
	out := view.Question{
		ID: q.ID, Kind: string(q.Kind), Server: q.Server, Session: q.Session, Message: strings.TrimSpace(q.Message), Schema: string(q.Schema),
		Asked: q.Asked.UTC().Format(time.RFC3339), Expires: q.Expires.UTC().Format(time.RFC3339), Fields: []view.QuestionField{}, Calls: []view.QuestionCall{},
	}
	for _, f := range q.Form.Fields() {
		field := view.QuestionField{
			Name: f.Name, Title: f.Title, Description: f.Description, Kind: string(f.Kind), Required: f.Required, Format: f.Format,
			MinLength: f.MinLength, MaxLength: f.MaxLength, Minimum: f.Minimum, Maximum: f.Maximum,
			Options: []view.QuestionOption{}, Default: string(f.Default),
		}
		for _, o := range f.Options {
			field.Options = append(field.Options, view.QuestionOption{Value: o.Value, Label: o.Label})
		}
		out.Fields = append(out.Fields, field)
	}
	return out
}
