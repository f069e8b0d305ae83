package provider

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"hermes/backend/message"
)

const (
	demoQuote  = 200  // runes quoted of one result
	demoLetter = 4096 // results are not read beyond this many bytes for the quote
)

// demoSummary says what came back, in the order of the calls, without
// pretending to have understood it.
func demoSummary(ms, results []message.Message) string {
	var b strings.Builder
	fmt.Fprintf(&b, "I am the %s; I report what the tools said.\n", DemoModel)
	ok := 0
	for i, r := range results {
		fmt.Fprintf(&b, "\n%d. %s: ", i+1, calledName(ms, r))
		content := message.Unfence(r.Content)
		switch r.Status {
		case message.StatusOK, "":
			ok++
			b.WriteString(describe(content))
		default:
			fmt.Fprintf(&b, "%s. %s", r.Status, firstLines(content))
		}
	}
	fmt.Fprintf(&b, "\n\n%d of %d calls succeeded.", ok, len(results))
	return b.String()
}

// calledName is the tool a result is from: the one behind the bridge where the
// call went through it.
func calledName(ms []message.Message, result message.Message) string {
	for i := len(ms) - 1; i >= 0; i-- {
		for _, c := range ms[i].ToolCalls {
			if c.ID != result.ToolCallID {
				continue
			}
			if c.Target.Name != "" {
				return c.Target.Name
			}
			name, _ := c.Peel()
			return name
		}
	}
	if result.ToolName != "" {
		return result.ToolName
	}
	return "a tool"
}

func describe(content string) string {
	trimmed := strings.TrimSpace(content)
	if trimmed == "" {
		return "it returned nothing."
	}
	lines := strings.Count(trimmed, "\n") + 1
	if lines == 1 {
		return firstLines(trimmed)
	}
	return fmt.Sprintf("%d lines, beginning \"%s\"", lines, firstLines(trimmed))
}

func firstLines(content string) string {
	head := content[:min(len(content), demoLetter)]
	head = strings.Join(strings.Fields(strings.ToValidUTF8(head, "")), " ")
	if utf8.RuneCountInString(head) > demoQuote {
		head = string([]rune(head)[:demoQuote]) + "…"
	}
	return head
}
