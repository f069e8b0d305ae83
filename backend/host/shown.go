package host

import (
	"strings"

	"hermes/backend/agent"
	"hermes/backend/config"
	"hermes/backend/mcp"
	"hermes/backend/message"
	"hermes/backend/policy"
	"hermes/backend/registry"
)

// explain is what people read of a refused call: the rule and the line that
// decides. The model is told less, because a denied tool does not exist for it.
// The catalogue knows the tools of servers that run alone, so a name that it does
// not know is looked for in the file.
func (h *Host) explain(name string, entry registry.Entry, verdict policy.Verdict) (string, []message.Saying) {
	snap := h.file.Current()
	if entry.Server != "" {
		return told(snap, entry.Server, entry.Tool, verdict.Reason.Text, verdict.Line), reasonSaid(verdict.Reason)
	}
	if server, tool, ok := h.meant(snap, name); ok {
		if text, said := h.whyNot(snap, server, tool); text != "" {
			return text, said
		}
	}
	return verdict.Reason.Text, reasonSaid(verdict.Reason)
}

// ruledOut tells that a name means a tool that the rules of its server deny: what
// is locked as a whole is in no catalogue, and denied all the same.
func (h *Host) ruledOut(name string) bool {
	server, tool, ok := h.meant(h.file.Current(), name)
	return ok && !server.Rules.Tool(tool).Allowed
}

// refusal is a call that was not sent after all: the model reads JSON, people a
// sentence.
func refusal(reason string, said ...message.Saying) agent.Result {
	return agent.Result{Status: message.StatusDenied, Content: registry.ErrorJSON(reason), Shown: reason, Said: said}
}

// lookedUp is the answer of a look-up, which may be that its arguments are wrong.
func lookedUp(answer string) agent.Result {
	if reason := registry.ErrorText(answer); reason != "" {
		return agent.Result{Status: message.StatusError, Content: answer, Shown: reason}
	}
	return agent.Result{Status: message.StatusOK, Content: answer}
}

// reasonSaid is a reason of the policy as the page says it.
func reasonSaid(words policy.Words) []message.Saying {
	return []message.Saying{{Code: message.Code(words.Code), Params: words.Params, Text: words.Text}}
}

func told(snap *config.Snapshot, server, tool, reason string, line int) string {
	text := server + "/" + tool + ": " + reason
	if line > 0 {
		text += " (" + place(snap.Path, line) + ")"
	}
	return text
}

// meant finds the configured server and the tool that a name of the model means:
// a public name, also of a server whose tools nobody has seen, or a raw name that
// one server alone is known to have.
func (h *Host) meant(snap *config.Snapshot, name string) (found *config.Server, tool string, ok bool) {
	var raw []*config.Server
	configured := snap.Names()
	for i := range snap.Servers {
		server := &snap.Servers[i]
		tools := server.Rules.Names()
		for _, t := range h.Brief(server.Name).Tools {
			tools = append(tools, t.Name)
		}
		has := false
		for known, public := range registry.PublicNames(configured, server.Name, tools) {
			if public == name {
				return server, known, true
			}
			has = has || known == name
		}
		if has {
			raw = append(raw, server)
		}
		// Without a list the name itself says it; the longest server's name wins.
		sample := registry.PublicNames(configured, server.Name, []string{"x"})["x"]
		if rest, of := strings.CutPrefix(name, strings.TrimSuffix(sample, "x")); of && rest != "" && strings.HasSuffix(sample, "__x") &&
			(found == nil || len(server.Name) > len(found.Name)) {
			found, tool = server, rest
		}
	}
	if found != nil {
		return found, tool, true
	}
	if len(raw) == 1 {
		return raw[0], name, true
	}
	return nil, "", false
}

// whyNot says which rule and line keep a tool from being called, or what its
// server lacks; empty where nothing does.
func (h *Host) whyNot(snap *config.Snapshot, server *config.Server, tool string) (string, []message.Saying) {
	if verdict := server.Rules.Tool(tool); !verdict.Allowed {
		return told(snap, server.Name, tool, verdict.Reason.Text, verdict.Line), reasonSaid(verdict.Reason)
	}
	if ok, problem := snap.MayRun(server.Name); !ok {
		return told(snap, server.Name, tool, problem.Message, problem.Line), problemSaid(problem)
	}
	if reason, blocked := h.Blocked(server.Name, tool); blocked {
		return told(snap, server.Name, tool, reason, 0), []message.Saying{message.Say(message.CallPinned, server.Name)}
	}
	status := h.Brief(server.Name)
	if status.State == mcp.StateConnected {
		return "", nil
	}
	said := message.Say(message.CallNotConnected)
	if status.Reason != "" {
		said = message.Say(message.CallNotConnectedWhy, h.redact(status.Reason))
	}
	return told(snap, server.Name, tool, said.Text, 0), []message.Saying{said}
}
