package terminal

import (
	"strconv"
	"strings"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// maxMarkdown bounds what is read as markdown, in bytes; what is longer is shown
// as the plain text it is.
const maxMarkdown = 256 << 10

// markdown draws a model's answer in lines of at most that width. The text is not
// trusted: control sequences cannot get in (not as character references either),
// hidden characters are shown, HTML is text, and a link is shown with the address
// it leads to.
func markdown(source string, width int, p paint) []string {
	source = strings.ReplaceAll(source, "\r\n", "\n")
	if len(source) > maxMarkdown {
		return wrap(prose(source), width)
	}
	m := &page{source: []byte(source), paint: p}
	read := parser.NewParser(parser.WithBlockParsers(parser.DefaultBlockParsers()...), parser.WithInlineParsers(parser.DefaultInlineParsers()...),
		parser.WithParagraphTransformers(parser.DefaultParagraphTransformers()...))
	lines := m.blocks(read.Parse(text.NewReader(m.source)), width, false)
	for i, line := range lines {
		lines[i] = strings.TrimRight(tame(line), " ")
	}
	return lines
}

// page is one answer while it is drawn.
type page struct {
	source []byte
	paint  paint
}

// narrowest is what is left to text however deep it is nested.
const narrowest = 12

// blocks draws the children of a node, one below the other, with an empty line
// between them unless they are tight.
func (m *page) blocks(parent ast.Node, width int, tight bool) []string {
	var out []string
	width = max(width, narrowest)
	for node := parent.FirstChild(); node != nil; node = node.NextSibling() {
		lines := m.block(node, width)
		if len(lines) == 0 {
			continue
		}
		if len(out) > 0 && !tight {
			out = append(out, "")
		}
		out = append(out, lines...)
	}
	return out
}

func (m *page) block(node ast.Node, width int) []string {
	switch node := node.(type) {
	case *ast.Heading:
		return wrap(m.paint.bold(strings.Repeat("#", node.Level)+" "+m.inline(node)), width)
	case *ast.Paragraph, *ast.TextBlock:
		if table := m.table(node, width); table != nil {
			return table
		}
		return wrap(m.inline(node), width)
	case *ast.List:
		return m.list(node, width)
	case *ast.Blockquote:
		return before("│ ", m.blocks(node, width-2, false))
	case *ast.FencedCodeBlock:
		return m.code(node, string(node.Language(m.source)), width)
	case *ast.CodeBlock, *ast.HTMLBlock:
		return m.code(node, "", width)
	case *ast.ThematicBreak:
		return []string{m.paint.faint(strings.Repeat("─", min(width, 40)))}
	}
	return m.blocks(node, width, false)
}

func (m *page) list(list *ast.List, width int) []string {
	var out []string
	number := list.Start
	for item := list.FirstChild(); item != nil; item = item.NextSibling() {
		mark := "• "
		if list.IsOrdered() {
			mark = strconv.Itoa(number) + ". "
			number++
		}
		lines := m.blocks(item, width-cells(mark), list.IsTight)
		if len(lines) == 0 {
			lines = []string{""}
		}
		for i, line := range lines {
			lead := strings.Repeat(" ", cells(mark))
			if i == 0 {
				lead = mark
			}
			out = append(out, lead+line)
		}
		if !list.IsTight && item.NextSibling() != nil {
			out = append(out, "")
		}
	}
	return out
}

// code draws lines as they stand; one that is too long goes on in the next.
func (m *page) code(node ast.Node, language string, width int) []string {
	var out []string
	if language != "" {
		out = append(out, m.paint.faint("  "+cutTo(Printable(prose(language)), width-2)))
	}
	var all []string
	lines := node.Lines()
	for i := range lines.Len() {
		at := lines.At(i)
		all = append(all, string(at.Value(m.source)))
	}
	if html, ok := node.(*ast.HTMLBlock); ok && html.HasClosure() {
		all = append(all, string(html.ClosureLine.Value(m.source)))
	}
	for _, line := range all {
		for _, piece := range hardWrap(Passage(strings.TrimRight(line, "\r\n")), width-2) {
			out = append(out, "  "+m.paint.code(piece))
		}
	}
	return out
}

func before(lead string, lines []string) []string {
	for i, line := range lines {
		lines[i] = lead + line
	}
	return lines
}

// inline draws the text of a block in one line; a newline in it was asked for.
func (m *page) inline(parent ast.Node) string {
	var b strings.Builder
	for node := parent.FirstChild(); node != nil; node = node.NextSibling() {
		switch node := node.(type) {
		case *ast.Text:
			b.WriteString(prose(m.decoded(node.Segment.Value(m.source))))
			if node.HardLineBreak() {
				b.WriteByte('\n')
			} else if node.SoftLineBreak() {
				b.WriteByte(' ')
			}
		case *ast.String:
			b.WriteString(prose(string(node.Value)))
		case *ast.CodeSpan:
			b.WriteString(m.paint.code(Printable(m.raw(node))))
		case *ast.Emphasis:
			if node.Level == 1 {
				b.WriteString(m.paint.italic(m.inline(node)))
			} else {
				b.WriteString(m.paint.bold(m.inline(node)))
			}
		case *ast.Link:
			b.WriteString(m.target(m.inline(node), node.Destination))
		case *ast.Image:
			b.WriteString(m.target("[image: "+m.inline(node)+"]", node.Destination))
		case *ast.AutoLink:
			b.WriteString(Printable(string(node.URL(m.source))))
		case *ast.RawHTML:
			for i := range node.Segments.Len() {
				at := node.Segments.At(i)
				b.WriteString(prose(string(at.Value(m.source))))
			}
		default:
			b.WriteString(m.inline(node))
		}
	}
	return b.String()
}

// target is a link's text with the address that it leads to.
func (m *page) target(label string, destination []byte) string {
	address := Printable(m.decoded(destination))
	if address == label {
		return label
	}
	return label + " (" + m.paint.link(address) + ")"
}

// decoded resolves what markdown writes with a backslash or as a reference. What
// comes out is as little trusted as what went in.
func (m *page) decoded(raw []byte) string {
	return string(util.ResolveEntityNames(util.ResolveNumericReferences(util.UnescapePunctuations(raw))))
}

// raw is the text below a node as it stands.
func (m *page) raw(parent ast.Node) string {
	var b strings.Builder
	for node := parent.FirstChild(); node != nil; node = node.NextSibling() {
		if leaf, ok := node.(*ast.Text); ok {
			b.WriteString(strings.ReplaceAll(string(leaf.Segment.Value(m.source)), "\n", " "))
		}
	}
	return b.String()
}
