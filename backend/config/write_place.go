package config

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// inPlace writes into the file itself, which no single step does: so the space
// is taken first, what the file held is kept in a copy until the new content is
// on the disk, and a write that fails in the middle is taken back. path is the
// file as it is named, target where that leads.
func (w writer) inPlace(path, target string, old, data []byte) (err error) {
	switch same, err := equalBytes(target, old); {
	case err != nil:
		return err
	case !same:
		return errMoved
	}
	file, err := os.OpenFile(target, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	if err := reserve(file, len(data)); err != nil {
		return fmt.Errorf("nothing was changed, because there is no room for it: %w", err)
	}
	before := w.before(path)
	switch err := keepCopy(before, old); {
	case isImpossible(err): // A folder that is not ours: the rollback has to do.
		before = ""
	case err != nil:
		return fmt.Errorf("nothing was changed, because what the file holds cannot be kept meanwhile: %w", err)
	}
	if err := overwrite(file, len(old), data); err != nil {
		return takeBack(file, target, before, old, err)
	}
	return dropCopy(before)
}

// overwrite puts data in place of a file's content. What goes beyond the old
// length is written first, because that is what fails for want of space, and the
// length is cut last, so that the file is never empty in between.
func overwrite(file *os.File, length int, data []byte) error {
	if len(data) > length {
		if _, err := file.WriteAt(data[length:], int64(length)); err != nil {
			return err
		}
	}
	if _, err := file.WriteAt(data[:min(length, len(data))], 0); err != nil {
		return err
	}
	if err := file.Truncate(int64(len(data))); err != nil {
		return err
	}
	return file.Sync()
}

// takeBack ends a write that failed in the middle and says what the file holds.
func takeBack(file *os.File, target, before string, old []byte, failure error) error {
	// The length first: it is what the rest may have no space for.
	err := file.Truncate(int64(len(old)))
	if err == nil {
		_, err = file.WriteAt(old, 0)
	}
	err = errors.Join(err, file.Sync())
	// What counts is what is there, also where the way back was not smooth.
	if same, look := equalBytes(target, old); same && look == nil {
		return errors.Join(fmt.Errorf("writing in place: %w; the old content is back", failure), dropCopy(before))
	}
	where := "the old content could not be put back"
	if before != "" {
		where += "; it is in " + before
	}
	return errors.Join(fmt.Errorf("writing in place: %w; %s", failure, where), err)
}

// before names the copy of what a file held before it is written in place.
func (w writer) before(path string) string {
	folder := w.copies
	if folder == "" {
		folder = filepath.Dir(path)
	}
	return filepath.Join(folder, "."+strings.TrimPrefix(filepath.Base(path), ".")+"-before")
}

// left names the copy that a writer left who did not come to the end, empty for
// none.
func (w writer) left(path string) string {
	before := w.before(path)
	if info, err := os.Lstat(before); err != nil || !info.Mode().IsRegular() {
		return ""
	}
	return before
}

// keepCopy writes a copy, readable by its owner alone, and flushes it.
func keepCopy(path string, data []byte) error {
	if err := dropCopy(path); err != nil {
		return err
	}
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = file.Write(data)
	if err = errors.Join(err, file.Sync(), file.Close()); err == nil {
		err = syncFolder(filepath.Dir(path))
	}
	if err != nil {
		return errors.Join(err, dropCopy(path))
	}
	return nil
}

func dropCopy(path string) error {
	if path == "" {
		return nil
	}
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// tidy removes what killed writers left beside the files that we write. The lock
// is held.
func (f *File) tidy() {
	for _, path := range []string{f.home.Config(), f.home.Env(), f.home.ledgerFile()} {
		if target, err := filepath.EvalSymlinks(path); err == nil {
			path = target
		}
		sweep(path)
	}
}

// sweep removes what killed writers left beside a file. Whoever writes it holds
// the lock, so nothing that is there belongs to a living writer. What cannot be
// removed stays: it is in nobody's way.
func sweep(target string) {
	folder, name := filepath.Split(target)
	if folder == "" {
		folder = "."
	}
	entries, err := os.ReadDir(folder)
	if err != nil {
		return
	}
	for _, entry := range entries {
		number, ours := strings.CutPrefix(entry.Name(), "."+name+"-")
		number, temporary := strings.CutSuffix(number, ".tmp")
		if !ours || !temporary || number == "" || strings.Trim(number, "0123456789") != "" {
			continue
		}
		if info, err := entry.Info(); err != nil || !info.Mode().IsRegular() || !belongsToUs(info) {
			continue
		}
		_ = os.Remove(filepath.Join(folder, entry.Name()))
	}
}
