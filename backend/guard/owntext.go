package guard

import (
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// maxPath is the longest text that is looked at as one path.
const maxPath = 4096

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
		each(f.expanded)
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
	return out
}

// words looks at a spelling as a whole and at every path in it.
func (s *search) words(text string) {
	s.files.locate()
	if s.found = s.files.inside(text); s.found != "" {
		return
	}
	if trimmed := strings.TrimSpace(text); len(trimmed) <= maxPath && !strings.Contains(trimmed, "\n") {
		s.candidate(trimmed, true)
	}
	for word := range strings.FieldsFuncSeq(text, isBreak) {
		if s.candidate(word, false); s.found != "" {
			return
		}
		if !strings.Contains(word, ":") {
			continue
		}
		for part := range strings.SplitSeq(word, ":") {
			if s.candidate(part, false); s.found != "" {
				return
			}
		}
	}
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

// candidate looks at one text that may be a path. One without a separator is
// only looked at where it stands alone.
func (s *search) candidate(text string, alone bool) {
	if text == "" || len(text) > maxPath || s.found != "" || !alone && !strings.ContainsAny(text, `/\*?[`) && text[0] != '~' && text[0] != '.' {
		return
	}
	if s.seen[text] {
		return
	}
	s.seen[text] = true
	name := s.files.fromHome(text)
	glob := strings.ContainsAny(name, "*?[")
	if isAbsolute(name) {
		s.path(name, glob, false)
		if rest, ok := strings.CutPrefix(pathSlashes(name), "//"); ok && s.found == "" {
			if _, local, ok := strings.Cut(rest, "/"); ok { // the host of a URL, or of a share
				s.path("/"+local, glob, false)
			}
		}
		return
	}
	if first, _, _ := strings.Cut(pathSlashes(name), "/"); isWild(first) {
		return // what to look for, wherever that may be
	}
	for _, base := range s.files.bases {
		if s.path(strings.TrimRight(base, `/\`)+"/"+name, glob, true); s.found != "" {
			return
		}
	}
	if s.found = s.files.tail(name); s.found != "" {
		return
	}
	// An option or a sign before a path: -f/x, @/x.
	if at := strings.IndexAny(name, "/~"); at > 0 && (name[0] == '-' || strings.IndexFunc(name[:at], isLetter) < 0) {
		s.candidate(name[at:], alone)
	}
}

// path looks at one absolute path, as written and on the disk; relative tells
// that its beginning is ours.
func (s *search) path(name string, glob, relative bool) {
	key := pathKey(name)
	if s.found = s.files.named(key); s.found != "" {
		return
	}
	if s.found = s.files.tail(name); s.found != "" {
		return
	}
	if glob {
		s.found = s.files.globbed(key, relative)
		return
	}
	if s.looks--; s.looks < 0 || strings.Contains(name, "\x00") || !filepath.IsAbs(name) {
		return
	}
	if s.found = s.files.behind(name); s.found != "" {
		return
	}
	if clean := filepath.Clean(name); clean != name {
		s.found = s.files.behind(clean)
	}
}

// tail knows a place of ours by the end of its path, for a path that begins in
// a folder we do not know: of another program, or in a container. Absolute ones
// count only where the name is Hermes's own.
func (f *OwnFiles) tail(name string) string {
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
	if who != "" && !strings.EqualFold(who, lastName(f.user)) {
		return name
	}
	return f.user + "/" + rest
}

// expanded fills in the variables that are known, as shells of both systems
// write them: $X, ${X}, ${X:-y}, %X%, $env:X.
func (f *OwnFiles) expanded(text string) string {
	var out strings.Builder
	for text != "" {
		at := strings.IndexAny(text, "$%")
		if at < 0 {
			break
		}
		out.WriteString(text[:at])
		sign, rest := text[at], text[at+1:]
		body := strings.TrimPrefix(rest, "{")
		if len(body) > 4 && strings.EqualFold(body[:4], "env:") {
			body = body[4:]
		}
		end := 0
		for end < len(body) && isWord(body[end]) {
			end++
		}
		value, known := f.vars[strings.ToLower(body[:end])]
		after := body[end:]
		switch {
		case !known || sign == '%' && !strings.HasPrefix(after, "%"):
			out.WriteByte(sign)
			text = rest
			continue
		case sign == '%':
			after = after[1:]
		case strings.HasPrefix(rest, "{"):
			_, after, _ = strings.Cut(after, "}")
		}
		out.WriteString(value)
		text = after
	}
	return out.String() + text
}

func percentDecoded(text string) string {
	if !strings.Contains(text, "%") {
		return text
	}
	var out strings.Builder
	for i := 0; i < len(text); i++ {
		if text[i] == '%' && i+2 < len(text) && isHex(text[i+1]) && isHex(text[i+2]) {
			out.WriteByte(unhex(text[i+1])<<4 | unhex(text[i+2]))
			i += 2
			continue
		}
		out.WriteByte(text[i])
	}
	return out.String()
}

func isHex(c byte) bool { return c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'f' }

func unhex(c byte) byte {
	if c <= '9' {
		return c - '0'
	}
	return c | 0x20 - 'a' + 10
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
