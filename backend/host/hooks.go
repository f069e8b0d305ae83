package host

import (
	"context"
	"os"
	"slices"
	"strings"
	"time"

	"hermes/backend/config"
	"hermes/backend/hook"
	"hermes/backend/mcp"
)

// HookMark begins the value of mcp.MarkVariable in the environment of a hook,
// where a server has its name.
const HookMark = "hook "

// observersEnd is how long the program waits at its end for hooks that only
// watch.
const observersEnd = 5 * time.Second

// hooks gives what runs the hooks of now.
func (h *Host) hooks() *hook.Runner { return h.runner(h.hookRules()) }

// hookRules are the hooks of now: a rule that was added in the middle of a turn, or
// stands in a file that is not in force yet, counts for the next call.
func (h *Host) hookRules() []hook.Rule {
	rules := hookRules(h.file.Current())
	if pending := h.file.Pending(); pending != nil {
		for _, rule := range hookRules(pending) {
			if !slices.ContainsFunc(rules, rule.Same) {
				rules = append(rules, rule)
			}
		}
	}
	return rules
}

// Hooks gives the hooks of the file in force, for those who look after them.
func (h *Host) Hooks() (*hook.Runner, []hook.Rule) {
	rules := hookRules(h.file.Current())
	return h.runner(rules), rules
}

// HookConsents are the hooks that a person trusts. Writing one needs Remember.
func (h *Host) HookConsents() hook.Consents { return hook.Consents{Folder: h.options.Home.Native()} }

func (h *Host) runner(rules []hook.Rule) *hook.Runner {
	o := hook.Options{Rules: rules, Consents: h.consentsInForce(), Clean: h.maskKnown, Observers: h.observers, Logger: h.options.Logger}
	if len(rules) == 0 {
		return hook.New(o)
	}
	// Without a manager nothing is started, and every hook fails closed.
	if manager, err := h.servers(); err == nil {
		o.Starter = hookStarter{manager, h.options.Home}
	}
	o.Environment = hook.Environment{Home: h.variable("HOME"), Path: os.Getenv("PATH"), Profile: h.options.Home.Profile}
	if o.Environment.Home == "" {
		o.Environment.Home, _ = os.UserHomeDir() // without one, nothing begins with ~
	}
	o.Environment.Dir, _ = os.Getwd()
	if o.Environment.Dir == "" {
		o.Environment.Dir = h.options.Home.Dir
	}
	return hook.New(o)
}

func hookRules(snap *config.Snapshot) []hook.Rule {
	r := snap.Restrictions
	rules := make([]hook.Rule, 0, len(r.Hooks)+len(r.Observers))
	for _, written := range [][]config.HookRule{r.Hooks, r.Observers} {
		for _, w := range written {
			rules = append(rules, hook.Rule{Event: w.Event, Matcher: w.Matcher, Command: w.Command,
				Where: place(snap.Path, w.Line), Timeout: w.Timeout, FailOpen: w.FailOpen})
		}
	}
	return rules
}

// hookStarter starts hooks the way servers are started: guarded, in a group of
// their own, with the minimal environment and the mark that keeps a descendant
// from giving a person's commands.
type hookStarter struct {
	manager *mcp.Manager
	home    config.Home
}

// Run implements hook.Starter.
func (s hookStarter) Run(ctx context.Context, p hook.Program) (hook.Ended, error) {
	end, err := s.manager.RunTask(ctx, mcp.Task{
		Path: p.Path, Name: p.Name, Args: p.Args, Dir: p.Dir, Input: p.Input, Limit: p.Limit, MaxOutput: p.MaxOutput, MaxErrors: p.MaxErrors,
		Env: map[string]string{mcp.MarkVariable: HookMark + p.Event, "HERMES_HOME": s.home.Dir},
	})
	return hook.Ended(end), err
}

// hookStanding says what the hooks mean for a tool before anybody calls it:
// refused is why no call of it runs, decides that hooks have a word at each.
func (h *Host) hookStanding(names ...string) (refused, decides string) {
	refused, rules := h.hooks().Standing(names...)
	if refused != "" || len(rules) == 0 {
		return refused, ""
	}
	var commands []string
	for _, rule := range rules {
		commands = append(commands, h.redact(rule.Command)+" ("+rule.Where+")")
	}
	return "", "a hook decides at the call: " + strings.Join(commands, ", ")
}

// endObservers waits for the hooks that only watch, and ends them.
func (h *Host) endObservers() {
	if untold := h.observers.Close(observersEnd); untold > 0 && h.options.Logger != nil {
		h.options.Logger.Warn("hooks that only watch were not told of every call", "untold", untold)
	}
}
