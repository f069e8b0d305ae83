package hook

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"hermes/backend/native"
)

// opened is a file that was read. What runs is what was read: its content is
// kept, or, of a program of the machine and of what is long, the open file.
type opened struct {
	File
	// name is how the command leads to it, maybe through links, way what it leads
	// through.
	name  string
	way   []step
	stamp stamp
	mode  fs.FileMode
	// first is the first line of a script.
	first   string
	content []byte   // nil where in is kept
	in      *os.File // nil where content is kept
}

// step is a link or folder on the way to a file, as it was before the file was
// opened.
type step struct {
	path string
	info fs.FileInfo
}

// maxFile bounds what is hashed of one file, maxKept what is kept of one, in
// bytes; maxSteps bounds the links and folders on the way to one.
const (
	maxFile  = 1 << 30
	maxKept  = 8 << 20
	maxSteps = 400
)

// open reads a file of the command, once for each path.
func (r *resolved) open(name string) (*opened, error) {
	way := wayTo(name, nil)
	path, err := filepath.EvalSymlinks(name)
	if err != nil {
		return nil, fmt.Errorf("%s cannot be read: %w", name, reasonOf(err))
	}
	if path, err = filepath.Abs(path); err != nil {
		return nil, err
	}
	for _, known := range r.opened {
		if known.Path == path {
			known.way = append(known.way, way...)
			return known, nil
		}
	}
	file := &opened{File: File{Path: path}, name: name, way: way}
	if err := file.read(); err != nil {
		return nil, err
	}
	r.opened = append(r.opened, file)
	return file, nil
}

// read opens the file, which is no link, and hashes it through what it opened.
func (f *opened) read() (err error) {
	in, info, err := native.Open(f.Path)
	if err != nil {
		return fmt.Errorf("%s cannot be read: %w", f.name, reasonOf(err))
	}
	f.in, f.stamp, f.mode = in, stampOf(info), info.Mode()
	defer func() {
		if err != nil || f.content != nil {
			_ = in.Close()
			f.in = nil
		}
	}()
	if info.Size() > maxFile {
		return fmt.Errorf("%s is too long to be checked", f.name)
	}
	head := make([]byte, 512)
	n, err := io.ReadFull(in, head)
	if head = head[:n]; err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
		return fmt.Errorf("%s cannot be read: %w", f.name, reasonOf(err))
	}
	if line, _, _ := bytes.Cut(head, []byte("\n")); bytes.HasPrefix(line, []byte("#!")) {
		f.first = strings.TrimSpace(string(line))
	}
	sum := sha256.New()
	sum.Write(head)
	rest := io.LimitReader(in, maxFile+1)
	// A program of the machine is not copied: it may look for its parts beside
	// itself, and the system lets nobody write it while it runs.
	if bytes.IndexByte(head, 0) >= 0 && f.first == "" || info.Size() > maxKept {
		_, err = io.Copy(sum, rest)
	} else {
		var more []byte
		if more, err = io.ReadAll(io.LimitReader(rest, maxKept+1)); len(more) > maxKept {
			return fmt.Errorf("%s grew while it was read", f.name)
		}
		sum.Write(more)
		f.content = append(head, more...)
	}
	if err != nil {
		f.content = nil
		return fmt.Errorf("%s cannot be read: %w", f.name, reasonOf(err))
	}
	f.SHA256 = hex.EncodeToString(sum.Sum(nil))
	return nil
}

// wayTo lists the links and folders that lead to a file.
func wayTo(name string, way []step) []step {
	name = filepath.Clean(name)
	var parts []string
	for at := name; ; at = filepath.Dir(at) {
		parts = append(parts, at)
		if filepath.Dir(at) == at {
			break
		}
	}
	for i := len(parts) - 1; i >= 0 && len(way) < maxSteps; i-- {
		info, err := os.Lstat(parts[i])
		if err != nil {
			return way
		}
		link := info.Mode()&fs.ModeSymlink != 0
		if !link && !info.IsDir() {
			continue
		}
		way = append(way, step{parts[i], info})
		if !link {
			continue
		}
		target, err := os.Readlink(parts[i])
		if err != nil {
			return way
		}
		if !filepath.IsAbs(target) {
			target = filepath.Join(filepath.Dir(parts[i]), target)
		}
		way = wayTo(target, way)
	}
	return way
}

// moved tells whether another link or folder stands there now. Of a folder only
// that counts, because what is written into one moves its times, too.
func (s step) moved() bool {
	info, err := os.Lstat(s.path)
	if err != nil || info.Mode().Type() != s.info.Mode().Type() {
		return true
	}
	return !os.SameFile(info, s.info) || !info.IsDir() && stampOf(info) != stampOf(s.info)
}

// touched names the first file that is another one than when it was read, or was
// written, moved or put back since, or to which another way leads; empty for
// none.
func (r *resolved) touched() string {
	for _, file := range r.opened {
		for _, step := range file.way {
			if step.moved() {
				return step.path
			}
		}
		info, err := os.Lstat(file.Path)
		if err != nil || stampOf(info) != file.stamp {
			return file.Path
		}
	}
	return ""
}

// close lets go of the files.
func (r *resolved) close() {
	for _, file := range r.opened {
		if file.in != nil {
			_ = file.in.Close()
		}
	}
}

// files are what a person trusts.
func (r *resolved) files() []File {
	var out []File
	for _, file := range r.opened {
		out = append(out, file.File)
	}
	return out
}
