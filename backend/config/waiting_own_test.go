package config

import (
	"context"
	"encoding/json"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"hermes/backend/policy"
)

func writeLedger(t testing.TB, h Home, l Ledger) {
	t.Helper()
	data, err := json.Marshal(l)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(h.Ledger(), data, 0o600); err != nil {
		t.Fatal(err)
	}
}

// TestOwnEditsDoNotWait: what a person changes through us counts at once while an
// agent works; what the agent changed beside it goes on waiting.
func TestOwnEditsDoNotWait(t *testing.T) {
	text := oneServer("command: x|tools: {include: [a]}") + "  other:\n    command: y\n    tools: {include: [a]}\n"
	h, f, busy := atWork(t, text, "")
	outside := strings.Replace(text, "command: x", "command: evil", 1)
	outside = outside[:strings.LastIndex(outside, "[a]")] + "[a, b]}\n"
	put(t, h.Config(), outside)
	f.Reload()
	s := apply(t, f, on("demo", "c")).Snapshot
	if !allows(s, "demo", "c") || allows(s, "other", "b") || s.Servers[0].Conn.Command != "x" || len(s.Waiting) != 2 {
		t.Fatalf("%+v", s.Waiting)
	}
	// Of a server whose rules wait nothing is turned on; a lock and an open state
	// all of its rules.
	if _, err := f.Apply(t.Context(), on("other", "c")); err == nil || allows(f.Current(), "other", "b") {
		t.Fatalf("%v: %+v", err, f.Current().Waiting)
	}
	if s = apply(t, f, does(policy.ActionLock, "other")).Snapshot; allows(s, "other", "a") {
		t.Fatal("the lock waits")
	}
	if s = apply(t, f, does(policy.ActionOpen, "other")).Snapshot; !allows(s, "other", "b") {
		t.Fatalf("an open waits: %+v", s.Waiting)
	}
	if err := f.SetEnv(context.Background(), "NAME", "value"); err != nil {
		t.Fatal(err)
	}
	if s = f.Current(); slices.ContainsFunc(s.Waiting, func(p Problem) bool { return strings.Contains(p.Message, "NAME") }) {
		t.Errorf("a variable of one's own waits: %+v", s.Waiting)
	}
	added := Change{Steps: []Step{{Kind: StepSet, Path: []string{"mcp_servers", "mine", "command"}, Value: Text("z")}}}
	result, err := f.Change(context.Background(), added)
	if err != nil {
		t.Fatal(err)
	}
	if may, why := result.Snapshot.MayRun("mine"); !may {
		t.Errorf("a server of one's own waits: %+v", why)
	}
	if f.Current().Servers[0].Conn.Command != "x" {
		t.Error("what waited was taken with it")
	}
	busy.Store(false)
	if s, _ = f.Release(); s.Servers[0].Conn.Command != "evil" {
		t.Error("not taken")
	}
}

// TestExpectedStepsDoNotWait: two processes on a home; the edit of one that a
// person made is told to the other, once, and only that step.
func TestExpectedStepsDoNotWait(t *testing.T) {
	text := oneServer("command: x|tools: {include: [a]}")
	h, f, _ := atWork(t, text, "")
	other := Open(h, Options{Getenv: env("HOME", h.Dir), Busy: func() bool { return true }, Announce: f.Expect})
	other.Load()
	apply(t, other, on("demo", "b"))
	if s, _ := f.Reload(); !allows(s, "demo", "b") || len(s.Waiting) > 0 {
		t.Fatalf("%+v", s.Waiting)
	}
	between, err := os.ReadFile(h.Config())
	if err != nil {
		t.Fatal(err)
	}
	apply(t, other, does(policy.ActionLock, "demo"))
	f.Reload()
	put(t, h.Config(), string(between))
	if s, _ := f.Reload(); allows(s, "demo", "a") || len(s.Waiting) == 0 {
		t.Error("the way back was taken for the person's step")
	}
	// A step from a state that we do not know, because somebody else wrote before.
	put(t, h.Config(), strings.Replace(string(between), "command: x", "command: evil", 1))
	again := Open(h, Options{Getenv: env("HOME", h.Dir), Announce: f.Expect})
	again.Load()
	if _, err := again.Change(t.Context(), Change{Steps: []Step{{Kind: StepSet, Path: []string{"mcp_servers", "demo", "cwd"}, Value: Text("/")}}}); err != nil {
		t.Fatal(err)
	}
	if s, _ := f.Reload(); s.Servers[0].Conn.Command != "x" || s.Servers[0].Conn.Cwd != "" {
		t.Errorf("what somebody else wrote came in with it: %+v", s.Waiting)
	}
	if err := other.Record(other.Current()); err != nil {
		t.Fatal(err)
	}
}

// TestFirstLookWhileAnAgentWorks: a state that is loaded while an agent works
// elsewhere is not remembered as in force.
func TestFirstLookWhileAnAgentWorks(t *testing.T) {
	h, _, _ := atWork(t, oneServer("command: x|tools: {include: [a]}"), "")
	before, err := ReadLedger(h)
	if err != nil {
		t.Fatal(err)
	}
	put(t, h.Config(), oneServer("command: x|tools: {include: [a, b]}"))
	f := Open(h, Options{Getenv: env("HOME", h.Dir), Busy: func() bool { return true }})
	if err := f.Record(f.Load()); err != nil {
		t.Fatal(err)
	}
	if after, err := ReadLedger(h); err != nil || !after.equal(before) {
		t.Errorf("%v: %+v", err, after)
	}
	f.Release()
	if err := f.Record(f.Current()); err != nil {
		t.Fatal(err)
	}
	if after, err := ReadLedger(h); err != nil || after.equal(before) {
		t.Errorf("not remembered after a person's word: %v", err)
	}
}

// beyond is what one state in force allows beyond another.
func beyond(s, bound *Snapshot) []Problem {
	out := *s
	out.Waiting = nil
	out.Servers = slices.DeleteFunc(slices.Clone(s.Servers), func(sv Server) bool { return sv.fresh })
	more := slices.Clone(out.under(bound, "").Waiting)
	// Of patterns in several lists it is told that they may open something; the
	// names are asked one by one.
	return slices.DeleteFunc(more, func(p Problem) bool { return strings.Contains(p.Message, "tools that") })
}

// fates says of every field what a change of it means while an agent works:
// "waits" where it may open something, "neutral" where it opens nothing, and
// "shown" for what is made of other fields or serves messages. A field that
// nobody classified fails the test.
func fates() map[string]string {
	out := map[string]string{}
	for fate, names := range map[string]string{
		"waits": `Snapshot.Servers Snapshot.Policy Snapshot.Settings Snapshot.Restrictions Snapshot.scope
			Server.Rules Server.Enabled Server.Conn Server.Parallel Server.Untrusted Server.Builtin Server.Sampling
			Connection.Transport Connection.Command Connection.Args Connection.Env Connection.Cwd Connection.URL Connection.Headers
			Connection.Builtin Connection.Root Connection.TLS Connection.StrictRedirects Connection.Confinement Connection.Auth Connection.IdentityHeader
			TLS.Insecure TLS.CA TLS.Cert TLS.Key TLS.Password Confinement.On Confinement.Folders Folder.Path Folder.Write
			Sampling.Model Sampling.MaxTokens Sampling.PerMinute Sampling.MaxRounds Sampling.AllowedModels
			Settings.Loops Settings.Model Settings.Connectors Connectors.URL Connectors.Token Connectors.Trusted Connectors.Off Connectors.listed Settings.AutoReload Settings.CancelLocked Settings.HoldFilters
			ModelSettings.Provider ModelSettings.Default ModelSettings.BaseURL ModelSettings.APIKey ModelSettings.KeyEnv ModelSettings.Endpoints ModelSettings.Region
			Endpoint.Name Endpoint.BaseURL Endpoint.APIKey Endpoint.KeyEnv Endpoint.Model Endpoint.API
			Restrictions.ClientOff Restrictions.StdioOff Restrictions.SafeMode Restrictions.Limited Restrictions.Servers Restrictions.Disabled
			Restrictions.Hooks Restrictions.Observers Restrictions.ApprovalMode Restrictions.Deny Restrictions.gates
			HookRule.Event HookRule.Matcher HookRule.Command HookRule.Timeout HookRule.FailOpen`,
		"neutral": `Server.Lazy Server.Elicitation Elicitation.Timeout Sampling.Timeout
			Connection.Timeout Connection.ConnectTimeout Connection.Protocol Connection.Keepalive Connection.IdleTimeout Connection.MaxLifetime
			Settings.StartWait Settings.ToolSearch Settings.Compression Settings.CacheTTL Settings.Reasoning ModelSettings.ContextLength ModelSettings.Prices Restrictions.OtherHooks Restrictions.ApprovalTimeout`,
		"shown": `Snapshot.Path Snapshot.Revision Snapshot.Exists Snapshot.Broken Snapshot.Problems Snapshot.Opened Snapshot.Waiting Snapshot.WaitingSeen
			Snapshot.tree Snapshot.index Snapshot.env Snapshot.empty Snapshot.bare Snapshot.ledger
			Server.Name Server.Line Server.Column Server.Entry Server.EnabledNote Server.Problems Server.Hold Server.Opened Server.Waits
			Server.identity Server.previous Server.twin Server.pending Server.fresh Server.waiting Server.adopted
			Settings.holdLine ModelSettings.line ModelSettings.column Connectors.line Connectors.column Endpoint.Line Endpoint.Column Restrictions.places HookRule.Line`,
	} {
		for name := range strings.FieldsSeq(names) {
			out[name] = fate
		}
	}
	return out
}

func TestEveryFieldIsClassified(t *testing.T) {
	known := fates()
	for _, of := range []any{Snapshot{}, Server{}, Connection{}, TLS{}, Confinement{}, Folder{}, Sampling{}, Elicitation{}, Settings{}, ModelSettings{}, Endpoint{}, Connectors{}, Restrictions{}, HookRule{}} {
		kind := reflect.TypeOf(of)
		for i := range kind.NumField() {
			name := kind.Name() + "." + kind.Field(i).Name
			if known[name] == "" {
				t.Errorf("%s: say in fates, and in waiting.go, what a change of it means while an agent works", name)
			}
			delete(known, name)
		}
	}
	for name := range known {
		t.Errorf("%s is gone", name)
	}
}

// TestNeverMoreThanEither edits at random while an agent works: what is in force
// allows no more than what was and no more than the file.
func TestNeverMoreThanEither(t *testing.T) {
	tools := []string{"", "tools: {include: []}", "tools: {include: [a]}", "tools: {include: [a, b]}", "tools: {include: ['*'], resources: true}", "tools: {exclude: [a]}", "tools: {exclude: ['b*']}", "tools: 42", "enabled: false", "trust: untrusted", "sampling: true"}
	programs := []string{"command: x", "command: y", "url: https://a.test", "command: x|supports_parallel_tool_calls: true"}
	rest := []string{"", "mcp: {client: false}", "approvals: {mode: off}", "approvals: {deny: [a]}", "hooks: {pre_tool_call: [{matcher: a, command: h}]}", "platform_toolsets: {cli: [demo]}", "model: {provider: openai}"}
	rapid.Check(t, func(r *rapid.T) {
		draw := func() string {
			text := oneServer(rapid.SampledFrom(programs).Draw(r, "program") + "|" + rapid.SampledFrom(tools).Draw(r, "tools"))
			if rapid.Bool().Draw(r, "two") {
				text += "  second:\n    command: z\n    " + rapid.SampledFrom(tools).Draw(r, "second") + "\n"
			}
			return text + rapid.SampledFrom(rest).Draw(r, "rest") + "\n"
		}
		h, f, _ := atWork(t, draw(), "")
		for range rapid.IntRange(1, 4).Draw(r, "edits") {
			before := f.Current()
			text := draw()
			put(t, h.Config(), text)
			s, _ := f.Reload()
			file := f.lawful(s)
			for name, bound := range map[string]*Snapshot{"before": before, "the file": file} {
				now := *s
				if bound == file {
					// What it goes to is one or the other, and no less of either.
					now.Servers = slices.Clone(s.Servers)
					for i := range now.Servers {
						now.Servers[i].Conn = file.Servers[i].Conn
					}
					now.Settings.Model = file.Settings.Model
				}
				if more := beyond(&now, bound); len(more) > 0 {
					r.Fatalf("more than %s: %+v\n%s", name, more, text)
				}
			}
			for i := range s.Servers {
				sv := &s.Servers[i]
				was, _ := before.Server(sv.Name)
				for _, tool := range []string{"a", "b", "ab", "bc"} {
					if allows(s, sv.Name, tool) && (was == nil || !was.Rules.Allows(tool)) {
						r.Fatalf("%s/%s is open", sv.Name, tool)
					}
				}
			}
		}
		// A person's word takes the file as it stands.
		if s, _ := f.Release(); len(beyond(f.lawful(s), s)) > 0 {
			r.Fatal("something waits after a person's word")
		}
	})
}
