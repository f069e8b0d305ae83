package catalog

import (
	"fmt"
	"slices"
	"strings"

	"hermes/backend/config"
	"hermes/backend/policy"
)

// Request is what a plan is made from. Values are a person's answers by
// variable; Have tells variables that `.env` or the environment already sets.
// Existing is the entry of that name in the file, nil for none. Dir is the
// folder of the fetched repository.
type Request struct {
	Manifest Manifest
	Values   map[string]string
	Have     func(name string) bool
	Existing *policy.Node
	Dir      string
}

// Plan is what installing does: Secrets go to `.env` first, then Steps to the
// file in one write. Missing are required variables nobody gave. Notes say what
// a person may not expect. Replaces is the target of an existing entry that
// starts or contacts something else than the manifest, empty otherwise.
type Plan struct {
	Steps    []config.Step
	Secrets  []Secret
	Missing  []Variable
	Notes    []string
	Replaces string
}

// Secret is a value for `.env`.
type Secret struct{ Name, Value string }

// planner collects one plan.
type planner struct {
	Request
	plan Plan
	path []string
}

// Make makes the plan of an install. It reads and writes nothing. An existing
// entry keeps its rules, `trust`, time limits, `enabled`, what a person added to
// env and headers, and every key the manifest does not speak of; only how it is
// reached is renewed. A new one is not trusted and begins with the manifest's
// rules, or locked where there are none.
func Make(r Request) (Plan, error) {
	p := &planner{Request: r, path: []string{"mcp_servers", r.Manifest.Name}}
	if r.Have == nil {
		p.Have = func(string) bool { return false }
	}
	if e := r.Existing; e != nil && !isEmpty(e) && e.Kind != policy.KindMapping {
		return Plan{}, &config.Refused{
			Message: fmt.Sprintf("the entry %s in the file is not a mapping", r.Manifest.Name), Line: e.Line, Column: e.Column,
			Hint: "mend or remove it, then install again",
		}
	}
	p.answers()
	if r.Existing == nil || isEmpty(r.Existing) {
		p.fresh()
	} else {
		p.renew()
	}
	return p.plan, nil
}

func isEmpty(n *policy.Node) bool { return n.Kind == policy.KindScalar && n.Tag == "!!null" }

// answers sorts the variables into given, already set, and missing.
func (p *planner) answers() {
	for _, v := range p.Manifest.Auth.Env {
		value := strings.TrimSpace(p.Values[v.Name])
		if v.Name == BearerVariable(p.Manifest.Name) {
			value = withoutBearer(value)
		}
		switch {
		case value != "":
			p.plan.Secrets = append(p.plan.Secrets, Secret{v.Name, value})
		case p.Have(v.Name):
			p.note("%s is already set and is used as it is", v.Name)
		case v.Default != "":
			p.plan.Secrets = append(p.plan.Secrets, Secret{v.Name, v.Default})
			p.note("%s is set to %s", v.Name, v.Default)
		case v.Required && !p.literal(v.Name):
			p.plan.Missing = append(p.plan.Missing, v)
		}
	}
}

// withoutBearer takes the word off a pasted header: the template has it.
func withoutBearer(s string) string {
	if len(s) > 7 && strings.EqualFold(s[:7], "bearer ") {
		return strings.TrimSpace(s[7:])
	}
	return s
}

// literal tells that the existing entry has a value of its own for a variable.
func (p *planner) literal(name string) bool {
	n := p.at("env", name)
	return n != nil && n.Kind == policy.KindScalar && n.Value != "" && !strings.Contains(n.Value, "${"+name+"}")
}

// known tells a variable that will be set once the plan is done.
func (p *planner) known(name string) bool {
	return p.Have(name) || slices.ContainsFunc(p.plan.Secrets, func(s Secret) bool { return s.Name == name })
}

func (p *planner) note(format string, args ...any) {
	p.plan.Notes = append(p.plan.Notes, fmt.Sprintf(format, args...))
}

func (p *planner) at(keys ...string) *policy.Node { return config.Lookup(p.Existing, keys) }

func (p *planner) place(keys ...string) []string { return append(slices.Clone(p.path), keys...) }

func (p *planner) set(value *policy.Node, keys ...string) {
	p.plan.Steps = append(p.plan.Steps, config.Step{Kind: config.StepSet, Path: p.place(keys...), Value: value})
}

// inDir replaces the folder of the repository.
func (p *planner) inDir(s string) string { return strings.ReplaceAll(s, installDir, p.Dir) }

func (p *planner) args() []string {
	out := make([]string, len(p.Manifest.Args))
	for i, arg := range p.Manifest.Args {
		out[i] = p.inDir(arg)
	}
	return out
}

// env gives the variables of the entry: fixed ones, and a reference for each
// that a person gives, unless the arguments already refer to it. A reference to
// a variable that is not set would keep the server from starting.
func (p *planner) env() (names []string, values map[string]string) {
	values = map[string]string{}
	for _, name := range sortedKeys(p.Manifest.Env) {
		names = append(names, name)
		values[name] = p.inDir(p.Manifest.Env[name])
	}
	written := strings.Join(append(append([]string{p.Manifest.Command, p.Manifest.URL}, p.Manifest.Args...), mapValues(p.Manifest.Env)...), " ")
	for _, v := range p.Manifest.Auth.Env {
		if p.Manifest.Transport == config.TransportHTTP || strings.Contains(written, "${"+v.Name+"}") || !p.known(v.Name) {
			continue
		}
		if _, fixed := values[v.Name]; !fixed {
			names = append(names, v.Name)
		}
		values[v.Name] = "${" + v.Name + "}"
	}
	return names, values
}

func mapValues(m map[string]string) []string {
	out := make([]string, 0, len(m))
	for _, key := range sortedKeys(m) {
		out = append(out, m[key])
	}
	return out
}

func (p *planner) bearer() string {
	return "Bearer ${" + BearerVariable(p.Manifest.Name) + "}"
}

// fresh plans a new entry as one value.
func (p *planner) fresh() {
	m := p.Manifest
	var pairs []any
	if m.Transport == config.TransportHTTP {
		pairs = append(pairs, "url", m.URL)
		switch {
		case m.Auth.Kind == AuthAPIKey:
			pairs = append(pairs, "headers", config.Map("Authorization", p.bearer()))
		case m.Auth.Kind == AuthOAuth:
			pairs = append(pairs, "auth", AuthOAuth)
		}
	} else {
		pairs = append(pairs, "command", p.inDir(m.Command))
		if len(m.Args) > 0 {
			pairs = append(pairs, "args", p.args())
		}
		if names, values := p.env(); len(names) > 0 {
			var env []any
			for _, name := range names {
				env = append(env, name, values[name])
			}
			pairs = append(pairs, "env", config.Map(env...))
		}
	}
	pairs = append(pairs, "enabled", true, "trust", "untrusted", "tools", policy.NewTools(m.Tools.Only, m.Tools.Except))
	p.set(config.Map(pairs...))
	if len(m.Tools.Only) == 0 && len(m.Tools.Except) == 0 {
		p.note("no tool is released yet; choose with `hermes mcp configure %s`", m.Name)
	}
}

// renew plans the steps that change how an existing entry is reached.
func (p *planner) renew() {
	m := p.Manifest
	p.replaced()
	if p.plan.Replaces != "" {
		p.forget("env", "headers", "auth", "cwd", "transport", "builtin", "root")
	}
	if m.Transport == config.TransportHTTP {
		p.renewHTTP()
	} else {
		p.renewProgram()
	}
	if m.Auth.Kind == AuthOAuth {
		p.renewText(AuthOAuth, "auth")
	} else if n := p.at("auth"); n != nil && n.Kind == policy.KindScalar && n.Value == AuthOAuth {
		p.drop("auth")
	}
	if len(p.plan.Steps) == 0 {
		p.note("the entry is up to date")
		return
	}
	p.note("the rules, trust, time limits and other keys of the entry are kept")
}

func (p *planner) renewHTTP() {
	p.renewText(p.Manifest.URL, "url")
	p.drop("command")
	p.drop("args")
	if p.Manifest.Auth.Kind == AuthAPIKey && p.known(BearerVariable(p.Manifest.Name)) {
		p.renewText(p.bearer(), "headers", "Authorization")
	}
}

func (p *planner) renewProgram() {
	m := p.Manifest
	p.drop("url")
	p.renewText(p.inDir(m.Command), "command")
	if args := p.renewedArgs(); !slices.Equal(args, scalars(p.at("args"))) {
		p.set(restyled(p.at("args"), args), "args")
	}
	names, values := p.env()
	for _, name := range names {
		old := p.at("env", name)
		if _, fixed := m.Env[name]; fixed && old != nil && old.Value != values[name] {
			p.note("env.%s keeps your value", name)
			continue
		}
		p.renewText(values[name], "env", name)
	}
}

// replaced notes what the entry starts or contacts now where that is something
// else. A program of ours and an address win over a command in the file, too.
func (p *planner) replaced() {
	m := p.Manifest
	if n := p.at("builtin"); text(n) != "" {
		p.plan.Replaces = "built-in " + text(n)
		return
	}
	if n := p.at("url"); text(n) != "" {
		if text(n) != m.URL {
			p.plan.Replaces = address(n)
		}
		return
	}
	now := Manifest{Command: text(p.at("command")), Args: scalars(p.at("args"))}
	switch {
	case now.Command == "" || p.samePackage(now):
	case m.Transport == config.TransportStdio && len(m.Packages()) == 0 && now.Command == p.inDir(m.Command):
	default:
		p.plan.Replaces = now.Connection().Target()
	}
}

// forget takes keys away that belong to the server that is replaced: another
// program must not get its values.
func (p *planner) forget(keys ...string) {
	var gone []string
	kept := *p.Existing
	kept.Children = nil
	for i := 0; i+1 < len(p.Existing.Children); i += 2 {
		key := p.Existing.Children[i]
		if slices.Contains(keys, key.Value) {
			p.drop(key.Value)
			gone = append(gone, key.Value)
			continue
		}
		kept.Children = append(kept.Children, key, p.Existing.Children[i+1])
	}
	p.Existing = &kept
	if len(gone) > 0 {
		p.note("the other server's %s are removed", strings.Join(gone, ", "))
	}
}

// address shows a URL with its secrets masked.
func address(n *policy.Node) string {
	return config.Connection{Transport: config.TransportHTTP, URL: text(n)}.Target()
}

func (p *planner) samePackage(now Manifest) bool {
	have, want := now.Packages(), p.Manifest.Packages()
	return len(have) > 0 && len(want) > 0 && have[0].Name == want[0].Name
}

// renewedArgs are the manifest's arguments, or, where the entry already starts
// the same package, its own with the version renewed: what a person added, such
// as folders, is theirs.
func (p *planner) renewedArgs() []string {
	now := Manifest{Command: text(p.at("command")), Args: scalars(p.at("args"))}
	if !p.samePackage(now) {
		return p.args()
	}
	want := p.Manifest.Packages()[0]
	out := slices.Clone(now.Args)
	for i, arg := range out {
		if splitPackage(arg).Name == want.Name {
			out[i] = want.String()
			break
		}
	}
	if args := p.args(); !slices.Equal(out, args) {
		p.note("your arguments are kept; those of the catalogue are: %s", strings.Join(args, " "))
	}
	return out
}

func (p *planner) renewText(value string, keys ...string) {
	if n := p.at(keys...); n != nil && n.Kind == policy.KindScalar && n.Value == value {
		return
	}
	p.set(config.Text(value), keys...)
}

func (p *planner) drop(key string) {
	if p.at(key) != nil {
		p.plan.Steps = append(p.plan.Steps, config.Step{Kind: config.StepDelete, Path: p.place(key)})
	}
}

func text(n *policy.Node) string {
	if n == nil || n.Kind != policy.KindScalar {
		return ""
	}
	return n.Value
}

func scalars(n *policy.Node) []string {
	if n == nil || n.Kind != policy.KindSequence {
		return nil
	}
	out := make([]string, 0, len(n.Children))
	for _, item := range n.Children {
		out = append(out, text(item))
	}
	return out
}

// restyled makes a list of the texts in the style of the one it replaces, whose
// items keep their quotes.
func restyled(old *policy.Node, texts []string) *policy.Node {
	list := config.List(texts...)
	if old == nil || old.Kind != policy.KindSequence {
		return list
	}
	list.Style = old.Style
	for i, item := range old.Children {
		if i < len(list.Children) && item.Kind == policy.KindScalar {
			list.Children[i].Style = item.Style
		}
	}
	return list
}
