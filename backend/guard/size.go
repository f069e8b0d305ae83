package guard

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"unicode/utf8"
)

// cut keeps the first 40 and the last 60 percent of limit characters, because
// the end of an output is where the outcome stands.
func cut(text string, limit int) string {
	total := utf8.RuneCountInString(text)
	if total <= limit {
		return text
	}
	head := limit * 2 / 5
	tail := limit - head
	return fmt.Sprintf("%s\n[... %d of %d characters left out ...]\n%s", text[:offset(text, head)], total-limit, total, text[offset(text, total-tail):])
}

// offset is where the n-th character of text begins.
func offset(text string, n int) int {
	if len(text) == utf8.RuneCountInString(text) {
		return n
	}
	for i := range text {
		if n == 0 {
			return i
		}
		n--
	}
	return len(text)
}

// spill writes a large output of size characters, of which text is what is kept,
// to a private file and returns what the model gets instead. Where that cannot be
// done, the output is cut.
func (t *Turn) spill(id, text string, size int) string {
	path, err := t.writeSpill(id, text)
	if err != nil {
		return cut(text, t.limits.SpillAt)
	}
	kept := "all of it is"
	if size > t.limits.HardCap {
		kept = "the middle was left out, and the rest is"
	}
	return fmt.Sprintf("<persisted-output>\nThe output has %d characters; %s in %s. Its beginning and its end:\n%s\n</persisted-output>",
		size, kept, path, cut(text, t.limits.Preview))
}

func (t *Turn) writeSpill(id, text string) (string, error) {
	if t.dir == "" {
		return "", os.ErrInvalid
	}
	if err := os.MkdirAll(t.dir, 0o700); err != nil {
		return "", err
	}
	path := filepath.Join(t.dir, fileName(t.session+"-"+id)+".txt")
	// A fresh file each time: writing into one that is there could follow a
	// link somebody put in its place.
	if err := os.Remove(path); err != nil && !os.IsNotExist(err) {
		return "", err
	}
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return "", err
	}
	if _, err := file.WriteString(text); err != nil {
		_ = file.Close() // the write's fault is the one to tell
		return "", err
	}
	return path, file.Close()
}

// fileName keeps letters, digits, - and _ of an id.
func fileName(id string) string {
	safe := strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '-', r == '_':
			return r
		}
		return '_'
	}, id)
	return safe[:min(len(safe), 120)]
}
