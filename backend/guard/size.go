package guard

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// Limits bound the results of a turn; sizes are in characters.
type Limits struct {
	// HardCap is the most of one result that is kept at all, in its file too.
	HardCap int
	// SpillAt is the size from which a result goes to a file and only its ends,
	// Preview characters of them, to the model.
	SpillAt, Preview int
	// Round is how much the results of one round may bring together; what would
	// go beyond goes to a file. 0 is no bound.
	Round int
}

// DefaultLimits are those the users of Hermes Agent know, where it has them
// (reference 5.3). A file keeps all that one message of a server can bring.
func DefaultLimits() Limits {
	return Limits{HardCap: 64 << 20, SpillAt: 50_000, Preview: 1500, Round: 200_000}
}

// The shares that results may take of a small window, and what they may take at
// least.
const (
	resultShare, resultLeast = 0.15, 8_000
	roundShare, roundLeast   = 0.30, 16_000
)

// Within are the limits for a model that can read so many characters; 0 is not
// known and changes nothing.
func (l Limits) Within(window int) Limits {
	if window > 0 {
		l.SpillAt = min(l.SpillAt, max(int(float64(window)*resultShare), resultLeast))
		l.Round = min(l.Round, max(int(float64(window)*roundShare), roundLeast))
	}
	return l
}

// cut keeps the first 40 and the last 60 percent of limit characters, because
// the end of an output is where the outcome stands.
func cut(text string, limit int) string {
	if len(text) <= limit { // no character is shorter than a byte
		return text
	}
	total := utf8.RuneCountInString(text)
	if total <= limit {
		return text
	}
	head := limit * 2 / 5
	tail := limit - head
	return fmt.Sprintf("%s\n[... %d of %d characters left out ...]\n%s", text[:offset(text, head)], total-limit, total, text[before(text, tail):])
}

// offset is where the n-th character of text begins.
func offset(text string, n int) int {
	for i := range text {
		if n == 0 {
			return i
		}
		n--
	}
	return len(text)
}

// before is where the last n characters of text begin.
func before(text string, n int) int {
	at := len(text)
	for ; n > 0 && at > 0; n-- {
		_, size := utf8.DecodeLastRuneInString(text[:at])
		at -= size
	}
	return at
}

// spill writes a large output of size characters, of which text is what is kept,
// to a private file and returns what the model gets instead, and where the file
// is. Where that cannot be done, the output is cut.
func (t *Turn) spill(id, text string, size int) (instead, path string) {
	path, err := t.writeSpill(id, text)
	if err != nil {
		return cut(text, min(t.limits.SpillAt, max(t.limits.Round, t.limits.Preview))), ""
	}
	kept := "all of it is"
	if size > t.limits.HardCap {
		kept = "the middle was left out, and the rest is"
	}
	lines := "one line"
	if n := strings.Count(strings.TrimSuffix(text, "\n"), "\n") + 1; n > 1 {
		lines = fmt.Sprint(n, " lines")
	}
	return fmt.Sprintf("<persisted-output>\nThe output has %d characters; %s in %s (%s). Its beginning and its end:\n%s\n</persisted-output>",
		size, kept, path, lines, t.notes.defang(cut(text, t.limits.Preview))), path
}
