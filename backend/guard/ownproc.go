package guard

import (
	"path"
	"path/filepath"
	"strings"
)

// hole is a way out of the tree of folders that leads elsewhere for each program:
// the folder a process works in, its root, its open files. What follows it in the
// path is rest.
type hole struct {
	kind holeKind
	rest string
}

type holeKind uint8

const (
	noHole   holeKind = iota
	workHole          // the working folder of whoever asks
	rootHole
	strangeHole // of another process, or an open file: nobody here can tell
)

// holeAt knows the holes of Linux's /proc. name is a path, clean and with the links
// before its last name followed, but for those of /proc itself: "self" is another
// process for each who asks.
func holeAt(name string) holeKind {
	rest, ok := strings.CutPrefix(filepath.ToSlash(name), "/proc/")
	if !ok {
		return noHole
	}
	parts := strings.Split(rest, "/")
	own := parts[0] == "self" || parts[0] == "thread-self"
	if !own && strings.Trim(parts[0], "0123456789") != "" {
		return noHole
	}
	parts = parts[1:]
	if len(parts) > 2 && parts[0] == "task" {
		parts = parts[2:]
	}
	switch {
	case len(parts) == 1 && parts[0] == "cwd" && own:
		return workHole
	case len(parts) == 1 && parts[0] == "root" && own:
		return rootHole
	case len(parts) == 1 && (parts[0] == "cwd" || parts[0] == "root"):
		return strangeHole
	case len(parts) == 2 && (parts[0] == "fd" || parts[0] == "map_files"):
		if own && (parts[1] == "0" || parts[1] == "1" || parts[1] == "2") {
			return noHole // what the program itself was given to talk
		}
		return strangeHole
	}
	return noHole
}

// opaque knows the names in /proc that each process reads its own way, and those
// of processes that may not be there yet, or not for this program: they are no
// links to follow here. So are the files that a program was given to talk.
func opaque(name string) bool {
	rest, ok := strings.CutPrefix(filepath.ToSlash(name), "/proc/")
	if !ok {
		return false
	}
	parts := strings.Split(rest, "/")
	if parts[0] != "self" && parts[0] != "thread-self" && strings.Trim(parts[0], "0123456789") != "" {
		return false
	}
	parts = parts[1:]
	if len(parts) > 1 && parts[0] == "task" {
		parts = parts[2:]
	}
	return len(parts) == 0 || parts[0] == "task" || parts[0] == "fd" || parts[0] == "map_files"
}

// through follows a hole to where it may lead for a server.
func (s *search) through(h hole) {
	s.disk.left-- // a hole in a hole
	switch {
	case s.disk.left < 0:
	case h.kind == strangeHole:
		s.found = "the folder or an open file of another process, which may be ours"
	case h.kind == rootHole:
		s.follow("/" + h.rest)
	default:
		for _, base := range s.files.bases {
			s.follow(base + "/" + h.rest)
		}
	}
	s.exhausted()
}

// here looks at a name that means the folder a server works in: "" and ".".
func (s *search) here(name string) {
	if s.files.at != "" && s.found == "" {
		s.files.locate()
		s.follow(path.Join(filepath.ToSlash(s.files.at), name))
	}
}
