package main

import (
	"bytes"
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
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

// schemaOf describes what commands print as JSON, by the command's words.
func schemaOf[T any](t *testing.T, into map[string][]byte, names ...string) {
	t.Helper()
	schema, err := jsonschema.For[T](nil)
	if err != nil {
		t.Fatalf("%v: %v", names, err)
	}
	text, err := json.MarshalIndent(schema, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		into[filepath.Join("docs/json", name+".json")] = append(text, '\n')
	}
}

func generateSchemas(t *testing.T, into map[string][]byte) {
	t.Helper()
	schemaOf[view.ServerList](t, into, "mcp-list")
	schemaOf[view.ServerDetail](t, into, "mcp-test")
	schemaOf[view.EditResult](t, into, "mcp-lock", "mcp-open", "mcp-restore", "mcp-configure")
	schemaOf[[]view.EditResult](t, into, "tools-enable", "tools-disable")
	schemaOf[view.Why](t, into, "mcp-why")
	schemaOf[view.Grants](t, into, "mcp-grants", "mcp-grants-revoke")
	schemaOf[view.Changes](t, into, "mcp-changes", "mcp-accept")
	schemaOf[view.ReloadAsked](t, into, "mcp-reload")
	schemaOf[view.HooksList](t, into, "hooks-list")
	schemaOf[view.HookChange](t, into, "hooks-trust", "hooks-revoke")
	schemaOf[view.HookTest](t, into, "hooks-test")
	schemaOf[view.Audit](t, into, "mcp-audit")
	schemaOf[view.Diff](t, into, "mcp-diff")
	schemaOf[view.Saved](t, into, "mcp-add")
	schemaOf[view.Removed](t, into, "mcp-remove")
	schemaOf[view.LoggedIn](t, into, "mcp-login")
	schemaOf[[]view.LoggedIn](t, into, "mcp-reauth")
	schemaOf[view.Catalog](t, into, "mcp-catalog", "mcp-picker")
	schemaOf[view.Installed](t, into, "mcp-install")
	schemaOf[view.ImportResult](t, into, "mcp-import")
	schemaOf[view.ImportSources](t, into, "mcp-import-sources")
	schemaOf[view.Export](t, into, "mcp-export")
	schemaOf[view.ToolsList](t, into, "tools-list")
	schemaOf[view.ChatEvent](t, into, "chat", "demo")
	schemaOf[view.SessionList](t, into, "sessions-list", "sessions-search")
	schemaOf[view.Transcript](t, into, "sessions-show")
	schemaOf[view.SessionExport](t, into, "sessions-export")
	schemaOf[view.SessionsDeleted](t, into, "sessions-delete")
	schemaOf[view.Paths](t, into, "config-path")
	schemaOf[view.Check](t, into, "config-check")
	schemaOf[view.ConfigValue](t, into, "config-get")
	schemaOf[view.ConfigResult](t, into, "config-set", "config-unset", "config-edit")
	schemaOf[view.Doctor](t, into, "doctor")
	schemaOf[view.Version](t, into, "version")
	schemaOf[struct {
		Error view.Error `json:"error"`
	}](t, into, "error")
}

// TestEveryCommandHasASchema keeps the schemas complete: each command that ends
// with an answer has one.
func TestEveryCommandHasASchema(t *testing.T) {
	schemas := map[string][]byte{}
	generateSchemas(t, schemas)
	// They serve until they are stopped, or print a script for a shell.
	without := map[string]bool{"serve": true, "desktop": true, "mcp-gateway": true}
	var visit func(command *cobra.Command)
	visit = func(command *cobra.Command) {
		children := 0
		for _, child := range command.Commands() {
			if child.IsAvailableCommand() && child.Name() != "completion" && child.Name() != "help" {
				children++
				visit(child)
			}
		}
		_, path, _ := strings.Cut(command.CommandPath(), " ")
		name := strings.ReplaceAll(path, " ", "-")
		if children == 0 && !without[name] && schemas[filepath.Join("docs/json", name+".json")] == nil {
			t.Errorf("`hermes %s --json` has no schema in generated_test.go", path)
		}
	}
	visit(cli.Root())
}
