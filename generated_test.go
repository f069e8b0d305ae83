package main

import (
	"bytes"
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"

	"hermes/backend/cli"
	"hermes/backend/view"
)

// TestGenerated compares the generated documents with what is committed: the
// command reference in docs/cli and the JSON schemas in docs/json. With
// HERMES_GENERATE=1 it writes them (`make generate`).
func TestGenerated(t *testing.T) {
	want := map[string][]byte{}
	generateReference(t, cli.Root(), want)
	generateSchemas(t, want)
	if os.Getenv("HERMES_GENERATE") != "" {
		for _, dir := range []string{"docs/cli", "docs/json"} {
			if err := os.RemoveAll(dir); err != nil {
				t.Fatal(err)
			}
			if err := os.MkdirAll(dir, 0o755); err != nil {
				t.Fatal(err)
			}
		}
		for path, data := range want {
			if err := os.WriteFile(path, data, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		return
	}
	for path, data := range want {
		have, err := os.ReadFile(path)
		if err != nil || !bytes.Equal(have, data) {
			t.Errorf("%s is not up to date: run `make generate` and commit", path)
		}
	}
	for _, dir := range []string{"docs/cli", "docs/json"} {
		err := fs.WalkDir(os.DirFS("."), dir, func(path string, d fs.DirEntry, err error) error {
			if err == nil && !d.IsDir() && want[path] == nil {
				t.Errorf("%s is not generated any more: remove it", path)
			}
			return err
		})
		if err != nil {
			t.Error(err)
		}
	}
}

func generateReference(t *testing.T, command *cobra.Command, into map[string][]byte) {
	t.Helper()
	command.DisableAutoGenTag = true
	var page bytes.Buffer
	if err := doc.GenMarkdown(command, &page); err != nil {
		t.Fatal(err)
	}
	name := bytes.ReplaceAll([]byte(command.CommandPath()), []byte(" "), []byte("_"))
	into["docs/cli/"+string(name)+".md"] = page.Bytes()
	for _, child := range command.Commands() {
		if child.IsAvailableCommand() && child.Name() != "completion" && child.Name() != "help" {
			generateReference(t, child, into)
		}
	}
}

func generateSchemas(t *testing.T, into map[string][]byte) {
	t.Helper()
	add := func(name string, schema *jsonschema.Schema, err error) {
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		text, err := json.MarshalIndent(schema, "", "  ")
		if err != nil {
			t.Fatal(err)
		}
		into[filepath.Join("docs/json", name+".json")] = append(text, '\n')
	}
	list, err := jsonschema.For[view.ServerList](nil)
	add("mcp-list", list, err)
	test, err := jsonschema.For[view.ServerDetail](nil)
	add("mcp-test", test, err)
	edit, err := jsonschema.For[view.EditResult](nil)
	add("mcp-lock", edit, err)
	add("mcp-open", edit, err)
	edits, err := jsonschema.For[[]view.EditResult](nil)
	add("tools-enable", edits, err)
	add("tools-disable", edits, err)
	why, err := jsonschema.For[view.Why](nil)
	add("mcp-why", why, err)
	audit, err := jsonschema.For[view.Audit](nil)
	add("mcp-audit", audit, err)
	diff, err := jsonschema.For[view.Diff](nil)
	add("mcp-diff", diff, err)
	tools, err := jsonschema.For[view.ToolsList](nil)
	add("tools-list", tools, err)
	event, err := jsonschema.For[view.ChatEvent](nil)
	add("chat", event, err)
	add("demo", event, err)
	paths, err := jsonschema.For[view.Paths](nil)
	add("config-path", paths, err)
	check, err := jsonschema.For[view.Check](nil)
	add("config-check", check, err)
	doctor, err := jsonschema.For[view.Doctor](nil)
	add("doctor", doctor, err)
	version, err := jsonschema.For[view.Version](nil)
	add("version", version, err)
	failure, err := jsonschema.For[struct {
		Error view.Error `json:"error"`
	}](nil)
	add("error", failure, err)
}
