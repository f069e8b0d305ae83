package amazon

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
)

// maxFile bounds what is read of a shared file, in bytes.
const maxFile = 1 << 20

// profile gives the settings of a profile: those of the config file and, on top
// of them, those of the credentials file, as Amazon's programs merge them. A
// profile that is named and exists in neither file is an error.
func (a *Account) profile(name string) (map[string]string, error) {
	settings, err := a.sections(a.file("AWS_CONFIG_FILE", "config"))
	if err != nil {
		return nil, err
	}
	secrets, err := a.sections(a.file("AWS_SHARED_CREDENTIALS_FILE", "credentials"))
	if err != nil {
		return nil, err
	}
	merged, found := map[string]string{}, false
	sections := []map[string]string{settings["profile "+name], secrets[name]}
	if name == "default" {
		// Of [profile default] and [default] the former counts.
		if sections[0] == nil {
			sections[0] = settings["default"]
		}
		found = true
	}
	for _, section := range sections {
		for key, value := range section {
			merged[key] = value
		}
		found = found || section != nil
	}
	if !found {
		return nil, &Error{
			Message: fmt.Sprintf("the AWS profile %q does not exist", name),
			Hint:    "set AWS_PROFILE to one of `aws configure list-profiles`, or unset it",
		}
	}
	return merged, nil
}

// session gives the settings of an [sso-session NAME] section.
func (a *Account) session(name string) (map[string]string, error) {
	settings, err := a.sections(a.file("AWS_CONFIG_FILE", "config"))
	if err != nil {
		return nil, err
	}
	found := settings["sso-session "+name]
	if found == nil {
		return nil, &Error{
			Message: fmt.Sprintf("the AWS config file has no section [sso-session %s]", name),
			Hint:    "run `aws configure sso`",
		}
	}
	return found, nil
}

// sections reads a shared file; one that does not exist has none.
func (a *Account) sections(path string) (map[string]map[string]string, error) {
	if path == "" {
		return nil, nil
	}
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, unreadable(path, err)
	}
	defer f.Close()
	raw, err := io.ReadAll(io.LimitReader(f, maxFile))
	if err != nil {
		return nil, unreadable(path, err)
	}
	return parse(string(raw)), nil
}

func unreadable(path string, err error) error {
	var at *fs.PathError
	if errors.As(err, &at) {
		err = at.Err
	}
	return &Error{Message: fmt.Sprintf("the AWS file %s cannot be read: %v", path, err), Hint: "check its rights", err: err}
}

// parse reads the ini dialect of the shared files: sections, `key = value`,
// comments at the beginning of a line or behind white space; indented lines
// belong to a nested setting and are passed over.
func parse(text string) map[string]map[string]string {
	out := map[string]map[string]string{}
	var section map[string]string
	for line := range strings.Lines(strings.TrimPrefix(text, "\ufeff")) {
		indented := strings.HasPrefix(line, " ") || strings.HasPrefix(line, "\t")
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' || line[0] == ';' {
			continue
		}
		if line[0] == '[' {
			name, _, closed := strings.Cut(line[1:], "]")
			if section = nil; !closed {
				continue
			}
			name = strings.Join(strings.Fields(name), " ")
			if section = out[name]; section == nil {
				section = map[string]string{}
				out[name] = section
			}
			continue
		}
		key, value, found := strings.Cut(line, "=")
		if !found || indented || section == nil {
			continue
		}
		for _, mark := range []string{" #", "\t#", " ;", "\t;"} {
			value, _, _ = strings.Cut(value, mark)
		}
		section[strings.ToLower(strings.TrimSpace(key))] = strings.TrimSpace(value)
	}
	return out
}
