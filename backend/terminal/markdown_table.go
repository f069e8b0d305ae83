package terminal

import (
	"strings"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// table draws a paragraph that is a table (a row, a line of dashes, rows), nil
// where it is none. It is read here because the table extension of the parser
// brings others with it that make every start of the program slower.
func (m *page) table(node ast.Node, width int) []string {
	lines := node.Lines()
	if lines.Len() < 2 {
		return nil
	}
	var rows [][]string
	for i := range lines.Len() {
		at := lines.At(i)
		row := fields(strings.TrimSpace(string(at.Value(m.source))))
		switch {
		case i < 2 && len(row) < 2, i == 1 && (len(row) != len(rows[0]) || !dashes(row)):
			return nil
		case i == 1:
			continue
		}
		rows = append(rows, row)
	}
	columns := len(rows[0])
	widths := make([]int, columns)
	for _, row := range rows {
		for i := range row {
			row[i] = m.cell(row[i])
			if i < columns {
				widths[i] = max(widths[i], cells(row[i]))
			}
		}
	}
	total := 3 * (columns - 1)
	for _, w := range widths {
		total += w
	}
	if total > width {
		return m.cards(rows, width)
	}
	var out []string
	for n, row := range rows {
		var b strings.Builder
		for i, w := range widths {
			cell := ""
			if i < len(row) {
				cell = row[i]
			}
			if i > 0 {
				b.WriteString(" │ ")
			}
			pad := strings.Repeat(" ", w-cells(cell))
			if n == 0 {
				cell = m.paint.bold(cell)
			}
			b.WriteString(cell + pad)
		}
		out = append(out, b.String())
		if n == 0 {
			rule := make([]string, columns)
			for i, w := range widths {
				rule[i] = strings.Repeat("─", w)
			}
			out = append(out, strings.Join(rule, "─┼─"))
		}
	}
	return out
}

// cards draws a table that is too wide row by row, each cell with its heading.
func (m *page) cards(rows [][]string, width int) []string {
	var out []string
	for n, row := range rows[1:] {
		if n > 0 {
			out = append(out, "")
		}
		for i, cell := range row {
			head := ""
			if i < len(rows[0]) {
				head = rows[0][i] + ": "
			}
			out = append(out, wrap(m.paint.bold(head)+cell, width)...)
		}
	}
	return out
}

// cell draws the markdown of one cell in one line.
func (m *page) cell(source string) string {
	inner := &page{source: []byte(source), paint: m.paint}
	read := parser.NewParser(parser.WithBlockParsers(util.Prioritized(parser.NewParagraphParser(), 1000)), parser.WithInlineParsers(parser.DefaultInlineParsers()...))
	root := read.Parse(text.NewReader(inner.source))
	if root.FirstChild() == nil {
		return ""
	}
	return strings.ReplaceAll(inner.inline(root.FirstChild()), "\n", " ")
}

// fields cuts a row at its bars; one behind a backslash is part of a cell.
func fields(row string) []string {
	row = strings.TrimPrefix(row, "|")
	if strings.HasSuffix(row, "|") && !strings.HasSuffix(row, `\|`) {
		row = row[:len(row)-1]
	}
	var out []string
	var b strings.Builder
	for i := 0; i < len(row); i++ {
		switch {
		case row[i] == '\\' && i+1 < len(row) && row[i+1] == '|':
			b.WriteByte('|')
			i++
		case row[i] == '|':
			out = append(out, strings.TrimSpace(b.String()))
			b.Reset()
		default:
			b.WriteByte(row[i])
		}
	}
	return append(out, strings.TrimSpace(b.String()))
}

// dashes tells the line between the heads and the rows.
func dashes(row []string) bool {
	for _, cell := range row {
		if inner := strings.Trim(cell, ":"); inner == "" || strings.Trim(inner, "-") != "" {
			return false
		}
	}
	return true
}
