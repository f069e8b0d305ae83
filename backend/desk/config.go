package desk

import (
	"fmt"
	"regexp"
	"strings"

	"hermes/backend/config"
	"hermes/backend/policy"
	"hermes/backend/view"
)

// ConfigGet gives one value of the file, the whole of it for an empty path.
// Secrets are masked. A value that is not there is an error.
func (d *Desk) ConfigGet(path string) (view.ConfigValue, error) {
	snap := d.current().Snapshot()
	if err := readable(snap); err != nil {
		return view.ConfigValue{}, err
	}
	var keys []string
	if path != "" {
		var err error
		if keys, err = config.ParsePath(path); err != nil {
			return view.ConfigValue{}, err
		}
	}
	node := config.Lookup(snap.Tree(), keys)
	if node == nil {
		message := "'" + path + "' is not set"
		if !snap.Exists || path == "" {
			message = "no configuration is written yet"
		}
		return view.ConfigValue{}, Fail(view.Error{Code: "failed", Message: message,
			Hint: "`hermes config get` without a path prints everything, `hermes config set PATH VALUE` writes a value", File: snap.Path}, nil)
	}
	shown := config.Masked(keys, node)
	return view.ConfigValue{Path: config.FormatPath(keys), Text: config.WriteYAML(shown), Value: config.JSONValue(shown),
		File: snap.Path, Line: node.Line, Column: node.Column}, nil
}

// ConfigSet writes one value. Value is the text of a command line: `[]` and
// `{a: b}` are a list and a mapping. A secret goes into `.env`, with a reference
// in the file; it is written out only where the edit says so.
func (d *Desk) ConfigSet(edit view.ConfigEdit) (view.ConfigResult, error) {
	if err := d.ours(); err != nil {
		return view.ConfigResult{}, err
	}
	keys, err := config.ParsePath(edit.Path)
	if err != nil {
		return view.ConfigResult{}, err
	}
	if key := config.Indexed(edit.Path); key != "" {
		return view.ConfigResult{}, Fail(view.Error{Code: "refused", Message: "'" + key + "' looks like the item of a list, which a path cannot name, so nothing was written",
			Hint: "set the list as a whole, or put the key in quotes if it is its name"}, nil)
	}
	if edit.Secret {
		return d.setSecret(keys, edit)
	}
	value, err := config.Value(edit.Value)
	if err != nil {
		return view.ConfigResult{}, err
	}
	warnings := []string{}
	if kind := config.Mistaken(value); kind != "" {
		warnings = append(warnings, "this is the text "+config.Written(value)+", not a "+kind+"; without the inner quotes it is a "+kind)
	}
	if at := secretAt(keys, value); at != nil {
		if !edit.Literal {
			return view.ConfigResult{}, Fail(view.Error{Code: "refused",
				Message: "the value of '" + config.FormatPath(at) + "' looks like a secret, so it was not written into the file",
				Hint: "put it into " + d.current().Home().Env() + " instead: `hermes config set " + config.FormatPath(at) + " --secret` asks for it, stores it there and writes ${" + variableFor(at) +
					"}; --literal writes it out anyway"}, nil)
		}
		warnings = append(warnings, "a secret is written out in the file; `hermes config set "+config.FormatPath(at)+" --secret` keeps it in .env")
	}
	return d.change(keys, value, warnings)
}

// secretAt gives the path of the first secret that a value would write out.
func secretAt(path []string, n *policy.Node) []string {
	if config.IsSecret(path, n) {
		return path
	}
	for i, child := range n.Children {
		below := path
		switch {
		case n.Kind == policy.KindMapping && i%2 == 0:
			continue
		case n.Kind == policy.KindMapping:
			below = append(append([]string{}, path...), n.Children[i-1].Value)
		}
		if at := secretAt(below, child); at != nil {
			return at
		}
	}
	return nil
}

// setSecret stores a value in `.env` and writes a reference to it.
func (d *Desk) setSecret(keys []string, edit view.ConfigEdit) (view.ConfigResult, error) {
	h := d.current()
	value, prefix := strings.TrimSpace(edit.Value), ""
	if strings.EqualFold(keys[len(keys)-1], "authorization") {
		if scheme, token, found := strings.Cut(value, " "); found && strings.EqualFold(scheme, "bearer") {
			value = strings.TrimSpace(token)
		}
		prefix = "Bearer "
	}
	if value == "" {
		return view.ConfigResult{}, Fail(view.Error{Code: "refused", Message: "the secret is empty, so nothing was written", Hint: "give a value"}, nil)
	}
	name := edit.Variable
	if name == "" {
		name = variableFor(keys)
	}
	reference := config.Text(prefix + "${" + name + "}")
	if now := config.Lookup(h.Snapshot().Tree(), keys); edit.Variable == "" && (now == nil || now.Value != reference.Value) && h.HasVariable(name) {
		return view.ConfigResult{}, Fail(view.Error{Code: "refused", Message: "the variable " + name + " is in use in " + h.Home().Env() + ", so nothing was written",
			Hint: "name another one with --env-name, or the same to replace its value"}, nil)
	}
	if err := d.harmless(keys, reference); err != nil {
		return view.ConfigResult{}, err
	}
	warnings, open := []string{}, config.OthersRead(h.Home().Env())
	if err := h.SetEnv(d.ctx, name, value); err != nil {
		return view.ConfigResult{}, err
	}
	if open && !config.OthersRead(h.Home().Env()) {
		warnings = append(warnings, "others could read "+h.Home().Env()+"; it is closed to them now, the keys in it may be known")
	}
	result, err := d.change(keys, reference, warnings)
	if err != nil {
		return result, fmt.Errorf("the secret is stored as %s in .env, but the file was not changed: %w", name, err)
	}
	result.Stored = name
	return result, nil
}

// variableFor names the variable that holds a secret: that of a server's `env`
// itself, the common name for a server's header, else a name from the path.
func variableFor(keys []string) string {
	last := keys[len(keys)-1]
	switch {
	case len(keys) == 4 && keys[0] == topServers && keys[2] == "env":
		return upper(last)
	case len(keys) == 4 && keys[0] == topServers && keys[2] == "headers" && strings.EqualFold(last, "authorization"):
		return "MCP_" + upper(keys[1]) + "_API_KEY"
	}
	return upper(strings.Join(keys, "_"))
}

func upper(s string) string {
	name := strings.Trim(regexp.MustCompile(`[^A-Z0-9]+`).ReplaceAllString(strings.ToUpper(s), "_"), "_")
	if name == "" || name[0] >= '0' && name[0] <= '9' {
		name = "HERMES_" + name
	}
	return name
}

// ConfigUnset removes one key. A key that is not there is an error.
func (d *Desk) ConfigUnset(path string) (view.ConfigResult, error) {
	if err := d.ours(); err != nil {
		return view.ConfigResult{}, err
	}
	keys, err := config.ParsePath(path)
	if err != nil {
		return view.ConfigResult{}, err
	}
	if _, err := d.ConfigGet(path); err != nil {
		return view.ConfigResult{}, err
	}
	return d.change(keys, nil, []string{})
}

// ours refuses an edit that a program of a server asks for.
func (d *Desk) ours() error {
	if by := descendantOf(d.options.Getenv); by != "" {
		return Fail(view.Error{Code: "refused",
			Message: "a program that " + starterName(by) + " started may not change the configuration",
			Hint:    "type the command yourself, in a terminal of your own"}, nil)
	}
	return nil
}

// change sets a value, or removes it for nil, and looks at the disk for what is
// there now.
func (d *Desk) change(keys []string, value *policy.Node, warnings []string) (view.ConfigResult, error) {
	h := d.current()
	if err := d.harmless(keys, value); err != nil {
		return view.ConfigResult{}, err
	}
	result, err := h.Change(d.ctx, wanted(keys, value))
	if err != nil {
		return view.ConfigResult{}, err
	}
	out := view.ConfigResult{Path: config.FormatPath(keys), File: result.Snapshot.Path, Revision: result.Snapshot.Revision, Changed: result.Changed}
	if !h.Stands(keys, value) {
		return out, Fail(view.Error{Code: "failed", Message: "the file was written, but it does not give the value when it is read again",
			Hint: "somebody else may have changed it; look at it and repeat the edit", File: out.File}, nil)
	}
	snap := result.Snapshot
	if keys[0] == "mcp" && (len(keys) == 1 || keys[1] == "hold_lost_filters") {
		if err := h.ConfirmHolding(d.ctx, snap.Settings.HoldFilters); err != nil {
			return out, fmt.Errorf("the file was written, but what it says of holding is not confirmed: %w", err)
		}
		snap = h.Snapshot()
	}
	if value != nil {
		if out.Value = config.WriteYAML(config.Masked(keys, value)); out.Value == config.WriteYAML(value) {
			out.Value = config.Written(value)
		}
	}
	if result.Unrecorded != nil {
		warnings = append(warnings, unrecorded("", result.Unrecorded))
	}
	out.Warnings = append(warnings, changeWarnings(snap, keys)...)
	return out, nil
}

func wanted(keys []string, value *policy.Node) config.Change {
	step := config.Step{Kind: config.StepSet, Path: keys, Value: value}
	if value == nil {
		step.Kind = config.StepDelete
	}
	return config.Change{Steps: []config.Step{step}}
}

// harmless looks at what a value would make of the servers before it is written:
// an entry that has to be refused when it is added is refused here, too. One that
// is in the file like that already may be mended step by step.
func (d *Desk) harmless(keys []string, value *policy.Node) error {
	if value == nil || keys[0] != topServers {
		return nil
	}
	h := d.current()
	preview, err := h.Preview(wanted(keys, value), nil)
	if err != nil {
		return err
	}
	for i := range preview.Servers {
		sv := &preview.Servers[i]
		old, known := h.Snapshot().Server(sv.Name)
		if found := sv.Conn.Suspicious(); len(found) > 0 && !(known && len(old.Conn.Suspicious()) >= len(found)) {
			return notSaved(sv.Name, found)
		}
	}
	return nil
}

// changeWarnings are what a person should know about the state after an edit:
// new problems of the server it is about, and a restriction that stays in force
// although the file does not say so any more.
func changeWarnings(after *config.Snapshot, keys []string) []string {
	out := []string{}
	for i := range after.Servers {
		sv := &after.Servers[i]
		if keys[0] != topServers || len(keys) > 1 && keys[1] != sv.Name {
			continue
		}
		if sv.Rules.IsHeld() {
			out = append(out, "the file no longer restricts '"+sv.Name+"', but Hermes still holds what was in force; `hermes mcp open "+sv.Name+"` accepts the change, `hermes mcp restore "+sv.Name+"` writes the restriction back")
		}
		if len(keys) == 1 {
			continue
		}
		for _, p := range sv.Rules.Problems() {
			out = append(out, p.Message)
		}
		for _, p := range sv.Problems {
			if !p.IsHeld() { // said above, with the ways out
				out = append(out, p.Message)
			}
		}
	}
	for _, p := range after.Exposed() {
		out = append(out, p.File+": "+p.Message+"; "+p.Hint)
	}
	return out
}

// topServers is the key of the file that holds all servers.
const topServers = "mcp_servers"
