package desk

import (
	"encoding/json"
	"strings"

	"hermes/backend/message"
	"hermes/backend/view"
)

// maxSaid bounds what is looked at for the program's own sentences, in bytes:
// those are short, and a server may send anything.
const maxSaid = 8 << 10

// resultSaid is what the program says of a call that did not run, or of which
// nobody knows what became: by the codes that came with it, or by the text, as it
// is stored. What a server answered is never looked at.
func resultSaid(e message.ResultEvent) []message.Saying {
	switch e.Status {
	case message.StatusDenied, message.StatusBlocked, message.StatusInterrupted, message.StatusUnknown:
	default:
		return nil
	}
	if len(e.Said) > 0 || len(e.Content) > maxSaid {
		return e.Said
	}
	text := e.Content
	var wrapped struct {
		Error string `json:"error"`
	}
	if strings.HasPrefix(text, "{") && json.Unmarshal([]byte(text), &wrapped) == nil && wrapped.Error != "" {
		text = wrapped.Error
	}
	return message.Recognise(text)
}

func saidViews(said []message.Saying) []view.Words {
	var out []view.Words
	for _, one := range said {
		out = append(out, view.Words{Code: string(one.Code), Params: append([]string{}, one.Params...), Text: one.Text})
	}
	return out
}
