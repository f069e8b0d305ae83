package config

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"gopkg.in/yaml.v3"
)

// argsText reads the legacy form of `args`, one text: a list in JSON or Python
// spelling is decoded, anything else is split as a shell would
// (hermes-mcp reference 1.1). A text that begins like a list and is none is an
// error: guessing would start something else than what was meant.
func argsText(text string) ([]string, error) {
	trimmed := strings.TrimSpace(text)
	if strings.HasPrefix(trimmed, "[") || strings.HasPrefix(trimmed, "{") {
		return listText(trimmed)
	}
	return shellSplit(text)
}

// listText decodes `["a", "b"]` and `['a', 'b']`. The latter is Python's
// spelling, which YAML reads where there are no backslashes.
func listText(text string) ([]string, error) {
	var list []any
	if err := json.Unmarshal([]byte(text), &list); err == nil {
		out := make([]string, 0, len(list))
		for _, item := range list {
			switch item.(type) {
			case string, float64, bool:
				out = append(out, fmt.Sprint(item))
			default:
				return nil, errors.New("the list holds something that is not text")
			}
		}
		return out, nil
	}
	if err := checkNesting([]byte(text)); err != nil {
		return nil, errors.New("the text looks like a list but is none")
	}
	root, err := decode([]byte(text))
	if strings.Contains(text, `\`) || err != nil || root == nil || root.Kind != yaml.SequenceNode {
		return nil, errors.New("the text looks like a list but is none")
	}
	out := make([]string, 0, len(root.Content))
	for _, item := range root.Content {
		if item.Kind != yaml.ScalarNode || item.ShortTag() == "!!null" {
			return nil, errors.New("the list holds something that is not text")
		}
		out = append(out, item.Value)
	}
	return out, nil
}

// shellSplit splits as a POSIX shell does, without expanding anything.
func shellSplit(text string) ([]string, error) {
	var (
		out   []string
		word  strings.Builder
		begun bool
	)
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == ' ' || c == '\t' || c == '\n' || c == '\r':
			if begun {
				out = append(out, word.String())
				word.Reset()
				begun = false
			}
		case c == '\'':
			end := strings.IndexByte(text[i+1:], '\'')
			if end < 0 {
				return nil, errors.New("a single quote is not closed")
			}
			word.WriteString(text[i+1 : i+1+end])
			begun, i = true, i+1+end
		case c == '"':
			begun = true
			closed := false
			for i++; i < len(text); i++ {
				if text[i] == '"' {
					closed = true
					break
				}
				if text[i] == '\\' && i+1 < len(text) && strings.IndexByte("\"\\$`", text[i+1]) >= 0 {
					i++
				}
				word.WriteByte(text[i])
			}
			if !closed {
				return nil, errors.New("a double quote is not closed")
			}
		case c == '\\':
			if i+1 >= len(text) {
				return nil, errors.New("nothing follows the last backslash")
			}
			i++
			word.WriteByte(text[i])
			begun = true
		default:
			word.WriteByte(c)
			begun = true
		}
	}
	if begun {
		out = append(out, word.String())
	}
	return out, nil
}
