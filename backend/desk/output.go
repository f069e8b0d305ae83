package desk

import (
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"hermes/backend/config"
	"hermes/backend/view"
)

// Output is a result for a file that a person named. Read are the files it was
// made from. Again tells content that the next result of the same kind may
// replace without being asked, nil for none; Force replaces any.
type Output struct {
	Path  string
	Data  []byte
	Read  []string
	Again func(data []byte) bool
	Force bool
}

// WriteResult writes a result: a new file, for its owner alone, or in one step
// in place of one that may be replaced. What belongs to a home of Hermes and
// what was read for the result is never replaced, by whatever name it is
// called, and a program that a server started writes none.
func WriteResult(o Options, out Output) error {
	if by := descendantOf(o.Getenv); by != "" {
		return Fail(view.Error{Code: "refused", Message: "a program that " + starterName(by) + " started may not write into a file",
			Hint: "type the command yourself, in a terminal of your own"}, nil)
	}
	home, err := config.FindHome(o.Profile, o.Getenv)
	if err != nil {
		return err
	}
	path, err := filepath.Abs(out.Path)
	if err != nil {
		return out.fault("it has no place: "+err.Error(), "name another file", err)
	}
	folder, err := filepath.EvalSymlinks(filepath.Dir(path))
	if err != nil {
		return out.fault("its folder cannot be used: "+reasonOf(err), "make the folder, or name another file", err)
	}
	path = filepath.Join(folder, filepath.Base(path))
	info, err := os.Lstat(path)
	linked := err == nil && info.Mode()&fs.ModeSymlink != 0
	if linked {
		real, err := filepath.EvalSymlinks(path)
		if err != nil {
			return out.fault("it is a link that leads nowhere", "name another file", err)
		}
		path = real
		info, err = os.Lstat(path)
		if err != nil {
			return out.fault(reasonOf(err), "name another file", err)
		}
	} else if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return out.fault(reasonOf(err), "name another file", err)
	}
	if belongsTo(home, path) {
		return out.fault("the file belongs to Hermes and was not replaced", "name a file outside "+home.Dir, nil)
	}
	if slices.ContainsFunc(out.Read, func(read string) bool { return sameFile(read, path) }) {
		return out.fault("the file was read for it and was not replaced", "name another file", nil)
	}
	if info == nil {
		return out.create(path)
	}
	return out.replace(path, info, linked)
}

func (out Output) fault(message, hint string, cause error) error {
	return Fail(view.Error{Code: "failed", Message: message, Hint: hint, File: out.Path}, cause)
}

// reasonOf takes the operation and the path off an error of the file system.
func reasonOf(err error) string {
	var failed *fs.PathError
	if errors.As(err, &failed) {
		return failed.Err.Error()
	}
	return err.Error()
}

func (out Output) create(path string) error {
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return out.fault("the file cannot be made: "+reasonOf(err), "name another file", err)
	}
	_, err = file.Write(out.Data)
	if err = errors.Join(err, file.Sync(), file.Close()); err != nil {
		return out.fault("the file cannot be written: "+reasonOf(err), "make room, then try again", errors.Join(err, os.Remove(path)))
	}
	return nil
}

func (out Output) replace(path string, info fs.FileInfo, linked bool) error {
	switch {
	case !info.Mode().IsRegular():
		return out.fault("it is no regular file", "name another file", nil)
	case out.Force:
	case linked:
		return out.fault("it is a link that leads to another file, "+path+", which was not replaced", "name another file, or replace that one with --force", nil)
	case out.Again == nil || !out.mayRepeat(path):
		return out.fault("the file is there already and was not replaced", "choose another name, or replace it with --force", nil)
	}
	temp, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+"-*.tmp")
	if err != nil {
		return out.fault("the file cannot be replaced: "+reasonOf(err), "name another file", err)
	}
	_, err = temp.Write(out.Data)
	err = errors.Join(err, temp.Chmod(info.Mode().Perm()), temp.Sync(), temp.Close())
	if err == nil {
		err = os.Rename(temp.Name(), path)
	}
	if err != nil {
		return out.fault("the file cannot be replaced: "+reasonOf(err), "name another file", errors.Join(err, os.Remove(temp.Name())))
	}
	return nil
}

func (out Output) mayRepeat(path string) bool {
	file, err := os.Open(path)
	if err != nil {
		return false
	}
	defer file.Close()
	data, err := io.ReadAll(io.LimitReader(file, maxImport))
	return err == nil && out.Again(data)
}

// belongsTo tells a file that Hermes keeps for itself, in this home or in
// another profile of it. path has no links in it.
func belongsTo(home config.Home, path string) bool {
	root := home.Dir
	if home.Profile != "" {
		root = filepath.Dir(filepath.Dir(root))
	}
	homes := []config.Home{home, {Dir: root}}
	if items, err := os.ReadDir(filepath.Join(root, "profiles")); err == nil {
		for _, item := range items {
			homes = append(homes, config.Home{Dir: filepath.Join(root, "profiles", item.Name())})
		}
	}
	for _, h := range homes {
		if sameFile(h.Config(), path) || sameFile(h.Env(), path) {
			return true
		}
		for dir := filepath.Dir(path); ; dir = filepath.Dir(dir) {
			if sameFile(h.Native(), dir) {
				return true
			}
			if dir == filepath.Dir(dir) {
				break
			}
		}
		// Another name of a file in there.
		items, err := os.ReadDir(h.Native())
		if err == nil && slices.ContainsFunc(items, func(item fs.DirEntry) bool { return sameFile(filepath.Join(h.Native(), item.Name()), path) }) {
			return true
		}
	}
	return false
}

// sameFile tells two names of one file, also where it is not there yet. Letters
// of either case are the same: on two of three systems they are.
func sameFile(a, b string) bool {
	one, err := os.Stat(a)
	other, err2 := os.Stat(b)
	if err == nil && err2 == nil {
		return os.SameFile(one, other)
	}
	one, err = os.Stat(filepath.Dir(a))
	other, err2 = os.Stat(filepath.Dir(b))
	return err == nil && err2 == nil && os.SameFile(one, other) && strings.EqualFold(filepath.Base(a), filepath.Base(b))
}

// IsReport tells an audit in SARIF that this program wrote.
func IsReport(data []byte) bool {
	var log sarifLog
	if json.Unmarshal(data, &log) != nil || log.Version != "2.1.0" || len(log.Runs) == 0 {
		return false
	}
	return !slices.ContainsFunc(log.Runs, func(run sarifRun) bool { return run.Tool.Driver.Name != "hermes" })
}
