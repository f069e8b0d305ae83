package mcp

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

const testBatch = `C:\Program Files\nodejs\npx.cmd`

// TestBatchArguments is field case C4: what cmd.exe is given for one argument,
// and that nothing but .cmd and .bat files meets cmd.exe at all.
func TestBatchArguments(t *testing.T) {
	for arg, want := range map[string]string{
		"-y":               `-y`,
		"@scope/pkg":       `@scope/pkg`,
		"":                 `""`,
		" ":                `" "`,
		"a b":              `"a b"`,
		"--name=value":     `"--name=value"`,
		"a,b;c":            `"a,b;c"`,
		"a&calc":           `"a&calc"`,
		"a|b":              `"a|b"`,
		"a<b>c":            `"a<b>c"`,
		"(a)":              `"(a)"`,
		"a^b":              `"a^b"`,
		"a!b!":             `"a!b!"`,
		"100%":             `"100%%cd:~,%"`,
		"%PATH%":           `"%%cd:~,%PATH%%cd:~,%"`,
		`"`:                `""""`,
		`say "hi"`:         `"say ""hi"""`,
		`" & calc "`:       `""" & calc """`,
		`C:\files`:         `C:\files`,
		`C:\files\`:        `"C:\files\\"`,
		`C:\my files\\`:    `"C:\my files\\\\"`,
		`back\"slash`:      `"back\\""slash"`,
		`back\\"slash`:     `"back\\\\""slash"`,
		`\\server\share x`: `"\\server\share x"`,
		"grüße":            `"grüße"`,
		"Привет, мир":      `"Привет, мир"`,
		"a\tb":             "\"a\tb\"",
		"~":                `"~"`,
		"'a'":              `"'a'"`,
	} {
		got := batchCommandLine(testBatch, []string{testBatch, arg})
		if want := `cmd.exe /e:ON /v:OFF /d /c ""` + testBatch + `" ` + want + `"`; got != want {
			t.Errorf("%q\n got %s\nwant %s", arg, got, want)
		}
	}
	for _, path := range []string{`C:\node.exe`, `C:\cmd\tool`, `C:\x.cmd.exe`, `C:\y.com`} {
		if line := batchCommandLine(path, []string{path, "a&b"}); line != "" || checkBatch(path, []string{"a\nb"}) != nil {
			t.Errorf("%s meets cmd.exe: %q", path, line)
		}
	}
	for _, path := range []string{`C:\X.CMD`, `C:\x.Bat`} {
		if batchCommandLine(path, []string{path}) == "" || checkBatch(path, []string{"a\nb"}) == nil {
			t.Errorf("%s does not meet cmd.exe", path)
		}
	}
	if checkBatch(`C:\a"b.cmd`, nil) == nil {
		t.Error("a quotation mark in a path is let through")
	}
	if got := batchShell(`C:\Windows\System32`); got != `C:\Windows\System32\cmd.exe` {
		t.Errorf("shell %q", got)
	}
}

// TestBatchArgumentsArrive reads the line as cmd.exe and then a C program do:
// every argument arrives as it was, and nothing stands where cmd.exe would take
// it for a command.
func TestBatchArgumentsArrive(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		letters := rapid.StringOfN(rapid.SampledFrom([]rune(`ab %"\&|<>^!()=,;'~ü-P/`)), 0, 12, -1)
		args := rapid.SliceOfN(letters, 0, 4).Draw(t, "args")
		for i, arg := range args {
			if rapid.Bool().Draw(t, "variable") {
				args[i] = arg + "%PATH%"
			}
		}
		if err := checkBatch(testBatch, args); err != nil {
			t.Fatal(err)
		}
		line := batchCommandLine(testBatch, append([]string{testBatch}, args...))
		got, problem := readBatchLine(line)
		if problem != "" || !slices.Equal(got, append([]string{testBatch}, args...)) {
			t.Fatalf("%q became %q (%s) by %s", args, got, problem, line)
		}
	})
}

// readBatchLine splits a command line by the rules of cmd.exe and of the C
// library.
func readBatchLine(line string) (args []string, problem string) {
	inner, ok := strings.CutPrefix(line, `cmd.exe /e:ON /v:OFF /d /c "`)
	if !ok || !strings.HasSuffix(inner, `"`) {
		return nil, "not a line for cmd.exe"
	}
	inner = expandPercent(inner[:len(inner)-1])
	quoted := false
	for _, r := range inner {
		if r == '"' {
			quoted = !quoted
		}
		if !quoted && strings.ContainsRune("&|<>^()!", r) {
			return nil, "bare " + string(r)
		}
	}
	return splitC(inner), ""
}

// expandPercent replaces what cmd.exe takes for a variable on a command line;
// one that is not set stays as it is.
func expandPercent(line string) string {
	var out strings.Builder
	for {
		before, rest, ok := strings.Cut(line, "%")
		out.WriteString(before)
		if !ok {
			return out.String()
		}
		name, after, ended := strings.Cut(rest, "%")
		switch {
		case ended && name == "cd:~,":
			line = after
		case ended && name == "PATH":
			out.WriteString("EXPANDED")
			line = after
		default:
			out.WriteByte('%')
			line = rest
		}
	}
}

func splitC(line string) []string {
	var args []string
	var arg strings.Builder
	inside, any := false, false
	for i := 0; i < len(line); i++ {
		slashes := 0
		for i < len(line) && line[i] == '\\' {
			slashes++
			i++
		}
		if i < len(line) && line[i] == '"' {
			arg.WriteString(strings.Repeat(`\`, slashes/2))
			switch {
			case slashes%2 == 1:
				arg.WriteByte('"')
			case inside && i+1 < len(line) && line[i+1] == '"':
				arg.WriteByte('"')
				i++
			default:
				inside = !inside
			}
			any = true
			continue
		}
		if slashes > 0 {
			arg.WriteString(strings.Repeat(`\`, slashes))
			any = true
		}
		if i == len(line) {
			break
		}
		if (line[i] == ' ' || line[i] == '\t') && !inside {
			if any {
				args = append(args, arg.String())
			}
			arg.Reset()
			any = false
			continue
		}
		arg.WriteByte(line[i])
		any = true
	}
	if any {
		args = append(args, arg.String())
	}
	return args
}

// TestFinderOnWindows finds npx.cmd and not the script for other systems that
// stands beside it.
func TestFinderOnWindows(t *testing.T) {
	files := []string{
		`C:\nodejs\npx`, `C:\nodejs\npx.cmd`, `C:\nodejs\node.exe`, `C:\tools dir\tool.bat`, `C:\tools dir\tool.exe`,
		`C:\tools dir\my.tool.exe`, `C:\Users\me\.bun\bin\bunx.exe`,
	}
	for _, test := range []struct{ command, pathext, found, path string }{
		{"npx", ".COM;.EXE;.BAT;.CMD", `C:\nodejs\npx.cmd`, ""},
		{"npx", "", `C:\nodejs\npx.cmd`, ""},
		{"npx.cmd", "", `C:\nodejs\npx.cmd`, ""},
		{"node", ".EXE", `C:\nodejs\node.exe`, ""},
		{"tool", ".BAT;.EXE", `C:\tools dir\tool.bat`, ""},
		{"tool", " .exe ;;.bat", `C:\tools dir\tool.exe`, ""},
		{"my.tool", ".EXE", `C:\tools dir\my.tool.exe`, ""},
		{"bunx", "", `C:\Users\me\.bun\bin\bunx.exe`, `C:\Users\me\.bun\bin;C:\nodejs;C:\tools dir`},
		{"nothing", "", "", ""},
	} {
		env := map[string]string{"Path": `C:\nodejs;"C:\tools dir";relative`, "PATHEXT": test.pathext}
		f := &finder{
			goos: "windows", home: `C:\Users\me`, env: env, usual: usualWindowsFolders(`C:\Users\me`, func(string) string { return "" }),
			exists: func(path string) bool { return slices.Contains(files, path) },
		}
		got, err := f.find(test.command, "")
		if got != test.found || (err != nil) != (test.found == "") {
			t.Errorf("%s: %q %v", test.command, got, err)
		}
		if test.path != "" && env["Path"] != test.path+";relative" || len(env) != 2 {
			t.Errorf("%s: environment %q", test.command, env)
		}
	}
	_, err := (&finder{goos: "windows", env: map[string]string{}}).find("npx", "")
	if err == nil || !strings.Contains(err.Error(), "no folder at all") {
		t.Errorf("error %v", err)
	}
}
