package approval

import (
	"encoding/json"
	"fmt"
	"strings"
)

// DenyGlob is one entry of approvals.deny and where it stands (file:line).
type DenyGlob struct{ Pattern, Where string }

// Options are the approval settings of a home and of this run.
type Options struct {
	// Mode is approvals.mode as written: off asks nobody; everything else, also
	// smart and words nobody knows, is manual (DESIGN invariant 12).
	Mode string
	Deny []DenyGlob
	// Yolo is the flag --yolo: like the mode off, for one run.
	Yolo bool
}

// Rules are the settings a call is decided by. The zero value denies
// everything.
type Rules struct {
	known bool
	deny  []DenyGlob
	asks  bool
}

// New reads the settings.
func New(o Options) Rules {
	r := Rules{known: true, deny: o.Deny, asks: !o.Yolo}
	switch strings.ToLower(strings.TrimSpace(o.Mode)) {
	case "off", "false", "no": // YAML 1.1 reads a bare off as false
		r.asks = false
	}
	return r
}

// Facts are what is known about a call. ReadOnly and Destructive are the
// server's own words, nil if it said nothing: they are shown to whoever
// decides and never make a call need less (DESIGN section 5).
type Facts struct {
	Public, Server, Tool string
	// Arguments is the JSON object the tool would get.
	Arguments string
	// Untrusted is the server's trust setting, Where the line that says so.
	Untrusted             bool
	Where                 string
	ReadOnly, Destructive *bool
}

// Decision is the answer to a call. The zero value denies. Rule is what
// decided: "deny", "untrusted", "unknown" or "".
type Decision struct {
	Allowed bool
	Rule    string
	Reason  string
}

// Decide answers for one call: first the deny globs, which no flag lifts, then
// the trust in the server. A call that a person would have to approve is
// refused: nobody is asked here.
func (r Rules) Decide(f Facts) Decision {
	if !r.known {
		return Decision{Rule: "unknown", Reason: "The approval settings were not read, so nothing may run. The call was not sent."}
	}
	for _, glob := range r.deny {
		if what, hit := glob.match(f); hit {
			return Decision{Rule: "deny", Reason: fmt.Sprintf("%sapprovals.deny %q forbids this call (it matches %s), whatever --yolo says. The call was not sent; do not retry it.", place(glob.Where), glob.Pattern, what)}
		}
	}
	if f.Untrusted && r.asks {
		return Decision{Rule: "untrusted", Reason: fmt.Sprintf("%sthe server %q is not trusted, so a person has to approve each of its calls, and nobody can be asked here. The call was not sent; do not retry it. To allow it, a person writes `trust: full` for that server or starts Hermes with --yolo.", place(f.Where), f.Server)}
	}
	return Decision{Allowed: true}
}

func place(where string) string {
	if where == "" {
		return ""
	}
	return where + ": "
}

// match looks at everything a glob may have been written for: the names of the
// tool and every text among the arguments, such as a shell command. It returns
// which of them it was.
func (g DenyGlob) match(f Facts) (what string, hit bool) {
	pattern := strings.ToLower(g.Pattern)
	names := []string{f.Public, f.Tool, f.Server}
	if f.Server != "" {
		names = append(names, f.Server+":"+f.Tool)
	}
	for _, name := range names {
		if name != "" && globMatch(pattern, strings.ToLower(name)) {
			return name, true
		}
	}
	var arguments any
	if json.Unmarshal([]byte(f.Arguments), &arguments) != nil {
		arguments = f.Arguments
	}
	if anyText(arguments, func(text string) bool { return globMatch(pattern, strings.ToLower(strings.TrimSpace(text))) }) {
		return "one of its arguments", true
	}
	return "", false
}

func anyText(value any, hit func(string) bool) bool {
	switch v := value.(type) {
	case string:
		return v != "" && hit(v)
	case []any:
		for _, item := range v {
			if anyText(item, hit) {
				return true
			}
		}
	case map[string]any:
		for _, item := range v {
			if anyText(item, hit) {
				return true
			}
		}
	}
	return false
}
