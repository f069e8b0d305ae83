package guard

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"sync"
	"unicode/utf8"
)

// The bounds of one look at arguments: JSON deeper than maxDepth or with more
// strings than maxStrings is not understood, and that is a reason to ask. Links
// are followed for the first maxLooks paths of a call.
const (
	maxDepth   = 64
	maxStrings = 20_000
	maxLooks   = 256
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
// in, User is the home folder of the person, Vars are the variables a program
// may put into a path, by name without $.
type OwnOptions struct {
	Places []OwnPlace
	Bases  []string
	User   string
	Vars   map[string]string
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
	user   string
	vars   map[string]string
	hints  []string // names of ours, as comparable makes them

	look   sync.Once
	spots  []spot // under look
	folder []spot // those of spots that are folders, under look
}

// NewOwnFiles takes note of the places; it does no work that can fail.
func NewOwnFiles(o OwnOptions) *OwnFiles {
	f := &OwnFiles{known: true, places: o.Places, user: o.User, vars: map[string]string{}}
	for _, base := range append([]string{o.User}, o.Bases...) {
		if base != "" {
			f.bases = append(f.bases, base)
		}
	}
	for name, value := range o.Vars {
		if value != "" {
			f.vars[strings.ToLower(name)] = value
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
	search := &search{files: f, strings: maxStrings, looks: maxLooks, seen: map[string]bool{}}
	if err := search.json(arguments, 0); err != nil {
		return unreadable, true
	}
	return search.found, search.found != ""
}

// search is one look through the arguments of a call.
type search struct {
	files   *OwnFiles
	strings int // how many more may be read
	looks   int // how many more paths may be looked up on the disk
	seen    map[string]bool
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
// path, and every path in it.
func (s *search) text(text string, depth int) error {
	if trimmed := strings.TrimSpace(text); len(trimmed) > 1 && bytes.IndexByte([]byte(`{["`), trimmed[0]) >= 0 && json.Valid([]byte(trimmed)) {
		if err := s.json(trimmed, depth); err != nil || s.found != "" {
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

// mayName tells apart what can be no path of ours, without a look at the disk.
func (f *OwnFiles) mayName(text string) bool {
	if strings.ContainsAny(text, `/\~$%*?[`) {
		return true
	}
	folded := comparable(text)
	if len(folded) != len(text) && strings.ContainsAny(folded, `/\~$%*?[`) {
		return true // spelled with characters that only look like these
	}
	for _, hint := range f.hints {
		if strings.Contains(folded, hint) {
			return true
		}
	}
	return false
}
