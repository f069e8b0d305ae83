package guard

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
)

// spot is a place as it is on the disk now.
type spot struct {
	OwnPlace
	keys []string    // how it is called, as comparable paths: as written and as resolved
	real string      // the resolved path
	info fs.FileInfo // nil where nothing is there
}

// locate looks at the places once.
func (f *OwnFiles) locate() {
	f.look.Do(func() {
		for _, place := range f.places {
			s := spot{OwnPlace: place, real: resolve(place.Path)}
			s.keys = append(s.keys, pathKey(place.Path))
			if key := pathKey(s.real); key != s.keys[0] {
				s.keys = append(s.keys, key)
			}
			s.info, _ = os.Stat(s.real)
			f.spots = append(f.spots, s)
			if s.info != nil && s.info.IsDir() {
				f.folder = append(f.folder, s)
			}
		}
	})
}

// named gives the place that a clean comparable path is, or is in.
func (f *OwnFiles) named(key string) string {
	for i := range f.spots {
		for _, own := range f.spots[i].keys {
			if key == own || f.spots[i].Below && strings.HasPrefix(key, own+"/") {
				return f.spots[i].What
			}
		}
	}
	return ""
}

// behind gives the place that a path leads to on the disk: through links,
// also hard ones, and through other mounts of the same folder.
func (f *OwnFiles) behind(name string) string {
	real := resolve(name)
	if what := f.named(pathKey(real)); what != "" {
		return what
	}
	rest := ""
	for at := real; ; at = filepath.Dir(at) {
		if info, err := os.Stat(at); err == nil {
			if what := f.same(info, rest); what != "" {
				return what
			}
		}
		if parent := filepath.Dir(at); parent == at {
			return ""
		}
		rest = path.Join(filepath.Base(at), rest)
	}
}

// same compares what stands at a path with what is ours; rest is what follows it.
func (f *OwnFiles) same(info fs.FileInfo, rest string) string {
	for i := range f.spots {
		s := &f.spots[i]
		if s.info != nil && (rest == "" || s.Below) && os.SameFile(info, s.info) {
			return s.What
		}
	}
	for _, folder := range f.folder {
		if rest != "" && os.SameFile(info, folder.info) {
			if what := f.named(pathKey(filepath.Join(folder.real, filepath.FromSlash(rest)))); what != "" {
				return what
			}
		}
	}
	if rest == "" && info.Mode().IsRegular() && severalNames(info) {
		return f.hardLinked(info)
	}
	return ""
}

// maxLinked bounds the files of ours that a file with several names is compared
// with; beyond, it counts as one of them.
const maxLinked = 10_000

func (f *OwnFiles) hardLinked(info fs.FileInfo) string {
	left := maxLinked
	for _, folder := range f.folder {
		if !folder.Below {
			continue
		}
		what := ""
		_ = filepath.WalkDir(folder.real, func(_ string, entry fs.DirEntry, err error) error { // what cannot be read cannot be compared
			if left--; left < 0 {
				what = folder.What
				return fs.SkipAll
			}
			if err != nil || !entry.Type().IsRegular() {
				return nil
			}
			if own, err := entry.Info(); err == nil && os.SameFile(own, info) {
				what = folder.What
				return fs.SkipAll
			}
			return nil
		})
		if what != "" {
			return what
		}
	}
	return ""
}

// resolve follows the links of a path one by one, as the system does, so that
// a .. behind a link goes where it goes there. What does not exist keeps its
// name.
func resolve(name string) string {
	volume := filepath.VolumeName(name)
	root := volume + string(filepath.Separator)
	left := strings.Split(filepath.ToSlash(name[len(volume):]), "/")
	at, links, missing := root, 0, false
	for len(left) > 0 {
		part := left[0]
		left = left[1:]
		switch part {
		case "", ".":
			continue
		case "..":
			at = filepath.Dir(at)
			continue
		}
		next := filepath.Join(at, part)
		if !missing {
			info, err := os.Lstat(next)
			if err != nil {
				missing = true
			} else if info.Mode()&fs.ModeSymlink != 0 && links < 64 {
				if target, err := os.Readlink(next); err == nil {
					links++
					if filepath.IsAbs(target) {
						at = filepath.VolumeName(target) + string(filepath.Separator)
						target = target[len(filepath.VolumeName(target)):]
					}
					left = append(strings.Split(filepath.ToSlash(target), "/"), left...)
					continue
				}
			}
		}
		at = next
	}
	return at
}

// pathKey is a path in one spelling: comparable, clean, with slashes, without
// what systems cut off names.
func pathKey(name string) string {
	name = strings.ReplaceAll(comparable(name), `\`, "/")
	if rest, ok := strings.CutPrefix(name, "//?/"); ok {
		name = rest
	} else if rest, ok := strings.CutPrefix(name, "//./"); ok {
		name = rest
	}
	if strings.ContainsAny(name, ". :") {
		parts := strings.Split(name, "/")
		for i, part := range parts {
			// A stream of a file is the file; a drive keeps its colon.
			if colon := strings.IndexByte(part, ':'); colon > 1 {
				part = part[:colon]
			}
			if trimmed := strings.TrimRight(part, ". "); trimmed != "" {
				part = trimmed
			}
			parts[i] = part
		}
		name = strings.Join(parts, "/")
	}
	return path.Clean(name)
}

// lastName is the last name of a path, whatever it separates names with.
func lastName(name string) string {
	name = strings.TrimRight(name, `/\`)
	return name[strings.LastIndexAny(name, `/\`)+1:]
}
