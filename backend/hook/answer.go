package hook

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"
)

// fixedBlock is what a hook said that blocks and gives no reason (hermes-agent
// reference 3.3).
const fixedBlock = "Blocked by shell hook."

// maxReason bounds, in bytes, what is taken of a hook's words, maxErrors what is
// taken of its standard error where that is all it says.
const (
	maxReason = 4000
	maxErrors = 400
)

// answer is what a hook said: a decision, its words, and the arguments to merge.
type answer struct {
	decision Decision
	reason   string
	ruleKey  string
	changes  map[string]json.RawMessage
}

// readAnswer reads what a pre_tool_call hook wrote to standard output. Nothing
// is a yes, and so is an object of harmless keys. What is no answer of the
// protocol is an error, and so is a key or a word it does not know: a person
// meant something by it.
func readAnswer(out []byte) (answer, error) {
	out = bytes.TrimSpace(out)
	if len(out) == 0 {
		return answer{decision: Allow}, nil
	}
	fields, err := object(out)
	if err != nil {
		return answer{}, fmt.Errorf("its answer is no JSON object: %w", err)
	}
	said := answer{decision: Allow}
	decided, err := said.takeAll(fields)
	if said.decision != Block && err == nil {
		err = unknown(fields, decided, said.changes != nil)
	}
	// What is a block beside something that cannot be read is a block.
	if err != nil && said.decision != Block {
		return answer{}, err
	}
	if said.decision != Allow {
		said.reason = reasonIn(fields)
	}
	if said.decision == Ask {
		if key, _, err := text(fields, "rule_key"); err == nil {
			said.ruleKey = cut(key, maxErrors)
		}
	}
	return said, nil
}

// takeAll reads every key that decides; decided tells that one did. All are
// read, so that a block stands whatever else is wrong.
func (a *answer) takeAll(fields map[string]json.RawMessage) (decided bool, err error) {
	for _, key := range []string{"action", "decision"} {
		word, there, wrong := text(fields, key)
		if wrong == nil && there {
			decided = true
			wrong = a.take(strings.ToLower(strings.TrimSpace(word)), fields)
		}
		err = errors.Join(err, wrong)
	}
	if raw, there := fields["continue"]; there {
		switch string(raw) {
		case "true":
		case "false":
			a.decision = Block
		default:
			err = errors.Join(err, errors.New("its `continue` is neither true nor false"))
		}
	}
	if raw, there := fields["hookSpecificOutput"]; there {
		decided = true
		err = errors.Join(err, a.takePermission(raw))
	}
	return decided, err
}

// takePermission reads the object in which other programs' hooks decide.
func (a *answer) takePermission(raw json.RawMessage) error {
	fields, err := object(raw)
	if err != nil {
		return fmt.Errorf("its `hookSpecificOutput` is no JSON object: %w", err)
	}
	word, there, err := text(fields, "permissionDecision")
	if err != nil {
		return err
	}
	switch word {
	case "deny":
		a.decision = Block
	case "ask":
		if a.decision == Allow {
			a.decision = Ask
		}
	case "allow":
	default:
		if there {
			return fmt.Errorf("its `permissionDecision` %q is none of this protocol", cut(word, 40))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		switch name {
		case "hookEventName", "permissionDecision", "permissionDecisionReason", "additionalContext":
		default:
			return fmt.Errorf("its `hookSpecificOutput` has the key %q, which is none of this protocol", cut(name, 80))
		}
	}
	return nil
}

// unknown is the error of an answer with a key that says something here cannot
// be done: one that nobody knows, words without a decision, or arguments that
// nothing wants to change.
func unknown(fields map[string]json.RawMessage, decided, modified bool) error {
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		switch name {
		case "action", "decision", "hookSpecificOutput", "continue", "context", "systemMessage", "suppressOutput":
			continue
		case "message", "reason", "rule_key":
			if decided {
				continue
			}
			return fmt.Errorf("its answer has the key %q and no decision (`action`)", name)
		case "args", "tool_input":
			if modified {
				continue
			}
			return fmt.Errorf("its answer has the key %q and does not say `modify`", name)
		}
		return fmt.Errorf("its answer has the key %q, which is none of this protocol", cut(name, 80))
	}
	return nil
}

// take reads one of the two words of an answer. The stricter word of two stands.
func (a *answer) take(word string, fields map[string]json.RawMessage) error {
	switch word {
	case "block", "deny":
		a.decision = Block
	case "approve", "ask":
		if a.decision == Allow {
			a.decision = Ask
		}
	case "allow":
	case "modify":
		for _, key := range []string{"args", "tool_input"} {
			value, there := fields[key]
			if !there {
				continue
			}
			changes, err := object(value)
			if err != nil {
				return fmt.Errorf("its `%s` is no JSON object: %w", key, err)
			}
			if a.changes == nil {
				a.changes = map[string]json.RawMessage{}
			}
			maps.Copy(a.changes, changes)
		}
		if a.changes == nil {
			return errors.New("it wants to modify the arguments and gives none")
		}
	default:
		return fmt.Errorf("its answer %q is none of this protocol", cut(word, 40))
	}
	return nil
}

// reasonIn gives the words of an answer, whole, empty for none.
func reasonIn(fields map[string]json.RawMessage) string {
	inner, _ := object(fields["hookSpecificOutput"])
	for _, at := range []struct {
		fields map[string]json.RawMessage
		key    string
	}{{fields, "message"}, {fields, "reason"}, {inner, "permissionDecisionReason"}, {fields, "stopReason"}} {
		if words, _, err := text(at.fields, at.key); err == nil && strings.TrimSpace(words) != "" {
			return strings.TrimSpace(words)
		}
	}
	return ""
}

// exitReason is why a hook that ended with 2 blocks: what it wrote to standard
// output, else to standard error, without secrets, else the fixed words.
func exitReason(out []byte, errs string) string {
	if fields, err := object(bytes.TrimSpace(out)); err == nil {
		if words := reasonIn(fields); words != "" {
			return words
		}
	}
	if words := cut(strings.TrimSpace(strings.ToValidUTF8(errs, "\uFFFD")), maxErrors); words != "" {
		return words
	}
	return fixedBlock
}

// text gives a field that has to be a text where it is there.
func text(fields map[string]json.RawMessage, key string) (value string, there bool, err error) {
	raw, there := fields[key]
	if !there {
		return "", false, nil
	}
	if err := json.Unmarshal(raw, &value); err != nil || raw[0] != '"' {
		return "", false, fmt.Errorf("its `%s` is no text", key)
	}
	return value, true, nil
}

// cut shortens a text to at most n bytes at the edge of a character.
func cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}

// object reads one JSON object and nothing behind it. A key that stands twice,
// on any level, is an error: two readers may take two values.
func object(data []byte) (map[string]json.RawMessage, error) {
	if err := onlyOnce(data); err != nil {
		return nil, err
	}
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(data, &fields); err != nil {
		return nil, err
	}
	if fields == nil {
		return nil, errors.New("it is null")
	}
	return fields, nil
}

// maxDepth bounds the nesting that is looked into.
const maxDepth = 1000

// onlyOnce wants valid JSON in valid UTF-8 in which no object has a key twice.
func onlyOnce(data []byte) error {
	if !utf8.Valid(data) {
		return errors.New("it is no valid UTF-8")
	}
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.UseNumber()
	type level struct {
		keys map[string]bool // nil in a list
		name bool            // the next text is a key
	}
	var levels []level
	for {
		token, err := decoder.Token()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		delim, _ := token.(json.Delim)
		if delim == '}' || delim == ']' {
			levels = levels[:len(levels)-1]
		} else if n := len(levels); n > 0 && levels[n-1].name {
			key, _ := token.(string)
			if levels[n-1].keys[key] {
				return fmt.Errorf("the key %q stands in it twice", cut(key, 80))
			}
			levels[n-1].keys[key], levels[n-1].name = true, false
			continue
		}
		switch delim {
		case '{':
			levels = append(levels, level{keys: map[string]bool{}, name: true})
			continue
		case '[':
			levels = append(levels, level{})
		}
		if len(levels) > maxDepth {
			return errors.New("it is nested too deeply")
		}
		if n := len(levels); n > 0 && levels[n-1].keys != nil {
			levels[n-1].name = true
		}
	}
}

// merge puts changed values over arguments, on the first level alone. Both stay
// as they are written; the keys are sorted.
func merge(arguments json.RawMessage, changes map[string]json.RawMessage) (json.RawMessage, error) {
	fields, err := object(arguments)
	if err != nil {
		return nil, err
	}
	maps.Copy(fields, changes)
	var out bytes.Buffer
	out.WriteByte('{')
	for i, key := range slices.Sorted(maps.Keys(fields)) {
		if i > 0 {
			out.WriteByte(',')
		}
		name, err := json.Marshal(key)
		if err != nil {
			return nil, err
		}
		out.Write(name)
		out.WriteByte(':')
		out.Write(fields[key])
	}
	out.WriteByte('}')
	return out.Bytes(), nil
}
