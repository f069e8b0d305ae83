package host

import (
	"context"
	"encoding/json"
	"errors"

	"hermes/backend/approval"
	"hermes/backend/config"
	"hermes/backend/message"
)

// elicitation are the params of elicitation/create (MCP 2025-11-25). A form is
// what a request without a mode asks for.
type elicitation struct {
	Mode    string          `json:"mode"`
	Message string          `json:"message"`
	Schema  json.RawMessage `json:"requestedSchema"`
}

// elicited is its result.
type elicited struct {
	Action  approval.Action `json:"action"`
	Content json.RawMessage `json:"content,omitempty"`
}

// elicit puts a server's question before a person. The policy is asked at that
// moment, and again before an answer leaves; an error refuses.
func (h *Host) elicit(ctx context.Context, server string, params json.RawMessage) (json.RawMessage, error) {
	settings, reason := mayElicit(h.file.Current(), server)
	if reason != "" {
		h.announce(server, message.ElicitationRefused, reason)
		return nil, errors.New("elicitation is refused: " + reason)
	}
	var asked elicitation
	if json.Unmarshal(params, &asked) != nil {
		return nil, errors.New("the params of the elicitation cannot be read")
	}
	if asked.Mode != "" && asked.Mode != "form" {
		h.announce(server, message.ElicitationAddress)
		return json.Marshal(elicited{Action: approval.ActionDecline})
	}
	if len(asked.Schema) == 0 {
		asked.Schema = json.RawMessage(`{"type":"object"}`)
	}
	form, err := approval.ReadForm(asked.Schema)
	if err != nil {
		h.announce(server, message.ElicitationNoForm, err.Error())
		return nil, err
	}
	answer, err := h.put(ctx, approval.Question{
		Kind: approval.KindElicitation, Server: server, Session: h.callers.session(server),
		Message: h.redact(asked.Message), Schema: asked.Schema, Form: form, Wait: settings.Timeout,
	}, func(string) {})
	if answer.Action == approval.ActionAccept {
		if _, reason := mayElicit(h.file.Current(), server); reason != "" {
			answer = approval.Answer{Action: approval.ActionDecline, Reason: reason}
		}
	}
	if answer.Reason != "" {
		h.announce(server, message.ElicitationUnheard, answer.Reason)
	}
	if err != nil {
		return nil, err
	}
	return json.Marshal(elicited{Action: answer.Action, Content: answer.Content})
}

// mayElicit asks whether a server may put questions before a person now; reason
// says why not.
func mayElicit(snap *config.Snapshot, name string) (settings config.Elicitation, reason string) {
	server, reason := runs(snap, name)
	if reason != "" {
		return config.Elicitation{}, reason
	}
	if verdict := server.Rules.Elicitation(); !verdict.Allowed {
		return config.Elicitation{}, verdict.Reason.Text
	}
	return server.Elicitation, ""
}

// runs gives a server that may run under the snapshot, or says why it may not.
func runs(snap *config.Snapshot, name string) (server *config.Server, reason string) {
	if ok, problem := snap.MayRun(name); !ok {
		return nil, problem.Message
	}
	server, ok := snap.Server(name)
	if !ok {
		return nil, "the server is not configured"
	}
	return server, ""
}

// withdraw takes back the questions of servers that may not ask any more, and from
// cards the calls of tools that were locked meanwhile.
func (h *Host) withdraw(snap *config.Snapshot) {
	h.inbox.Withdraw(func(q approval.Question) string {
		if q.Kind != approval.KindElicitation {
			return ""
		}
		_, reason := mayElicit(snap, q.Server)
		return reason
	})
	h.inbox.WithdrawCalls(func(call approval.CallAsk) string {
		found, ok := call.Handle.(handle)
		if !ok {
			return "it is not known which tool it is"
		}
		if found.hosted {
			return unconnected(snap)
		}
		return refused(snap, found.entry)
	})
}

// Attend says that a face shows questions to a person, until the returned
// function is called. Without one every question is cancelled at once.
func (h *Host) Attend() (leave func()) { return h.inbox.Listen() }

// Questions are those that wait for an answer, oldest first.
func (h *Host) Questions() []approval.Question { return h.inbox.Open() }

// Answer answers a question; false is too late. An answer that does not fit is
// approval.ErrAnswer, and the question stays open.
func (h *Host) Answer(id string, answer approval.Answer) (bool, error) {
	if h.StartedBy() != "" {
		return false, errNoPerson
	}
	return h.inbox.Answer(id, answer)
}
