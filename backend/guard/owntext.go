package guard

import (
	"iter"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// spellings are what a program could make of a text before it opens a file:
// its characters in their plain form, percent signs decoded, variables filled
// in, quotes and escapes of a shell gone, separators of the other system.
func (f *OwnFiles) spellings(text string) []string {
	out := []string{text}
	add := func(s string) {
		if !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	if !isASCII(text) {
		add(plain(text))
	}
	for _, s := range slices.Clone(out) {
		for range 3 { // encoded twice is decoded twice
			s = percentDecoded(s)
			add(s)
		}
	}
	each := func(change func(string) string) {
		for _, s := range slices.Clone(out) {
			add(change(s))
		}
	}
	if strings.ContainsAny(text, "$%") {
		for _, s := range slices.Clone(out) {
			f.expansions(s, add)
		}
	}
	if strings.ContainsAny(text, "'\"`\\^") {
		each(func(s string) string {
			return strings.NewReplacer(`\\`, `\`, `\`, "", "'", "", `"`, "", "`", "", "^", "").Replace(s)
		})
		each(func(s string) string { return strings.ReplaceAll(s, `\`, "/") })
	}
	if strings.Contains(text, "{") {
		each(bracesAsGlob)
	}
	for _, s := range slices.Clone(out) { // some programs end a text at a NUL, some take it out
		if before, _, found := strings.Cut(s, "\x00"); found {
			add(before)
			add(strings.ReplaceAll(s, "\x00", ""))
		}
	}
	return out
}

// words looks at a spelling as a whole and at every path in it.
func (s *search) words(text string) {
	s.files.locate()
	if s.found = s.files.inside(text); s.found != "" {
		return
	}
	s.whole(text, true)
	s.whole(strings.TrimSpace(text), true)
	s.split(text)
	if s.found == "" && strings.ContainsAny(text, quoting+"=,") { // without these its words are those between spaces
		s.shell(text, 0)
	}
}

// split looks at every path between spaces and signs.
func (s *search) split(text string) {
	for word := range strings.FieldsFuncSeq(text, isBreak) {
		if s.found != "" {
			return
		}
		s.whole(word, false)
	}
}

// whole looks at a text as one path, and at the ends and parts of it where it
// is glued together: file:x, a=x, @x.
func (s *search) whole(text string, alone bool) {
	s.candidate(text, alone)
	const glue = "=:,@"
	if !strings.ContainsAny(text, glue) {
		return
	}
	rest := text
	for range 8 {
		_, end, found := cutAny(rest, glue)
		if !found || s.found != "" {
			break
		}
		rest = end
		s.candidate(rest, false)
	}
	for part := range strings.FieldsFuncSeq(text, func(r rune) bool { return strings.ContainsRune(glue, r) }) {
		s.candidate(part, false)
	}
}

func cutAny(text, signs string) (before, after string, found bool) {
	at := strings.IndexAny(text, signs)
	if at < 0 {
		return text, "", false
	}
	return text[:at], text[at+1:], true
}

func isBreak(r rune) bool {
	return r <= ' ' || r == utf8.RuneError || strings.ContainsRune("'\"`;|&<>()=,\u00a0", r)
}

// inside finds a place of ours that stands written out in a text, with spaces in
// its name or glued to something else.
func (f *OwnFiles) inside(text string) string {
	key := collapsed(comparable(text))
	for i := range f.spots {
		for _, own := range f.spots[i].keys {
			for from := 0; len(own) > 1; {
				at := strings.Index(key[from:], own)
				if at < 0 {
					break
				}
				from += at + len(own)
				if endsHere(key[from:], f.spots[i].Below) {
					return f.spots[i].What
				}
			}
		}
	}
	return ""
}

// endsHere tells whether a name ends where rest begins, or goes on below it.
func endsHere(rest string, below bool) bool {
	if below && strings.HasPrefix(rest, "/") {
		return true
	}
	rest = strings.TrimLeft(rest, "/.")
	r, _ := utf8.DecodeRuneInString(rest)
	return rest == "" || r < utf8.RuneSelf && !isWord(byte(r)) && r != '-' && r != '~' && r != '+'
}

// candidate looks at one text that may be a path. One without a separator that
// does not stand alone counts only where it is in one of the bases.
func (s *search) candidate(text string, alone bool) {
	if text == "" || s.found != "" {
		return
	}
	if text == "." {
		s.here(text)
		return
	}
	if before, ok := s.seen[text]; ok && (before || !alone) {
		return
	}
	s.seen[text] = alone
	if !alone && !strings.ContainsAny(text, `/\*?[`) && text[0] != '~' && text[0] != '.' {
		for name := range bareNames(text) {
			if s.files.begins(name) {
				s.relative(name)
			}
		}
		return
	}
	name := s.files.fromHome(text)
	if isAbsolute(name) {
		s.path("", s.files.ways(name))
		if rest, ok := strings.CutPrefix(pathSlashes(name), "//"); ok && s.found == "" {
			if _, local, ok := strings.Cut(rest, "/"); ok { // the host of a URL, or of a share
				s.path("", s.files.ways("/"+local))
			}
		}
	}
	if !filepath.IsAbs(name) { // C:/x is no folder of every system
		s.relative(name)
	}
	if name != text && s.found == "" { // nor does every program know ~
		s.relative(text)
		for _, home := range s.files.homes { // and some know another home
			if rest, ok := strings.CutPrefix(name, s.files.user+"/"); ok && s.found == "" {
				s.path("", s.files.ways(home+"/"+rest))
			}
		}
	}
	if s.found != "" {
		return
	}
	// An option or a sign before a path: -f/x, @/x.
	if at := strings.IndexAny(name, "/~"); at > 0 && (name[0] == '-' || strings.IndexFunc(name[:at], isLetter) < 0) {
		s.candidate(name[at:], alone)
	}
	if at := strings.LastIndexAny(name, "?#"); at > 0 { // what an address says behind a path
		s.candidate(name[:at], alone)
	}
}

// relative looks for a name in each of the folders where it may begin.
func (s *search) relative(name string) {
	if s.found = s.files.tail(name); s.found != "" {
		return
	}
	s.relativeTo(s.files.ways(name))
}

func (s *search) relativeTo(ways []way) {
	for _, base := range s.files.bases {
		if s.path(strings.TrimRight(base, `/\`)+"/", ways); s.found != "" {
			return
		}
	}
}

// bareNames gives the names that a word without separators may hold: itself, and
// what follows the letter of an option.
func bareNames(word string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for _, part := range append([]string{word}, strings.FieldsFunc(word, func(r rune) bool { return r == ':' || r == '@' })...) {
			if !yield(part) || len(part) > 2 && part[0] == '-' && !yield(part[2:]) {
				return
			}
		}
	}
}

// tail knows a place of ours by the end of its path, for a path that begins in
// a folder we do not know: of another program, or in a container. Absolute ones
// count only where the name is Hermes's own.
func (f *OwnFiles) tail(name string) string {
	if !f.holds(name) {
		return ""
	}
	key := pathKey(name)
	absolute := isAbsolute(name)
	for strings.HasPrefix(key, "../") {
		key = key[len("../"):]
	}
	key = "/" + strings.TrimPrefix(key, "/")
	for i := range f.spots {
		own := strings.Split(f.spots[i].keys[0], "/")
		end := "/" + strings.Join(own[max(len(own)-2, 0):], "/")
		if f.spots[i].Itself {
			end = "/" + own[len(own)-1]
		}
		if !strings.Contains(end, "hermes") && (absolute || strings.Count(end, "/") < 2) {
			continue
		}
		if strings.HasSuffix(key, end) || f.spots[i].Below && strings.Contains(key, end+"/") {
			return f.spots[i].What
		}
	}
	return ""
}

// fromHome fills in the person's home folder at the beginning of a path.
func (f *OwnFiles) fromHome(name string) string {
	if name[0] != '~' || f.user == "" {
		return name
	}
	who, rest, _ := strings.Cut(pathSlashes(name[1:]), "/")
	if who == "+" || who == "-" { // the folder a shell is in, or was in
		return "./" + rest
	}
	if who != "" && !strings.EqualFold(who, lastName(f.user)) {
		return name
	}
	return f.user + "/" + rest
}

// comparable is a text as the most forgiving file system compares it: without
// case, without characters that do not show, in one normal form.
func comparable(text string) string {
	if isASCII(text) {
		return strings.ToLower(text)
	}
	return strings.ToLower(plain(text))
}

func plain(text string) string {
	return strings.Map(func(r rune) rune {
		if isHidden(r) {
			return -1
		}
		return r
	}, norm.NFKC.String(text))
}

// isHidden names the characters that show nothing and that some file systems
// leave out of a comparison.
func isHidden(r rune) bool {
	return r == 0xAD || r >= 0x200B && r <= 0x200F || r >= 0x202A && r <= 0x202E || r >= 0x2060 && r <= 0x206F || r == 0xFEFF || isTag(r)
}

func isASCII(text string) bool {
	for i := range len(text) {
		if text[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

func isLetter(r rune) bool { return r >= utf8.RuneSelf || isWord(byte(r)) }

func isAbsolute(name string) bool {
	return name[0] == '/' || name[0] == '\\' || len(name) > 2 && name[1] == ':' && (name[2] == '/' || name[2] == '\\') && isLetter(rune(name[0]))
}

func pathSlashes(name string) string { return strings.ReplaceAll(name, `\`, "/") }

// collapsed writes separators one way and once.
func collapsed(text string) string {
	text = pathSlashes(text)
	for strings.Contains(text, "/./") {
		text = strings.ReplaceAll(text, "/./", "/")
	}
	for strings.Contains(text, "//") {
		text = strings.ReplaceAll(text, "//", "/")
	}
	return text
}
