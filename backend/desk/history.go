package desk

import (
	"encoding/json"
	"errors"
	"io/fs"
	"path/filepath"
	"strings"

	"hermes/backend/native"
)

const (
	// maxTyped bounds one entry of the history, in bytes: what is pasted belongs
	// into the session and not into every later one.
	maxTyped = 8 << 10
	// keepTyped is how many entries stay, and maxHistory how many bytes the file
	// may have before it is shortened to them.
	keepTyped  = 500
	maxHistory = 256 << 10
)

func (d *Desk) historyFile() string { return filepath.Join(d.current().Home().Native(), "history") }

// Typed gives what people typed into the chat of this home, oldest first. Without
// a file, or with one that cannot be read, it is nothing.
func (d *Desk) Typed() []string {
	data, err := native.Read(d.historyFile(), 2*maxHistory)
	if err != nil {
		return nil
	}
	var out []string
	for line := range strings.Lines(string(data)) {
		text := ""
		if json.Unmarshal([]byte(line), &text) == nil && text != "" {
			out = append(out, text)
		}
	}
	return out[max(len(out)-keepTyped, 0):]
}

// Keep writes one text that was typed into the history of the home. Left out are
// a text that begins with a space, which is how a person keeps one out; a long
// one; one that holds a known secret; and everything where our folder is not there yet.
func (d *Desk) Keep(text string) error {
	h := d.current()
	if strings.HasPrefix(text, " ") || strings.TrimSpace(text) == "" || len(text) > maxTyped || !native.HasFolder(h.Home().Native()) || h.Redact(text) != text {
		return nil
	}
	line, err := json.Marshal(text)
	if err != nil {
		return err
	}
	line = append(line, '\n')
	file, info, err := native.Append(d.historyFile())
	if err != nil {
		return err
	}
	_, err = file.Write(line)
	if err = errors.Join(err, file.Close()); err != nil || info.Size()+int64(len(line)) <= maxHistory {
		return err
	}
	return d.shorten()
}

// shorten leaves the newest half of what may stay, so that it happens rarely.
func (d *Desk) shorten() error {
	var kept []byte
	typed := d.Typed()
	for i := len(typed) - 1; i >= 0 && len(kept) < maxHistory/2; i-- {
		line, err := json.Marshal(typed[i])
		if err != nil {
			return err
		}
		kept = append(append(line, '\n'), kept...)
	}
	err := native.Replace(d.historyFile(), kept)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}
