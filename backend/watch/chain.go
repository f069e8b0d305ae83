package watch

import (
	"os"
	"path/filepath"
	"strings"
)

// maxLinks bounds a chain of symbolic links, as the kernel does.
const maxLinks = 40

// chain is what has to be watched for one path: the folders, and in them the
// names that lead to the file. Names are kept because a busy folder (a
// database, logs) must not hold up a look; a name is never assumed: a swap of a
// `..data` link is found because the link is a step of the chain.
type chain struct {
	folders map[string]bool
	names   map[string]bool
	// telling are the folders, and the file itself, whose file system has to
	// tell of changes; file is where the chain ends, empty for nothing there.
	telling map[string]bool
	file    string
}

// resolve walks to path the way the kernel does and records every step below
// the parent of its folder: the folder's own name, the file's, and each link
// with what it points to. Where a folder does not exist it falls back to the
// nearest one that does, so that its creation is seen.
func resolve(path string) chain {
	c := chain{folders: map[string]bool{}, names: map[string]bool{}, telling: map[string]bool{}}
	folder := filepath.Dir(path)
	c.walk(filepath.Dir(folder), []string{filepath.Base(folder), filepath.Base(path)}, 0)
	return c
}

// walk follows parts from base, which is taken as it is.
func (c *chain) walk(base string, parts []string, links int) {
	for i, part := range parts {
		if part == "" || part == "." {
			continue
		}
		if part == ".." {
			base = filepath.Dir(base)
			continue
		}
		c.step(base, part)
		next := filepath.Join(base, part)
		info, err := os.Lstat(next)
		if err != nil {
			return
		}
		if info.Mode()&os.ModeSymlink == 0 {
			if i == len(parts)-1 && info.Mode().IsRegular() {
				c.file = next
				c.telling[base], c.telling[next] = true, true
			}
			base = next
			continue
		}
		c.telling[base] = true
		target, err := os.Readlink(next)
		if err != nil || links >= maxLinks {
			return
		}
		rest := append(split(target), parts[i+1:]...)
		if filepath.IsAbs(target) {
			base = filepath.VolumeName(target) + string(filepath.Separator)
			// The folders above the target are as steady as those above the
			// path itself; its parent and everything below are watched.
			base, rest = skip(base, rest, len(parts)-i-1)
		}
		c.walk(base, rest, links+1)
		return
	}
}

// skip moves the leading folders of an absolute target into base, as long as
// they are real folders, and leaves the last two steps of the target and what
// follows it to be walked.
func skip(base string, parts []string, following int) (string, []string) {
	for len(parts) > following+2 {
		next := filepath.Join(base, parts[0])
		info, err := os.Lstat(next)
		if err != nil || !info.IsDir() {
			break
		}
		base, parts = next, parts[1:]
	}
	return base, parts
}

func split(path string) []string {
	path = strings.TrimPrefix(path, filepath.VolumeName(path))
	return strings.FieldsFunc(path, func(r rune) bool { return r == '/' || r == filepath.Separator })
}

// step records that a name in a folder decides what the path leads to.
func (c *chain) step(folder, name string) {
	c.names[filepath.Join(folder, name)] = true
	for {
		info, err := os.Stat(folder)
		if err == nil && info.IsDir() {
			c.folders[folder] = true
			return
		}
		up := filepath.Dir(folder)
		if up == folder {
			return
		}
		// The missing folder's own name is what has to appear.
		c.names[folder] = true
		folder = up
	}
}

// concerns says whether an event at a path can change what is read.
func (c chain) concerns(path string) bool {
	path = filepath.Clean(path)
	return c.names[path] || c.folders[path]
}
