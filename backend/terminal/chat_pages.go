package terminal

import (
	"fmt"

	"hermes/backend/view"
)

// pages are all arguments of a call, read in the place of a card.
type pages struct {
	at    int
	wide  int // the width that text was broken for
	text  []string
	shown int // lines of the latest page
}

// key moves; done says that the reader goes back to the card. No key answers it.
func (r *pages) key(name string) (done bool) {
	page := max(r.shown, 1)
	switch name {
	case "esc", "v", "q":
		return true
	case "space", "pgdown", "f":
		r.at += page
	case "b", "pgup":
		r.at -= page
	case "down", "j":
		r.at++
	case "up", "k":
		r.at--
	case "home", "g":
		r.at = 0
	case "end", "G":
		r.at = len(r.text)
	}
	r.at = max(min(r.at, len(r.text)-page), 0)
	return false
}

// lines draws the page at hand in at most room lines.
func (r *pages) lines(q view.QuestionCall, p paint, width, room int) []string {
	if r.wide != width {
		// A long text is not broken again at each drawing.
		r.wide, r.text = width, pretty(q.Arguments, max(width-2, 8))
	}
	r.shown = max(room-1, 1)
	r.at = max(min(r.at, len(r.text)-r.shown), 0)
	page := r.text[r.at:min(r.at+r.shown, len(r.text))]
	where := fmt.Sprintf("%d-%d of %d lines, %s  ", r.at+1, r.at+len(page), len(r.text), counted(len(q.Arguments), "byte", "bytes"))
	out := []string{cutTo(where+p.bold(callName(q)), width)}
	return append(out, before("  ", page)...)[:min(room, len(page)+1)]
}
