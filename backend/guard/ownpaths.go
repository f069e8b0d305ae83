package guard

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
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
		disk := newDisk()
		for _, place := range f.places {
			disk.left = maxLooks
			at, missing, _ := disk.resolve(place.Path)
			s := spot{OwnPlace: place, real: filepath.Join(at, path.Join(missing...))}
			s.keys = append(s.keys, pathKey(place.Path))
			if key := pathKey(s.real); key != s.keys[0] {
				s.keys = append(s.keys, key)
			}
			for _, key := range s.keys {
				f.last = append(f.last, lastName(key))
			}
			s.info, _ = os.Stat(s.real)
			f.spots = append(f.spots, s)
			if s.info != nil && s.info.IsDir() {
				f.folder = append(f.folder, s)
			}
		}
	})
}

// holds tells whether the last name of a place stands anywhere in a text. A path
// without one is none of them: making it comparable adds no letter to a name.
func (f *OwnFiles) holds(text string) bool {
	text = comparable(text)
	return slices.ContainsFunc(f.last, func(name string) bool { return strings.Contains(text, name) })
}

// named gives the place that an absolute path is, or is in, as it is written.
func (f *OwnFiles) named(name string) string {
	if !f.holds(name) {
		return ""
	}
	key := pathKey(name)
	for i := range f.spots {
		for _, own := range f.spots[i].keys {
			if key == own || f.spots[i].Below && strings.HasPrefix(key, own+"/") {
				return f.spots[i].What
			}
		}
	}
	return ""
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
			if what := f.named(filepath.Join(folder.real, filepath.FromSlash(rest))); what != "" {
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
