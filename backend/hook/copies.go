package hook

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"hermes/backend/native"
)

// copiesFolder is the folder in ours where hooks find their scripts. What a
// killed program left there goes when the next hook runs, after leftAfter: no
// hook runs that long. maxBeside bounds what is shown of the folder of a script.
const (
	copiesFolder = "hookrun"
	leftAfter    = time.Hour
	maxBeside    = 500
)

// laid is a command ready to be started: every file of it is named by a place
// where nothing but what was read can be.
type laid struct {
	path   string
	args   []string
	folder string // of the copies, empty for none
	copies []step
}

// lay makes the places: the open file itself, or a copy of what was read of it.
func (r *resolved) lay(own string) (out laid, err error) {
	defer func() {
		if err != nil {
			out.remove()
			err = fmt.Errorf("its files could not be put where it finds them: %w", err)
		}
	}()
	places := map[*opened]string{}
	place := func(file *opened) (string, error) {
		if known, ok := places[file]; ok {
			return known, nil
		}
		at, err := "", error(nil)
		if file.content == nil {
			at = handle(file)
		} else {
			at, err = out.copy(own, file)
		}
		places[file] = at
		return at, err
	}
	if out.path, err = place(r.program); err != nil {
		return out, err
	}
	for _, arg := range r.args {
		text := arg.text
		if arg.file != nil {
			at, err := place(arg.file)
			if err != nil {
				return out, err
			}
			text += at
		}
		out.args = append(out.args, text)
	}
	return out, nil
}

// copy writes what was read of a file into a folder of its own, under its name,
// with links to what stands beside the file, so that a script finds its parts.
func (l *laid) copy(own string, file *opened) (string, error) {
	if l.folder == "" {
		base := filepath.Join(own, copiesFolder)
		if err := native.Folder(base); err != nil {
			return "", err
		}
		removeOld(base)
		folder, err := os.MkdirTemp(base, "run-")
		if err != nil {
			return "", err
		}
		l.folder = folder
	}
	folder := filepath.Join(l.folder, strconv.Itoa(len(l.copies)))
	if err := os.Mkdir(folder, 0o700); err != nil {
		return "", err
	}
	path, mode := filepath.Join(folder, filepath.Base(file.Path)), os.FileMode(0o400)
	if file.mode&0o100 != 0 {
		mode = 0o500
	}
	if err := os.WriteFile(path, file.content, mode); err != nil {
		return "", err
	}
	besides(filepath.Dir(file.Path), folder)
	info, err := os.Lstat(path)
	l.copies = append(l.copies, step{path, info})
	return path, err
}

// besides links to what stands in a folder. A script that needs more than is
// there fails, and blocks.
func besides(folder, into string) {
	in, err := os.Open(folder)
	if err != nil {
		return
	}
	defer func() { _ = in.Close() }()
	names, _ := in.Readdirnames(maxBeside)
	for _, name := range names {
		_ = os.Symlink(filepath.Join(folder, name), filepath.Join(into, name))
	}
}

func removeOld(base string) {
	entries, _ := os.ReadDir(base)
	for _, entry := range entries {
		if info, err := entry.Info(); err == nil && time.Since(info.ModTime()) > leftAfter {
			_ = os.RemoveAll(filepath.Join(base, entry.Name()))
		}
	}
}

// touched tells whether a copy is not as it was laid.
func (l *laid) touched() string {
	for _, copied := range l.copies {
		if copied.moved() {
			return copied.path
		}
	}
	return ""
}

// remove takes the copies away; nothing of the hook runs any more.
func (l *laid) remove() {
	if l.folder != "" {
		_ = os.RemoveAll(l.folder)
	}
}
