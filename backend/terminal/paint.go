package terminal

// paint sets weight and the terminal's own colours, or nothing where colours are
// not wanted: what is said never depends on it.
type paint struct{ on bool }

// set ends what it began and nothing else, so that one may stand within another.
func (p paint) set(begin, end, text string) string {
	if !p.on || text == "" {
		return text
	}
	return "\x1b[" + begin + "m" + text + "\x1b[" + end + "m"
}

func (p paint) bold(text string) string   { return p.set("1", "22", text) }
func (p paint) faint(text string) string  { return p.set("2", "22", text) }
func (p paint) italic(text string) string { return p.set("3", "23", text) }
func (p paint) link(text string) string   { return p.set("4", "24", text) }
func (p paint) bad(text string) string    { return p.set("31", "39", text) }
func (p paint) good(text string) string   { return p.set("32", "39", text) }
func (p paint) warn(text string) string   { return p.set("33", "39", text) }
func (p paint) code(text string) string   { return p.set("36", "39", text) }
