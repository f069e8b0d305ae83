package guard

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"hermes/backend/native"
)

// How long a large result is kept, and how much all of them may take, in bytes.
const (
	spillAge   = 24 * time.Hour
	spillTotal = 1 << 30
)

// writeSpill makes a file of its own for each result: private, under a name that
// nobody can foresee, and never through a link.
func (t *Turn) writeSpill(id, text string) (string, error) {
	if t.dir == "" {
		return "", os.ErrInvalid
	}
	if err := native.Folder(t.dir); err != nil {
		return "", err
	}
	file, err := os.CreateTemp(t.dir, fileName(t.session+"-"+id)+"-*.txt") // 0600, and only where nothing is
	if err != nil {
		return "", err
	}
	_, err = file.WriteString(text)
	if err = errors.Join(err, file.Close()); err != nil {
		return "", errors.Join(err, os.Remove(file.Name()))
	}
	return file.Name(), nil
}

// results are the large results of a session: the model is told where they are,
// so a call may name them.
type results struct{ dir, session string }

// has tells whether a text is exactly the path of a result, which stands there as
// a file with this one name and no link on the way within the folder.
func (r results) has(text string) bool {
	if r.dir == "" || r.session == "" || filepath.Dir(text) != filepath.Clean(r.dir) || text != filepath.Clean(text) {
		return false
	}
	name := filepath.Base(text)
	if !strings.HasPrefix(name, fileName(r.session+"-")) || !strings.HasSuffix(name, ".txt") || !native.HasFolder(r.dir) {
		return false
	}
	info, err := os.Lstat(text)
	return err == nil && info.Mode().IsRegular() && onlyName(info)
}

// fileName keeps letters, digits, - and _ of an id.
func fileName(id string) string {
	safe := strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '-', r == '_':
			return r
		}
		return '_'
	}, id)
	return safe[:min(len(safe), 120)]
}

// Prune removes the large results in a folder that are older than a day, and the
// oldest beyond the bound of all together. What is no file of ours is left alone.
// A folder that is not there, or is a link, holds none.
func Prune(dir string, now time.Time) error {
	if !native.HasFolder(dir) {
		return nil
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	var files []fs.FileInfo
	for _, entry := range entries {
		if !entry.Type().IsRegular() || !strings.HasSuffix(entry.Name(), ".txt") {
			continue
		}
		if info, err := entry.Info(); err == nil { // else somebody was faster
			files = append(files, info)
		}
	}
	slices.SortFunc(files, func(a, b fs.FileInfo) int { return b.ModTime().Compare(a.ModTime()) })
	var errs []error
	total := int64(0)
	for _, file := range files {
		if total += file.Size(); total <= spillTotal && now.Sub(file.ModTime()) <= spillAge {
			continue
		}
		if err := os.Remove(filepath.Join(dir, file.Name())); err != nil && !errors.Is(err, fs.ErrNotExist) {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}
