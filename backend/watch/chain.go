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
	// above are the real folders further up, from the root on.
	above []string
}

// maxFolders bounds how many folders are watched for one path; those that are
// least likely to be replaced, real ones far up, are left out first.
const maxFolders = 16

// resolve walks to path from the root the way the kernel does. It records every
// link at any level with what it points to, the folder's own name and the file's,
// and the real folders above as far as maxFolders allows, nearest first. Where a
// folder does not exist it falls back to the nearest one that does, so that its
// creation is seen.
func resolve(path string) chain {
	c := chain{folders: map[string]bool{}, names: map[string]bool{}, telling: map[string]bool{}}
	base := filepath.VolumeName(path) + string(filepath.Separator)
	c.walk(base, split(path), 0, 0)
	for i := len(c.above) - 1; i >= 0 && len(c.folders) < maxFolders; i-- {
		if folder := filepath.Dir(c.above[i]); readable(folder) {
			c.step(folder, filepath.Base(c.above[i]))
		}
	}
	return c
}

// readable tells whether a folder can be listed, without which it is not watched.
func readable(folder string) bool {
	file, err := os.Open(folder)
	if err != nil {
		return false
	}
	_ = file.Close() // nothing was written
	return true
}

// walk follows parts from base, which is taken as it is. The last two parts
// decide always; following is how many of the last parts come after the target
// of a link, whose own last two decide as well.
func (c *chain) walk(base string, parts []string, following, links int) {
	for i, part := range parts {
		if part == "" || part == "." {
			continue
		}
		if part == ".." {
			base = filepath.Dir(base)
			continue
		}
		next := filepath.Join(base, part)
		info, err := os.Lstat(next)
		link := err == nil && info.Mode()&os.ModeSymlink != 0
		if left := len(parts) - i; err != nil || link || left <= 2 || left <= following+2 {
			c.step(base, part)
		} else {
			c.above = append(c.above, next)
		}
		if err != nil {
			return
		}
		if !link {
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
		}
		c.walk(base, rest, len(parts)-i-1, links+1)
		return
	}
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
