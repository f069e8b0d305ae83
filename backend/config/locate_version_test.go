package config

import (
	"errors"
	"strings"
	"testing"
)

// A file that names a version that the parser does not know is refused with the
// line to remove.
func TestVersionLineIsNamed(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		line int
	}{
		"first":           {"%YAML 1.2\n---\nmodel: x\n", 1},
		"after a comment": {"# mine\r\n%YAML 1.2 # why\r\n---\r\nmodel: x\r\n", 2},
		"byte order mark": {bom + "%YAML 1.2\n---\nmodel: x\n", 1},
	} {
		_, err := Tree([]byte(c.text))
		var e *ParseError
		if !errors.As(err, &e) || e.Line != c.line || e.Column != 1 || !strings.Contains(e.Hint, "remove the line `%YAML 1.2`") {
			t.Errorf("%s: %+v", name, e)
		}
	}
	if _, err := Tree([]byte("%YAML 1.1\n---\nmodel: x\n")); err != nil {
		t.Error(err)
	}
}
