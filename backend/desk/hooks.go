package desk

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"hermes/backend/config"
	"hermes/backend/hook"
	"hermes/backend/message"
	"hermes/backend/view"
)

// Hooks lists the hooks of the file and whether each may run. Nothing is started.
func (d *Desk) Hooks() (view.HooksList, error) {
	h := d.current()
	snap := h.Snapshot()
	runner, rules := h.Hooks()
	out := view.HooksList{File: snap.Path, Consents: h.HookConsents().Path(), Hooks: []view.Hook{}, NotRun: []view.HookElsewhere{}, Problems: []view.Problem{}, Notes: []string{}}
	for i, rule := range rules {
		out.Hooks = append(out.Hooks, hookView(snap, i, rule, runner.Examine(rule)))
	}
	for _, other := range snap.Restrictions.OtherHooks {
		why := message.Say(message.HookOfAgent)
		if meant := other.MeantEvent(); meant != "" {
			why = message.Say(message.HookMisspelt, meant)
		}
		out.NotRun = append(out.NotRun, view.HookElsewhere{Event: other.Event, Command: other.Command, File: snap.Path, Line: other.Line,
			Reason: why.Text, Said: saidViews([]message.Saying{why})})
	}
	consents, err := h.HookConsents().List()
	if err != nil {
		out.Problems = append(out.Problems, view.Problem{Severity: view.SeverityError, Code: "hooks.consents", Params: []string{}, Message: err.Error(),
			Hint: "look at the file; until then no hook is trusted", File: out.Consents})
	}
	for _, c := range consents {
		if !slices.ContainsFunc(rules, consentOf(c)) {
			out.NotRun = append(out.NotRun, view.HookElsewhere{Event: c.Event, Matcher: c.Matcher, Command: c.Command, File: out.Consents, Consent: true,
				Reason: message.HookLeft.Text(), Said: saidViews([]message.Saying{message.Say(message.HookLeft)})})
		}
	}
	for _, p := range snap.Problems {
		if strings.HasPrefix(p.Code, "hooks.") || slices.ContainsFunc(p.Params, func(param string) bool { return param == "hooks" || strings.HasPrefix(param, "hooks.") }) {
			out.Problems = append(out.Problems, problemView(p))
		}
	}
	if snap.Broken {
		out.Problems = append(out.Problems, problemViews(snap.Problems)...)
	}
	out.Notes = d.hookNotes(snap)
	return out, nil
}

func consentOf(c hook.Consent) func(hook.Rule) bool {
	return func(r hook.Rule) bool {
		return c.Event == r.Event && c.Matcher == r.Matcher && c.Command == r.Command
	}
}

// hookNotes say which words for "run them all" count for nothing here: a file or
// a variable is no person.
func (d *Desk) hookNotes(snap *config.Snapshot) []string {
	notes := []string{}
	if snap.AutoAcceptsHooks() {
		notes = append(notes, "`hooks_auto_accept` is no consent here: whoever can write the file could give it")
	}
	if d.options.Getenv != nil && d.options.Getenv("HERMES_ACCEPT_HOOKS") != "" {
		notes = append(notes, "HERMES_ACCEPT_HOOKS is no consent here")
	}
	if _, err := os.Lstat(filepath.Join(d.current().Home().Dir, "shell-hooks-allowlist.json")); err == nil {
		notes = append(notes, "the consents of Hermes Agent (shell-hooks-allowlist.json) do not count here: they know no content")
	}
	return notes
}

func hookView(snap *config.Snapshot, i int, rule hook.Rule, trust hook.Trust) view.Hook {
	out := view.Hook{Index: i + 1, Event: rule.Event, Matcher: rule.Matcher, Command: rule.Command, Timeout: rule.Timeout.Seconds(),
		FailOpen: rule.FailOpen, State: view.HookState(trust.State), Reason: trust.Reason, Said: saidViews(message.Recognise(trust.Reason)), Files: []view.HookFile{}, Note: trust.Note, File: snap.Path}
	if !trust.ApprovedAt.IsZero() {
		out.ApprovedAt = moment(trust.ApprovedAt)
	}
	if _, line, ok := strings.Cut(rule.Where, snap.Path+":"); ok {
		out.Line, _ = strconv.Atoi(line)
	}
	for _, f := range trust.Files {
		out.Files = append(out.Files, view.HookFile{Path: f.Path, SHA256: f.SHA256})
	}
	return out
}

// FindHook gives the one hook that a person means: by its number in the list, by
// its whole command, or by the name of a file in the command.
func (d *Desk) FindHook(word string) (view.Hook, error) {
	list, err := d.Hooks()
	if err != nil {
		return view.Hook{}, err
	}
	var found []view.Hook
	names := []string{}
	for _, h := range list.Hooks {
		names = append(names, strconv.Itoa(h.Index)+" ("+h.Command+")")
		if strconv.Itoa(h.Index) == word {
			return h, nil
		}
		if h.Command == word || slices.ContainsFunc(strings.Fields(h.Command), func(field string) bool {
			return filepath.Base(strings.Trim(field, `'"`)) == word
		}) {
			found = append(found, h)
		}
	}
	if len(found) == 1 {
		return found[0], nil
	}
	hint := "there is none in " + list.File
	if len(names) > 0 {
		hint = "available: " + strings.Join(names, ", ")
	}
	what := "there is no hook '" + word + "'"
	if len(found) > 1 {
		what = "'" + word + "' is the name of several hooks"
	}
	return view.Hook{}, Fail(view.Error{Code: "failed", Message: what, Hint: hint, File: list.File}, nil)
}

// mine refuses what only a person may do with hooks.
func (d *Desk) mine(what string) error {
	if by := descendantOf(d.options.Getenv); by != "" {
		return Fail(view.Error{Code: "refused", Message: "a program that " + starterName(by) + " started may not " + what,
			Hint: "type the command yourself, in a terminal of your own"}, nil)
	}
	return nil
}

// rule gives the rule behind a view of it, if the file still says so.
func (d *Desk) rule(seen view.Hook) (*hook.Runner, hook.Rule, error) {
	runner, rules := d.current().Hooks()
	for _, r := range rules {
		if r.Event == seen.Event && r.Matcher == seen.Matcher && r.Command == seen.Command {
			return runner, r, nil
		}
	}
	return nil, hook.Rule{}, Fail(view.Error{Code: "failed", Message: "the hook is not in the file any more", Hint: "look with `hermes hooks list`", File: seen.File}, nil)
}

// TrustHook lets a hook run with the files a person was shown. It is refused
// where a program of a server or hook asks for it.
func (d *Desk) TrustHook(seen view.Hook) (view.HookChange, error) {
	if err := d.mine("trust a hook"); err != nil {
		return view.HookChange{}, err
	}
	runner, rule, err := d.rule(seen)
	if err != nil {
		return view.HookChange{}, err
	}
	if seen.State == view.HookUnusable {
		return view.HookChange{}, Fail(view.Error{Code: "failed", Message: "the hook " + seen.Reason, Hint: "mend its command", File: seen.File, Line: seen.Line}, nil)
	}
	if seen.State == view.HookTrusted {
		return view.HookChange{Hook: seen}, nil
	}
	h := d.current()
	h.Remember()
	files := make([]hook.File, 0, len(seen.Files))
	for _, f := range seen.Files {
		files = append(files, hook.File{Path: f.Path, SHA256: f.SHA256})
	}
	trust, err := runner.Approve(rule, files, time.Now())
	if err != nil {
		return view.HookChange{}, Fail(view.Error{Code: "failed", Message: err.Error(), Hint: "nothing was trusted", File: h.HookConsents().Path()}, err)
	}
	h.HookTrusted()
	return view.HookChange{Hook: hookView(h.Snapshot(), seen.Index-1, rule, trust), Changed: true}, nil
}

// RevokeHook takes a consent back: the hook blocks what it matches until a person
// trusts it again. A word that is no hook of the file may be the command of a
// consent that is left over.
func (d *Desk) RevokeHook(word string) (view.HookChange, error) {
	if err := d.mine("take the trust in a hook back"); err != nil {
		return view.HookChange{}, err
	}
	consents := d.current().HookConsents()
	seen, err := d.FindHook(word)
	if err != nil {
		list, unread := consents.List()
		i := slices.IndexFunc(list, func(c hook.Consent) bool { return c.Command == word })
		if unread != nil || i < 0 {
			return view.HookChange{}, err
		}
		seen = view.Hook{Event: list[i].Event, Matcher: list[i].Matcher, Command: list[i].Command, Files: []view.HookFile{}, File: consents.Path()}
	}
	return revoked(consents, seen)
}

// revoked takes the consent for a hook back.
func revoked(consents hook.Consents, seen view.Hook) (view.HookChange, error) {
	gone, err := consents.Revoke(hook.Rule{Event: seen.Event, Matcher: seen.Matcher, Command: seen.Command})
	if err != nil {
		return view.HookChange{}, Fail(view.Error{Code: "failed", Message: err.Error(), File: consents.Path()}, err)
	}
	if gone {
		seen.State, seen.Reason, seen.ApprovedAt = view.HookUntrusted, message.HookNew.Text(), ""
		seen.Said = saidViews([]message.Saying{message.Say(message.HookNew)})
	}
	return view.HookChange{Hook: seen, Changed: gone}, nil
}

// HookSample is the call with which a hook is tested: a public name and a JSON
// object.
type HookSample struct {
	Tool, Arguments string
}

// TestHook runs one trusted hook with a sample and tells what it did.
func (d *Desk) TestHook(ctx context.Context, seen view.Hook, sample HookSample) (view.HookTest, error) {
	if err := d.mine("run a hook"); err != nil {
		return view.HookTest{}, err
	}
	if err := json.Unmarshal([]byte(sample.Arguments), &map[string]any{}); err != nil {
		return view.HookTest{}, Fail(view.Error{Code: "usage", Message: "the arguments are no JSON object: " + err.Error(), Hint: `write --args '{"path": "x"}'`}, err)
	}
	runner, rule, err := d.rule(seen)
	if err != nil {
		return view.HookTest{}, err
	}
	call := hook.Call{Session: "test", Turn: "test", ID: "test", Public: sample.Tool, Plain: sample.Tool, Arguments: json.RawMessage(sample.Arguments)}
	if rest, ok := strings.CutPrefix(sample.Tool, "mcp__"); ok {
		call.Server, call.Tool, _ = strings.Cut(rest, "__")
	}
	verdict, trial := runner.Test(ctx, rule, call, hook.Outcome{Status: message.StatusOK, Content: "a sample result", Duration: time.Second})
	if err := ctx.Err(); err != nil {
		return view.HookTest{}, err
	}
	return view.HookTest{Hook: seen, Tool: sample.Tool, Matches: rule.Matches(sample.Tool), Decision: verdict.Decision.String(), Reason: verdict.Reason,
		Arguments: string(verdict.Arguments), Ran: trial.Ran, ExitCode: trial.Code, Milliseconds: trial.Took.Milliseconds(),
		Output: trial.Output, Errors: trial.Errors, Failure: trial.Failure}, nil
}

// doctorHooks mentions the hooks that block or do not run because nobody trusts
// them as they are.
func (d *Desk) doctorHooks(add finding) {
	list, err := d.Hooks()
	if err != nil {
		return
	}
	for _, h := range list.Hooks {
		if h.State == view.HookTrusted {
			continue
		}
		effect := "every call it matches is blocked"
		if h.Event != hook.EventPreToolCall {
			effect = "it is told of no call"
		}
		add("warning", "hook", fmt.Sprintf("%s:%d: the %s hook %q %s, so %s", h.File, h.Line, h.Event, h.Command, h.Reason, effect),
			fmt.Sprintf("look at it, then type `hermes hooks trust %d`", h.Index))
	}
}
