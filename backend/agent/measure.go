package agent

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"hermes/backend/message"
)

// measure is what the vendor counted last: tokens for the first rows of the
// history.
type measure struct{ tokens, rows int }

// size is about how many tokens the next pass reads: what the vendor counted,
// and an estimate of what was added since.
func (t *turn) size() int {
	total := t.measured.tokens
	if total == 0 {
		total = tokens(len(t.loop.System))
		for _, def := range t.loop.Tools.Definitions() {
			total += tokens(len(def.Name) + len(def.Description) + len(def.Parameters))
		}
	}
	for _, row := range t.history[min(t.measured.rows, len(t.history)):] {
		total += rowTokens(row)
	}
	return total
}

// tokens estimates: four bytes are one.
func tokens(bytes int) int { return (bytes + 3) / 4 }

func rowTokens(row message.Message) int {
	n := len(row.Content)
	if len(row.Blocks) > 0 {
		n = 0
		for _, block := range row.Blocks {
			n += len(block)
		}
	} else {
		for _, call := range row.ToolCalls {
			n += len(call.Name) + len(call.Arguments)
		}
	}
	return tokens(n) + 4
}

const (
	// What of one row goes into a transcript, in bytes.
	saidLength   = 8_000
	resultLength = 600
	callLength   = 400
)

// transcript writes rows as text for the model that summarises, at most limit
// bytes: the middle is left out where it is longer.
func transcript(rows []message.Message, limit int) string {
	parts := make([]string, 0, len(rows))
	// One long row must not be left out as a whole where room is small.
	said := min(saidLength, limit/4)
	for _, row := range rows {
		parts = append(parts, rowText(row, said))
	}
	total := 0
	for _, part := range parts {
		total += len(part)
	}
	head, tail := 0, len(parts)
	if total > limit {
		// A third for the beginning, the rest for what came last.
		for room := limit / 3; head < len(parts) && room >= len(parts[head]); head++ {
			room -= len(parts[head])
		}
		for room := limit - limit/3; tail > head && room >= len(parts[tail-1]); tail-- {
			room -= len(parts[tail-1])
		}
		return strings.Join(parts[:head], "") + fmt.Sprintf("[%d messages left out]\n", tail-head) + strings.Join(parts[tail:], "")
	}
	return strings.Join(parts, "")
}

func rowText(row message.Message, said int) string {
	if text, ok := row.Summary(); ok {
		return "<earlier_summary>\n" + clip(text, said) + "\n</earlier_summary>\n"
	}
	switch row.Role {
	case message.RoleTool:
		return "<result tool=\"" + row.ToolName + "\" status=\"" + string(row.Status) + "\">" + clip(message.Unfence(row.Content), min(resultLength, said)) + "</result>\n"
	case message.RoleAssistant:
		text := "<agent>" + clip(row.Content, said) + "</agent>\n"
		for _, call := range row.ToolCalls {
			name, arguments := call.Peel()
			if call.Target.Name != "" {
				name = call.Target.Name
			}
			text += "<call tool=\"" + name + "\">" + clip(arguments, min(callLength, said)) + "</call>\n"
		}
		return text
	}
	return "<person>" + clip(message.Unnoted(row.Content), said) + "</person>\n"
}

// outline is the summary of a conversation whose model cannot be asked for one:
// what was asked and what was called, newest last.
func outline(rows []message.Message, room int) string {
	limit := min(12_000, room)
	return "No summary could be made; this is what happened, shortened.\n" + transcript(rows, limit)
}

// clip keeps the beginning and the end of a text.
func clip(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	head, tail := limit*2/3, len(text)-limit/3
	for head > 0 && !utf8.RuneStart(text[head]) {
		head--
	}
	for tail < len(text) && !utf8.RuneStart(text[tail]) {
		tail++
	}
	return text[:head] + " [...] " + text[tail:]
}
