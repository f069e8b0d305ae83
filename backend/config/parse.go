package config

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"

	"gopkg.in/yaml.v3"

	"hermes/backend/policy"
)

// maxFileBytes bounds what is read: no configuration is that long, and a
// parser must not be fed without end.
const maxFileBytes = 8 << 20

// ParseError says why a file cannot be read as a configuration (FILTER section
// 2 row 20). Line and Column are 1-based; Column counts characters. Code is
// stable: "encoding", "syntax", "alias", "documents", "size", "merge".
type ParseError struct {
	Code         string
	Message      string
	Hint         string
	Line, Column int
}

// Error gives the place and the fault in one line, without the file's name.
func (e *ParseError) Error() string {
	if e.Line == 0 {
		return e.Message
	}
	return fmt.Sprintf("line %d, column %d: %s", e.Line, e.Column, e.Message)
}

// document is one parsed file. root and tree are nil when the file holds no
// document or only null; root is the parser's node, needed for splicing.
type document struct {
	data []byte
	root *yaml.Node
	tree *policy.Node
}

// Tree reads the bytes of a configuration file into the tree that package
// policy takes: duplicate keys kept, aliases and merge keys resolved as
// policy.Node says, expansion bounded. It returns nil without an error for a
// file that holds nothing, and a *ParseError for one that cannot be read:
// broken YAML, UTF-16, a second document, aliases without bound.
func Tree(data []byte) (*policy.Node, error) {
	doc, err := parse(data)
	if err != nil {
		return nil, err
	}
	return doc.tree, nil
}

func parse(data []byte) (*document, error) {
	doc := &document{data: data}
	if len(data) > maxFileBytes {
		return nil, &ParseError{
			Code:    "size",
			Message: fmt.Sprintf("the file is larger than %d MiB", maxFileBytes>>20),
			Hint:    "a configuration is never that long; look whether something else was written over it",
			Line:    1, Column: 1,
		}
	}
	if err := checkEncoding(data); err != nil {
		return nil, err
	}
	if err := checkNesting(data); err != nil {
		return nil, err
	}
	root, err := decode(data)
	if err != nil {
		return nil, err
	}
	if root == nil || (root.Kind == yaml.ScalarNode && root.ShortTag() == "!!null") {
		return doc, nil
	}
	tree, err := convert(root)
	if err != nil {
		return nil, err
	}
	doc.root, doc.tree = root, tree
	return doc, nil
}

// decode runs yaml.v3 and insists on one document. A panic of the parser is an
// error of the file: a configuration must never take the program down.
func decode(data []byte) (root *yaml.Node, err error) {
	defer func() {
		if r := recover(); r != nil {
			root, err = nil, locate(data, fmt.Errorf("the YAML parser gave up: %v", r))
		}
	}()
	dec := yaml.NewDecoder(bytes.NewReader(data))
	var first, second yaml.Node
	switch err := dec.Decode(&first); {
	case errors.Is(err, io.EOF):
		return nil, nil
	case err != nil:
		return nil, locate(data, err)
	}
	switch err := dec.Decode(&second); {
	case err == nil:
		return nil, &ParseError{
			Code:    "documents",
			Message: "the file holds a second YAML document",
			Hint:    "only one document is read; remove the line `---` that starts the second one, or move it to a file of its own",
			Line:    second.Line, Column: max(second.Column, 1),
		}
	case !errors.Is(err, io.EOF):
		return nil, locate(data, err)
	}
	if first.Kind != yaml.DocumentNode || len(first.Content) == 0 {
		return nil, nil
	}
	return first.Content[0], nil
}

// checkEncoding refuses what is not UTF-8 before the parser sees it: yaml.v3
// would read UTF-16, but byte splices and Python would not.
func checkEncoding(data []byte) error {
	const hint = "save the file as UTF-8"
	for _, bom := range []string{"\xff\xfe", "\xfe\xff"} {
		if bytes.HasPrefix(data, []byte(bom)) {
			return &ParseError{Code: "encoding", Message: "the file is UTF-16, not UTF-8", Hint: hint, Line: 1, Column: 1}
		}
	}
	if utf8.Valid(data) {
		return nil
	}
	bad := 0
	for bad < len(data) {
		r, n := utf8.DecodeRune(data[bad:])
		if r == utf8.RuneError && n <= 1 {
			break
		}
		bad += n
	}
	line, column := newText(data).position(bad)
	return &ParseError{
		Code:    "encoding",
		Message: fmt.Sprintf("the file is not UTF-8 (byte 0x%02X)", data[bad]),
		Hint:    hint, Line: line, Column: column,
	}
}
