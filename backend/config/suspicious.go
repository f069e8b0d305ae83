package config

import (
	"fmt"
	"regexp"
	"strings"

	"hermes/backend/policy"
)

// The codes of what Suspicious and the reader of an entry say about it.
const (
	// CodeSuspicious: the entry has the shape of an attack and is neither saved
	// nor started.
	CodeSuspicious = "server.suspicious"
	// CodeDangerousEnv: a variable of the entry makes any program load foreign
	// code; in a person's own file that is a warning.
	CodeDangerousEnv = "server.dangerous_env"
)

// finding is one reason to refuse an entry. index is the argument it was found
// in, -1 where only all of them together show it.
type finding struct {
	key     string
	index   int
	message string
}

// Suspicious gives the reasons why an entry must be neither saved nor started
// (hermes-mcp reference 4.4): a shell whose arguments reach the network, hide
// what they run, or touch what makes a program come back after a restart; and
// the key of an SSH login anywhere in it. References such as ${VAR} are looked
// at as they are written. It is no whitelist: what it does not name may still do
// harm. Of the campaigns that were seen it knows the shape, a login key planted
// through an entry, and not the indicators of a single one, such as addresses.
func (c Connection) Suspicious() []Problem {
	var out []Problem
	for _, f := range c.findings() {
		out = append(out, Problem{Severity: policy.SeverityError, Code: CodeSuspicious, Params: []string{f.key}, Message: f.message, Hint: suspiciousHint})
	}
	return out
}

const suspiciousHint = "remove the entry unless you wrote it; call the server's own program instead of a shell"

func (c Connection) findings() []finding {
	out := c.loginKeys()
	shell := c.shell()
	if shell == "" {
		return out
	}
	for _, look := range []func(string) string{egressIn, persistenceIn, hiddenIn} {
		if f, ok := c.inArgs(shell, look); ok {
			out = append(out, f)
		}
	}
	if f, ok := c.bareScript(); ok {
		out = append(out, f)
	}
	return out
}

// inArgs asks one look of every argument and of all of them together.
func (c Connection) inArgs(shell string, look func(string) string) (finding, bool) {
	for i, arg := range c.Args {
		if what := look(arg); what != "" {
			return finding{key: "args", index: i, message: fmt.Sprintf("the shell %s %s", shell, what)}, true
		}
	}
	if what := look(c.Command + " " + strings.Join(c.Args, " ")); what != "" {
		return finding{key: "args", index: -1, message: fmt.Sprintf("the shell %s %s", shell, what)}, true
	}
	return finding{}, false
}

// loginKeys finds keys for SSH logins. No honest server needs one in its entry.
func (c Connection) loginKeys() []finding {
	// The body of each such key begins so; without one there is nothing to match.
	if !c.mentions("AAAA") {
		return nil
	}
	key := regexp.MustCompile(`(?:ssh-(?:rsa|dss|ed25519)|ecdsa-sha2-nistp[0-9]+|sk-(?:ssh-ed25519|ecdsa-sha2-nistp256)@openssh\.com)[\s,"'\\]+AAAA[0-9A-Za-z+/]{16}`)
	const message = "the entry holds a key for SSH logins, as attacks that plant one do"
	var out []finding
	if key.MatchString(c.Command) {
		out = append(out, finding{key: "command", index: -1, message: message})
	}
	for i, arg := range c.Args {
		if key.MatchString(arg) {
			out = append(out, finding{key: "args", index: i, message: message})
		}
	}
	if len(out) == 0 && key.MatchString(strings.Join(c.Args, " ")) {
		out = append(out, finding{key: "args", index: -1, message: message})
	}
	for _, name := range sortedKeys(c.Env) {
		if key.MatchString(c.Env[name]) {
			out = append(out, finding{key: "env." + name, index: -1, message: message})
		}
	}
	return out
}

func (c Connection) mentions(text string) bool {
	for _, value := range c.Env {
		if strings.Contains(value, text) {
			return true
		}
	}
	return strings.Contains(c.Command, text) || strings.Contains(strings.Join(c.Args, " "), text)
}

// shell names the shell that the command starts, itself or behind a program
// that starts another one, such as env or sudo. It is empty for none.
func (c Connection) shell() string {
	name := programName(c.Command)
	switch {
	case isShell(name):
		return name
	case (name == "npx" || name == "npm" || name == "pnpm" || name == "yarn") && hasAny(c.Args, "-c", "--call", "--shell-mode"):
		return name
	case !startsOther(name):
		return ""
	}
	for _, arg := range c.Args {
		for _, word := range strings.Fields(plainShell(arg)) {
			if inner := programName(word); isShell(inner) {
				return inner
			}
		}
	}
	return ""
}

func hasAny(args []string, flags ...string) bool {
	for _, arg := range args {
		for _, flag := range flags {
			if arg == flag || strings.HasPrefix(arg, flag+"=") {
				return true
			}
		}
	}
	return false
}

// programName is the base name of a program without .exe, in lower case: file
// names ignore case on two of the three systems.
func programName(command string) string {
	name := strings.ToLower(strings.Trim(strings.TrimSpace(command), `"'`))
	if i := strings.LastIndexAny(name, `/\`); i >= 0 {
		name = name[i+1:]
	}
	// A whole command line in `command` is no program, but means one.
	name, _, _ = strings.Cut(name, " ")
	for _, ending := range []string{".exe", ".com", ".cmd", ".bat"} {
		name = strings.TrimSuffix(name, ending)
	}
	return name
}

func isShell(name string) bool {
	switch name {
	case "sh", "bash", "rbash", "zsh", "dash", "ash", "ksh", "mksh", "csh", "tcsh", "fish", "nu", "cmd", "powershell", "pwsh",
		// These hold a shell and its tools, or hand their argument to one.
		"busybox", "toybox", "su", "script":
		return true
	}
	return false
}

// startsOther names programs that start the program in their arguments.
func startsOther(name string) bool {
	switch name {
	case "env", "sudo", "doas", "run0", "nohup", "nice", "ionice", "timeout", "setsid", "stdbuf", "unbuffer", "xargs", "time", "exec", "command",
		"chroot", "unshare", "nsenter", "setarch", "taskset", "flock", "watch", "parallel", "systemd-run", "start", "conhost", "wsl", "find", "strace":
		return true
	}
	return false
}

// plainShell takes the quotes and escapes out of a text, with which words are
// split so that nobody finds them.
func plainShell(s string) string {
	return strings.NewReplacer(`"`, "", `'`, "", `\`, "", "^", "", "`", " ").Replace(s)
}

// egressIn says how a text reaches the network, "" if it does not.
func egressIn(s string) string {
	program := regexp.MustCompile(`(?i)(?:^|[^a-z0-9_.-])(curl|wget|nc|ncat|netcat|socat|telnet|tftp|aria2c|bitsadmin|certutil|iwr|irm|invoke-webrequest|invoke-restmethod|start-bitstransfer)(?:\.exe)?(?:$|[^a-z0-9_.-])`)
	part := regexp.MustCompile(`(?i)(/dev/(?:tcp|udp)/|openssl\s+s_client|download(?:string|file|data)|net\.webclient|net\.sockets|net\.http\.httpclient|msxml2\.(?:server)?xmlhttp|winhttprequest)`)
	for _, text := range []string{s, plainShell(s)} {
		found := ""
		if m := program.FindStringSubmatch(text); m != nil {
			found = m[1]
		} else if m := part.FindStringSubmatch(text); m != nil {
			found = m[1]
		}
		if found != "" {
			return "reaches the network with " + strings.ToLower(strings.Trim(found, "/")) + sendsNote(text)
		}
	}
	return ""
}

// sendsNote tells a text that sends something away from one that fetches.
func sendsNote(s string) string {
	if regexp.MustCompile(`(?i)(\s(?:-d|-F|-T|--data\S*|--form|--upload-file|--post-(?:file|data)|-Body|-InFile)[\s=@]|\|\s*(?:\S*/)?(?:nc|ncat|netcat|socat|curl)\b|\$\(|\.env\b|id_(?:rsa|ed25519)|\.aws|\.netrc)`).MatchString(s) {
		return ", and it looks as if it sends data away"
	}
	return ""
}

// persistenceIn says which place that programs come back from a text touches,
// "" for none. Reading a start-up file of the shell with `source` is left
// alone: it changes nothing, and honest entries do it to find their program.
func persistenceIn(s string) string {
	part := regexp.MustCompile(`(?i)(authorized_keys|sshd_config|/etc/ssh(?:/|\b)|/etc/pam\.d|/etc/sudoers|\bsudoers\b|\bvisudo\b|\bcrontab\b|/etc/cron|/var/spool/cron|\bsystemctl\b|systemd/(?:system|user)|/etc/rc\.local|/etc/init\.d|ld\.so\.preload|/etc/profile|\blaunchctl\b|Launch(?:Agents|Daemons)|\bschtasks\b|CurrentVersion[\\/]+Run|Start Menu[\\/]+Programs[\\/]+Startup|config\.fish)`)
	folder := regexp.MustCompile(`(?i)(?:^|[\s/\\~"'=>:])(\.ssh)(?:[/\\\s"';]|$)`)
	startup := regexp.MustCompile(`(?i)(?:^|[\s/\\~"'=>}])(\.(?:bashrc|bash_profile|bash_login|bash_logout|bash_aliases|profile|zshrc|zshenv|zprofile|zlogin|kshrc|cshrc|tcshrc|xprofile|xinitrc))(?:$|[^a-z0-9_.-])`)
	sourced := regexp.MustCompile(`(?:^|[\s;&|(])(?:source|\.)\s+\S+`)
	for _, text := range []string{s, plainShell(s)} {
		if m := part.FindStringSubmatch(text); m != nil {
			return "touches " + m[1]
		}
		if m := folder.FindStringSubmatch(text); m != nil {
			return "touches " + m[1]
		}
		if m := startup.FindStringSubmatch(sourced.ReplaceAllString(text, " ")); m != nil {
			return "touches the start-up file " + m[1]
		}
	}
	return ""
}

// hiddenIn says how a text hides what the shell runs, "" if it does not.
func hiddenIn(s string) string {
	encoded := regexp.MustCompile(`(?i)(?:^|\s)[-/]e(?:c|nc\w*)?\s+["']?[a-z0-9+/=]{24,}`)
	decoded := regexp.MustCompile(`(?i)\b(?:base64|openssl\s+(?:enc|base64)|xxd|uudecode)\b[^|;]*\s-\S*[dr]\S*[^|;]*\|\s*(?:\S*/)?(?:ba|z|da|k|fi)?sh\b`)
	inner := regexp.MustCompile(`(?i)(?:powershell|pwsh)\S*\s(?:.*\s)?[-/]e(?:c|nc\w*)?\s+[a-z0-9+/=]{8,}`)
	if encoded.MatchString(s) || decoded.MatchString(s) || inner.MatchString(plainShell(s)) {
		return "runs a command that is encoded so that nobody can read it"
	}
	return ""
}
