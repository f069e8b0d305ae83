package config

import (
	"fmt"
	"strings"

	"hermes/backend/policy"
)

// suspicions adds what the checks of an entry say, each at its place. The
// errors among it keep the server from starting (MayRun).
func (r *entryReader) suspicions(c Connection) {
	for _, f := range c.findings() {
		r.complain(policy.SeverityError, CodeSuspicious, r.placeOf(f), suspiciousHint, "%s; the server is not started", f.message)
		r.problems[len(r.problems)-1].Params = []string{f.key}
	}
	for _, f := range c.assignments() {
		key := "args"
		if f.index < 0 {
			key = "command"
		}
		r.dangerous(f.key, r.placeOf(finding{key: key, index: f.index}))
	}
	_, env := pair(r.entry, "env")
	if env == nil || env.Kind != policy.KindMapping {
		return
	}
	for i := 0; i+1 < len(env.Children); i += 2 {
		key := env.Children[i]
		if key.Kind != policy.KindScalar || !DangerousVariable(key.Value) {
			continue
		}
		r.dangerous(key.Value, key)
	}
}

func (r *entryReader) dangerous(variable string, at *policy.Node) {
	r.complain(policy.SeverityWarning, CodeDangerousEnv, at, "remove it unless you know why it is there",
		"the variable %s makes the server's program load or run foreign code", variable)
	r.problems[len(r.problems)-1].Params = []string{variable}
}

// placeOf gives the node a finding is about, the whole value of its key where
// it is in no single one.
func (r *entryReader) placeOf(f finding) *policy.Node {
	top, name, _ := strings.Cut(f.key, ".")
	key, value := pair(r.entry, top)
	switch {
	case key == nil:
		return r.entry
	case name != "":
		if inner, _ := pair(value, name); inner != nil {
			return inner
		}
	case f.index >= 0 && value.Kind == policy.KindSequence && f.index < len(value.Children):
		return value.Children[f.index]
	}
	return key
}

// checkSpawn refuses a connection whose references, once filled in, make it
// suspicious: the last look before a program starts.
func (c Connection) checkSpawn(home Home) error {
	found := Connection{Command: c.Command, Args: c.Args}.findings()
	if len(found) == 0 {
		return nil
	}
	return &Refused{Message: fmt.Sprintf("not started: %s", found[0].message), Hint: suspiciousHint, File: home.Config()}
}
