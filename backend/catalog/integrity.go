package catalog

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"time"
)

// checkLimit bounds one question to npm.
const checkLimit = 30 * time.Second

// Unchecked says that the hash of a package could not be compared, which is no
// proof of anything: installing needs a person's word then.
type Unchecked struct {
	Package Package
	Reason  string
}

// Error says what was not checked and why.
func (u *Unchecked) Error() string {
	return fmt.Sprintf("the integrity of %s was not checked: %s", u.Package, u.Reason)
}

// Mismatch says that the registry offers other bytes than those the manifest was
// written for.
type Mismatch struct {
	Package    Package
	Want, Have string
}

// Error names the package and both hashes.
func (m *Mismatch) Error() string {
	return fmt.Sprintf("%s is not what the catalogue was written for: the registry says %s, the manifest %s", m.Package, m.Have, m.Want)
}

// Verify compares the hash of each npm package of a manifest with what npm says
// of it now. It covers the package itself; what that depends on is npm's to
// choose. The error is a *Mismatch, an *Unchecked or the context's. checked are
// the packages that agree, unknown those for which the manifest has no hash or
// no version, which only a manifest of a folder can be.
func Verify(ctx context.Context, m Manifest) (checked, unknown []Package, err error) {
	for _, p := range m.Packages() {
		want := m.Integrity[p.Name]
		if !m.Pinned(p) {
			unknown = append(unknown, p)
			continue
		}
		have, err := askNpm(ctx, p)
		if err != nil {
			return checked, unknown, err
		}
		if have != want {
			return checked, unknown, &Mismatch{Package: p, Want: want, Have: have}
		}
		checked = append(checked, p)
	}
	return checked, unknown, nil
}

// Pinned tells whether a package can be compared: the manifest has its hash and
// one exact version, and no switch that makes the launcher fetch something else
// than what npm is asked about here.
func (m Manifest) Pinned(p Package) bool {
	if m.Integrity[p.Name] == "" || !regexp.MustCompile(`^[0-9]+\.[0-9]+\.[0-9]+(?:[-+][0-9A-Za-z.+-]+)?$`).MatchString(p.Version) {
		return false
	}
	for i := 0; i < len(m.Args); i++ {
		switch arg := m.Args[i]; {
		case arg == "-p" || arg == "--package":
			i++
		case arg == "-y" || arg == "--yes" || arg == "-q" || arg == "--quiet" || strings.HasPrefix(arg, "--package="):
		case strings.HasPrefix(arg, "-"):
			return false
		default:
			return true
		}
	}
	return true
}

func askNpm(ctx context.Context, p Package) (string, error) {
	program, err := exec.LookPath("npm")
	if err != nil {
		return "", &Unchecked{Package: p, Reason: "npm is not on PATH"}
	}
	limited, cancel := context.WithTimeout(ctx, checkLimit)
	defer cancel()
	cmd := exec.CommandContext(limited, program, "view", "--json", "--", p.String(), "dist.integrity")
	// A settings file of the folder a person stands in has no say here.
	cmd.Dir = os.TempDir()
	cmd.WaitDelay = time.Second
	var out, errOut bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errOut
	err = cmd.Run()
	switch {
	case ctx.Err() != nil:
		return "", ctx.Err()
	case limited.Err() != nil:
		return "", &Unchecked{Package: p, Reason: fmt.Sprintf("npm gave no answer within %v", checkLimit)}
	case err != nil:
		return "", &Unchecked{Package: p, Reason: "npm failed: " + npmReason(out.Bytes(), errOut.String(), err)}
	}
	var hash string
	if err := json.Unmarshal(out.Bytes(), &hash); err != nil || hash == "" {
		return "", &Unchecked{Package: p, Reason: "npm gave no hash"}
	}
	return hash, nil
}

// npmReason takes the one telling line out of what npm says of an error.
func npmReason(out []byte, errOut string, err error) string {
	var shown struct {
		Error struct{ Code, Summary string }
	}
	if json.Unmarshal(out, &shown) == nil && shown.Error.Code != "" {
		summary, _, _ := strings.Cut(strings.TrimSpace(shown.Error.Summary), "\n")
		return strings.TrimSpace(shown.Error.Code + " " + summary)
	}
	if line, _, _ := strings.Cut(strings.TrimSpace(errOut), "\n"); line != "" {
		return line
	}
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return exit.String()
	}
	return err.Error()
}
