package transfer

import (
	"fmt"
	"slices"
	"strings"

	"hermes/backend/config"
	"hermes/backend/policy"
)

// ability is what a host's file can say. The zero value can say nothing.
type ability struct {
	stdio, http, sse bool
	// docker takes only servers of Docker's catalogue.
	docker bool
	// cwd and times: a folder to run in, time limits.
	cwd, times bool
	// off: a server that is there and switched off.
	off bool
	// allow and deny: lists of tools; none: an empty allow list is none; globs:
	// lists may hold * and ?.
	allow, deny, none, globs bool
	// refs: variables have a syntax; dollars: $NAME is one as well; words: the
	// editor words such as ${workspaceFolder} are known.
	refs, dollars, words bool
	// clean: only letters, digits, _ and - survive in a tool's name.
	clean bool
	// cannot says why there are no rules, lockHint why none cannot be said.
	cannot, lockHint string
}

// Wanted is one server to write, as the file has it and the policy reads it.
// Known are the tools that were seen, nil for never seen.
type Wanted struct {
	Server *config.Server
	Known  []string
}

// Options of an export. DisableLocked writes a locked server switched off where
// the host can say that, instead of refusing it.
type Options struct {
	DisableLocked bool
}

// Remark is a word about one server.
type Remark struct {
	Server string
	Text   string
}

// Written is the result of an export. Data holds exactly the servers of
// Servers; every other one is in Refused with its reason.
type Written struct {
	Data    []byte
	Servers []string
	Refused []Remark
	Notes   []Remark
}

// outgoing is an export under way.
type outgoing struct {
	host    Host
	root    *policy.Node
	servers []Server
	written []string
	refused []Remark
	notes   []Remark
}

// Write writes servers in the host's format. What the host cannot say is
// refused, one server at a time, and never written wider.
func (h Host) Write(list []Wanted, o Options) Written {
	out := &outgoing{host: h, root: mapping()}
	for _, w := range list {
		s, reason := leaving(w, h.can, o)
		if reason != "" {
			out.refused = append(out.refused, Remark{w.Server.Name, reason})
			continue
		}
		for _, note := range s.Notes {
			out.note(&s, note)
		}
		out.servers = append(out.servers, s)
	}
	h.write(out)
	result := Written{Servers: out.written, Refused: out.refused, Notes: out.notes}
	if len(out.written) > 0 {
		result.Data = h.encode(out.root)
	}
	result.Notes = slices.DeleteFunc(result.Notes, func(r Remark) bool { return !slices.Contains(out.written, r.Server) })
	return result
}

func (o *outgoing) refuse(s *Server, reason string) {
	o.refused = append(o.refused, Remark{s.Name, reason})
}

func (o *outgoing) note(s *Server, text string) {
	o.notes = append(o.notes, Remark{s.Name, text})
}

// each visits the servers that are still to be written.
func (o *outgoing) each(visit func(*Server)) {
	for i := range o.servers {
		visit(&o.servers[i])
	}
}

// entries writes every server under one key, but those for which build gives
// nothing.
func (o *outgoing) entries(key string, build func(*Server) *policy.Node) {
	m := mapping()
	o.each(func(s *Server) {
		if n := build(s); n != nil {
			put(m, s.Name, n)
			o.written = append(o.written, s.Name)
		}
	})
	put(o.root, key, m)
}

// rewrite writes every ${NAME} in the host's syntax.
func (o *outgoing) rewrite(to func(name string) (string, bool)) {
	o.each(func(s *Server) {
		s.replaceTexts(func(value string) string {
			return braced().ReplaceAllStringFunc(value, func(ref string) string {
				name, ok := reference(ref)
				if !ok {
					return ref
				}
				out, _ := to(name)
				return out
			})
		})
	})
}

// leaving gives a server of ours as it may leave, or the reason why not.
func leaving(w Wanted, can ability, o Options) (s Server, reason string) {
	in := w.Server
	c := in.Conn
	s = Server{
		Name: in.Name, Transport: c.Transport, Command: c.Command, Args: slices.Clone(c.Args), Env: copyMap(c.Env),
		Cwd: c.Cwd, URL: c.URL, Headers: copyMap(c.Headers), Enabled: in.Enabled, Line: in.Line,
	}
	if can.times {
		s.Timeout, s.ConnectTimeout = w.limits()
	}
	for _, check := range []func() string{
		func() string { return unfit(in, can) },
		func() string { return s.unsayable(can) },
		func() string { return s.takeRules(w, can, o) },
	} {
		if reason := check(); reason != "" {
			return s, reason
		}
	}
	if in.Untrusted {
		s.note("`trust: untrusted` has no word there: the other host asks by its own rules before a call")
	}
	for _, key := range unsaid(in.Entry, can.times) {
		s.note("`" + key + "` has no word there and is left out")
	}
	return s, ""
}

// unfit refuses what is wrong with the entry itself.
func unfit(in *config.Server, can ability) string {
	switch {
	case in.Rules.IsHeld():
		return "a lost restriction is held: open, lock or restore it first (`hermes mcp open`, `lock`, `restore`)"
	case in.Rules.State() == policy.StateInvalid:
		return "its rules cannot be read: " + in.Rules.List().Text
	}
	for _, p := range in.Problems {
		if p.Severity == policy.SeverityError {
			return p.Message
		}
	}
	switch t := in.Conn.Transport; {
	case t == config.TransportBuiltin:
		return "it is built into Hermes; offer it with `hermes mcp gateway` instead"
	case can.docker && t != config.TransportStdio, t == config.TransportStdio && !can.stdio && !can.docker,
		t == config.TransportHTTP && !can.http && !can.docker, t == config.TransportSSE && !can.sse && !can.docker:
		return "the host's file has no word for the transport " + t
	case t != config.TransportStdio && t != config.TransportHTTP && t != config.TransportSSE:
		return "its entry does not say how to reach it"
	}
	return ""
}

// unsayable refuses texts that would mean something else there, and secrets.
func (s *Server) unsayable(can ability) string {
	c := s.connection()
	if len(c.Secrets()) > 0 || s.hidesSomething() {
		return "a secret is written out in its entry, and is not written into another file: put it into `.env` and write ${NAME} in its place"
	}
	if s.Cwd != "" && !can.cwd {
		return "the host's file has no word for `cwd`"
	}
	if !s.Enabled && !can.off {
		return "it is switched off, which the host's file cannot say"
	}
	reason := ""
	s.replaceTexts(func(value string) string {
		for _, m := range braced().FindAllStringSubmatch(value, -1) {
			_, plain := reference(m[0])
			word := editorWord(strings.TrimSpace(m[1]))
			switch {
			case word && !can.words, !plain && !word:
				reason = "the host's file has no word for " + m[0]
			case !can.refs:
				reason = "the host's file has no syntax for the variable " + m[0] + ", and its value is not written out"
			}
		}
		rest := braced().ReplaceAllString(value, "")
		if can.dollars && strings.Contains(rest, "$") || can.clean && strings.Contains(rest, "{env:") || strings.Contains(rest, "${") {
			reason = "it holds a text that the host would take for a variable"
		}
		return value
	})
	return reason
}

// hidesSomething finds secrets too short for a list of them.
func (s *Server) hidesSomething() bool {
	for _, m := range []map[string]string{s.Env, s.Headers} {
		for name, value := range m {
			if config.HidesValue(name, value) && !composed(value) {
				return true
			}
		}
	}
	for i, shown := range config.MaskArgs(s.Args) {
		if shown != s.Args[i] && !composed(s.Args[i]) {
			return true
		}
	}
	return config.MaskURL(s.URL) != s.URL
}

// takeRules puts the filter into words the host knows, or says why it cannot.
func (s *Server) takeRules(w Wanted, can ability, o Options) string {
	rules := w.Server.Rules
	s.Filter = Filter{State: rules.State(), Patterns: rules.Patterns()}
	lost := rules.Restriction()
	if (lost.ResourcesOff || lost.PromptsOff) && s.Filter.State != policy.StateOnly {
		return "its resources or prompts are switched off, which the host's file cannot say"
	}
	if s.Filter.State == policy.StateOnly && (rules.Resources() || rules.Prompts()) && s.Filter.Locked() {
		return "only its resources or prompts are on, which the host's file cannot say"
	}
	if s.Filter.Locked() {
		return s.takeLock(can, o)
	}
	if s.Filter.State == policy.StateOpen {
		return ""
	}
	if !can.allow && !can.deny {
		return "it has the rule " + rules.Row().Text + ", and " + can.cannot + s.hint(can)
	}
	if s.Filter.State == policy.StateOnly {
		s.note("resources and prompts, which a whitelist closes here, are up to the other host")
	}
	return s.fitLists(w, can)
}

func (s *Server) hint(can ability) string {
	if s.Filter.State != policy.StateExcept || !strings.Contains(can.cannot, "permissions.deny") {
		return ""
	}
	var rules []string
	for _, pattern := range s.Filter.Patterns {
		if name, ok := plainName(pattern); ok {
			rules = append(rules, "mcp__"+foreignName(s.Name)+"__"+foreignName(name))
		}
	}
	return ": write " + join(rules) + " there by hand, then add the server"
}

// takeLock writes a lock, which is the rule that must never become open.
func (s *Server) takeLock(can ability, o Options) string {
	switch {
	case can.none:
		return ""
	case o.DisableLocked && can.off:
		s.Enabled, s.Filter = false, Filter{}
		s.note("it is locked; written switched off")
		return ""
	}
	why := can.lockHint
	if why == "" {
		why = can.cannot
	}
	reason := "it is locked, and that cannot be said there"
	if why != "" {
		reason += ": " + why
	}
	if can.off {
		reason += "; --disable-locked writes it switched off"
	}
	return reason
}

// fitLists turns patterns into names and lists into the kind that the host has,
// where the tools are known.
func (s *Server) fitLists(w Wanted, can ability) string {
	plain := true
	for _, pattern := range s.Filter.Patterns {
		name, ok := plainName(pattern)
		if can.globs && !ok && !strings.Contains(pattern, "[") {
			name, ok = strings.NewReplacer("*", "", "?", "").Replace(pattern), true
		}
		if can.clean && foreignName(name) != name {
			return fmt.Sprintf("the host writes _ for characters of %q, so the rule would reach other tools", pattern)
		}
		plain = plain && ok
	}
	fits := s.Filter.State == policy.StateOnly && can.allow || s.Filter.State == policy.StateExcept && can.deny
	if plain && fits {
		return ""
	}
	if w.Known == nil {
		if !plain {
			return "it has the rule " + w.Server.Rules.Row().Text + ", and the host knows names only: look at the server once (`hermes mcp test`), so that its tools are known"
		}
		return "the host knows only lists of what is allowed: look at the server once (`hermes mcp test`), so that its tools are known"
	}
	var on []string
	for _, tool := range w.Known {
		if !w.Server.Rules.Allows(tool) {
			continue
		}
		if can.clean && foreignName(tool) != tool {
			return fmt.Sprintf("the host writes _ for characters of %q, so the rule would reach other tools", tool)
		}
		on = append(on, literal(tool))
	}
	if len(on) == 0 && !can.none {
		return "no tool that was seen is allowed, and that cannot be said there"
	}
	s.Filter = Only(on...)
	s.note("its rules are written as the names that are allowed of the tools seen last; new tools stay off there")
	return ""
}

func copyMap(m map[string]string) map[string]string {
	if m == nil {
		return nil
	}
	out := make(map[string]string, len(m))
	for name, value := range m {
		out[name] = value
	}
	return out
}
