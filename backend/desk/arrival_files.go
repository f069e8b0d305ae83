package desk

import (
	"bytes"
	"debug/buildinfo"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"

	"hermes/backend/view"
)

// programsOnPath lists every program called `hermes` in the order of PATH. None
// of them is run: whose it is stands in its first bytes.
func programsOnPath(path string) []view.ArrivalProgram {
	out := []view.ArrivalProgram{}
	names := []string{"hermes"}
	if runtime.GOOS == "windows" {
		names = []string{"hermes.exe", "hermes.cmd", "hermes.bat"}
	}
	seen := map[string]bool{}
	for _, dir := range filepath.SplitList(path) {
		for _, name := range names {
			file := filepath.Join(dir, name)
			info, err := os.Stat(file)
			if dir == "" || seen[file] || err != nil || !info.Mode().IsRegular() || runtime.GOOS != "windows" && info.Mode()&0o111 == 0 {
				continue
			}
			seen[file] = true
			out = append(out, view.ArrivalProgram{Path: file, Kind: programKind(file, info)})
		}
	}
	return out
}

func programKind(path string, info fs.FileInfo) view.ProgramKind {
	if self, err := os.Executable(); err == nil {
		if own, err := os.Stat(self); err == nil && os.SameFile(own, info) {
			return view.ProgramThis
		}
	}
	head := firstBytes(path, 512)
	if bytes.HasPrefix(head, []byte("#!")) {
		// A long path to the interpreter stands in the second line, behind a shell.
		if bytes.Contains(head, []byte("python")) {
			return view.ProgramPython
		}
		return view.ProgramOther
	}
	if info, err := buildinfo.ReadFile(path); err == nil && (info.Path == "hermes" || info.Main.Path == "hermes") {
		return view.ProgramOurs
	}
	return view.ProgramOther
}

func firstBytes(path string, n int64) []byte {
	file, err := os.Open(path)
	if err != nil {
		return nil
	}
	defer file.Close()
	head, _ := io.ReadAll(io.LimitReader(file, n)) // what could be read tells enough
	return head
}

const (
	maxSkillFiles = 500
	maxSkillBytes = 256 << 10
	// maxObsolete bounds what is told: the page shows the first ones.
	maxObsolete = 20
)

// obsoleteTexts finds skills and prompts that tell the model to call one tool at
// a time. Files are only read, links are not followed.
func obsoleteTexts(home string) []view.ObsoleteText {
	out := []view.ObsoleteText{}
	phrase := regexp.MustCompile(`(?i)\b(?:(?:only )?(?:one|a single) (?:tool|tool[ _]call|call) at a time|exactly one (?:entry in calls|entry per tool_call|entry for local tools|tool[ _]call)|(?:do not|don't|never) batch (?:the |your |several |multiple )?(?:tools?[ _]?)?calls?|one tool[ _]call per (?:turn|message|response|step))\b`)
	look := func(path string) {
		info, err := os.Lstat(path)
		if err != nil || !info.Mode().IsRegular() || info.Size() > maxSkillBytes || len(out) >= maxObsolete {
			return
		}
		// Back quotes around tool_call are set apart so that the words stand alone.
		text := bytes.ReplaceAll(firstBytes(path, maxSkillBytes), []byte("`"), nil)
		at := phrase.FindIndex(text)
		if at == nil {
			return
		}
		out = append(out, view.ObsoleteText{File: path, Line: bytes.Count(text[:at[0]], []byte("\n")) + 1, Text: string(text[at[0]:at[1]])})
	}
	for _, name := range []string{"SOUL.md", "AGENTS.md", "HERMES.md"} {
		look(filepath.Join(home, name))
	}
	files := 0
	_ = filepath.WalkDir(filepath.Join(home, "skills"), func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return fs.SkipDir // a folder that cannot be read has nothing to say
		}
		if d.IsDir() {
			return nil
		}
		if files++; files > maxSkillFiles {
			return fs.SkipAll
		}
		if strings.EqualFold(filepath.Ext(path), ".md") {
			look(path)
		}
		return nil
	})
	return out
}
