package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/format"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"strings"
)

// mutant is one change. key names it by file, function and the changed text
// rather than by line, so that it survives edits elsewhere; place is for people.
type mutant struct {
	id         int
	key, place string
}

// outOfMemory is the exit code of a mutant that takes more memory than the tests
// need, such as a loop that appends for ever.
const outOfMemory = 97

// switchSource is the file that tells the mutants whether they are chosen.
const switchSource = `package %s

import (
	"os"
	"runtime"
	"strconv"
	"time"
)

var mutantChosen, _ = strconv.Atoi(os.Getenv("MUTANT"))

func mutant(id int) bool { return mutantChosen == id }

func init() {
	if mutantChosen == 0 {
		return
	}
	go func() {
		for {
			var m runtime.MemStats
			if runtime.ReadMemStats(&m); m.Sys > 1<<30 {
				os.Exit(%d)
			}
			time.Sleep(100 * time.Millisecond)
		}
	}()
}
`

// instrument writes a copy of a package that holds every mutant, and the
// overlay file that lets the go command compile it in place of the original.
func instrument(dir, temp string) (mutants []mutant, overlay string, err error) {
	fset := token.NewFileSet()
	names, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		return nil, "", err
	}
	var files []*ast.File
	var paths []string
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(fset, name, nil, parser.SkipObjectResolution)
		if err != nil {
			return nil, "", err
		}
		files, paths = append(files, file), append(paths, name)
	}
	if len(files) == 0 {
		return nil, "", fmt.Errorf("%s has no Go files", dir)
	}
	info := &types.Info{Types: map[ast.Expr]types.TypeAndValue{}}
	checker := types.Config{Importer: importer.ForCompiler(fset, "source", nil)}
	pkg, err := checker.Check(dir, fset, files, info)
	if err != nil {
		return nil, "", err
	}
	replace := map[string]string{}
	m := &mutator{fset: fset, info: info, pkg: pkg, seen: map[string]int{}}
	for i, file := range files {
		file.Comments = nil // their places would not fit the new text
		m.file = filepath.Base(paths[i])
		m.mutate(file)
		var text bytes.Buffer
		if err := format.Node(&text, fset, file); err != nil {
			return nil, "", fmt.Errorf("%s: %w", paths[i], err)
		}
		if replace[absolute(paths[i])], err = write(temp, m.file, text.Bytes()); err != nil {
			return nil, "", err
		}
	}
	chosen := fmt.Sprintf(switchSource, pkg.Name(), outOfMemory)
	switchFile := filepath.Join(dir, "zz_mutant.go")
	if replace[absolute(switchFile)], err = write(temp, "zz_mutant.go", []byte(chosen)); err != nil {
		return nil, "", err
	}
	data, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return nil, "", err
	}
	overlay, err = write(temp, "overlay.json", data)
	return m.mutants, overlay, err
}

func absolute(path string) string {
	full, err := filepath.Abs(path)
	if err != nil {
		return path
	}
	return full
}

func write(dir, name string, data []byte) (string, error) {
	path := filepath.Join(dir, name)
	return path, os.WriteFile(path, data, 0o600)
}
