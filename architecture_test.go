package main

import (
	"bufio"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// allowedImports is the table of docs/ARCHITECTURE.md: which of our rooms a
// room may use. "*" stands for every room but the faces.
func allowedImports() map[string][]string {
	return map[string][]string{
		"message":     {},
		"policy":      {},
		"policy/wasm": {"policy"},
		"view":        {"message", "policy"},
		"watch":       {},
		"native":      {},
		"config":      {"native", "policy"},
		"mcp":         {"config", "native", "policy"},
		"pin":         {"native"},
		"builtin":     {},
		"catalog":     {"config", "policy"},
		"transfer":    {"config", "policy"},
		"registry":    {"message", "policy"},
		"approval":    {"message"},
		"hook":        {"message", "native"},
		"guard":       {"message", "native"},
		"provider":    {"message", "provider/amazon"},
		"connector":   {},
		"store":       {"message", "native"},
		"agent":       {"message"},
		"loopback":    {},
		"gateway":     {"loopback", "message", "registry"},
		"host":        {"*"},
		"desk":        {"*"},
		"cli":         {"desk", "terminal", "view", "web"},
		"terminal":    {"desk", "view"},
		"web":         {"desk", "loopback", "view"},

		"provider/amazon": {},
	}
}

func faces() []string { return []string{"cli", "web", "terminal"} }

// goFiles walks the hand-written Go files of the module.
func goFiles(t *testing.T, visit func(path string)) {
	t.Helper()
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (d.Name() == "node_modules" || d.Name() == ".git" || d.Name() == "testdata" || d.Name() == "wailsjson") {
			return filepath.SkipDir
		}
		if strings.HasSuffix(path, ".go") {
			visit(filepath.ToSlash(path))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestImportRules(t *testing.T) {
	table := allowedImports()
	goFiles(t, func(path string) {
		room, ok := strings.CutPrefix(filepath.ToSlash(filepath.Dir(path)), "backend/")
		if !ok || strings.HasSuffix(path, "_test.go") {
			return
		}
		allowed, known := table[room]
		if !known {
			t.Errorf("%s: the room %q is not in the table of docs/ARCHITECTURE.md", path, room)
			return
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
		if err != nil {
			t.Fatal(err)
		}
		for _, spec := range file.Imports {
			target, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				t.Fatal(err)
			}
			target, ours := strings.CutPrefix(target, "hermes/backend/")
			if !ours || target == room {
				continue
			}
			free := slices.Contains(allowed, "*") && !slices.Contains(faces(), target)
			if !free && !slices.Contains(allowed, target) {
				t.Errorf("%s: forbidden edge %s -> %s", path, room, target)
			}
		}
	})
}

// TestOneReader keeps the keys of the tool filter inside package policy: the
// fault this product exists to end is a second reader.
func TestOneReader(t *testing.T) {
	key := regexp.MustCompile(`["'](include|exclude)["']|\.([iI]nclude|[eE]xclude)\b|len\([a-zA-Z_.]*([iI]nclude|[eE]xclude)`)
	check := func(path string) {
		file, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		defer file.Close()
		lines := bufio.NewScanner(file)
		lines.Buffer(nil, 1<<20)
		for n := 1; lines.Scan(); n++ {
			if key.MatchString(lines.Text()) {
				t.Errorf("%s:%d reads a key of the filter outside policy: %s", path, n, strings.TrimSpace(lines.Text()))
			}
		}
	}
	goFiles(t, func(path string) {
		if !strings.HasPrefix(path, "backend/policy/") && !strings.HasSuffix(path, "_test.go") {
			check(path)
		}
	})
	err := filepath.WalkDir("frontend/src", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		path = filepath.ToSlash(path)
		code := strings.HasSuffix(path, ".ts") || strings.HasSuffix(path, ".tsx")
		if code && !strings.Contains(path, ".test.") && !strings.HasPrefix(path, "frontend/src/policy/") {
			check(path)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestSizes(t *testing.T) {
	const fileLimit, functionLimit, methodLimit = 400, 80, 6
	goFiles(t, func(path string) {
		set := token.NewFileSet()
		file, err := parser.ParseFile(set, path, nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		test := strings.HasSuffix(path, "_test.go")
		limit := fileLimit
		if test {
			limit = 600
		}
		if lines := set.File(file.Pos()).LineCount(); lines > limit {
			t.Errorf("%s has %d lines, the limit is %d", path, lines, limit)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FuncDecl:
				if lines := set.Position(n.End()).Line - set.Position(n.Pos()).Line + 1; lines > functionLimit && !test {
					t.Errorf("%s: %s has %d lines, the limit is %d", set.Position(n.Pos()), n.Name.Name, lines, functionLimit)
				}
			case *ast.InterfaceType:
				if n.Methods.NumFields() > methodLimit {
					t.Errorf("%s: an interface of %d methods, the limit is %d", set.Position(n.Pos()), n.Methods.NumFields(), methodLimit)
				}
			}
			return true
		})
	})
}

// TestNoPackageState allows package variables only where they cannot change:
// sentinels, compiled patterns, embedded files, interface assertions, and the
// version that the linker sets. The WebAssembly module is the exception: its
// exported functions have no other place for the trees they hand out.
func TestNoPackageState(t *testing.T) {
	goFiles(t, func(path string) {
		if strings.HasSuffix(path, "_test.go") || strings.HasPrefix(path, "backend/policy/wasm/") {
			return
		}
		set := token.NewFileSet()
		file, err := parser.ParseFile(set, path, nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		for _, decl := range file.Decls {
			gen, ok := decl.(*ast.GenDecl)
			if !ok || gen.Tok != token.VAR {
				continue
			}
			for _, spec := range gen.Specs {
				value := spec.(*ast.ValueSpec)
				for i, name := range value.Names {
					if !constantLike(name.Name, value, i, gen.Doc) {
						t.Errorf("%s: package variable %s", set.Position(name.Pos()), name.Name)
					}
				}
			}
		}
	})
}

func constantLike(name string, spec *ast.ValueSpec, i int, doc *ast.CommentGroup) bool {
	if name == "_" || name == "version" {
		return true
	}
	if doc != nil {
		for _, line := range doc.List {
			if strings.HasPrefix(line.Text, "//go:embed") {
				return true
			}
		}
	}
	if i >= len(spec.Values) {
		return false
	}
	call, ok := spec.Values[i].(*ast.CallExpr)
	if !ok {
		return false
	}
	fun, ok := call.Fun.(*ast.SelectorExpr)
	if !ok {
		return false
	}
	pkg, ok := fun.X.(*ast.Ident)
	if !ok {
		return false
	}
	switch pkg.Name + "." + fun.Sel.Name {
	case "errors.New", "fmt.Errorf", "regexp.MustCompile":
		return true
	}
	return false
}

// TestDocumented wants a sentence for every package and every exported name.
func TestDocumented(t *testing.T) {
	packages := map[string]bool{}
	goFiles(t, func(path string) {
		if !strings.HasPrefix(path, "backend/") || strings.HasSuffix(path, "_test.go") {
			return
		}
		set := token.NewFileSet()
		file, err := parser.ParseFile(set, path, nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		dir := filepath.Dir(path)
		packages[dir] = packages[dir] || file.Doc != nil
		for _, decl := range file.Decls {
			switch decl := decl.(type) {
			case *ast.FuncDecl:
				if decl.Name.IsExported() && decl.Doc == nil && exportedReceiver(decl) {
					t.Errorf("%s: %s has no doc sentence", set.Position(decl.Pos()), decl.Name.Name)
				}
			case *ast.GenDecl:
				for _, spec := range decl.Specs {
					if typ, ok := spec.(*ast.TypeSpec); ok && typ.Name.IsExported() && decl.Doc == nil && typ.Doc == nil {
						t.Errorf("%s: %s has no doc sentence", set.Position(typ.Pos()), typ.Name.Name)
					}
				}
			}
		}
	})
	for dir, documented := range packages {
		if !documented {
			t.Errorf("%s has no package sentence", dir)
		}
	}
}

// exportedReceiver tells whether a function needs a sentence. The methods of
// error and fmt.Stringer say by their name all there is to say.
func exportedReceiver(f *ast.FuncDecl) bool {
	if f.Recv == nil {
		return true
	}
	if f.Name.Name == "Error" || f.Name.Name == "Unwrap" || f.Name.Name == "String" {
		return false
	}
	typ := f.Recv.List[0].Type
	if star, ok := typ.(*ast.StarExpr); ok {
		typ = star.X
	}
	if index, ok := typ.(*ast.IndexExpr); ok {
		typ = index.X
	}
	name, ok := typ.(*ast.Ident)
	return ok && name.IsExported()
}
