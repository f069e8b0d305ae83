package hook

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// maxNames bounds the words of one argument that are looked at.
const maxNames = 200

// arguments reads the files that arguments name. One that is a file, or ends
// with one behind its option, is given as the file that was read. Files that are
// named in the middle of a text are read alone: the text stays as it is.
func (e Environment) arguments(out *resolved, args []string) ([]word, error) {
	words := make([]word, 0, len(args))
	text := false // the next argument is the text of a program
	for _, arg := range args {
		given := word{text: arg}
		whole := false
		for _, cut := range cuts(arg) {
			if !e.isFile(arg[cut:]) {
				continue
			}
			file, err := out.open(e.absolute(arg[cut:]))
			if err != nil {
				return nil, err
			}
			if whole = true; !text {
				given = word{text: arg[:cut], file: file}
			}
			break
		}
		if text || !whole && (strings.ContainsAny(arg, " \t\n;|&$`()<>")) {
			out.texts = append(out.texts, arg)
		}
		if !whole {
			for _, name := range e.within(arg) {
				if _, err := out.open(e.absolute(name)); err != nil {
					return nil, err
				}
			}
		}
		words, text = append(words, given), takesText(arg)
	}
	return words, nil
}

// isFile tells what is no regular file (a word, a folder, a pipe): it is bound by
// the command alone.
func (e Environment) isFile(name string) bool {
	if name == "" {
		return false
	}
	info, err := os.Stat(e.absolute(name))
	return err == nil && info.Mode().IsRegular()
}

// takesText tells whether the text of a program follows an option: `sh -c`,
// `bash -lc`, `env -S`.
func takesText(option string) bool {
	letters, ok := strings.CutPrefix(option, "-")
	return ok && (strings.HasSuffix(letters, "c") || strings.HasSuffix(letters, "S")) && !strings.HasPrefix(letters, "-") || option == "--split-string"
}

// cuts are the places in an argument where the name of a file may begin and reach
// to its end: FILE, --option=FILE, -oFILE.
func cuts(arg string) []int {
	out := []int{0}
	if i := strings.IndexByte(arg, '='); i >= 0 {
		out = append(out, i+1)
	}
	if strings.HasPrefix(arg, "-") && !strings.HasPrefix(arg, "--") && len(arg) > 2 {
		out = append(out, 2)
		if i := strings.IndexByte(arg, '/'); i > 2 {
			out = append(out, i)
		}
	}
	return out
}

// within lists the files that are named in the middle of an argument.
func (e Environment) within(arg string) []string {
	var out []string
	for i, name := range namesIn(arg, e.Home) {
		if i < maxNames && e.isFile(name) && !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	return out
}

// namesIn lists what may be a name in a text that a shell, or a program like one,
// reads. What a text only writes to is no file that decides anything.
func namesIn(text, home string) []string {
	text = strings.NewReplacer("${HOME}", home, "$HOME", home).Replace(text)
	parts := func(r rune) bool { return strings.ContainsRune(" \t\r\n'\"`;|&()<{}$=,:[]\\", r) }
	var out []string
	// The quotes of a text keep a name with blanks together.
	if words, err := split(text, home); err == nil {
		out = append(out, words...)
	}
	for i, piece := range strings.Split(text, ">") {
		names := strings.FieldsFunc(piece, parts)
		if i > 0 && len(names) > 0 {
			names = names[1:]
		}
		for _, name := range names {
			out = append(out, expandHome(name, home, true))
			if at := strings.IndexByte(name, '/'); at > 0 && name[0] == '-' {
				out = append(out, name[at:])
			}
		}
	}
	return out
}

// Files lists the files that a command names, as absolute paths: its program
// where that is named by a path, its arguments and what stands within them. None
// is opened; what is no regular file is left out, what is not there is not.
func (e Environment) Files(command string) []string {
	words, err := split(command, e.Home)
	if err != nil {
		// The words of one that cannot run may be mended by whoever can write them.
		words = strings.FieldsFunc(command, func(r rune) bool { return strings.ContainsRune(" \t\r\n'\"\\", r) })
	}
	var out []string
	for i, word := range words {
		names := namesIn(word, e.Home)
		for _, cut := range cuts(word) {
			names = append(names, expandHome(word[cut:], e.Home, true))
		}
		for _, name := range names[:min(len(names), maxNames)] {
			path := filepath.Clean(e.absolute(name))
			info, err := os.Stat(path)
			// A bare word that is no file yet is only a word.
			missing := err != nil && (filepath.IsAbs(name) || i == 0 && strings.Contains(name, "/"))
			if (missing || err == nil && info.Mode().IsRegular()) && !slices.Contains(out, path) {
				out = append(out, path)
			}
		}
	}
	return out
}
