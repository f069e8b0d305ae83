package terminal

import (
	"context"
	"strings"

	"golang.org/x/term"
)

// Confirm asks for yes or no. An empty answer is the default, which is shown.
func (t *Terminal) Confirm(ctx context.Context, question string, yes bool) (bool, error) {
	marks := "[y/N]"
	if yes {
		marks = "[Y/n]"
	}
	for {
		t.say("%s %s ", question, marks)
		text, err := t.line(ctx)
		if err != nil {
			return false, err
		}
		switch strings.ToLower(strings.TrimSpace(text)) {
		case "":
			return yes, nil
		case "y", "yes":
			return true, nil
		case "n", "no":
			return false, nil
		}
		t.say("Please answer y or n.\n")
	}
}

// Text asks for a line. An empty answer is the default, which is shown where
// there is one.
func (t *Terminal) Text(ctx context.Context, question, normal string) (string, error) {
	if normal != "" {
		question += " [" + normal + "]"
	}
	t.say("%s: ", question)
	text, err := t.line(ctx)
	if err != nil {
		return "", err
	}
	if text = strings.TrimSpace(text); text == "" {
		return normal, nil
	}
	return text, nil
}

// Secret asks for a line that is not shown while it is typed.
func (t *Terminal) Secret(ctx context.Context, question string) (string, error) {
	t.say("%s: ", question)
	fd, ok := fileOf(t.In)
	if !ok {
		text, err := t.line(ctx)
		return strings.TrimSpace(text), err
	}
	state, err := term.GetState(fd)
	if err != nil {
		return "", err
	}
	text, err := t.await(ctx, func() answer {
		secret, err := term.ReadPassword(fd)
		return answer{text: string(secret), err: err}
	})
	if err != nil {
		// The read that was left behind still hides what is typed.
		_ = term.Restore(fd, state)
		return "", err
	}
	t.say("\n")
	return strings.TrimSpace(text), nil
}

// Choice asks for one of several words, each of which may be shortened to its
// first letter. An empty answer is the first of them.
func (t *Terminal) Choice(ctx context.Context, question string, words ...string) (string, error) {
	shown := make([]string, len(words))
	for i, word := range words {
		shown[i] = word
		if i == 0 {
			shown[i] = strings.ToUpper(word[:1]) + word[1:]
		}
	}
	for {
		t.say("%s [%s] ", question, strings.Join(shown, "/"))
		text, err := t.line(ctx)
		if err != nil {
			return "", err
		}
		text = strings.ToLower(strings.TrimSpace(text))
		if text == "" {
			return words[0], nil
		}
		for _, word := range words {
			if text == word || text == word[:1] {
				return word, nil
			}
		}
		t.say("Please answer %s.\n", strings.Join(words, ", "))
	}
}
