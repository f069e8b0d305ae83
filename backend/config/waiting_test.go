package config

import (
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"hermes/backend/policy"
)

// atWork is a home whose file is loaded while an agent works as long as busy says
// so.
func atWork(t testing.TB, content, dotenv string) (Home, *File, *atomic.Bool) {
	t.Helper()
	h := home(t, content)
	if dotenv != "" {
		put(t, h.Env(), dotenv)
	}
	if err := os.MkdirAll(h.Native(), 0o700); err != nil {
		t.Fatal(err)
	}
	busy := &atomic.Bool{}
	f := Open(h, Options{Getenv: env("HOME", h.Dir), Settle: time.Millisecond, Busy: busy.Load})
	f.Load()
	if err := f.Record(f.Current()); err != nil {
		t.Fatal(err)
	}
	busy.Store(true)
	return h, f, busy
}

func oneServer(lines string) string {
	return "mcp_servers:\n  demo:\n    " + strings.Join(strings.Split(lines, "|"), "\n    ") + "\n"
}

// TestRelaxationsWait goes through every key that can open something: the change
// waits and is named with its line, and a person's word takes it.
func TestRelaxationsWait(t *testing.T) {
	const x = "command: x"
	top := func(text string) string { return oneServer(x) + text + "\n" }
	for name, c := range map[string]struct{ was, is, what string }{
		"a name more":        {oneServer(x + "|tools: {include: [a]}"), oneServer(x + "|tools: {include: [a, b]}"), "demo/b (config.yaml:4)"},
		"a pattern":          {oneServer(x + "|tools: {include: [a]}"), oneServer(x + "|tools: {include: ['*']}"), "demo/"},
		"exclude less":       {oneServer(x + "|tools: {exclude: [a, b]}"), oneServer(x + "|tools: {exclude: [a]}"), "demo/b"},
		"include gone":       {oneServer(x + "|tools: {include: [a]}"), oneServer(x), ""},
		"unlocked":           {oneServer(x + "|tools: {include: []}"), oneServer(x + "|tools: {include: [a]}"), "demo/a"},
		"resources":          {oneServer(x + "|tools: {include: [a]}"), oneServer(x + "|tools: {include: [a], resources: true}"), "demo/the helpers for resources"},
		"prompts":            {oneServer(x + "|tools: {prompts: false}"), oneServer(x + "|tools: {prompts: true}"), "demo/the helpers for prompts"},
		"sampling":           {oneServer(x), oneServer(x + "|sampling: true"), "demo/sampling"},
		"elicitation":        {oneServer(x + "|elicitation: false"), oneServer(x + "|elicitation: true"), "demo/elicitation"},
		"trust":              {oneServer(x + "|trust: untrusted"), oneServer(x + "|trust: full"), "demo/"},
		"invalid mended":     {oneServer(x + "|tools: 42"), oneServer(x + "|tools: {include: [a]}"), "demo/a"},
		"sampling caps":      {oneServer(x + "|sampling: {enabled: true, max_rpm: 2}"), oneServer(x + "|sampling: {enabled: true, max_rpm: 5}"), "demo/sampling"},
		"sampling model":     {oneServer(x + "|sampling: {model: a}"), oneServer(x + "|sampling: {model: b}"), "demo/sampling"},
		"sampling models":    {oneServer(x + "|sampling: {allowed_models: [a]}"), oneServer(x + "|sampling: {allowed_models: [a, b]}"), "demo/sampling"},
		"enabled":            {oneServer(x + "|enabled: false"), oneServer(x + "|enabled: true"), "demo/enabled (config.yaml:4)"},
		"enabled key gone":   {oneServer(x + "|enabled: false"), oneServer(x), "demo/enabled"},
		"a new server":       {oneServer(x), oneServer(x) + "  evil:\n    command: y\n", "evil (a new server) (config.yaml:4)"},
		"command":            {oneServer(x), oneServer("command: y"), "demo/command (config.yaml:3)"},
		"args":               {oneServer(x + "|args: [a]"), oneServer(x + "|args: [b]"), "demo/args (config.yaml:4)"},
		"env":                {oneServer(x), oneServer(x + "|env: {LD_PRELOAD: /tmp/x.so}"), "demo/env (config.yaml:4)"},
		"cwd":                {oneServer(x), oneServer(x + "|cwd: /tmp"), "demo/cwd"},
		"url":                {oneServer("url: https://a.test"), oneServer("url: https://b.test"), "demo/url"},
		"program to address": {oneServer(x), oneServer("url: https://b.test"), "demo/command"},
		"headers":            {oneServer("url: https://a.test"), oneServer("url: https://a.test|headers: {X: y}"), "demo/headers"},
		"identity header":    {oneServer("url: https://a.test"), oneServer("url: https://a.test|identity_header: {name: X-User, value_from: static, value: me}"), "demo/headers"},
		"connectors":         {top(""), top("connectors: {url: 'https://a.test'}"), "connectors (config.yaml:4)"},
		"connectors url":     {top("connectors: {url: 'https://a.test'}"), top("connectors: {url: 'https://b.test'}"), "connectors (config.yaml:4)"},
		"connectors token":   {top("connectors: {url: 'https://a.test', token: a}"), top("connectors: {url: 'https://a.test', token: b}"), "connectors (config.yaml:4)"},
		"connectors trust":   {top("connectors: {url: 'https://a.test'}"), top("connectors: {url: 'https://a.test', trust: full}"), "connectors.trust (config.yaml:4)"},
		"connectors on":      {top("connectors: {url: 'https://a.test'}\ntools: {connectors: {enabled: false}}"), top("connectors: {url: 'https://a.test'}"), "connectors (config.yaml:4)"},
		"connectors named":   {top("platform_toolsets: {cli: [demo]}"), top("platform_toolsets: {cli: [demo, connectors]}"), "platform_toolsets.cli (connectors)"},
		"builtin":            {oneServer("builtin: git|root: /a"), oneServer("builtin: files|root: /a"), "demo/builtin"},
		"root":               {oneServer("builtin: files|root: /a"), oneServer("builtin: files|root: /"), "demo/root"},
		"auth":               {oneServer("url: https://a.test"), oneServer("url: https://a.test|auth: oauth"), "demo/auth"},
		"ssl_verify":         {oneServer("url: https://a.test"), oneServer("url: https://a.test|ssl_verify: false"), "demo/ssl_verify"},
		"ssl_verify path":    {oneServer("url: https://a.test"), oneServer("url: https://a.test|ssl_verify: /tmp/ca.pem"), "demo/ssl_verify"},
		"client_cert":        {oneServer("url: https://a.test"), oneServer("url: https://a.test|client_cert: /tmp/c.pem"), "demo/client_cert"},
		"redirects":          {oneServer("url: https://a.test|strict_redirect_headers: true"), oneServer("url: https://a.test"), "demo/strict_redirect_headers"},
		"folders gone":       {oneServer(x + "|folders: [/a]"), oneServer(x), "demo/folders"},
		"folders more":       {oneServer(x + "|folders: [/a]"), oneServer(x + "|folders: [/a, /b]"), "demo/folders"},
		"parallel":           {oneServer(x), oneServer(x + "|supports_parallel_tool_calls: true"), "demo/supports_parallel_tool_calls (config.yaml:4)"},
		"an anchor":          {"base: &b {command: x}\n" + oneServer("<<: *b"), "base: &b {command: y}\n" + oneServer("<<: *b"), "demo/command"},
		"client":             {top("mcp: {client: false}"), top("mcp: {client: true}"), "mcp.client (config.yaml:4)"},
		"stdio":              {top("mcp: {stdio_servers: false}"), top(""), "mcp.stdio_servers (config.yaml)"},
		"platform":           {top("platform_toolsets: {cli: [no_mcp]}"), top("platform_toolsets: {cli: [demo]}"), "platform_toolsets.cli"},
		"platform gone":      {top("platform_toolsets: {cli: [demo]}"), top(""), "platform_toolsets.cli"},
		"disabled toolsets":  {top("agent: {disabled_toolsets: [demo]}"), top("agent: {disabled_toolsets: []}"), "agent.disabled_toolsets"},
		"hook gone":          {top("hooks: {pre_tool_call: [{matcher: a, command: h}]}"), top(""), "hooks.pre_tool_call (a)"},
		"hook narrowed":      {top("hooks: {pre_tool_call: [{matcher: 'a.*', command: h}]}"), top("hooks: {pre_tool_call: [{matcher: ab, command: h}]}"), "hooks.pre_tool_call"},
		"hook command":       {top("hooks: {pre_tool_call: [{matcher: a, command: h}]}"), top("hooks: {pre_tool_call: [{matcher: a, command: 'true'}]}"), "hooks.pre_tool_call"},
		"hook fails open":    {top("hooks: {pre_tool_call: [{matcher: a, command: h}]}"), top("hooks: {pre_tool_call: [{matcher: a, command: h, fail_closed: false}]}"), "hooks.pre_tool_call"},
		"observer gone":      {top("hooks: {post_tool_call: [{matcher: a, command: h}]}"), top(""), "hooks.post_tool_call"},
		"unreadable hooks":   {top("hooks: 42"), top(""), "calls that were refused"},
		"approvals off":      {top("approvals: {mode: manual}"), top("approvals: {mode: off}"), "approvals.mode (config.yaml:4)"},
		"deny globs":         {top("approvals: {deny: ['*a*', b]}"), top("approvals: {deny: [b]}"), "approvals.deny (*a*)"},
		"locked calls":       {top("mcp: {locked_calls: cancel}"), top("mcp: {locked_calls: finish}"), "mcp.locked_calls"},
		"holding":            {top("mcp: {hold_lost_filters: true}"), top("mcp: {hold_lost_filters: false}"), "mcp.hold_lost_filters"},
		"reload of servers":  {top("mcp: {auto_reload_on_config_change: false}"), top(""), "mcp.auto_reload_on_config_change"},
		"model address":      {top("model: {provider: openai, base_url: 'https://a.test'}"), top("model: {provider: openai, base_url: 'https://b.test'}"), "model (config.yaml:4)"},
		"model provider":     {top("model: {provider: openai, default: a}"), top("model: {provider: anthropic, default: a}"), "model"},
		"model key":          {top("model: {provider: openai, api_key: '${A}'}"), top("model: {provider: openai, api_key: '${B}'}"), "model"},
		"guardrails":         {top("tool_loop_guardrails: {hard_stop_enabled: true}"), top(""), "tool_loop_guardrails.hard_stop_enabled"},
		"a later stop":       {top(""), top("tool_loop_guardrails: {hard_stop_after: {exact_failure: 50}}"), "tool_loop_guardrails.hard_stop_after.exact_failure (config.yaml:4)"},
		"more passes":        {top("agent: {max_turns: 5}"), top("agent: {max_turns: 50}"), "agent.max_turns"},
		"larger results":     {top(""), top("tool_budget: {mcp_result_size_chars: 900000}"), "tool_budget.mcp_result_size_chars"},
		"secrets":            {top(""), top("security: {redact_secrets: false}"), "security.redact_secrets"},
		"a named endpoint":   {top(""), top("providers: {x: {base_url: 'https://b.test'}}"), "model"},
	} {
		t.Run(name, func(t *testing.T) {
			h, f, busy := atWork(t, c.was, "")
			before := f.Current()
			put(t, h.Config(), c.is)
			s, _ := f.Reload()
			waiting := s.Waiting
			if c.what == "" {
				// The ledger holds it, so nothing is left that could wait.
				if len(waiting) != 0 || allows(s, "demo", "b") {
					t.Fatalf("%+v", waiting)
				}
				return
			}
			if len(waiting) == 0 || !strings.Contains(waiting[0].Message, "would open: "+c.what) || waiting[0].Code != CodeWaits || waiting[0].Hint == "" {
				t.Fatalf("waiting: %+v", waiting)
			}
			if s.Revision != digest([]byte(c.is)) {
				t.Error("the revision is not the file's")
			}
			if again, changed := f.Reload(); changed || len(again.Waiting) != len(waiting) {
				t.Errorf("a second look: %v, %+v", changed, again.Waiting)
			}
			if wider := beyond(s, before); len(wider) > 0 {
				t.Errorf("more than before is in force: %+v", wider)
			}
			busy.Store(false)
			if s, _ = f.Reload(); len(s.Waiting) == 0 {
				t.Error("it was taken without a person's word")
			}
			if s, _ = f.Release(); len(s.Waiting) > 0 || len(s.Problems) > len(f.lawful(s).Problems) {
				t.Errorf("a person's word did not take it: %+v", s.Problems)
			}
		})
	}
}

// TestRestrictionsDoNotWait: what takes away counts at once, with what waits
// beside it.
func TestRestrictionsDoNotWait(t *testing.T) {
	const opening = "  evil:\n    command: y\n"
	const x = "command: x"
	for name, c := range map[string]struct {
		was, is string
		holds   func(*Snapshot) bool
	}{
		"a name less": {oneServer(x + "|tools: {include: [a, b]}"), oneServer(x + "|tools: {include: [b, c]}"), func(s *Snapshot) bool {
			return !allows(s, "demo", "a") && allows(s, "demo", "b") && !allows(s, "demo", "c")
		}},
		"locked":    {oneServer(x), oneServer(x + "|tools: {include: []}"), func(s *Snapshot) bool { return !allows(s, "demo", "a") }},
		"untrusted": {oneServer(x), oneServer(x + "|trust: untrusted"), func(s *Snapshot) bool { return s.Servers[0].Untrusted }},
		"disabled":  {oneServer(x), oneServer(x + "|enabled: false"), func(s *Snapshot) bool { return !s.Servers[0].Enabled }},
		"gone":      {oneServer(x), "mcp_servers:\n", func(s *Snapshot) bool { _, there := s.Server("demo"); return !there }},
		"in order":  {oneServer(x + "|supports_parallel_tool_calls: true"), oneServer(x), func(s *Snapshot) bool { return !s.Servers[0].Parallel }},
		"folders":   {oneServer(x), oneServer(x + "|folders: [/a]"), func(s *Snapshot) bool { return s.Servers[0].Conn.Confinement.On }},
		"folders read only": {oneServer(x + "|folders: [/a]|env: {A: b}"), oneServer(x + "|folders: [{path: /a, write: false}]|env: {A: c}"), func(s *Snapshot) bool {
			c := s.Servers[0].Conn
			return c.Confinement.On && !c.Confinement.Folders[0].Write && c.Env["A"] == "b"
		}},
		"checked again": {oneServer("url: https://a.test|ssl_verify: false"), oneServer("url: https://b.test"), func(s *Snapshot) bool {
			return !s.Servers[0].Conn.TLS.Insecure && s.Servers[0].Conn.URL == "https://a.test"
		}},
		"caps": {oneServer(x + "|sampling: {max_rpm: 5, max_tool_rounds: 2}"), oneServer(x + "|sampling: {max_rpm: 3, max_tool_rounds: 9}"), func(s *Snapshot) bool {
			return s.Servers[0].Sampling.PerMinute == 3 && s.Servers[0].Sampling.MaxRounds == 2
		}},
		"time": {oneServer(x), oneServer(x + "|timeout: 7|env: {A: b}"), func(s *Snapshot) bool {
			return s.Servers[0].Conn.Timeout == 7*time.Second && s.Servers[0].Conn.Env == nil
		}},
		"client":   {oneServer(x), oneServer(x), func(s *Snapshot) bool { return s.Restrictions.ClientOff }},
		"deny":     {oneServer(x), oneServer(x), func(s *Snapshot) bool { return len(s.Restrictions.Deny) == 1 }},
		"approval": {"approvals: {mode: off}\n" + oneServer(x), oneServer(x), func(s *Snapshot) bool { return s.Restrictions.ApprovalMode == ApprovalManual }},
		"hook":     {oneServer(x), oneServer(x), func(s *Snapshot) bool { return len(s.Restrictions.Hooks) == 1 }},
		"cancel":   {oneServer(x), oneServer(x), func(s *Snapshot) bool { return s.Settings.CancelLocked }},
	} {
		t.Run(name, func(t *testing.T) {
			h, f, _ := atWork(t, c.was, "")
			put(t, h.Config(), c.is+opening+map[string]string{
				"client": "mcp: {client: false}\n", "deny": "approvals: {deny: [a]}\n", "hook": "hooks: {pre_tool_call: [{matcher: a, command: h}]}\n", "cancel": "mcp: {locked_calls: cancel}\n",
			}[name])
			s, changed := f.Reload()
			if !changed || !c.holds(s) {
				t.Errorf("the restriction is not in force: %+v", s.Waiting)
			}
			if may, why := s.MayRun("evil"); may || why.Code != CodeWaits && why.Code != CodeBlocked || len(s.Waiting) == 0 {
				t.Errorf("the new server runs: %+v", why)
			}
			if evil, there := s.Server("evil"); !there || evil.Rules.Allows("x") {
				t.Error("the new server allows something")
			}
		})
	}
}

// TestVariablesWait: the value of a variable is a change of everything that names
// it, and it is named without the value.
func TestVariablesWait(t *testing.T) {
	h, f, _ := atWork(t, oneServer("command: ${PROGRAM}"), "PROGRAM=good\nTOKEN=a\n")
	put(t, h.Env(), "PROGRAM=evil-program\nHERMES_SAFE_MODE=1\n")
	s, _ := f.Reload()
	conn, err := s.Expand(s.Servers[0].Conn)
	if err != nil || conn.Command != "good" || !s.Restrictions.SafeMode {
		t.Errorf("%v, %q, safe mode %v", err, conn.Command, s.Restrictions.SafeMode)
	}
	if len(s.Waiting) != 3 || !strings.Contains(s.Waiting[1].Message, "the value of PROGRAM (.env)") {
		t.Errorf("%+v", s.Waiting)
	}
	for _, p := range s.Problems {
		if strings.Contains(p.Message, "evil-program") {
			t.Errorf("a value is told: %s", p.Message)
		}
	}
	if s, _ = f.Release(); len(s.Waiting) > 0 {
		t.Errorf("%+v", s.Waiting)
	}
	if conn, _ = s.Expand(s.Servers[0].Conn); conn.Command != "evil-program" {
		t.Errorf("%q after a person's word", conn.Command)
	}
}

// TestWhatIsTakenAwayStaysAway: a restriction that came while an agent works is
// not undone before a person acts, and the ledger does not take what waits for
// being in force.
func TestWhatIsTakenAwayStaysAway(t *testing.T) {
	h, f, busy := atWork(t, oneServer("command: x|tools: {include: [a, b]}"), "")
	put(t, h.Config(), oneServer("command: x|tools: {include: [a]}"))
	f.Reload()
	put(t, h.Config(), oneServer("command: x|tools: {include: [a, b]}"))
	s, _ := f.Reload()
	if allows(s, "demo", "b") || len(s.Waiting) != 1 {
		t.Errorf("%+v", s.Waiting)
	}
	if err := f.Record(s); err != nil {
		t.Fatal(err)
	}
	if l, err := ReadLedger(h); err != nil || strings.Contains(l.InForce["demo"], `"a" "c"`) {
		t.Errorf("%v %q", err, l.InForce)
	}
	busy.Store(false)
	if s, _ = f.Release(); !allows(s, "demo", "b") {
		t.Error("not taken")
	}
}

// TestLedgerByHandWaits: a grant, an entry that is gone and the ledger's own
// switch, written by hand while an agent works, open nothing.
func TestLedgerByHandWaits(t *testing.T) {
	for name, change := range map[string]func(*Ledger){
		"a grant": func(l *Ledger) {
			e := l.Servers["demo"]
			e.Grant = grantFor(policy.Rules{}, true)
			l.Servers["demo"] = e
		},
		"no entry":      func(l *Ledger) { delete(l.Servers, "demo"); delete(l.InForce, "demo") },
		"holding off":   func(l *Ledger) { l.HoldingOff = true },
		"another entry": func(l *Ledger) { e := l.Servers["demo"]; e.Patterns = []string{"a", "b"}; l.Servers["demo"] = e },
	} {
		t.Run(name, func(t *testing.T) {
			h, f, _ := atWork(t, oneServer("command: x|tools: {include: [a]}"), "")
			put(t, h.Config(), oneServer("command: x")+"mcp: {hold_lost_filters: false}\n")
			if s, _ := f.Reload(); allows(s, "demo", "b") {
				t.Fatal("not held")
			}
			l, err := ReadLedger(h)
			if err != nil {
				t.Fatal(err)
			}
			change(&l)
			if name == "a grant" {
				open, _ := policy.ReadFile(f.Current().Tree()).Rules("demo")
				e := l.Servers["demo"]
				e.Grant = grantFor(open, true)
				l.Servers["demo"] = e
			}
			writeLedger(t, h, l)
			if s, _ := f.Reload(); allows(s, "demo", "b") {
				t.Errorf("a ledger written by hand opened it: %+v", s.Waiting)
			}
		})
	}
}
