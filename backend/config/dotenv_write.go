package config

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"runtime"
	"strings"
)

// SetEnv writes one variable into the home's `.env`, under the lock of all
// writers and with compare and swap. The last line that sets the name gets the
// value, else a line is added; every other byte stays. A file that is not there
// is made, readable by its owner alone; one of ours that others can read is
// closed to them. A variable that programs obey by themselves is refused. The
// error never holds the value.
func (f *File) SetEnv(ctx context.Context, name, value string) error {
	if !isVariableName(name) {
		return &Refused{Message: fmt.Sprintf("%q is not the name of a variable", name), Hint: "use letters, digits and _, and begin with a letter or _", File: f.home.Env()}
	}
	if reservedVariable(name) {
		return &Refused{Message: fmt.Sprintf("the variable %s changes what programs run or where they look, so it holds no value of yours", name),
			Hint: "choose another name, such as " + name + "_VALUE, and use ${" + name + "_VALUE}", File: f.home.Env()}
	}
	if strings.ContainsRune(value, 0) {
		return &Refused{Message: "the value holds a NUL character, which no variable can hold", Hint: "give text without it", File: f.home.Env()}
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := f.setEnv(ctx, name, value); err != nil {
		return err
	}
	if f.Current() != nil {
		f.Reload()
	}
	return nil
}

// HasVariable looks at the home's `.env` and tells whether it gives a variable a
// value.
func (f *File) HasVariable(name string) bool {
	data, err := readBounded(f.home.Env())
	return err == nil && parseEnv(data)[name] != ""
}

func (f *File) setEnv(ctx context.Context, name, value string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := f.makeHome(); err != nil {
		return err
	}
	unlock, err := f.lock(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	path := f.home.Env()
	f.tighten(path) // before the value is there
	old, err := readBounded(path)
	missing := errors.Is(err, fs.ErrNotExist)
	if err != nil && !missing {
		return fmt.Errorf("read %s: %w", path, err)
	}
	data := withEnv(old, name, value)
	switch {
	case missing:
		f.stepEnv(old, data)
		err = f.write.begin(path, data)
	case bytes.Equal(old, data):
		return nil
	case !onlySets(old, data, name, value):
		return &Refused{Message: "the file cannot be changed in place, so nothing was written", Hint: "look for a quote that is not closed", File: path}
	default:
		f.stepEnv(old, data)
		err = f.write.replace(path, old, data)
	}
	if errors.Is(err, errMoved) {
		return &Conflict{File: path, Seen: digest(old), Now: "changed"}
	}
	if err != nil {
		return unwritten(path, err)
	}
	return nil
}

// tighten closes a file of ours that others can read. It is no reason to fail
// where that cannot be: Exposed tells.
func (f *File) tighten(path string) {
	info, err := os.Stat(path)
	if err != nil || !OthersRead(path) || !info.Mode().IsRegular() || !belongsToUs(info) {
		return
	}
	if err := os.Chmod(path, info.Mode().Perm()&0o600); err != nil {
		f.options.Logger.Warn("others can read the file with the keys", "file", path, "error", err)
		return
	}
	f.options.Logger.Info("others could read the file with the keys; it is closed to them now", "file", path)
}

// OthersRead tells a file that other users have any right to. Where a mode says
// nothing, as on Windows, none is.
func OthersRead(path string) bool {
	info, err := os.Stat(path)
	return err == nil && runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0
}

// reservedVariable tells a name under which a value would do more than be there:
// `.env` gives its variables to every program that is started with it.
func reservedVariable(name string) bool {
	plain := name
	if runtime.GOOS == "windows" {
		plain = strings.ToUpper(name)
	}
	return DangerousVariable(name) || plain == "PATH" || plain == "HOME" || plain == "HERMES_HOME"
}

// onlySets proves that new bytes give a variable its value and every other one
// the value it had.
func onlySets(old, data []byte, name, value string) bool {
	want, got := parseEnv(old), parseEnv(data)
	want[name] = value
	return maps.Equal(want, got)
}

// withEnv gives the bytes of a `.env` that sets a variable.
func withEnv(data []byte, name, value string) []byte {
	start := 0
	if bytes.HasPrefix(data, []byte(bom)) {
		start = len(bom)
	}
	text := string(data)
	from, to := -1, -1
	for at := start; at < len(text); {
		a := envLine(text[at:])
		if a.name == name {
			if from, to = at+a.from, at+a.to; a.value == value {
				from = -2
			}
		}
		at += a.next
	}
	switch {
	case from == -2:
		return data
	case from >= 0:
		return []byte(text[:from] + envQuote(value) + text[to:])
	}
	newline := "\n"
	if strings.Contains(text, "\r\n") {
		newline = "\r\n"
	}
	if len(text) > start && !strings.HasSuffix(text, "\n") {
		text += newline
	}
	return []byte(text + name + "=" + envQuote(value) + newline)
}

// envQuote writes a value so that parseEnv, python-dotenv and a shell read the
// same: bare, in single quotes, or with escapes in double quotes.
func envQuote(value string) string {
	const bare = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_./:@%+=,-"
	if strings.Trim(value, bare) == "" {
		return value
	}
	if !strings.ContainsAny(value, "'\\\n\r") {
		return "'" + value + "'"
	}
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`, "\r", `\r`, "\t", `\t`).Replace(value) + `"`
}

// isVariableName tells a name that every shell takes.
func isVariableName(name string) bool {
	return isEnvName(name) && !strings.ContainsAny(name, ".-")
}
