package provider

import (
	"context"
	"fmt"
	"regexp"
	"strings"

	"hermes/backend/message"
)

// DemoModel is what the offline model calls itself, here and in every answer.
const DemoModel = "offline demo model"

// Demo answers from fixed rules. It is not a language model and says so; it
// exists so that the whole path from a message to a filed ticket can be run
// without a network (DESIGN section 4, `hermes demo`).
type Demo struct{}

// NewDemo returns the offline demo model. The same conversation and the same
// tools always give the same answer.
func NewDemo() *Demo { return &Demo{} }

// Stream answers the last message: with tool calls when a rule asks for them,
// with a summary when their results are the newest rows, with text otherwise.
func (d *Demo) Stream(ctx context.Context, req Request, onText func(string)) (Turn, error) {
	turn := Turn{Stop: message.StopEnd}
	asked, results := lastRound(req.Messages)
	switch {
	case len(results) > 0:
		turn.Content = demoSummary(req.Messages, results)
	default:
		turn.Content, turn.ToolCalls = demoPlan(asked, newOffer(req.Tools), len(req.Messages))
	}
	if len(turn.ToolCalls) > 0 {
		turn.Stop = message.StopToolCalls
	}
	for _, piece := range strings.SplitAfter(turn.Content, " ") {
		if err := context.Cause(ctx); err != nil {
			return Turn{}, fmt.Errorf("asking the %s: %w", DemoModel, err)
		}
		if onText != nil && piece != "" {
			onText(piece)
		}
	}
	return turn, nil
}

// lastRound finds the newest user text and the tool rows that answer the
// newest assistant row.
func lastRound(ms []message.Message) (asked string, results []message.Message) {
	for i := len(ms) - 1; i >= 0; i-- {
		if ms[i].Role == message.RoleUser {
			asked = ms[i].Content
			break
		}
	}
	for i := len(ms) - 1; i >= 0 && ms[i].Role == message.RoleTool; i-- {
		results = append([]message.Message{ms[i]}, results...)
	}
	return asked, results
}

// demoPlan applies the rules to a request.
func demoPlan(asked string, offer offer, turn int) (string, []message.ToolCall) {
	rule := demoRule(asked)
	if rule == nil {
		return demoHelp, nil
	}
	steps, missing := rule.plan(asked, offer)
	if len(missing) > 0 {
		return demoMissing(missing), nil
	}
	return fmt.Sprintf("I am the %s. %s", DemoModel, rule.says), offer.calls(steps, turn)
}

const demoHelp = "I am the " + DemoModel + ": a handful of fixed rules, not a language model. " +
	"I understand: \"skim these files and file a ticket\", \"list files\", \"read NAME\", \"git log\", " +
	"\"list tickets\" and \"create ticket TITLE\". " +
	"For real answers configure a model in config.yaml, for example:\n\n" +
	"model:\n  provider: openai\n  default: MODEL\n  base_url: https://api.example.com/v1\n  api_key: ${OPENAI_API_KEY}\n"

func demoMissing(missing []string) string {
	return fmt.Sprintf("I am the %s. I cannot do that: no tool for %s is offered to me. "+
		"Its server may be locked, switched off or not connected; `hermes mcp list` shows which. Nothing was called.",
		DemoModel, strings.Join(missing, ", "))
}

// rule is one request the demo model understands.
type rule struct {
	match *regexp.Regexp
	says  string
	steps []step
}

// step is one tool call of a rule: the built-in server and tool that does it
// and how its arguments come from the request.
type step struct {
	what   string // for people, when no tool for it is offered
	server string
	tools  []string // the built-in server's name first, then other servers' names for the same
	args   func(asked string, params map[string]bool) []argument
}

type argument struct {
	names []string // the first the tool has is used, else the first
	value string   // JSON
}

func demoRule(asked string) *rule {
	for _, r := range demoRules() {
		if r.match.MatchString(asked) {
			return &r
		}
	}
	return nil
}

func demoRules() []rule {
	read := step{"reading a file", "files", []string{"read_file", "read_text_file"}, pathArgs}
	log := step{"the git log", "git", []string{"log", "git_log"}, logArgs}
	create := step{"creating a ticket", "tickets", []string{"create_ticket", "create"}, ticketArgs}
	return []rule{
		{regexp.MustCompile(`(?is)\b(skim|read|look)\b.*\bfiles?\b.*\bticket\b`),
			"I read the file, look at the git log and file a ticket, in one batch of three.",
			[]step{read, log, create}},
		{regexp.MustCompile(`(?i)\b(list|show)\b.*\btickets\b`), "I list the tickets.",
			[]step{{"listing tickets", "tickets", []string{"list_tickets", "list"}, noArgs}}},
		{regexp.MustCompile(`(?i)\b(create|file|open)\b.*\bticket\b`), "I create the ticket.", []step{create}},
		{regexp.MustCompile(`(?i)\b(list|show)\b.*\bfiles\b|^\s*ls\s*$`), "I list the files.",
			[]step{{"listing files", "files", []string{"list_directory", "list_files", "list"}, folderArgs}}},
		{regexp.MustCompile(`(?i)\bgit\s+(log|history)\b|\bcommits\b`), "I look at the git log.", []step{log}},
		{regexp.MustCompile(`(?i)\b(read|skim|show)\s+\S+`), "I read the file.", []step{read}},
	}
}

type plannedCall struct {
	name string
	args string
}

func (r *rule) plan(asked string, offer offer) (calls []plannedCall, missing []string) {
	for _, s := range r.steps {
		name, ok := offer.find(s.server, s.tools)
		if !ok {
			missing = append(missing, s.what)
			continue
		}
		params := offer.params(name)
		out := []byte{'{'}
		for i, a := range s.args(asked, params) {
			if i > 0 {
				out = append(out, ',', ' ')
			}
			out = append(appendString(out, pick(a.names, params)), ": "...)
			out = append(out, a.value...)
		}
		calls = append(calls, plannedCall{name, string(append(out, '}'))})
	}
	return calls, missing
}

func pick(names []string, params map[string]bool) string {
	for _, name := range names {
		if params[name] {
			return name
		}
	}
	return names[0]
}
