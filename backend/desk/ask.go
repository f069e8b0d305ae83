package desk

import (
	"encoding/json"
	"errors"
	"strings"
	"time"

	"hermes/backend/approval"
	"hermes/backend/message"
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
// that does not fit the form or the card is one, and the question stays open. A
// program that a server or a hook started is no person.
func (d *Desk) AnswerQuestion(answer view.Answer) (view.Answered, error) {
	if err := d.mine("answer for a person"); err != nil {
		return view.Answered{}, err
	}
	given := approval.Answer{Action: approval.Action(answer.Action)}
	if answer.Content != "" {
		given.Content = json.RawMessage(answer.Content)
	}
	for _, c := range answer.Choices {
		given.Choices = append(given.Choices, approval.Choice{Call: c.Call, Allow: c.Allow, Scope: approval.Scope(c.Scope), Reason: c.Reason})
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
	for _, call := range q.Calls {
		out.Calls = append(out.Calls, callView(call))
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

func callView(call approval.CallAsk) view.QuestionCall {
	out := view.QuestionCall{
		Call: call.Call, Name: call.Public, Server: call.Server, Tool: call.Tool, Arguments: call.Arguments,
		Why: []view.QuestionWhy{}, Scopes: []string{}, ReadOnly: call.ReadOnly, Destructive: call.Destructive, OpenWorld: call.OpenWorld,
	}
	for _, why := range call.Why {
		out.Why = append(out.Why, view.QuestionWhy{Code: why.Code, Text: why.Text})
	}
	for _, scope := range call.Scopes {
		out.Scopes = append(out.Scopes, string(scope))
	}
	return out
}

// approvalView tells of calls that wait for a person, or do not any more. Of
// arguments longer than limit both ends are told, 0 leaves them whole.
func approvalView(out *view.ChatEvent, e message.ApprovalEvent, limit int) {
	out.Question, out.Settled, out.Calls = e.Question, e.Settled, []view.ChatCall{}
	for _, call := range e.Calls {
		arguments := call.Arguments
		if limit > 0 {
			arguments = approval.Excerpt(arguments, limit)
		}
		out.Calls = append(out.Calls, view.ChatCall{ID: call.ID, Name: call.Name, Server: call.Server, Tool: call.Tool, Arguments: arguments})
	}
}
