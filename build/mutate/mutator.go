package main

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/format"
	"go/token"
	"go/types"
	"strconv"
	"strings"

	"golang.org/x/tools/go/ast/astutil"
)

// mutator rewrites syntax trees so that each change waits behind a number.
type mutator struct {
	fset    *token.FileSet
	info    *types.Info
	pkg     *types.Package
	file    string
	within  string // the function that is being rewritten
	texts   map[ast.Node]string
	places  map[ast.Node]token.Pos
	pos     token.Pos // of the node that is being rewritten
	seen    map[string]int
	mutants []mutant
}

// mutate rewrites one file, inner expressions first.
func (m *mutator) mutate(file *ast.File) {
	for _, decl := range file.Decls {
		fn, ok := decl.(*ast.FuncDecl)
		if !ok || fn.Body == nil {
			continue
		}
		m.within = fn.Name.Name
		m.texts, m.places = map[ast.Node]string{}, map[ast.Node]token.Pos{}
		astutil.Apply(fn.Body, m.remember, func(c *astutil.Cursor) bool {
			m.pos = m.places[c.Node()]
			switch n := c.Node().(type) {
			case *ast.BinaryExpr:
				if changed := m.binary(n); changed != nil {
					c.Replace(changed)
				}
			case *ast.UnaryExpr:
				if n.Op == token.NOT {
					c.Replace(m.flip(n, m.text(n), "without !"))
				}
			case *ast.IncDecStmt:
				if isStatement(c) {
					c.Replace(m.leftOut(n))
				}
			case *ast.ExprStmt:
				if isStatement(c) {
					c.Replace(m.leftOut(n))
				}
			case *ast.AssignStmt:
				if n.Tok != token.DEFINE && isStatement(c) {
					c.Replace(m.leftOut(n))
				}
			case *ast.BranchStmt:
				if isStatement(c) && n.Label == nil && n.Tok != token.GOTO && n.Tok != token.FALLTHROUGH {
					c.Replace(m.leftOut(n))
				}
			case *ast.ReturnStmt:
				m.results(n)
			}
			return true
		})
	}
}

// isStatement tells whether a node stands in a list of statements, where it may
// become an if.
func isStatement(c *astutil.Cursor) bool {
	return c.Index() >= 0 && c.Name() != "Lhs" && c.Name() != "Rhs"
}

// results turns the truth of returned words around, and forgets what is returned
// by pointer or as an error.
func (m *mutator) results(n *ast.ReturnStmt) {
	for i, result := range n.Results {
		if id, ok := result.(*ast.Ident); ok && (id.Name == "true" || id.Name == "false") {
			n.Results[i] = m.flip(id, "return "+id.Name, "the other answer")
			continue
		}
		if forgotten := m.forget(result); forgotten != nil {
			n.Results[i] = forgotten
		}
	}
}

// forget returns nil for a pointer or an error that is not nil already.
func (m *mutator) forget(e ast.Expr) ast.Expr {
	value := m.info.Types[e]
	if value.Type == nil || value.IsNil() {
		return nil
	}
	switch value.Type.Underlying().(type) {
	case *types.Pointer, *types.Interface:
	default:
		return nil
	}
	kind := ast.NewIdent(types.TypeString(value.Type, types.RelativeTo(m.pkg)))
	id := m.add("return "+m.text(e), "nil")
	return &ast.CallExpr{Fun: &ast.FuncLit{
		Type: &ast.FuncType{Params: &ast.FieldList{}, Results: &ast.FieldList{List: []*ast.Field{{Type: kind}}}},
		Body: &ast.BlockStmt{List: []ast.Stmt{
			&ast.IfStmt{Cond: chosen(id), Body: &ast.BlockStmt{List: []ast.Stmt{&ast.ReturnStmt{Results: []ast.Expr{ast.NewIdent("nil")}}}}},
			&ast.ReturnStmt{Results: []ast.Expr{e}},
		}},
	}}
}

func (m *mutator) binary(n *ast.BinaryExpr) ast.Expr {
	text := m.text(n)
	if v := m.info.Types[n]; v.Value != nil {
		return nil // a constant, which has to stay one
	}
	switch n.Op {
	case token.EQL, token.NEQ:
		return m.flip(n, text, "negated")
	case token.LSS, token.LEQ, token.GTR, token.GEQ:
		moved := map[token.Token]token.Token{token.LSS: token.LEQ, token.LEQ: token.LSS, token.GTR: token.GEQ, token.GEQ: token.GTR}[n.Op]
		other := &ast.BinaryExpr{X: n.X, Op: moved, Y: n.Y}
		return m.flip(m.either(n, other, text, moved.String()), text, "negated")
	case token.LAND:
		return m.either(n, &ast.BinaryExpr{X: paren(n.X), Op: token.LOR, Y: paren(n.Y)}, text, "||")
	case token.LOR:
		return m.either(n, &ast.BinaryExpr{X: paren(n.X), Op: token.LAND, Y: paren(n.Y)}, text, "&&")
	case token.ADD, token.SUB, token.MUL, token.QUO, token.REM:
		return m.arithmetic(n, text)
	}
	return nil
}

// arithmetic replaces + by - and the like for whole numbers.
func (m *mutator) arithmetic(n *ast.BinaryExpr, text string) ast.Expr {
	basic, ok := m.info.TypeOf(n).Underlying().(*types.Basic)
	if !ok || basic.Info()&types.IsInteger == 0 || basic.Info()&types.IsUntyped != 0 {
		return nil
	}
	op := map[token.Token]token.Token{token.ADD: token.SUB, token.SUB: token.ADD, token.MUL: token.QUO, token.QUO: token.MUL, token.REM: token.MUL}[n.Op]
	kind := ast.NewIdent(types.TypeString(m.info.TypeOf(n), types.RelativeTo(m.pkg)))
	id := m.add(text, op.String())
	return &ast.CallExpr{Fun: &ast.FuncLit{
		Type: &ast.FuncType{Params: &ast.FieldList{}, Results: &ast.FieldList{List: []*ast.Field{{Type: kind}}}},
		Body: &ast.BlockStmt{List: []ast.Stmt{
			&ast.IfStmt{Cond: chosen(id), Body: &ast.BlockStmt{List: []ast.Stmt{&ast.ReturnStmt{Results: []ast.Expr{&ast.BinaryExpr{X: n.X, Op: op, Y: n.Y}}}}}},
			&ast.ReturnStmt{Results: []ast.Expr{n}},
		}},
	}}
}

// flip negates a truth when its mutant is chosen.
func (m *mutator) flip(e ast.Expr, text, change string) ast.Expr {
	id := m.add(text, change)
	return paren(&ast.BinaryExpr{X: paren(e), Op: token.NEQ, Y: chosen(id)})
}

// either takes the other expression when its mutant is chosen; each side is
// evaluated once at the most.
func (m *mutator) either(e, other ast.Expr, text, change string) ast.Expr {
	id := m.add(text, change)
	return paren(&ast.BinaryExpr{
		X:  &ast.BinaryExpr{X: chosen(id), Op: token.LAND, Y: paren(other)},
		Op: token.LOR,
		Y:  &ast.BinaryExpr{X: &ast.UnaryExpr{Op: token.NOT, X: chosen(id)}, Op: token.LAND, Y: paren(e)},
	})
}

// leftOut skips a statement when its mutant is chosen.
func (m *mutator) leftOut(s ast.Stmt) ast.Stmt {
	id := m.add(m.text(s), "left out")
	return &ast.IfStmt{Cond: &ast.UnaryExpr{Op: token.NOT, X: chosen(id)}, Body: &ast.BlockStmt{List: []ast.Stmt{s}}}
}

func chosen(id int) ast.Expr {
	return &ast.CallExpr{Fun: ast.NewIdent("mutant"), Args: []ast.Expr{&ast.BasicLit{Kind: token.INT, Value: strconv.Itoa(id)}}}
}

func paren(e ast.Expr) ast.Expr { return &ast.ParenExpr{X: e} }

// add numbers a mutant; equal ones of a function are told apart by a count.
func (m *mutator) add(text, change string) int {
	key := m.file + " " + m.within + ": " + text + " -> " + change
	m.seen[key]++
	if n := m.seen[key]; n > 1 {
		key += fmt.Sprintf(" (%d)", n)
	}
	id := len(m.mutants) + 1
	m.mutants = append(m.mutants, mutant{id: id, key: key, place: m.fset.Position(m.pos).String()})
	return id
}

// remember takes down what the source says before inner mutants change it.
func (m *mutator) remember(c *astutil.Cursor) bool {
	switch n := c.Node().(type) {
	case ast.Expr, ast.Stmt:
		m.places[n] = n.Pos()
		var b bytes.Buffer
		if err := format.Node(&b, m.fset, n); err == nil {
			m.texts[n] = strings.Join(strings.Fields(b.String()), " ")
		}
	}
	return true
}

// text is a node as the source writes it, on one line.
func (m *mutator) text(n ast.Node) string { return m.texts[n] }
