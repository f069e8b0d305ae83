package hook

import (
	"errors"
	"fmt"
	"io/fs"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
)

// File is a file that decides what a hook does: its program, the interpreter of
// a script, and every argument that names a file. Path is absolute and no link;
// SHA256 is of its content, in hexadecimal.
type File struct {
	Path   string `json:"path"`
	SHA256 string `json:"sha256"`
}

func (f File) same(other File) bool { return f.Path == other.Path && f.SHA256 == other.SHA256 }

// word is an argument: text, and behind it the place of a file where it names
// one.
type word struct {
	text string
	file *opened
}

// resolved is a command whose files were opened and read: the program that the
// system has to start, which for a script is its interpreter, the name it is to
// be given, and its arguments. Whoever has one closes it.
type resolved struct {
	program *opened
	name    string
	args    []word
	opened  []*opened
	// texts are the arguments that hold the text of a program.
	texts []string
}

// maxScripts bounds how many interpreters may stand behind each other, maxFirst
// how long in bytes the line may be that names one (the kernel reads 256).
const (
	maxScripts = 4
	maxFirst   = 255
)

// resolve finds the program and the files of a command, and reads them.
func (e Environment) resolve(command string) (_ resolved, err error) {
	words, err := split(command, e.Home)
	if err != nil {
		return resolved{}, err
	}
	path, err := e.program(words[0])
	if err != nil {
		return resolved{}, err
	}
	var out resolved
	defer func() {
		if err != nil {
			out.close()
		}
	}()
	first, err := out.open(path)
	if err != nil {
		return resolved{}, err
	}
	out.program, out.name, out.args, err = e.start(&out, first, path, nil, 0)
	if err != nil {
		return resolved{}, err
	}
	rest, err := e.arguments(&out, words[1:])
	if err != nil {
		return resolved{}, err
	}
	out.args = append(out.args, rest...)
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

// start says what the system has to start for a program with arguments. A script
// is not left to the system, which would look its interpreter and the script up
// once more by name: others may be there by then.
func (e Environment) start(out *resolved, file *opened, name string, args []word, depth int) (*opened, string, []word, error) {
	line, script := strings.CutPrefix(file.first, "#!")
	words := strings.Fields(line)
	if !script || len(words) == 0 {
		return file, name, args, nil
	}
	if depth == maxScripts {
		return nil, "", nil, fmt.Errorf("%s is a script of a script of a script", file.name)
	}
	if len(file.first) > maxFirst {
		return nil, "", nil, fmt.Errorf("the first line of %s is longer than %d bytes", file.name, maxFirst)
	}
	if file.content == nil {
		return nil, "", nil, fmt.Errorf("%s is too long for a script (%d bytes)", file.name, maxKept)
	}
	args = append([]word{{file: file}}, args...)
	interpreter, err := out.open(e.absolute(words[0]))
	if err != nil {
		return nil, "", nil, fmt.Errorf("%s needs %s: %w", file.name, words[0], err)
	}
	if filepath.Base(words[0]) == "env" {
		return e.startByEnv(out, file, interpreter, words, args, depth)
	}
	if options := words[1:]; len(options) > 0 {
		// All but one system give the rest of the line as one argument.
		if runtime.GOOS != "darwin" {
			options = []string{strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(line), words[0]))}
		}
		args = append(plain(options), args...)
	}
	return e.start(out, interpreter, words[0], args, depth+1)
}

// startByEnv is start for a script whose first line asks env for the
// interpreter: env is asked to find nothing.
func (e Environment) startByEnv(out *resolved, file, env *opened, words []string, args []word, depth int) (*opened, string, []word, error) {
	line := words[1:]
	if len(line) > 0 {
		for _, option := range []string{"--split-string=", "-S"} {
			if rest, ok := strings.CutPrefix(line[0], option); ok {
				line = append(strings.Fields(rest), line[1:]...)
				break
			}
		}
	}
	if strings.ContainsAny(strings.Join(line, " "), `'"\$#`) {
		return nil, "", nil, fmt.Errorf("the first line of %s holds quotes or variables, which are not read here", file.name)
	}
	// Options and assignments stand before the name.
	at := 0
	for at < len(line) && (strings.HasPrefix(line[at], "-") || strings.Contains(line[at], "=")) {
		at++
	}
	if at == len(line) {
		return nil, "", nil, fmt.Errorf("the first line of %s names no program", file.name)
	}
	path, err := e.program(line[at])
	if err != nil {
		return nil, "", nil, err
	}
	found, err := out.open(path)
	if err != nil {
		return nil, "", nil, err
	}
	program, name, args, err := e.start(out, found, line[at], append(plain(line[at+1:]), args...), depth+1)
	if err != nil || at == 0 {
		return program, name, args, err
	}
	return env, words[0], append(append(plain(line[:at]), word{file: program}), args...), nil
}

func plain(texts []string) []word {
	words := make([]word, 0, len(texts))
	for _, text := range texts {
		words = append(words, word{text: text})
	}
	return words
}
