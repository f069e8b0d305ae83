package hook

import (
	"fmt"
	"time"

	"hermes/backend/message"
)

// State says whether a hook may run. The zero value is none of them and lets
// nothing run.
type State string

// The states of a hook.
const (
	Trusted State = "trusted"
	// Untrusted has nobody's consent.
	Untrusted State = "untrusted"
	// Changed has a consent for other contents of its files.
	Changed State = "changed"
	// Unusable cannot be run: its command or one of its files cannot be read.
	Unusable State = "unusable"
)

// Trust is what is known of a hook: its state with the reason in words, the
// files as they are now, and when a person trusted it, zero for never. Note says
// what a person who trusts it has to know beside the files, empty for nothing.
type Trust struct {
	State      State
	Reason     string
	Files      []File
	ApprovedAt time.Time
	Note       string
}

// note warns of a command whose files cannot all be known.
func (r *resolved) note() string {
	if len(r.texts) == 0 {
		return ""
	}
	return fmt.Sprintf("the argument %q is the text of a program or is read as one: the files it names that are there now are bound and shown, but it opens them itself, and what it finds by another name (a variable, a program on PATH) is not bound; name a script instead", cut(r.texts[0], 80))
}

// Examine reads the files of a hook and compares them with the consent.
func (r *Runner) Examine(rule Rule) Trust {
	command, trust := r.trusted(rule)
	command.close()
	return trust
}

// Standing says what the pre_tool_call hooks mean for a tool that goes by these
// names, without running one: refused is why every call of it is blocked, empty
// for no such reason; decides are the trusted hooks that have a word at the call.
func (r *Runner) Standing(names ...string) (refused string, decides []Rule) {
	if !r.set.known {
		return "The hooks were not read, so nothing may run", nil
	}
	for _, rule := range r.set.rules {
		if rule.Event != EventPreToolCall || !rule.matches(names...) {
			continue
		}
		if rule.fault != nil {
			return rule.broken(), nil
		}
		if trust := r.Examine(rule.Rule); trust.State != Trusted {
			return fmt.Sprintf("The %s decides about it and %s; `hermes hooks trust` lets it run", rule.name(), trust.Reason), nil
		}
		decides = append(decides, rule.Rule)
	}
	return "", decides
}

// trusted is the command of a hook, to be run where it is Trusted and closed in
// any case. Every file was read for it just now.
func (r *Runner) trusted(rule Rule) (resolved, Trust) {
	consent, known, unread := r.options.Consents.find(rule)
	command, err := r.options.Environment.resolve(rule.Command)
	if err != nil {
		return resolved{}, Trust{State: Unusable, Reason: message.HookUnusable.Text(err.Error()), ApprovedAt: consent.ApprovedAt}
	}
	trust := Trust{State: Untrusted, Files: command.files(), ApprovedAt: consent.ApprovedAt, Note: command.note()}
	if unread != nil {
		trust.Reason = message.HookUnread.Text(unread.Error())
		return command, trust
	}
	if !known {
		trust.Reason = message.HookNew.Text()
		return command, trust
	}
	if path := difference(consent.Files, trust.Files); path != "" {
		trust.State, trust.Reason = Changed, message.HookChanged.Text(path)
		return command, trust
	}
	trust.State = Trusted
	return command, trust
}

// difference names the first file that is not as it was, empty for none.
func difference(then, now []File) string {
	for i, file := range now {
		if i >= len(then) || !file.same(then[i]) {
			return file.Path
		}
	}
	if len(then) > len(now) {
		return then[len(now)].Path
	}
	return ""
}

// Approve trusts a hook with the files it has now, if they are those of seen: a
// person says yes to what was shown, and to nothing else.
func (r *Runner) Approve(rule Rule, seen []File, now time.Time) (Trust, error) {
	command, err := r.options.Environment.resolve(rule.Command)
	if err != nil {
		return Trust{}, fmt.Errorf("the hook cannot be trusted: %w", err)
	}
	files := command.files()
	command.close()
	if path := difference(seen, files); path != "" {
		return Trust{}, fmt.Errorf("%s changed while it was looked at; look again", path)
	}
	consent := Consent{Event: rule.Event, Matcher: rule.Matcher, Command: rule.Command, Files: files, ApprovedAt: now.UTC().Truncate(time.Second)}
	if err := r.options.Consents.Trust(consent); err != nil {
		return Trust{}, err
	}
	return r.Examine(rule), nil
}
