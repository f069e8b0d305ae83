package desk

import (
	"context"
	"maps"
	"slices"

	"hermes/backend/config"
	"hermes/backend/policy"
	"hermes/backend/view"
)

const keyServers = "mcp_servers"

// Save writes the draft and gives what the file says of the server then, read
// from the disk once more. Without a choice a new server is locked, and an
// entry that is overwritten keeps its rules.
func (r *Draft) Save(ctx context.Context, enabled bool, choice *view.ToolChoice) (view.Saved, error) {
	if choice != nil && r.Keeps() {
		return view.Saved{}, usage("the tool rules of '"+r.new.Name+"' stay as they are", "change them afterwards: hermes mcp configure "+r.new.Name)
	}
	change := config.Change{Steps: r.steps(enabled, choice), Seen: r.seen}
	expected, err := r.host.Preview(change, r.variables)
	if err != nil {
		return view.Saved{}, err
	}
	if err := r.exact(expected, choice); err != nil {
		return view.Saved{}, err
	}
	for _, variable := range slices.Sorted(maps.Keys(r.variables)) {
		if err := r.host.SetEnv(ctx, variable, r.variables[variable]); err != nil {
			return view.Saved{}, err
		}
	}
	if _, err := r.host.Change(ctx, change); err != nil {
		return view.Saved{}, err
	}
	now := r.host.ReadBack()
	server, ok := now.Server(r.new.Name)
	want, _ := expected.Server(r.new.Name)
	if !ok || now.Broken || want == nil || server.Enabled != want.Enabled || server.Conn.Target() != want.Conn.Target() ||
		!policy.ReadServer(server.Entry).Equal(policy.ReadServer(want.Entry)) {
		return view.Saved{}, Fail(view.Error{Code: "failed", Message: "the file does not say what was saved: another program changed it at the same moment",
			Hint: "look at it and try again", File: now.Path}, nil)
	}
	names := toolNames(r.status.Tools)
	out := view.Saved{
		Server: server.Name, Path: now.Path, Revision: now.Revision, Enabled: server.Enabled, Untrusted: server.Untrusted,
		Rules: wordsView(server.Rules.List()), Live: liveView(server.Rules, names, r.looked),
		Kept: r.kept(), Variables: slices.Sorted(maps.Keys(r.variables)),
		Problems: append(problemViews(server.Problems), policyProblems(server.Rules.Problems(), now.Path)...),
	}
	out.Variables = list(out.Variables)
	return out, nil
}

// exact refuses a selection that would be read as more than its names: a tool
// may be called like a pattern.
func (r *Draft) exact(expected *config.Snapshot, choice *view.ToolChoice) error {
	server, ok := expected.Server(r.new.Name)
	if choice == nil || choice.All || !ok {
		return nil
	}
	names := policy.ReadServer(server.Entry).Names()
	for _, name := range choice.Names {
		if !slices.Contains(names, name) {
			return Fail(view.Error{Code: "refused", Message: "the name of the tool " + name + " would be read as a pattern", Hint: "leave it out; nothing was saved"}, nil)
		}
	}
	return nil
}

// kept names the keys of an overwritten entry that are not touched.
func (r *Draft) kept() []string {
	out := []string{}
	if !r.Keeps() {
		return out
	}
	touched := map[string]bool{}
	for _, step := range r.steps(true, nil) {
		touched[step.Path[2]] = true
	}
	for i := 0; i+1 < len(r.old.Entry.Children); i += 2 {
		if key := r.old.Entry.Children[i].Value; !touched[key] {
			out = append(out, key)
		}
	}
	return out
}

// steps are what the draft makes of the file: a whole entry, or the keys of an
// existing one that say how the server is reached.
func (r *Draft) steps(enabled bool, choice *view.ToolChoice) []config.Step {
	if !r.Keeps() {
		return []config.Step{{Kind: config.StepSet, Path: []string{keyServers, r.new.Name}, Value: r.entry(enabled, choice)}}
	}
	w := &stepWriter{base: []string{keyServers, r.new.Name}, entry: r.old.Entry}
	same := r.old.Conn.Command == r.new.Command && slices.Equal(r.old.Conn.Args, r.new.Args) && r.old.Conn.URL == r.new.URL
	w.drop("builtin", "root")
	if r.new.URL != "" {
		w.drop("command", "args", "env", "cwd")
		if r.old.Conn.URL == "" {
			w.drop("transport")
		}
		w.set(config.Text(r.new.URL), "url")
	} else {
		w.drop("url", "headers", "transport", "auth")
		w.set(config.Text(r.new.Command), "command")
		if len(r.new.Args) > 0 {
			w.set(config.List(r.new.Args...), "args")
		} else {
			w.drop("args")
		}
	}
	// What another program or address must not see goes with the old one.
	if !same {
		w.drop("env", "headers", "auth", "cwd")
	}
	for _, key := range slices.Sorted(maps.Keys(r.new.Env)) {
		w.set(config.Text(r.new.Env[key]), "env", key)
	}
	if r.header != "" {
		w.set(config.Text(bearerTemplate(r.header)), "headers", "Authorization")
	}
	if r.new.ConnectTimeout > 0 {
		w.set(typed(r.new.ConnectTimeout), "connect_timeout")
	}
	if r.new.Trust != "" {
		w.set(config.Text(r.new.Trust), "trust")
	}
	w.set(typed(enabled), "enabled")
	return w.steps
}

// stepWriter collects the steps within one entry.
type stepWriter struct {
	base  []string
	entry *policy.Node
	steps []config.Step
}

func (w *stepWriter) set(value *policy.Node, path ...string) {
	w.steps = append(w.steps, config.Step{Kind: config.StepSet, Path: slices.Concat(w.base, path), Value: value})
}

// drop removes keys that are there. A key that is set again afterwards is not
// named twice to the person: the steps work one after the other.
func (w *stepWriter) drop(keys ...string) {
	for _, key := range keys {
		done := slices.ContainsFunc(w.steps, func(s config.Step) bool { return s.Kind == config.StepDelete && s.Path[2] == key })
		if config.Lookup(w.entry, []string{key}) != nil && !done {
			w.steps = append(w.steps, config.Step{Kind: config.StepDelete, Path: slices.Concat(w.base, []string{key})})
		}
	}
}

func bearerTemplate(variable string) string { return "Bearer ${" + variable + "}" }

// typed makes the value of a number or a truth.
func typed(value any) *policy.Node { return config.Map("value", value).Children[1] }

// entry is the whole entry of a new server.
func (r *Draft) entry(enabled bool, choice *view.ToolChoice) *policy.Node {
	pairs := []any{}
	add := func(key string, value any) { pairs = append(pairs, key, value) }
	if r.new.URL != "" {
		add("url", r.new.URL)
	} else {
		add("command", r.new.Command)
		if len(r.new.Args) > 0 {
			add("args", r.new.Args)
		}
	}
	if len(r.new.Env) > 0 {
		env := []any{}
		for _, key := range slices.Sorted(maps.Keys(r.new.Env)) {
			env = append(env, key, r.new.Env[key])
		}
		add("env", config.Map(env...))
	}
	if r.header != "" {
		add("headers", config.Map("Authorization", bearerTemplate(r.header)))
	}
	if r.new.ConnectTimeout > 0 {
		add("connect_timeout", r.new.ConnectTimeout)
	}
	trust := r.new.Trust
	if trust == "" {
		trust = "untrusted"
	}
	add("trust", trust)
	add("enabled", enabled)
	if choice == nil || !choice.All {
		names := []string{}
		if choice != nil {
			names = append(names, choice.Names...)
		}
		add("tools", policy.NewTools(names, nil))
	}
	return config.Map(pairs...)
}
