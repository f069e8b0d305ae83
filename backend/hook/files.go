package hook

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// File is a file that decides what a hook does: its program, the interpreter of
// a script, and every argument that names a file. Path is absolute and no link;
// SHA256 is of its content, in hexadecimal.
type File struct {
	Path   string `json:"path"`
	SHA256 string `json:"sha256"`

	// name is how the command leads to it, maybe through links.
	name        string
	stamp, link stamp
}

func (f File) same(other File) bool { return f.Path == other.Path && f.SHA256 == other.SHA256 }

// resolved is a command as the system takes it, with the files it stands on.
type resolved struct {
	path  string
	args  []string
	files []File
}

// maxFile bounds what is hashed of one file, in bytes.
const maxFile = 1 << 30

// maxScripts bounds how many interpreters may stand behind each other.
const maxScripts = 4

// resolve finds the program and the files of a command, and reads them.
func (e Environment) resolve(command string) (resolved, error) {
	words, err := split(command, e.Home)
	if err != nil {
		return resolved{}, err
	}
	path, err := e.program(words[0])
	if err != nil {
		return resolved{}, err
	}
	out := resolved{path: path, args: words[1:]}
	if err := e.addProgram(&out, path, 0); err != nil {
		return resolved{}, err
	}
	for _, arg := range words[1:] {
		names := []string{arg}
		// --config=FILE names one, too.
		if _, value, ok := strings.Cut(arg, "="); ok && strings.HasPrefix(arg, "-") {
			names = append(names, value)
		}
		for _, name := range names {
			if err := e.addArgument(&out, name); err != nil {
				return resolved{}, err
			}
		}
	}
	return out, nil
}

// program finds a program by its name on PATH, or by its path; a relative one
// begins in the folder where the hook would run. Entries of PATH that are
// relative are left out: they would name another program in each folder.
func (e Environment) program(name string) (string, error) {
	if strings.ContainsRune(name, filepath.Separator) || strings.Contains(name, "/") {
		path, err := exec.LookPath(e.absolute(name))
		if err != nil {
			return "", fmt.Errorf("the program %s cannot be run: %w", name, reasonOf(err))
		}
		return path, nil
	}
	for _, folder := range filepath.SplitList(e.Path) {
		if !filepath.IsAbs(folder) {
			continue
		}
		if path, err := exec.LookPath(filepath.Join(folder, name)); err == nil {
			return path, nil
		}
	}
	return "", fmt.Errorf("the program %s is on none of the folders of PATH", name)
}

func (e Environment) absolute(name string) string {
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(e.Dir, name)
}

// reasonOf leaves out the path that the error of a look-up repeats.
func reasonOf(err error) error {
	if wrapped := (*exec.Error)(nil); errors.As(err, &wrapped) {
		err = wrapped.Err
	}
	if wrapped := (*fs.PathError)(nil); errors.As(err, &wrapped) {
		err = wrapped.Err
	}
	return err
}

// addProgram adds a program and, of a script, the interpreter its first line
// names.
func (e Environment) addProgram(out *resolved, path string, depth int) error {
	file, first, err := read(path)
	if err != nil {
		return err
	}
	out.add(file)
	line, script := strings.CutPrefix(first, "#!")
	words := strings.Fields(line)
	if !script || len(words) == 0 {
		return nil
	}
	if depth == maxScripts {
		return fmt.Errorf("%s is a script of a script of a script", path)
	}
	if err := e.addProgram(out, e.absolute(words[0]), depth+1); err != nil {
		return fmt.Errorf("%s needs %s: %w", path, words[0], err)
	}
	if filepath.Base(words[0]) != "env" {
		return nil
	}
	for _, word := range words[1:] {
		// Options and assignments stand before the name.
		if strings.HasPrefix(word, "-") || strings.Contains(word, "=") {
			continue
		}
		path, err := e.program(word)
		if err != nil {
			return err
		}
		return e.addProgram(out, path, depth+1)
	}
	return nil
}

// addArgument adds a file that an argument names. What is no regular file (a
// word, a folder, a pipe) is bound by the command alone.
func (e Environment) addArgument(out *resolved, name string) error {
	if name == "" {
		return nil
	}
	info, err := os.Stat(e.absolute(name))
	if err != nil || !info.Mode().IsRegular() {
		return nil
	}
	file, _, err := read(e.absolute(name))
	if err != nil {
		return err
	}
	out.add(file)
	return nil
}

func (r *resolved) add(file File) {
	for _, known := range r.files {
		if known.Path == file.Path {
			return
		}
	}
	r.files = append(r.files, file)
}

// read hashes a file; first is the beginning of its first line.
func read(name string) (file File, first string, err error) {
	entry, err := os.Lstat(name)
	if err != nil {
		return File{}, "", fmt.Errorf("%s cannot be read: %w", name, reasonOf(err))
	}
	path, err := filepath.EvalSymlinks(name)
	if err != nil {
		return File{}, "", fmt.Errorf("%s cannot be read: %w", name, reasonOf(err))
	}
	if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() {
		return File{}, "", fmt.Errorf("%s is no regular file", name)
	}
	in, err := os.Open(path)
	if err != nil {
		return File{}, "", fmt.Errorf("%s cannot be read: %w", name, reasonOf(err))
	}
	defer func() { _ = in.Close() }()
	info, err := in.Stat()
	if err != nil || !info.Mode().IsRegular() || info.Size() > maxFile {
		return File{}, "", fmt.Errorf("%s is no regular file of a size that can be checked", name)
	}
	sum := sha256.New()
	buffered := bufio.NewReader(io.TeeReader(io.LimitReader(in, maxFile+1), sum))
	if head, _ := buffered.Peek(2); string(head) == "#!" {
		first, _ = buffered.ReadString('\n')
		first = strings.TrimSpace(first[:min(len(first), 512)])
	}
	if _, err := io.Copy(io.Discard, buffered); err != nil {
		return File{}, "", fmt.Errorf("%s cannot be read: %w", name, reasonOf(err))
	}
	return File{Path: path, SHA256: hex.EncodeToString(sum.Sum(nil)), name: name, stamp: stampOf(info), link: stampOf(entry)}, first, nil
}

// touched names the first file that is another one than when it was read, or was
// written, moved or put back since; empty for none.
func (r resolved) touched() string {
	for _, file := range r.files {
		path, err := filepath.EvalSymlinks(file.name)
		if err != nil || path != file.Path {
			return file.Path
		}
		info, err := os.Stat(file.Path)
		entry, missing := os.Lstat(file.name)
		if err != nil || missing != nil || stampOf(info) != file.stamp || stampOf(entry) != file.link {
			return file.Path
		}
	}
	return ""
}
