package guard

import (
	"path/filepath"
	"strings"
)

// way is one form of a path: as it is written, or as it is cleaned by those who
// do that first.
type way struct {
	name   string
	holds  bool // the last name of a place of ours is written in it
	begins bool // where it is relative: a base has what it begins with
	wild   bool // it says as a pattern what to look for, and not everything
	loose  bool // where it is relative: as a pattern it says no folder
}

func (f *OwnFiles) ways(name string) []way {
	names := []string{name}
	if clean := filepath.Clean(name); clean != name {
		names = append(names, clean)
	}
	out := make([]way, 0, len(names))
	for _, name := range names {
		first, _, deeper := strings.Cut(pathSlashes(name), "/")
		out = append(out, way{
			name: name, holds: f.holds(name), begins: f.begins(name), wild: hasWild(name) && !onlyWild(name),
			loose: !deeper && !spells(name) || deeper && isWild(first) && hasWild(lastName(name)),
		})
	}
	return out
}

// path looks at the forms of a path: its name, what it finds as a pattern, and
// the disk. A base is the folder in which a relative one begins, with a separator
// behind it.
func (s *search) path(base string, ways []way) {
	inOurs := base != "" && s.files.holds(base)
	for _, way := range ways {
		full := base + way.name
		if way.holds || inOurs {
			if s.found = s.files.named(full); s.found != "" {
				return
			}
			if s.found = s.files.tail(full); s.found != "" {
				return
			}
		}
		first, _, _ := strings.Cut(pathSlashes(way.name), "/")
		if way.wild && (base == "" || !isWild(first)) {
			if s.found = s.files.globbed(pathKey(full), base != ""); s.found != "" {
				return
			}
		}
		if !filepath.IsAbs(full) || strings.Contains(full, "\x00") {
			continue
		}
		if base == "" || way.begins {
			s.follow(full)
		}
		if way.wild && !(base != "" && way.loose) && s.found == "" {
			volume := filepath.VolumeName(full)
			parts := strings.Split(filepath.ToSlash(full[len(volume):]), "/")
			s.expand(volume, parts, findsDots(parts, base != ""))
		}
		if s.found != "" {
			return
		}
	}
}

// spells tells a pattern that begins with two letters of a name, as in a command:
// ln? is meant to find a file, and c? or *d* stands in many a text.
func spells(pattern string) bool { return strings.IndexAny(pattern, "*?[") >= 2 }
