package desk

import (
	"path/filepath"
	"slices"
	"strings"

	"hermes/backend/view"
)

// HookLook shows one hook with the files that would be trusted. Nothing is started.
func (d *Desk) HookLook(pick view.HookPick) (view.HookLook, error) {
	seen, err := d.picked(pick)
	if err != nil {
		return view.HookLook{}, err
	}
	runner, rule, err := d.rule(seen)
	if err != nil {
		return view.HookLook{}, err
	}
	h := d.current()
	trust, contents := runner.Contents(rule)
	out := view.HookLook{Hook: hookView(h.Snapshot(), seen.Index-1, rule, trust), Name: hookName(rule.Command), Contents: []view.HookContent{}}
	for _, c := range contents {
		out.Contents = append(out.Contents, view.HookContent{Path: c.Path, SHA256: c.SHA256, Text: h.MaskKnown(c.Text), Cut: c.Cut})
	}
	return out, nil
}

// TrustSeen is TrustHook for the page: with exactly the files that were shown, and
// the name that a person types where the command line has the command itself.
func (d *Desk) TrustSeen(wish view.HookTrust) (view.HookChange, error) {
	if err := d.mine("trust a hook"); err != nil {
		return view.HookChange{}, err
	}
	seen, err := d.picked(wish.Pick)
	if err != nil {
		return view.HookChange{}, err
	}
	if name := hookName(seen.Command); strings.TrimSpace(wish.Typed) != name {
		return view.HookChange{}, Fail(view.Error{Code: "usage", Message: "the name of the hook was not typed", Hint: "type " + name, File: seen.File, Line: seen.Line}, nil)
	}
	// Asked again where the consent is written.
	if !slices.Equal(seen.Files, wish.Files) {
		return view.HookChange{}, Fail(view.Error{Code: "conflict", Message: "the files of the hook are not those that were shown; nothing was trusted", Hint: "look again", File: seen.File, Line: seen.Line}, nil)
	}
	seen.Files = wish.Files
	return d.TrustHook(seen)
}

// ForgetHook is RevokeHook for the page, which names the hook whole.
func (d *Desk) ForgetHook(pick view.HookPick) (view.HookChange, error) {
	if err := d.mine("take the trust in a hook back"); err != nil {
		return view.HookChange{}, err
	}
	consents := d.current().HookConsents()
	seen, err := d.picked(pick)
	if err != nil {
		seen = view.Hook{Event: pick.Event, Matcher: pick.Matcher, Command: pick.Command, Files: []view.HookFile{}, File: consents.Path()}
	}
	return revoked(consents, seen)
}

// picked finds a hook of the file by all that tells it from others.
func (d *Desk) picked(pick view.HookPick) (view.Hook, error) {
	list, err := d.Hooks()
	if err != nil {
		return view.Hook{}, err
	}
	for _, h := range list.Hooks {
		if h.Event == pick.Event && h.Matcher == pick.Matcher && h.Command == pick.Command {
			return h, nil
		}
	}
	return view.Hook{}, Fail(view.Error{Code: "failed", Message: "the hook is not in the file any more", Hint: "look at the list again", File: list.File}, nil)
}

// hookName is what a person types to trust a hook: the name of its script, which
// mostly stands last, or of its program.
func hookName(command string) string {
	fields := strings.Fields(command)
	if len(fields) == 0 {
		return command
	}
	name := fields[0]
	for _, field := range fields {
		if strings.Contains(field, "/") {
			name = field
		}
	}
	return filepath.Base(strings.Trim(name, `'"`))
}
