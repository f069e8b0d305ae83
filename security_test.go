package main

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"hermes/backend/config"
)

// TestSecurityPage keeps docs/SECURITY.md honest: every test and script it names
// exists, and every variable in its table is one that the program refuses.
func TestSecurityPage(t *testing.T) {
	page, err := os.ReadFile("docs/SECURITY.md")
	if err != nil {
		t.Fatal(err)
	}
	var tests bytes.Buffer
	goFiles(t, func(path string) {
		if !strings.HasSuffix(path, "_test.go") {
			return
		}
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		tests.Write(text)
	})
	for _, name := range regexp.MustCompile(`\bTest[A-Z][A-Za-z0-9]*`).FindAllString(string(page), -1) {
		if !bytes.Contains(tests.Bytes(), []byte("\nfunc "+name+"(t *testing.T)")) {
			t.Errorf("docs/SECURITY.md names %s, and there is no such test", name)
		}
	}
	scripts := regexp.MustCompile("`([a-z_]+\\.txtar)`").FindAllStringSubmatch(string(page), -1)
	for _, m := range scripts {
		if _, err := os.Stat(filepath.Join("testdata", "script", m[1])); err != nil {
			t.Errorf("docs/SECURITY.md names a script that is not there: %v", err)
		}
	}
	_, table, _ := strings.Cut(string(page), "## Dangerous variables")
	table, _, _ = strings.Cut(table, "\nFolders where")
	names := 0
	for _, line := range strings.Split(table, "\n") {
		if !strings.HasPrefix(line, "| ") || strings.HasPrefix(line, "| Family") {
			continue
		}
		for _, m := range regexp.MustCompile("`([A-Za-z0-9_]+)\\*?`").FindAllStringSubmatch(line, -1) {
			names++
			if !config.DangerousVariable(m[1]) {
				t.Errorf("docs/SECURITY.md calls %s dangerous, and the program does not", m[1])
			}
		}
	}
	if len(scripts) < 5 || names < 40 {
		t.Errorf("the page was not read: %d scripts, %d variables", len(scripts), names)
	}
}
