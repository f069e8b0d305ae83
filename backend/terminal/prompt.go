package terminal

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

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
	read := func() answer { return readLine(t.In) }
	if fd, ok := fileOf(t.In); ok {
		// Before the question is shown: what is typed at once must not appear.
		state, err := term.MakeRaw(fd)
		if err != nil {
			return "", fmt.Errorf("hide what is typed: %w", err)
		}
		defer func() {
			_ = term.Restore(fd, state)
			t.say("\n")
		}()
		read = func() answer { return readHidden(t.In) }
	}
	t.say("%s: ", question)
	text, err := t.await(ctx, read)
	return strings.TrimSpace(text), err
}

// readHidden reads a line from a raw terminal, where the keys that edit a line
// and end a program are bytes like others.
func readHidden(in io.Reader) answer {
	var line []byte
	one := make([]byte, 1)
	for len(line) < maxLine {
		if n, err := in.Read(one); err != nil {
			return answer{text: string(line), err: err}
		} else if n == 0 {
			continue
		}
		switch key := one[0]; key {
		case '\r', '\n':
			return answer{text: string(line)}
		case 0x03: // Ctrl-C
			return answer{err: ErrInterrupted}
		case 0x04, 0x1b: // Ctrl-D, ESC
			return answer{err: io.EOF}
		case 0x08, 0x7f: // backspace
			_, size := utf8.DecodeLastRune(line)
			line = line[:len(line)-size]
		case 0x15: // Ctrl-U
			line = nil
		default:
			line = append(line, key)
		}
	}
	return answer{err: errors.New("the line is too long")}
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
