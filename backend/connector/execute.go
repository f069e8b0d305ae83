package connector

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strings"
)

// The codes of a Failure.
const (
	CodeConnectionRequired = "CONNECTION_REQUIRED"
	CodeToolNotFound       = "TOOL_NOT_FOUND"
	CodeProviderError      = "PROVIDER_ERROR"
	CodeToolError          = "TOOL_ERROR"
	CodeInterrupted        = "INTERRUPTED"
	CodeDenied             = "DENIED"
)

// Failure is why a call has no response, in words without the token.
type Failure struct {
	Code      string
	Message   string
	Connector string
	Hint      string
}

// Error is the whole sentence, hint included.
func (f *Failure) Error() string {
	if f.Hint == "" {
		return f.Message
	}
	return f.Message + "; " + f.Hint
}

// Outcome is what became of one call: a Response, any JSON value, with the Account
// it was made for, or a Failure. Unknown is a call that was sent and may have taken
// effect, although nobody knows.
type Outcome struct {
	Response json.RawMessage
	Account  string
	Failure  *Failure
	Unknown  bool
}

// Execute sends one call, once. arguments are a JSON object.
func (g *Gateway) Execute(ctx context.Context, name string, arguments json.RawMessage) Outcome {
	asked := struct {
		Name      string          `json:"name"`
		Arguments json.RawMessage `json:"arguments"`
	}{name, arguments}
	reply := g.post(ctx, "execute", asked, g.execute)
	if reply.failure != nil {
		return Outcome{Failure: reply.failure, Unknown: reply.unknown}
	}
	var answer struct {
		Response json.RawMessage `json:"response"`
		Account  string          `json:"account"`
		Error    json.RawMessage `json:"error"`
	}
	if err := json.Unmarshal(reply.body, &answer); err != nil {
		return g.unreadable("it is not the JSON object of an answer")
	}
	failed, told := g.told(answer.Error)
	switch {
	case told && answer.Response != nil:
		return g.unreadable("it holds a response and an error")
	case told:
		return Outcome{Failure: failed}
	case answer.Response == nil:
		return g.unreadable("it holds neither a response nor an error")
	}
	return Outcome{Response: answer.Response, Account: g.plain(answer.Account)}
}

// unreadable is an answer to a call that was carried out, as far as its status says.
func (g *Gateway) unreadable(why string) Outcome {
	failed := g.malformed(why)
	failed.Hint = "the call was sent, and whether it took effect is not known: look before you repeat it"
	return Outcome{Failure: failed, Unknown: true}
}

func (g *Gateway) malformed(why string) *Failure {
	return &Failure{Code: CodeProviderError, Message: fmt.Sprintf("the answer of the connectors gateway %s cannot be read: %s", g.base.Host, why)}
}

// told reads the error of an answer. Codes that are ours to give are not taken from
// a gateway.
func (g *Gateway) told(raw json.RawMessage) (failed *Failure, told bool) {
	if raw = bytes.TrimSpace(raw); len(raw) == 0 || bytes.Equal(raw, []byte("null")) {
		return nil, false
	}
	var said struct {
		Code      string `json:"code"`
		Message   string `json:"message"`
		Connector string `json:"connector"`
		Hint      string `json:"hint"`
	}
	if json.Unmarshal(raw, &said) != nil {
		// An error in another form is an error all the same.
		var text string
		_ = json.Unmarshal(raw, &text)
		said.Code, said.Message, said.Connector, said.Hint = "", text, "", ""
	}
	failed = &Failure{Code: said.Code, Message: g.plain(said.Message), Connector: g.plain(said.Connector), Hint: g.plain(said.Hint)}
	switch said.Code {
	case CodeConnectionRequired, CodeToolNotFound, CodeProviderError, CodeToolError:
	default:
		failed.Code = CodeToolError
	}
	if strings.TrimSpace(failed.Message) == "" {
		failed.Message = "the connectors gateway " + g.base.Host + " reported an error without saying which"
	}
	return failed, true
}
