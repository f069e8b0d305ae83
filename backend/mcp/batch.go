package mcp

import (
	"errors"
	"strings"
)

var errBatchArgument = errors.New("an argument with a line break or a NUL character cannot be passed to a .cmd or .bat file")

// isBatch tells whether Windows runs the file through cmd.exe.
func isBatch(path string) bool {
	lower := strings.ToLower(path)
	return strings.HasSuffix(lower, ".cmd") || strings.HasSuffix(lower, ".bat")
}

// checkBatch refuses what no quoting can carry through cmd.exe.
func checkBatch(path string, args []string) error {
	if !isBatch(path) {
		return nil
	}
	if strings.Contains(path, `"`) || strings.HasSuffix(path, `\`) {
		return errors.New("the path of a .cmd or .bat file must not hold a quotation mark")
	}
	for _, arg := range args {
		if strings.ContainsAny(arg, "\r\n\x00") {
			return errBatchArgument
		}
	}
	return nil
}

// batchCommandLine is the command line for a .cmd or .bat file, empty for any
// other program: os/exec quotes for programs, but cmd.exe reads & | % and " by
// rules of its own, and an argument could become a command (CVE-2024-24576).
// The quoting is the one Rust's standard library uses. args[0] is the program.
func batchCommandLine(path string, args []string) string {
	if !isBatch(path) {
		return ""
	}
	var line strings.Builder
	line.WriteString(`cmd.exe /e:ON /v:OFF /d /c ""` + path + `"`)
	for _, arg := range args[min(1, len(args)):] {
		line.WriteByte(' ')
		quoteBatch(&line, arg)
	}
	line.WriteByte('"')
	return line.String()
}

// batchShell is the program that runs such a file. It is named to the system by
// its full path: a batch file named instead would be wrapped in a second cmd.exe,
// which reads the line by its rules once more.
func batchShell(system string) string { return join("windows", system, "cmd.exe") }

// plainBatch are the characters cmd.exe gives no meaning to.
const plainBatch = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789#$*+-./:?@\\_"

func quoteBatch(line *strings.Builder, arg string) {
	quote := arg == "" || strings.HasSuffix(arg, `\`) || strings.Trim(arg, plainBatch) != ""
	if quote {
		line.WriteByte('"')
	}
	slashes := 0
	for _, r := range arg {
		switch r {
		case '\\':
			slashes++
		case '"':
			line.WriteString(strings.Repeat(`\`, slashes) + `"`)
			slashes = 0
		case '%':
			// An empty substring of a variable that always exists, so that
			// the next % cannot begin the name of one.
			line.WriteString("%%cd:~,")
			slashes = 0
		default:
			slashes = 0
		}
		line.WriteRune(r)
	}
	if quote {
		line.WriteString(strings.Repeat(`\`, slashes) + `"`)
	}
}
