package catalog

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func write(t *testing.T, path, content string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}

func TestFolders(t *testing.T) {
	dir := t.TempDir()
	folder, second := filepath.Join(dir, "catalog"), filepath.Join(dir, "more")
	write(t, filepath.Join(folder, "demo", "manifest.yaml"), sample)
	write(t, filepath.Join(folder, "future", "manifest.yaml"), strings.Replace(sample, "manifest_version: 1", "manifest_version: 9", 1))
	write(t, filepath.Join(folder, "broken", "manifest.yaml"), "manifest_version: 1\nname: broken\n")
	write(t, filepath.Join(folder, "shadow", "manifest.yaml"), strings.Replace(sample, "name: demo", "name: filesystem", 1))
	write(t, filepath.Join(folder, "README.md"), "no manifest")
	write(t, filepath.Join(folder, "empty", "other.yaml"), "x")
	write(t, filepath.Join(folder, "huge", "manifest.yaml"), sample+strings.Repeat("#", maxManifest))
	write(t, filepath.Join(second, "again", "manifest.yaml"), sample)
	getenv := func(name string) string {
		if name == "HERMES_OPTIONAL_MCPS" {
			return second + string(os.PathListSeparator) + filepath.Join(dir, "gone")
		}
		return ""
	}
	c := Load(Folders(dir, getenv))
	demo, ok := c.Find("demo")
	if !ok || demo.Origin() != "folder "+folder || demo.File != filepath.Join(folder, "demo", "manifest.yaml") {
		t.Errorf("%v %+v", ok, demo)
	}
	if files, ok := c.Find("filesystem"); !ok || files.Folder != "" || files.Origin() != "built in" {
		t.Errorf("a folder took the name of our own: %+v", files)
	}
	if _, ok := c.Find("official/filesystem"); !ok {
		t.Error("official/filesystem is not found")
	}
	if _, ok := c.Find("official/demo"); ok {
		t.Error("an entry of a folder passes for one of ours")
	}
	want := map[string]string{"future": KindFuture, "broken": KindInvalid, "shadow": KindConflict, "huge": KindInvalid, "again": KindConflict}
	for _, d := range c.Diagnostics {
		place := filepath.Base(filepath.Dir(d.File))
		if want[place] != d.Kind || d.Message == "" {
			t.Errorf("%s: %+v", place, d)
		}
		delete(want, place)
	}
	if len(want) > 0 {
		t.Errorf("not told: %v", want)
	}
}

func TestManifestsThatLeadOutAreRefused(t *testing.T) {
	dir := t.TempDir()
	folder := filepath.Join(dir, "catalog")
	write(t, filepath.Join(dir, "outside", "manifest.yaml"), sample)
	if err := os.MkdirAll(filepath.Join(folder, "file"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join(dir, "outside"), filepath.Join(folder, "whole")); err != nil {
		t.Skip("no symbolic links here")
	}
	if err := os.Symlink("../../outside/manifest.yaml", filepath.Join(folder, "file", "manifest.yaml")); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(folder, "dir", "manifest.yaml"), 0o755); err != nil {
		t.Fatal(err)
	}
	c := Load([]string{folder})
	if _, ok := c.Find("demo"); ok {
		t.Error("a manifest outside of the folder was read")
	}
	if len(c.Diagnostics) != 3 {
		t.Errorf("%+v", c.Diagnostics)
	}
}
