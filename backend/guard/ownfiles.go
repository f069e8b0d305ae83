package guard

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"
)

// The bounds of one look at arguments: JSON deeper than maxDepth or with more
// strings than maxStrings is not understood, and that is a reason to ask. So is a
// call for which the disk would have to be asked more than maxLooks times.
const (
	maxDepth   = 64
	maxStrings = 20_000
	maxLooks   = 20_000
)

// OwnPlace is a file or folder of the program. Path is absolute; Below takes in
// everything in the folder, Itself marks a folder that others share, such as the
// home: only who names the folder itself touches it. What says in a few words
// what it is.
type OwnPlace struct {
	Path, What    string
	Below, Itself bool
}

// OwnOptions make an OwnFiles. Bases are the folders a relative path may begin
// in, At is the one of them that the server of a call works in, User is the home
// folder of the person. Vars are the variables a program may put into a path, by
// name without $, Environs those that servers are given besides. Results is where
// large results are kept, Session whose of them may be named; without a session
// none may.
type OwnOptions struct {
	Places           []OwnPlace
	Bases            []string
	At, User         string
	Vars             map[string]string
	Environs         []map[string]string
	Results, Session string
}

// OwnFiles knows the files of the program: the configuration, keys, our own
// folder, hooks, catalogue. A tool that is told their names could change what
// tools may do, so such a call asks a person (docs/SECURITY.md). Making one
// looks at no file; the first path that may be ours does. The zero value and nil
// say that everything touches them. It is safe for concurrent use.
type OwnFiles struct {
	known  bool
	places []OwnPlace
	bases  []string
	at     string
	user   string
	homes  []string // what servers are told is the person's home
	// environs are the variables that may be in a path, by their names in small letters.
	environs []map[string]string
	results  results
	hints    []string // names of ours, as comparable makes them

	look   sync.Once
	spots  []spot   // under look
	last   []string // the last names of spots, under look
	folder []spot   // those of spots that are folders, under look

	list     sync.Once
	names    map[string]bool // what stands in the bases, by entryKey, under list
	unlisted bool            // a base that cannot be listed: anything may stand in it, under list
}

// NewOwnFiles takes note of the places; it does no work that can fail.
func NewOwnFiles(o OwnOptions) *OwnFiles {
	f := &OwnFiles{known: true, places: o.Places, at: o.At, user: o.User, environs: environments(o.Vars, o.Environs), results: results{o.Results, o.Session}}
	for _, base := range append([]string{o.User}, o.Bases...) {
		if base != "" && !slices.Contains(f.bases, base) {
			f.bases = append(f.bases, base)
		}
	}
	for _, vars := range f.environs {
		if home := vars["home"]; home != "" && home != o.User && !slices.Contains(f.homes, home) {
			f.homes = append(f.homes, home)
		}
	}
	for _, place := range o.Places {
		if name := comparable(lastName(place.Path)); name != "" {
			f.hints = append(f.hints, name)
		}
	}
	return f
}

// unreadable is what is said of arguments that cannot be looked through.
const unreadable = "arguments that cannot be read"

// Touches says whether the JSON arguments of a call name a file of ours, and
// which. Arguments that cannot be read, and too many or too deep ones, do:
// whoever cannot be understood is asked about. What it cannot see stands in
// docs/SECURITY.md.
func (f *OwnFiles) Touches(arguments string) (what string, touched bool) {
	if f == nil || !f.known {
		return unreadable, true
	}
	if strings.TrimSpace(arguments) == "" {
		return "", false
	}
	search := &search{files: f, strings: maxStrings, disk: newDisk(), seen: map[string]bool{}}
	if err := search.json(arguments, 0); err != nil {
		return unreadable, true
	}
	return search.found, search.found != ""
}

// search is one look through the arguments of a call.
type search struct {
	files   *OwnFiles
	strings int // how many more may be read
	disk    *disk
	seen    map[string]bool // the texts that were looked at as paths, true for those that stood alone
	found   string
}

var errBeyond = errors.New("too much to look through")

// json walks every string of a JSON text, keys as well, until something of ours
// is found.
func (s *search) json(text string, depth int) error {
	if !utf8.ValidString(text) {
		return errBeyond
	}
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.UseNumber()
	for nested := depth; s.found == ""; {
		token, err := decoder.Token()
		if errors.Is(err, io.EOF) && nested == depth {
			return nil
		}
		if err != nil {
			return err
		}
		switch token := token.(type) {
		case json.Delim:
			if token == '{' || token == '[' {
				nested++
			} else {
				nested--
			}
			if nested > maxDepth {
				return errBeyond
			}
		case string:
			if s.strings--; s.strings < 0 {
				return errBeyond
			}
			if err := s.text(token, nested+1); err != nil {
				return err
			}
		}
	}
	return nil
}

// text looks at one string of the arguments: JSON in it, the whole of it as a
// path, and every path in it. Whatever is passed over on this way needs a reason:
//
//   - results: exactly the path of a large result of this session.
//   - JSON that breaks off is read as far as it goes, and the rest as a text.
//   - mayName: without a separator, a sign that stands for something, or a quote,
//     only a name in one of the bases can be a path, and those are listed.
//   - begins: nothing is followed on the disk where a relative path begins with a
//     name that no base has. Cleaned and written ones are asked apart.
//   - holds: a path in which no place's last name is written is none by its name.
//   - candidate, seen: the same text gives the same answer, but for one that stood
//     in a text before and stands alone now.
//   - path, IsAbs and NUL: no system call takes them, so there are no links to
//     follow; the names are compared, and what is before a NUL is looked at alone.
//   - globbed and expand: a pattern of nothing but wild cards names everything, as
//     / does, and one that begins with one says no folder. The literal name is
//     followed in any case.
//   - whole: of a text glued together with = : , @ the first eight ends are looked
//     at, and all the parts in between.
//
// Lengths, numbers and depths pass over nothing: beyond them a call touches.
func (s *search) text(text string, depth int) error {
	if s.files.results.has(text) {
		return nil
	}
	trimmed := strings.TrimSpace(text)
	if trimmed == "" || trimmed == "." {
		s.here(trimmed)
		return nil
	}
	if len(trimmed) > 1 && bytes.IndexByte([]byte(`{["`), trimmed[0]) >= 0 {
		err := s.json(trimmed, depth)
		if errors.Is(err, errBeyond) || s.found != "" {
			return err
		}
	}
	if !s.files.mayName(text) {
		return nil
	}
	for _, spelling := range s.files.spellings(text) {
		s.words(spelling)
		if s.found != "" {
			return nil
		}
	}
	return nil
}

// mayName tells apart what can be no path of ours, without following anything.
func (f *OwnFiles) mayName(text string) bool {
	const signs = "/\\~$%*?[{'\"`^\x00"
	folded := comparable(text)
	if strings.ContainsAny(text, signs) || strings.ContainsAny(folded, signs) { // spelled with characters that only look like these
		return true
	}
	for _, hint := range f.hints {
		if strings.Contains(folded, hint) {
			return true
		}
	}
	if f.begins(text) || f.begins(strings.TrimSpace(text)) {
		return true
	}
	for word := range strings.FieldsFuncSeq(folded, isBreak) {
		for name := range bareNames(word) {
			if f.begins(name) || name == "." && f.at != "" {
				return true
			}
		}
	}
	return false
}
