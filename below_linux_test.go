package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"

	"hermes/backend/cli"
)

// What a command may do in a program that one of our servers or hooks started.
const (
	// belowNever: it writes, widens or starts something, so only a person may.
	belowNever = "never"
	// belowRest: it starts servers or a turn, so not while an agent is at work on
	// the home or something waits there.
	belowRest = "rest"
	// belowReads: it writes no file of the home and starts nothing.
	belowReads = "reads"
	// belowTerminal: it needs a person's terminal before anything else.
	belowTerminal = "terminal"
)

// below is one command with what is typed after it.
type below struct {
	may  string
	args []string
}

// belowCommands decides about every command: a new one has to be added here.
func belowCommands() map[string]below {
	return map[string]below{
		"hermes":                   {belowReads, nil}, // the help where there is no terminal
		"hermes config":            {belowReads, nil},
		"hermes hooks":             {belowReads, nil},
		"hermes mcp":               {belowReads, nil},
		"hermes chat":              {belowRest, []string{"-q", "secret"}},
		"hermes config check":      {belowReads, nil},
		"hermes config edit":       {belowNever, nil},
		"hermes config get":        {belowReads, []string{"model"}},
		"hermes config path":       {belowReads, nil},
		"hermes config set":        {belowNever, []string{"model.default", "x"}},
		"hermes config unset":      {belowNever, []string{"model.default"}},
		"hermes demo":              {belowReads, nil}, // in a home of its own
		"hermes desktop":           {belowRest, nil},
		"hermes doctor":            {belowReads, nil},
		"hermes hooks list":        {belowReads, nil},
		"hermes hooks revoke":      {belowNever, []string{"1"}},
		"hermes hooks test":        {belowNever, []string{"1"}},
		"hermes hooks trust":       {belowNever, []string{"1"}},
		"hermes mcp accept":        {belowNever, []string{"demo"}},
		"hermes mcp add":           {belowNever, []string{"new", "--command", "true"}},
		"hermes mcp audit":         {belowReads, nil},
		"hermes mcp catalog":       {belowReads, nil},
		"hermes mcp changes":       {belowReads, nil},
		"hermes mcp configure":     {belowTerminal, []string{"demo"}},
		"hermes mcp diff":          {belowReads, []string{"CONFIG", "CONFIG"}},
		"hermes mcp export":        {belowNever, []string{"--to", "cursor"}},
		"hermes mcp gateway":       {belowRest, nil},
		"hermes mcp grants":        {belowReads, nil},
		"hermes mcp grants revoke": {belowNever, []string{"1"}},
		"hermes mcp import":        {belowNever, []string{"OTHER"}},
		"hermes mcp install":       {belowNever, []string{"filesystem"}},
		"hermes mcp list":          {belowReads, nil},
		"hermes mcp lock":          {belowNever, []string{"demo"}},
		"hermes mcp login":         {belowNever, []string{"demo", "--token-stdin"}},
		"hermes mcp open":          {belowNever, []string{"demo"}},
		"hermes mcp picker":        {belowReads, nil},
		"hermes mcp reauth":        {belowNever, []string{"demo", "--token-stdin"}},
		"hermes mcp reload":        {belowRest, nil},
		"hermes mcp remove":        {belowNever, []string{"demo", "--yes"}},
		"hermes mcp restore":       {belowNever, []string{"demo"}},
		"hermes mcp serve":         {belowReads, nil},
		"hermes mcp test":          {belowRest, []string{"demo"}},
		"hermes mcp why":           {belowReads, []string{"demo", "edit"}},
		"hermes serve":             {belowNever, nil},
		"hermes sessions":          {belowReads, nil},
		"hermes sessions delete":   {belowNever, []string{"abcdef", "--yes"}},
		"hermes sessions export":   {belowReads, []string{"x"}},
		"hermes sessions list":     {belowReads, nil},
		"hermes sessions search":   {belowReads, []string{"x"}},
		"hermes sessions show":     {belowReads, []string{"x"}},
		"hermes tools":             {belowReads, nil},
		"hermes tools disable":     {belowNever, []string{"demo:edit"}},
		"hermes tools enable":      {belowNever, []string{"demo:secret"}},
		"hermes tools list":        {belowReads, nil},
		"hermes version":           {belowReads, nil},
	}
}

// runnable are the commands that do something, by what is typed.
func runnable(c *cobra.Command, into map[string]bool) {
	if c.Name() == "help" || c.Name() == "completion" || strings.HasPrefix(c.Name(), "__") {
		return
	}
	if c.Runnable() {
		into[c.CommandPath()] = true
	}
	for _, child := range c.Commands() {
		runnable(child, into)
	}
}

// TestEveryCommandBelowAServer: whatever a command does, somebody decided whether a
// program that a server or a hook started may, and the real program keeps to it.
func TestEveryCommandBelowAServer(t *testing.T) {
	commands := map[string]bool{}
	runnable(cli.Root(), commands)
	decided := belowCommands()
	for name := range commands {
		if _, ok := decided[name]; !ok {
			t.Errorf("nobody decided what `%s` may do below a server: see belowCommands", name)
		}
	}
	for name := range decided {
		if !commands[name] {
			t.Errorf("there is no command `%s`", name)
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), 180*time.Second)
	defer cancel()
	o := newOpener(t)
	touched := filepath.Join(t.TempDir(), "touched")
	text, err := os.ReadFile(o.config)
	if err != nil {
		t.Fatal(err)
	}
	hooked := fmt.Sprintf("%shooks: {post_tool_call: [{matcher: none, command: 'touch %s'}]}\n", text, touched)
	o.opened += hooked[len(text):]
	writeFile(t, o.config, hooked)
	other := filepath.Join(t.TempDir(), "mcp.json")
	writeFile(t, other, `{"mcpServers": {"more": {"command": "true"}}}`)
	run := func(mark, name string) (string, int) {
		words := strings.Fields(name)[1:]
		for _, arg := range decided[name].args {
			words = append(words, strings.NewReplacer("CONFIG", o.config, "OTHER", other).Replace(arg))
		}
		child := hermes(ctx, o.home, words...)
		child.Env = append(child.Env, "HERMES_MCP_SERVER="+mark, "EDITOR=touch "+touched, "VISUAL=touch "+touched, "BROWSER=true")
		child.Stdin = strings.NewReader("a-token-of-no-worth\n")
		out, err := child.CombinedOutput()
		var exit *exec.ExitError
		if err != nil && !errors.As(err, &exit) {
			t.Errorf("%s: %v", name, err)
		}
		return string(out), child.ProcessState.ExitCode()
	}
	names := slices.Sorted(maps.Keys(commands))
	for _, name := range names {
		may := decided[name].may
		if may == belowRest {
			continue // while nobody is at work it may
		}
		before := filesOf(t, o.home)
		out, code := run("demo", name)
		refused := code == 1 && strings.Contains(out, "that the server 'demo' started")
		if may == belowNever && !refused {
			t.Errorf("%s is not refused: %d %s", name, code, out)
		}
		if may == belowTerminal && code == 0 {
			t.Errorf("%s ran without a terminal: %s", name, out)
		}
		if now := filesOf(t, o.home); !maps.EqualFunc(before, now, bytes.Equal) {
			t.Errorf("%s wrote: %v", name, slices.Sorted(maps.Keys(now)))
		}
		if _, err := os.Lstat(touched); err == nil {
			t.Fatalf("%s started a program", name)
		}
	}
	o.within = func() {
		for _, name := range names {
			if decided[name].may != belowRest {
				continue
			}
			if out, code := run("demo", name); code != 1 || !strings.Contains(out, "that the server 'demo' started") && name != "hermes desktop" {
				t.Errorf("%s is not refused while an agent is at work: %d %s", name, code, out)
			}
		}
	}
	if out, err := hermes(ctx, o.home, "chat", "-q", "edit").CombinedOutput(); err != nil || o.heard("edit") != 1 || o.heard("secret") != 0 {
		t.Errorf("%v, secret was called %d times: %s", err, o.heard("secret"), out)
	}
}

// filesOf are the files of a home with what they hold.
func filesOf(t *testing.T, home string) map[string][]byte {
	t.Helper()
	out := map[string][]byte{}
	err := filepath.WalkDir(home, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		out[path] = data
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}
