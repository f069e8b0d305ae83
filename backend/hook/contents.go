package hook

import (
	"bytes"
	"unicode/utf8"
)

// maxShown bounds what is shown of one file, in bytes.
const maxShown = 200_000

// Content is a file of a hook with what stands in it. Text is empty where it is no
// text; Cut tells that it goes on.
type Content struct {
	File
	Text string
	Cut  bool
}

// Contents examines a hook and gives its files with their text, for a person who is
// to trust them. Text and hash are of the same bytes.
func (r *Runner) Contents(rule Rule) (Trust, []Content) {
	command, trust := r.trusted(rule)
	defer command.close()
	var out []Content
	for _, file := range command.opened {
		out = append(out, file.shown())
	}
	return trust, out
}

func (f *opened) shown() Content {
	out := Content{File: f.File}
	data := f.content
	if len(data) > maxShown {
		end := maxShown
		for end > maxShown-utf8.UTFMax && !utf8.RuneStart(data[end]) {
			end--
		}
		data, out.Cut = data[:end], true
	}
	if !utf8.Valid(data) || bytes.IndexByte(data, 0) >= 0 {
		return Content{File: f.File}
	}
	out.Text = string(data)
	return out
}
