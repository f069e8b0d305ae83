package desk

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"hermes/backend/view"
)

func TestProgramsOnPath(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("programs are told by their ending there")
	}
	dir := t.TempDir()
	put := func(name, text string, mode os.FileMode) string {
		t.Helper()
		path := filepath.Join(dir, name, "hermes")
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), mode); err != nil {
			t.Fatal(err)
		}
		return filepath.Dir(path)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	own := filepath.Join(dir, "own")
	if err := os.MkdirAll(own, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(self, filepath.Join(own, "hermes")); err != nil {
		t.Fatal(err)
	}
	python := put("venv", "#!/home/u/.venv/bin/python3\nimport sys\n", 0o700)
	long := put("long", "#!/bin/sh\n'''exec' \"/a b/bin/python3.12\" \"$0\" \"$@\"\n' '''\n", 0o700)
	shell := put("shell", "#!/bin/sh\ntouch ran\n", 0o700)
	plain := put("plain", "#!/usr/bin/python3\n", 0o600) // not executable
	noise := put("noise", "\x7fELF garbage", 0o700)
	folder := filepath.Join(dir, "folder")
	if err := os.MkdirAll(filepath.Join(folder, "hermes"), 0o700); err != nil {
		t.Fatal(err)
	}
	var have []string
	for _, p := range programsOnPath(strings.Join([]string{"", python, own, long, shell, plain, noise, folder, python, filepath.Join(dir, "missing")}, string(filepath.ListSeparator))) {
		have = append(have, filepath.Base(filepath.Dir(p.Path))+":"+string(p.Kind))
	}
	if want := []string{"venv:python", "own:this", "long:python", "shell:other", "noise:other"}; !slices.Equal(have, want) {
		t.Errorf("have %v, want %v", have, want)
	}
}

func TestObsoleteTexts(t *testing.T) {
	home := t.TempDir()
	for name, text := range map[string]string{
		"SOUL.md":                   "# Soul\n\nCall one tool at a time.\n",
		"skills/a/SKILL.md":         "x\ny\nPass exactly one entry in `calls`.\n",
		"skills/deep/er/b.md":       "Do not batch `tool_call`s.\n",
		"skills/deep/er/c.md":       "Never batch tool calls here.\nNever batch calls\n",
		"skills/fine/SKILL.md":      "Use one tool, then take time. Batch freely.\n",
		"skills/fine/one.txt":       "one tool at a time\n",
		"memories/MEMORY.md":        "one tool at a time\n",
		"skills/big.md":             "one tool at a time\n" + strings.Repeat("x", maxSkillBytes),
		"skills/single/SKILL.md":    "make a single tool call at a time",
		"skills/per/SKILL.md":       "One tool call per turn, please",
		"skills/unrelated/SKILL.md": "read one entry at a time; exactly one entry point",
	} {
		writeAll(t, filepath.Join(home, name), text)
	}
	if err := os.Symlink(filepath.Join(home, "SOUL.md"), filepath.Join(home, "skills", "link.md")); err != nil {
		t.Fatal(err)
	}
	var have []string
	for _, o := range obsoleteTexts(home) {
		name, err := filepath.Rel(home, o.File)
		if err != nil {
			t.Fatal(err)
		}
		have = append(have, name+":"+string(rune('0'+o.Line))+":"+o.Text)
	}
	want := []string{"SOUL.md:3:one tool at a time", "skills/a/SKILL.md:3:exactly one entry in calls", "skills/deep/er/b.md:1:Do not batch tool_calls", "skills/deep/er/c.md:1:Never batch tool calls",
		"skills/per/SKILL.md:1:One tool call per turn", "skills/single/SKILL.md:1:a single tool call at a time"}
	if !slices.Equal(have, want) {
		t.Errorf("have %q\nwant %q", have, want)
	}
	if got := obsoleteTexts(filepath.Join(home, "nowhere")); len(got) != 0 {
		t.Errorf("%v", got)
	}
}

func TestArrivalIsQuietWhereNothingDiffers(t *testing.T) {
	arrival := func(text string) view.Arrival {
		home := t.TempDir()
		writeAll(t, filepath.Join(home, "config.yaml"), text)
		d, err := Open(Options{Getenv: func(name string) string { return map[string]string{"HERMES_HOME": home, "HOME": home}[name] }})
		if err != nil {
			t.Fatal(err)
		}
		defer d.Close()
		page, err := d.Arrival()
		if err != nil {
			t.Fatal(err)
		}
		return page
	}
	if page := arrival("mcp_servers: {a: {command: x}, b: {command: x, tools: {exclude: [c]}}}\n"); !page.Quiet {
		t.Errorf("%+v", page)
	}
	page := arrival("mcp_servers:\n  a: {command: x, tools: {include: 42}}\nterminal: {backend: local}\n")
	if page.Quiet || page.ForeignKeys != 1 || len(page.Servers) != 1 || page.Servers[0].Line != 2 || page.Servers[0].Before.Code != "agent.open" || page.Servers[0].Fix.Text == "" {
		t.Errorf("%+v", page)
	}
}
