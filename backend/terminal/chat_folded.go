package terminal

import (
	"fmt"
	"strings"

	"charm.land/bubbles/v2/textarea"
)

// mostEdited is how much text is edited as it is, in bytes: the editor measures all of
// it at every key.
const mostEdited = 20 << 10

// folds are the long texts that stand in the input as a mark each. A mark is one thing
// to the editor: what changes a piece of it deletes it.
type folds struct{ marks, texts []string }

// fold gives what stands for a text in the input: a long one's mark, any other itself.
func (f *folds) fold(text string) string {
	if len(text) <= mostEdited {
		return text
	}
	lines := strings.Count(strings.TrimSuffix(text, "\n"), "\n") + 1
	mark := fmt.Sprintf("[pasted %s %s, %s KB]", grouped(lines), plural(lines, "line", "lines"), grouped((len(text)+512)/1024))
	for n := 2; strings.Contains(strings.Join(f.marks, ""), mark); n++ {
		mark = fmt.Sprintf("[pasted %s %s, %s KB, %d]", grouped(lines), plural(lines, "line", "lines"), grouped((len(text)+512)/1024), n)
	}
	f.marks, f.texts = append(f.marks, mark), append(f.texts, text)
	return mark
}

func plural(n int, one, many string) string {
	if n == 1 {
		return one
	}
	return many
}

// whole is a value of the input with the long texts in it.
func (f *folds) whole(value string) string {
	var pairs []string
	for i, mark := range f.marks {
		pairs = append(pairs, mark, f.texts[i])
	}
	return strings.NewReplacer(pairs...).Replace(value)
}

// mend makes an edit of one value into another one that takes marks as a whole; at is
// where the cursor belongs in it, in bytes. ok is false where no mark was changed.
func (f *folds) mend(was, now string) (mended string, at int, ok bool) {
	from := 0
	for from < min(len(was), len(now)) && was[from] == now[from] {
		from++
	}
	behind := 0
	for behind < min(len(was), len(now))-from && was[len(was)-1-behind] == now[len(now)-1-behind] {
		behind++
	}
	to, put := len(was)-behind, now[from:len(now)-behind]
	for _, mark := range f.marks {
		begin := strings.Index(was, mark)
		end := begin + len(mark)
		switch {
		case begin < 0 || strings.Contains(now, mark) || to < begin || from > end:
			continue
		case from == to && from > begin && from < end:
			from, to = end, end // what is typed into a mark stands behind it
		default:
			from, to = min(from, begin), max(to, end)
		}
		ok = true
	}
	return was[:from] + put + was[to:], from + len(put), ok
}

// askShown is ask for a text that people are shown as another one.
func (t *talk) askShown(text, shown string) job { return t.send(queued{text, shown, t.now()}) }

// settle puts the cursor of an editor to a place of a new value, in bytes.
func settle(e *textarea.Model, value string, at int) {
	e.SetValue(value)
	before := value[:at]
	line := strings.Count(before, "\n")
	for range value {
		if e.Line() <= line {
			break
		}
		e.CursorUp()
	}
	e.SetCursorColumn(len([]rune(before[strings.LastIndexByte(before, '\n')+1:])))
}
