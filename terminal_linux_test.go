package main

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// person is somebody at a terminal of 80x24 in front of the real program.
type person struct {
	t      *testing.T
	master *os.File
	cmd    *exec.Cmd
	ended  chan struct{}

	mu   sync.Mutex
	text bytes.Buffer
	more chan struct{}
	mark int
}

// sit starts the program on a pseudo terminal.
func sit(t *testing.T, home string, args ...string) *person {
	t.Helper()
	return sitAt(t, home, "xterm-256color", args...)
}

// sitAt is sit at a terminal of this kind.
func sitAt(t *testing.T, home, kind string, args ...string) *person {
	t.Helper()
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	// Not by Fd, which makes reads block a Close: a terminal that goes away is real.
	raw, err := master.SyscallConn()
	if err != nil {
		t.Fatal(err)
	}
	number, failed := 0, error(nil)
	err = raw.Control(func(fd uintptr) {
		number, failed = unix.IoctlGetInt(int(fd), unix.TIOCGPTN)
		failed = errors.Join(failed, unix.IoctlSetPointerInt(int(fd), unix.TIOCSPTLCK, 0),
			unix.IoctlSetWinsize(int(fd), unix.TIOCSWINSZ, &unix.Winsize{Row: 24, Col: 80}))
	})
	if err := errors.Join(err, failed); err != nil {
		t.Fatal(err)
	}
	slave, err := os.OpenFile("/dev/pts/"+strconv.Itoa(number), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer slave.Close()
	p := &person{t: t, master: master, ended: make(chan struct{}), more: make(chan struct{}, 1)}
	p.cmd = hermes(t.Context(), home, args...)
	p.cmd.Env = append(p.cmd.Env, "TERM="+kind)
	p.cmd.Stdin, p.cmd.Stdout, p.cmd.Stderr = slave, slave, slave
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go p.watch()
	t.Cleanup(func() {
		_ = p.cmd.Process.Kill()
		_ = master.Close()
	})
	return p
}

func (p *person) watch() {
	defer close(p.ended)
	chunk := make([]byte, 4096)
	for {
		n, err := p.master.Read(chunk)
		p.mu.Lock()
		p.text.Write(chunk[:n])
		p.mu.Unlock()
		select {
		case p.more <- struct{}{}:
		default:
		}
		if err != nil {
			return
		}
	}
}

func (p *person) all() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.text.String()
}

// reads waits until the words were shown, after what was read before.
func (p *person) reads(words string) *person {
	p.t.Helper()
	late := time.After(30 * time.Second)
	for {
		text := p.all()
		if i := strings.Index(text[p.mark:], words); i >= 0 {
			p.mark += i + len(words)
			return p
		}
		select {
		case <-p.more:
		case <-p.ended:
			if i := strings.Index(p.all()[p.mark:], words); i < 0 {
				p.t.Fatalf("the program ended without %q:\n%q", words, p.all())
			}
		case <-late:
			p.t.Fatalf("%q was not shown:\n%q", words, p.all()[p.mark:])
		}
	}
}

func (p *person) types(keys string) *person {
	p.t.Helper()
	if _, err := p.master.WriteString(keys); err != nil {
		p.t.Fatal(err)
	}
	return p
}

// leaves waits for the end of the program and wants its exit code. The terminal
// must be as it was: lines, echo and the normal screen.
func (p *person) leaves(code int) string {
	p.t.Helper()
	state, err := unix.IoctlGetTermios(int(p.master.Fd()), unix.TCGETS)
	done := make(chan error, 1)
	go func() { done <- p.cmd.Wait() }()
	select {
	case err := <-done:
		got := 0
		if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
			got = exit.ExitCode()
		}
		if got != code {
			p.t.Fatalf("exit code %d, want %d:\n%s", got, code, p.all())
		}
	case <-time.After(30 * time.Second):
		p.t.Fatalf("the program does not end:\n%q", p.all())
	}
	if now, nowErr := unix.IoctlGetTermios(int(p.master.Fd()), unix.TCGETS); nowErr == nil {
		state, err = now, nil
	}
	if err == nil && (state.Lflag&unix.ECHO == 0 || state.Lflag&unix.ICANON == 0) {
		p.t.Error("the terminal was not restored")
	}
	select {
	case <-p.ended:
	case <-time.After(5 * time.Second):
	}
	text := p.all()
	if strings.Count(text, "\x1b[?1049h") != strings.Count(text, "\x1b[?1049l") {
		p.t.Errorf("the screen was not given back: %q", text)
	}
	return text
}

// filesHome is a home with the npm filesystem server under these rules.
func filesHome(t *testing.T, rules string) (home, config string) {
	dir := t.TempDir()
	home = filepath.Join(dir, "home")
	data := filepath.Join(dir, "data")
	writeFile(t, filepath.Join(data, "note.txt"), "meet at noon")
	config = filepath.Join(home, "config.yaml")
	writeFile(t, config, filesystemEntry(t, data, rules))
	return home, config
}

// rulesOf is what stands in the file after the filesystem server's args.
func rulesOf(t *testing.T, config string) string {
	t.Helper()
	_, after, _ := strings.Cut(readText(t, config), "data\"]\n")
	return after
}

func TestConfigureInATerminal(t *testing.T) {
	t.Parallel()
	const tools = "14" // what the pinned filesystem server offers
	for _, c := range []struct {
		name, rules string
		currently   string
		args        []string
		keys        []string
		code        int
		says        string
		after       string // "" for the same bytes
	}{
		{"confirm on an empty list", "    tools:\n      include: []   # locked\n", "0/" + tools, nil, []string{"\r"}, 0, "No changes made.", ""},
		{"esc", "    tools: {include: []}\n", "0/" + tools, nil, []string{"a\x1b"}, 0, "Nothing was written", ""},
		{"ctrl-c", "    tools: {include: []}\n", "0/" + tools, nil, []string{"a\x03"}, 130, "Nothing was written", ""},
		{"untick all", "    tools: {include: [read_text_file, list_directory], resources: false}\n", "2/" + tools, nil, []string{"n\r"}, 0,
			"0/" + tools + " tools enabled", "    tools: {include: [], resources: false}\n"},
		{"tick one of a locked server", "    tools: {include: []}\n", "0/" + tools, nil, []string{"/list_allowed\r \r"}, 0,
			"1/" + tools + " tools enabled", "    tools: {include: [list_allowed_directories]}\n"},
		{"open, untick one", "", tools + "/" + tools, nil, []string{"/write_file\r \r"}, 0, "13/" + tools, "    tools:\n      exclude: [write_file]\n"},
		{"lock to the selection", "    tools: {exclude: [\"[!l]*\"]}\n", "3/" + tools, nil, []string{"\x1b[F \r"}, 0, "3/" + tools,
			"    tools: {include: [list_directory, list_directory_with_sizes, list_allowed_directories]}\n"},
		{"held by a glob", "    tools: {include: [\"read_*\"]}\n", "4/" + tools, nil, []string{"n\r"}, 0, "No changes made.", ""},
		{"expanded", "    tools: {include: [\"read_*\"]}\n", "4/" + tools, []string{"--expand"}, []string{"/read_media\r \r"}, 0, "3/" + tools,
			"    tools: {include: [\"read_file\", \"read_text_file\", \"read_multiple_files\"]}\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			home, config := filesHome(t, c.rules)
			before := readText(t, config)
			p := sit(t, home, append([]string{"mcp", "configure", "files"}, c.args...)...)
			p.reads("Currently " + c.currently + " tools enabled").reads("\x1b[?1049h").reads("ENTER")
			for _, keys := range c.keys {
				p.types(keys)
			}
			text := p.leaves(c.code)
			if !strings.Contains(text, c.says) {
				t.Errorf("not said: %q\n%s", c.says, text)
			}
			if c.after == "" {
				if now := readText(t, config); now != before {
					t.Errorf("the file changed:\n%s", now)
				}
			} else if got := rulesOf(t, config); got != c.after {
				t.Errorf("the file says\n%swant\n%s", got, c.after)
			}
		})
	}
}

func TestConfigureKeepsAWhitelistWithEveryToolOn(t *testing.T) {
	t.Parallel()
	home, config := filesHome(t, "    tools:\n      include:\n        - read_file\n      prompts: false\n")
	sit(t, home, "mcp", "configure", "files").reads("ENTER").types("a\r").leaves(0)
	rules := rulesOf(t, config)
	if !strings.Contains(rules, "include:\n        - read_file\n        - ") || strings.Count(rules, "        - ") != 14 || !strings.HasSuffix(rules, "      prompts: false\n") {
		t.Errorf("the file says\n%s", rules)
	}
}

func TestConfigureByNumbers(t *testing.T) {
	t.Parallel()
	home, config := filesHome(t, "    tools: {include: [ghost]}\n")
	p := sit(t, home, "mcp", "configure", "files", "--plain")
	p.reads("in the file, not offered now").reads("> ").types("1 99\n").reads("is not a number from 1 to 15").types("1 15\n")
	if text := p.leaves(0); strings.Contains(text, "\x1b[") {
		t.Errorf("plain text with escape sequences: %q", text)
	}
	if got := rulesOf(t, config); got != "    tools: {include: [ghost, read_file]}\n" {
		t.Errorf("the file says\n%s", got)
	}
}

func TestConfigureOfInvalidRules(t *testing.T) {
	t.Parallel()
	home, config := filesHome(t, "    tools: [a]\n")
	text := sit(t, home, "mcp", "configure", "files").leaves(1)
	if !strings.Contains(text, "tools is a list, not a mapping") || !strings.Contains(text, config+":5") || strings.Contains(text, "Connecting") {
		t.Errorf("%s", text)
	}
}

func TestToolsPicker(t *testing.T) {
	t.Parallel()
	home, config := filesHome(t, "    tools: {include: []}\n")
	entry := strings.TrimPrefix(readText(t, config), "mcp_servers:\n")
	writeFile(t, config, readText(t, config)+strings.ReplaceAll(strings.ReplaceAll(entry, "  files:", "  more:"), "include: []", "exclude: [write_file]")+
		"  gone: {command: no-such-program-here}\n  off: {command: x, enabled: false}\n")
	p := sit(t, home, "tools")
	p.reads("Connecting to 3 server(s): files, more, gone").reads("Could not connect to 'gone'").reads("Found 28 tool(s) across 2 server(s)")
	p.reads("\x1b[?1049h").reads("choose").types("\r").reads("\x1b[?1049h").reads("0 of 14 on").types(" \r")
	p.reads("\x1b[?1049h").reads("ENTER").types("q")
	text := p.leaves(1)
	for _, words := range []string{"files: 1 enabled, 13 disabled", "more: no changes", "✓ MCP tool configuration saved"} {
		if !strings.Contains(text, words) {
			t.Errorf("not said: %q\n%s", words, text)
		}
	}
	if now := readText(t, config); !strings.Contains(now, "include: [read_file]") || !strings.Contains(now, "exclude: [write_file]") {
		t.Errorf("the file says\n%s", now)
	}
}

// TestPickerEndsWithASignal: a program that is told to end gives the terminal
// back and writes nothing.
func TestPickerEndsWithASignal(t *testing.T) {
	t.Parallel()
	home, config := filesHome(t, "    tools: {include: []}\n")
	before := readText(t, config)
	p := sit(t, home, "mcp", "configure", "files")
	p.reads("0 of 14 on").reads("ENTER").types("a")
	if err := p.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	p.leaves(130)
	if readText(t, config) != before {
		t.Error("the file changed")
	}
}
