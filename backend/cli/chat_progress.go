package cli

import (
	"fmt"
	"io"
	"strconv"

	"hermes/backend/view"
)

// progressLine shows how far the running calls are, in one line of a terminal
// that the next output takes the place of. It writes nothing anywhere else.
type progressLine struct {
	out   io.Writer
	live  bool
	shown bool
}

// clearLine goes to the beginning of a terminal's line and empties it.
const clearLine = "\r\x1b[K"

func (p *progressLine) show(event view.ChatEvent) {
	if !p.live {
		return
	}
	p.shown = true
	fmt.Fprint(p.out, clearLine+shorten(printable(progressText(event)), 78))
}

// clear takes the line away before something else is printed.
func (p *progressLine) clear() {
	if p.shown {
		fmt.Fprint(p.out, clearLine)
	}
	p.shown = false
}

// progressText says how far a call is: in percent where the server knows its
// end, else in the server's own count.
func progressText(event view.ChatEvent) string {
	text := "… " + strconv.FormatFloat(event.Progress, 'f', -1, 64)
	if percent := event.Progress / event.Total * 100; event.Total > 0 && percent >= 0 && percent <= 100 {
		text = fmt.Sprintf("… %.0f%%", percent)
	}
	if event.Text != "" {
		text += " " + event.Text
	}
	return text
}
