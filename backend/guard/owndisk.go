package guard

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// disk remembers what the system said about paths during one look; left is how
// much more it may be asked. Below zero it was asked too much, and its answers
// count for nothing.
type disk struct {
	left  int
	nodes map[string]node
	lists map[string][]string
}

// node is what stands at a path: no info for nothing, a target for a link.
type node struct {
	info   fs.FileInfo
	target string
}

func newDisk() *disk {
	return &disk{left: maxLooks, nodes: map[string]node{}, lists: map[string][]string{}}
}

func (d *disk) at(name string) node {
	if found, ok := d.nodes[name]; ok {
		return found
	}
	if d.left--; d.left < 0 {
		return node{}
	}
	var found node
	if info, err := os.Lstat(name); err == nil {
		found.info = info
		if info.Mode()&fs.ModeSymlink != 0 {
			found.target, _ = os.Readlink(name) // without a target it is followed nowhere, here as there
		}
	}
	d.nodes[name] = found
	return found
}

// list gives the names in a folder.
func (d *disk) list(name string) []string {
	if names, ok := d.lists[name]; ok {
		return names
	}
	if d.left--; d.left < 0 {
		return nil
	}
	var names []string
	entries, _ := os.ReadDir(name) // what nobody can list, no pattern finds
	for _, entry := range entries {
		names = append(names, entry.Name())
	}
	d.left -= len(names) / 16
	d.lists[name] = names
	return names
}

// resolve follows the links of a path one by one, as the system does, so that
// a .. behind a link goes where it goes there. It gives what is there, and the
// names behind it that are not; a .. takes such a name back, as programs do that
// resolve paths themselves. Neither the length of a path nor the number of its
// links ends it: only the system has such limits.
func (d *disk) resolve(name string) (at string, missing []string, out hole) {
	volume := filepath.VolumeName(name)
	at = volume + string(filepath.Separator)
	var left []string // what is to come, the next one last
	push := func(text string) {
		parts := strings.Split(filepath.ToSlash(text), "/")
		slices.Reverse(parts)
		left = append(left, parts...)
	}
	push(name[len(volume):])
	open := map[string]bool{} // links whose target is being followed
	for len(left) > 0 && d.left >= 0 {
		part := left[len(left)-1]
		left = left[:len(left)-1]
		switch {
		case part == "" || part == ".":
			continue
		case part == "..":
			if len(missing) > 0 {
				missing = missing[:len(missing)-1]
			} else {
				at = filepath.Dir(at)
			}
			continue
		case part[0] == 0: // the end of a target, no name can begin so
			delete(open, part[1:])
			continue
		case len(missing) > 0:
			missing = append(missing, part)
			continue
		}
		next := filepath.Join(at, part)
		if kind := holeAt(next); kind != noHole {
			slices.Reverse(left)
			left = slices.DeleteFunc(left, func(part string) bool { return strings.HasPrefix(part, "\x00") })
			return next, nil, hole{kind, strings.Join(left, "/")}
		}
		if opaque(next) {
			at = next
			continue
		}
		found := d.at(next)
		switch {
		case found.info == nil:
			missing = append(missing, part)
		case found.target != "" && !open[next]:
			d.left-- // links that double at each step end here
			open[next] = true
			left = append(left, "\x00"+next)
			target := found.target
			if filepath.IsAbs(target) {
				at = filepath.VolumeName(target) + string(filepath.Separator)
				target = target[len(filepath.VolumeName(target)):]
			}
			push(target)
		default:
			at = next
		}
	}
	return at, missing, hole{}
}

// follow looks for a place behind a literal path: through links, also hard
// ones, and through other mounts of the same folder.
func (s *search) follow(name string) {
	if s.found != "" {
		return
	}
	at, missing, out := s.disk.resolve(name)
	if out.kind != noHole {
		s.through(out)
		return
	}
	rest := path.Join(missing...)
	if s.found = s.files.named(filepath.Join(at, rest)); s.found != "" {
		return
	}
	for {
		if info := s.disk.at(at).info; info != nil {
			if s.found = s.files.same(info, rest); s.found != "" {
				return
			}
		}
		parent := filepath.Dir(at)
		if parent == at {
			break
		}
		at, rest = parent, path.Join(filepath.Base(at), rest)
	}
	s.exhausted()
}

// exhausted says so where the disk was asked too much.
func (s *search) exhausted() {
	if s.disk.left < 0 && s.found == "" {
		s.found = "more paths than can be looked at"
	}
}

// expand follows what a pattern finds on the disk, so that links among it count.
// ** stands for no folder and for one here, deeper ones are not gone through.
func (s *search) expand(at string, parts []string, dots bool) {
	wild := slices.IndexFunc(parts, hasWild)
	if wild < 0 {
		s.follow(at + "/" + strings.Join(parts, "/"))
		return
	}
	at += "/" + strings.Join(parts[:wild], "/")
	part, rest := parts[wild], parts[wild+1:]
	if part == "**" {
		s.expand(at, rest, dots)
	}
	for _, name := range s.disk.list(at) {
		if s.found != "" || s.disk.left < 0 {
			break
		}
		if !(isWild(part) && !dots && strings.HasPrefix(name, ".")) && partMatches(comparable(part), comparable(name)) {
			s.expand(at+"/"+name, rest, dots)
		}
	}
	s.exhausted()
}

// maxNames is how many names of a folder are remembered; in one with more, any
// name may be.
const maxNames = 20_000

// listed remembers the names in the folders where relative paths may begin.
func (f *OwnFiles) listed() {
	f.list.Do(func() {
		f.names = map[string]bool{}
		for _, base := range f.bases {
			folder, err := os.Open(base)
			if err != nil {
				f.unlisted = f.unlisted || !os.IsNotExist(err)
				continue
			}
			names, err := folder.Readdirnames(maxNames)
			if info, _ := folder.Stat(); info != nil && info.IsDir() {
				f.unlisted = f.unlisted || len(names) == maxNames || err != nil && !errors.Is(err, io.EOF)
			}
			_ = folder.Close() // it was only read
			for _, name := range names {
				f.names[entryKey(name)] = true
			}
		}
	})
}

// entryKey is a name as the listing compares it.
func entryKey(name string) string {
	return strings.TrimRight(comparable(name), ". ")
}

// begins tells whether a relative path may begin with a name that stands in one
// of the folders. If not there is nothing to follow there: every reader of the
// path either fails or takes the name back, and what is left is looked at as well.
func (f *OwnFiles) begins(name string) bool {
	f.listed()
	for {
		first, rest, more := strings.Cut(filepath.ToSlash(name), "/")
		if more && (first == "" || first == ".") {
			name = rest
			continue
		}
		// Short names of another system are in no listing.
		return f.unlisted || first == ".." || f.names[entryKey(first)] || filepath.Separator != '/' && strings.ContainsAny(first, "~:")
	}
}
