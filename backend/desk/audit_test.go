package desk

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/owenrumney/go-sarif/v3/pkg/report/v210/sarif"

	"hermes/backend/config"
	"hermes/backend/mcp"
	"hermes/backend/view"
)

// repository makes a git repository of one file and gives a function that runs
// git in it with an input.
func repository(t *testing.T, versions ...string) (path string, git func(input string, args ...string) string) {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	dir := t.TempDir()
	path = filepath.Join(dir, "config.yaml")
	git = func(input string, args ...string) string {
		t.Helper()
		cmd := exec.Command("git", args...)
		cmd.Dir, cmd.Stdin = dir, strings.NewReader(input)
		cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@example.com", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@example.com",
			"GIT_COMMITTER_DATE=2026-03-04T05:06:07Z", "GIT_AUTHOR_DATE=2026-03-04T05:06:07Z")
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("git %v: %v: %s", args, err, out)
		}
		return strings.TrimSpace(string(out))
	}
	git("", "init", "-q", "-b", "main")
	for _, text := range versions {
		writeAll(t, path, text)
		git("", "add", "config.yaml")
		git("", "commit", "-q", "-m", "x")
	}
	return path, git
}

func writeAll(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

const (
	lockedDemo = "mcp_servers: {demo: {command: x, tools: {include: []}}}\n"
	openDemo   = "mcp_servers: {demo: {command: x}}\n"
)

// TestHistoryRunsNothing: a repository whose configuration names programs for
// everything git can run is read without running one.
func TestHistoryRunsNothing(t *testing.T) {
	path, git := repository(t, lockedDemo, openDemo)
	dir := filepath.Dir(path)
	trap := filepath.Join(dir, "trap")
	ran := filepath.Join(dir, "ran")
	if err := os.WriteFile(trap, []byte("#!/bin/sh\ntouch '"+ran+"'\nexit 0\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	// A commit with a signature, which log.showSignature would have checked.
	signed := "tree " + git("", "rev-parse", "HEAD^{tree}") + "\nparent " + git("", "rev-parse", "HEAD") +
		"\nauthor a <a@example.com> 1772600767 +0000\ncommitter a <a@example.com> 1772600767 +0000\n" +
		"gpgsig -----BEGIN PGP SIGNATURE-----\n \n aGVsbG8=\n -----END PGP SIGNATURE-----\n\nsigned\n"
	// It changes the file, so that the history of the file shows it.
	blob := git(openDemo+"# changed\n", "hash-object", "-w", "--stdin")
	tree := git("100644 blob "+blob+"\tconfig.yaml\n", "mktree")
	signed = strings.Replace(signed, git("", "rev-parse", "HEAD^{tree}"), tree, 1)
	git("", "update-ref", "refs/heads/main", git(signed, "hash-object", "-t", "commit", "-w", "--stdin"))
	for key, value := range map[string]string{
		"core.fsmonitor": trap, "core.pager": trap, "pager.log": trap, "diff.external": trap, "log.showSignature": "true", "gpg.program": trap,
		"core.sshCommand": trap, "core.hooksPath": dir, "diff.x.textconv": trap, "diff.x.command": trap, "filter.x.smudge": trap, "core.editor": trap,
	} {
		git("", "config", key, value)
	}
	writeAll(t, filepath.Join(dir, ".gitattributes"), "config.yaml diff=x filter=x\n")
	t.Setenv("GIT_DIR", "/nonexistent") // another repository's
	t.Setenv("GIT_EXTERNAL_DIFF", trap)
	versions, err := gitVersions(t.Context(), path)
	if err != nil || len(versions) != 3 {
		t.Fatalf("%d versions, %v", len(versions), err)
	}
	if _, err := os.Stat(ran); err == nil {
		t.Error("a program of the repository's configuration ran")
	}
	if string(versions[2].data) != lockedDemo || versions[2].when.UTC().Format(time.DateOnly) != "2026-03-04" {
		t.Errorf("the oldest version is %q of %v", versions[2].data, versions[2].when)
	}
}

func TestEvidence(t *testing.T) {
	audit := func(t *testing.T, path string) ([]view.AuditItem, []string) {
		t.Helper()
		return findEvidence(t.Context(), config.ReadAlone(path), filepath.Dir(path))
	}
	t.Run("a change that was not committed", func(t *testing.T) {
		path, _ := repository(t, lockedDemo)
		writeAll(t, path, openDemo)
		found, unchecked := audit(t, path)
		if len(found) != 1 || found[0].Code != "audit.lost" || found[0].Server != "demo" || found[0].Params[1] != "2026-03-04" || found[0].Line != 1 || len(unchecked) != 0 {
			t.Errorf("%+v %v", found, unchecked)
		}
	})
	t.Run("a merge that drops a branch", func(t *testing.T) {
		path, git := repository(t, openDemo)
		git("", "checkout", "-q", "-b", "lock")
		writeAll(t, path, lockedDemo)
		git("", "commit", "-q", "-a", "-m", "lock")
		git("", "checkout", "-q", "main")
		git("", "merge", "-q", "--no-ff", "-s", "ours", "-m", "merge", "lock")
		if found, _ := audit(t, path); len(found) != 1 {
			t.Errorf("the lock of the branch left no trace: %+v", found)
		}
	})
	t.Run("still locked, or written open", func(t *testing.T) {
		for _, now := range []string{lockedDemo, "mcp_servers: {demo: {command: x, tools: {include: [\"*\"]}}}\n", "mcp_servers: {demo: {command: x, tools: 42}}\n", "mcp_servers: {}\n"} {
			path, _ := repository(t, lockedDemo)
			writeAll(t, path, now)
			if found, _ := audit(t, path); len(found) != 0 {
				t.Errorf("%s: %+v", now, found)
			}
		}
	})
	t.Run("no repository, no commit, not ours", func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "config.yaml")
		writeAll(t, path, openDemo)
		if found, unchecked := audit(t, path); len(found)+len(unchecked) != 0 {
			t.Errorf("%+v %v", found, unchecked)
		}
		path, _ = repository(t)
		writeAll(t, path, openDemo)
		if found, unchecked := audit(t, path); len(found)+len(unchecked) != 0 {
			t.Errorf("no commit: %+v %v", found, unchecked)
		}
		writeAll(t, filepath.Join(filepath.Dir(path), ".git", "HEAD"), "garbage")
		if _, unchecked := audit(t, path); len(unchecked) != 1 {
			t.Errorf("a damaged repository is not told: %v", unchecked)
		}
	})
	t.Run("it takes too long", func(t *testing.T) {
		path, _ := repository(t, lockedDemo, openDemo)
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, unchecked := findEvidence(ctx, config.ReadAlone(path), ""); len(unchecked) != 1 {
			t.Errorf("what was not looked at is not told: %v", unchecked)
		}
	})
}

func TestBackupNames(t *testing.T) {
	for name, want := range map[string]bool{
		"config.yaml": false, "config.yaml.bak": true, "config.yaml.bak.3": true, "config.yaml~": true, "config.yaml.orig": true, "config.yaml.20260102-030405": true,
		"config.yaml.2026-01-02": true, "config.backup.yaml": true, "config.backup-2.yaml": true, "config-old.yaml": true, "config (copy).yaml": false, "config.local.yaml": false,
		"configuration.yaml": false, "other.yaml": false, "config.yaml.save": true, "config.yaml.tmp": false,
	} {
		if have := isBackup(name, "config.yaml"); have != want {
			t.Errorf("%s: %v", name, have)
		}
	}
}

func TestBackupsAreBounded(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "config.yaml")
	writeAll(t, path, openDemo)
	for i := range maxBackups + 5 {
		writeAll(t, path+".bak"+strings.Repeat("x", i), lockedDemo)
	}
	writeAll(t, path+".bak.big", strings.Repeat("#", evidenceBytes+1))
	if err := os.Symlink("/dev/zero", path+".bak.link"); err != nil {
		t.Fatal(err)
	}
	versions, err := backupVersions(path)
	if err != nil || len(versions) != maxBackups {
		t.Errorf("%d versions, %v", len(versions), err)
	}
	for _, v := range versions {
		if string(v.data) != lockedDemo {
			t.Errorf("%s is %d bytes", v.where, len(v.data))
		}
	}
}

func TestUnpinned(t *testing.T) {
	for line, want := range map[string]string{
		"npx -y @scope/server /srv": "@scope/server", "npx -y @scope/server@1.2.3": "", "npx server": "server", "npx server@latest": "server@latest", "npx server@^1.2.0": "server@^1.2.0",
		"npx server@1": "server@1", "npx --package=server@2.0.1 run": "", "npx -p server run": "server", "/usr/bin/npx server": "server", `C:\node\npx.cmd server`: "server",
		"npm exec server": "server", "npm run start": "", "pnpm dlx server@1.0.0": "", "yarn dlx server": "server", "bun x server": "server", "uvx server": "server",
		"uvx server==1.2": "", "uvx --from server==1.2 tool": "", "uv tool run server": "server", "uv run server.py": "", "pipx run server": "server", "npx ./local": "",
		"npx ${PACK}": "", "node server.js": "", "npx": "", "npx -c x": "", "npx github:a/b": "",
	} {
		fields := strings.Fields(line)
		if have := unpinned(config.Connection{Command: fields[0], Args: fields[1:]}); have != want {
			t.Errorf("%s: %q, want %q", line, have, want)
		}
	}
}

func TestNotesOnLiveTools(t *testing.T) {
	yes, no := true, false
	tools := []mcp.Tool{{Name: "read", Destructive: &no}, {Name: "write", Destructive: &yes}, {Name: "quiet"}}
	codes := func(entry string, tools []mcp.Tool) string {
		snap := config.ReadText("config.yaml", []byte("mcp_servers: {a: {command: x, "+entry+"}}\n"))
		a := &auditor{snap: snap}
		a.server(&snap.Servers[0], mcp.Status{Tools: tools})
		var out []string
		for _, n := range a.out.Notes {
			out = append(out, strings.TrimPrefix(n.Code, "audit.")+":"+strings.Join(n.Params, ","))
		}
		return strings.Join(out, " ")
	}
	for _, c := range []struct {
		entry, want string
		tools       []mcp.Tool
	}{
		{"", "open: writes_unasked:write", tools},
		{"trust: untrusted", "open:", tools},
		{"tools: {include: [read]}", "", tools},
		{"tools: {include: [read, ghost, \"g*\"]}", "unmatched:ghost,g*", tools},
		{"tools: {include: [read, ghost]}", "", nil},
		{"enabled: false", "", tools},
	} {
		if have := codes(c.entry, c.tools); have != c.want {
			t.Errorf("%s: %q, want %q", c.entry, have, c.want)
		}
	}
}

// TestSARIF validates a report against the schema of SARIF 2.1.0 and looks at
// what code review needs.
func TestSARIF(t *testing.T) {
	audit := view.Audit{
		Findings: []view.AuditItem{
			{Level: view.LevelError, Code: "audit.lost", Server: "demo", Message: "was `[]`", Hint: "type it", File: "/base/dir/con fig.yaml", Line: 3, Column: 5},
			{Level: view.LevelWarning, Code: "server.dangerous_env", Message: "m", File: "/elsewhere/x.yaml"},
		},
		Notes: []view.AuditItem{{Level: view.LevelNote, Code: "audit.open", Message: "n", File: "/base/x.yaml", Line: 1, Column: 1}, {Level: view.LevelNote, Code: "audit.open", Message: "o", File: "/base/x.yaml", Line: 2, Column: 1}},
	}
	data, err := SARIF(audit, "1.2.3", "/base")
	if err != nil {
		t.Fatal(err)
	}
	report, err := sarif.FromBytes(data)
	if err != nil {
		t.Fatal(err)
	}
	if err := report.Validate(); err != nil {
		t.Errorf("not SARIF 2.1.0: %v", err)
	}
	var have struct {
		Version string
		Runs    []struct {
			Tool struct {
				Driver struct {
					Name, Version string
					Rules         []struct{ ID string }
				}
			}
			Results []struct {
				RuleID    string
				RuleIndex int
				Level     string
				Message   struct{ Text string }
				Locations []struct {
					PhysicalLocation struct {
						ArtifactLocation struct{ URI string }
						Region           struct{ StartLine, StartColumn int }
					}
				}
			}
		}
	}
	if err := json.NewDecoder(bytes.NewReader(data)).Decode(&have); err != nil {
		t.Fatal(err)
	}
	run := have.Runs[0]
	if have.Version != "2.1.0" || run.Tool.Driver.Name != "hermes" || run.Tool.Driver.Version != "1.2.3" || len(run.Tool.Driver.Rules) != 3 || len(run.Results) != 4 {
		t.Fatalf("%+v", have)
	}
	first := run.Results[0]
	place := first.Locations[0].PhysicalLocation
	if first.RuleID != "audit.lost" || first.RuleIndex != 0 || first.Level != "error" || first.Message.Text != "server demo: was `[]`. type it" ||
		place.ArtifactLocation.URI != "dir/con%20fig.yaml" || place.Region.StartLine != 3 || place.Region.StartColumn != 5 {
		t.Errorf("%+v", first)
	}
	outside := run.Results[1].Locations[0].PhysicalLocation
	if outside.ArtifactLocation.URI != "file:///elsewhere/x.yaml" || outside.Region.StartLine != 1 || run.Results[1].Level != "warning" {
		t.Errorf("%+v", outside)
	}
	if !slices.Equal([]string{run.Results[2].Level, run.Results[2].RuleID}, []string{"note", "audit.open"}) || run.Results[3].RuleIndex != 2 {
		t.Errorf("%+v", run.Results[2:])
	}
}
