//go:build unix

package hook_test

import (
	"context"
	"encoding/json"
	"os"
	"strings"
	"testing"
	"time"

	"hermes/backend/hook"
)

// TestAnswers: one row is one small program and what becomes of the call.
func TestAnswers(t *testing.T) {
	say := func(answer string) string { return "cat <<'END'\n" + answer + "\nEND" }
	const block, ask, allow = hook.Block, hook.Ask, hook.Allow
	for name, c := range map[string]struct {
		body      string
		closed    hook.Decision
		open      hook.Decision // with fail_closed: false
		words     []string
		arguments string
	}{
		"silence":               {"true", allow, allow, nil, ""},
		"an empty object":       {say(`{}`), allow, allow, nil, ""},
		"context for others":    {say(`{"context":"x"}`), allow, allow, nil, ""},
		"allow":                 {say(`{"action":"allow"}`), allow, allow, nil, ""},
		"block":                 {say(`{"action":"block","message":"not today"}`), block, block, []string{"blocked this call: not today", "config.yaml:7"}, ""},
		"decision block":        {say(`{"decision":"block","reason":"never"}`), block, block, []string{"never"}, ""},
		"block without words":   {say(`{"action":"block"}`), block, block, []string{"Blocked by shell hook."}, ""},
		"deny is no yes":        {say(`{"decision":"deny"}`), block, block, nil, ""},
		"case and blanks":       {say(`{"action":" BLOCK "}`), block, block, nil, ""},
		"block beats approve":   {say(`{"action":"approve","decision":"block"}`), block, block, nil, ""},
		"block and exit 1":      {say(`{"action":"block","message":"still"}`) + "\nexit 1", block, block, []string{"still"}, ""},
		"approve":               {say(`{"action":"approve","message":"sure?"}`), ask, ask, []string{"wants a person to be asked: sure?"}, ""},
		"ask":                   {say(`{"decision":"ask"}`), ask, ask, []string{"wants a person"}, ""},
		"modify":                {say(`{"action":"modify","args":{"path":"b.txt","deep":{"c":3}}}`), allow, allow, nil, `{"deep":{"c":3},"path":"b.txt","size":12345678901234567890}`},
		"modify, other words":   {say(`{"decision":"modify","tool_input":{"new":[1.50]}}`), allow, allow, nil, `{"deep":{"a":1,"b":2},"new":[1.50],"path":"a.txt","size":12345678901234567890}`},
		"modify nothing":        {say(`{"action":"modify"}`), block, allow, []string{"failed closed"}, ""},
		"modify with a list":    {say(`{"action":"modify","args":[]}`), block, allow, []string{"`args`"}, ""},
		"exit 2":                {"echo from stderr >&2; exit 2", block, block, []string{"from stderr"}, ""},
		"exit 2 and JSON":       {say(`{"reason":"from stdout"}`) + "\necho no >&2; exit 2", block, block, []string{"from stdout"}, ""},
		"exit 2 and approve":    {say(`{"action":"approve"}`) + "\nexit 2", block, block, []string{"Blocked by shell hook."}, ""},
		"exit 2 without words":  {"exit 2", block, block, []string{"Blocked by shell hook."}, ""},
		"exit 1":                {"echo broken >&2; exit 1", block, allow, []string{"failed closed", "exit code 1", "broken"}, ""},
		"exit 1 and modify":     {say(`{"action":"modify","args":{"path":"c"}}`) + "\nexit 1", block, allow, []string{"failed closed"}, ""},
		"killed":                {"kill -9 $$", block, allow, []string{"failed closed", "killed"}, ""},
		"garbage":               {"echo ok", block, allow, []string{"failed closed", "no JSON object"}, ""},
		"two answers":           {say(`{}{"action":"block"}`), block, allow, []string{"failed closed"}, ""},
		"a list":                {say(`[{"action":"block"}]`), block, allow, []string{"failed closed"}, ""},
		"null":                  {say(`null`), block, allow, []string{"failed closed"}, ""},
		"a word of nobody":      {say(`{"action":"aprove"}`), block, allow, []string{"failed closed", "aprove"}, ""},
		"no text":               {say(`{"action":true}`), block, allow, []string{"failed closed", "`action`"}, ""},
		"another case":          {say(`{"Action":"block"}`), block, allow, []string{"failed closed"}, ""},
		"permission deny":       {say(`{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"not so"}}`), block, block, []string{"not so"}, ""},
		"permission ask":        {say(`{"hookSpecificOutput":{"permissionDecision":"ask"}}`), ask, ask, nil, ""},
		"permission allow":      {say(`{"hookSpecificOutput":{"permissionDecision":"allow"}}`), allow, allow, nil, ""},
		"permission defer":      {say(`{"hookSpecificOutput":{"permissionDecision":"defer"}}`), block, allow, []string{"defer"}, ""},
		"permission null":       {say(`{"hookSpecificOutput":{"permissionDecision":null}}`), block, allow, []string{"permissionDecision"}, ""},
		"permission and more":   {say(`{"hookSpecificOutput":{"permissionDecision":"allow","updatedInput":{}}}`), block, allow, []string{"updatedInput"}, ""},
		"permission outside":    {say(`{"permissionDecision":"deny"}`), block, allow, []string{"permissionDecision"}, ""},
		"harmless keys":         {say(`{"continue":true,"systemMessage":"m","suppressOutput":true,"context":"x"}`), allow, allow, nil, ""},
		"continue false":        {say(`{"continue":false,"stopReason":"enough"}`), block, block, []string{"enough"}, ""},
		"continue null":         {say(`{"continue":null}`), block, allow, []string{"continue"}, ""},
		"block as a key":        {say(`{"block":true}`), block, allow, []string{"failed closed", "block"}, ""},
		"allow as a key":        {say(`{"allow":false}`), block, allow, []string{"failed closed", "allow"}, ""},
		"status":                {say(`{"status":"deny"}`), block, allow, []string{"failed closed", "status"}, ""},
		"permission":            {say(`{"permission":"deny"}`), block, allow, []string{"failed closed", "permission"}, ""},
		"a key with a blank":    {say(`{" action":"block"}`), block, allow, []string{"failed closed", " action"}, ""},
		"action null":           {say(`{"action":null}`), block, allow, []string{"failed closed", "`action`"}, ""},
		"allow and a key":       {say(`{"action":"allow","block":true}`), block, allow, []string{"failed closed", "block"}, ""},
		"block and a key":       {say(`{"action":"block","message":"so","more":1}`), block, block, []string{"so"}, ""},
		"words alone":           {say(`{"message":"do not"}`), block, allow, []string{"failed closed", "message"}, ""},
		"arguments alone":       {say(`{"action":"allow","args":{"path":"b"}}`), block, allow, []string{"failed closed", "args"}, ""},
		"twice":                 {say(`{"action":"block","action":"allow"}`), block, allow, []string{"twice"}, ""},
		"too much":              {"yes", block, allow, []string{"failed closed", "bytes"}, ""},
		"reads nothing at all":  {"exec <&-; exit 0", allow, allow, nil, ""},
		"leaves a child behind": {"sleep 1000 & exit 0", allow, allow, nil, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newHome(t)
			rule := h.pre("guard.sh", c.body)
			for open, want := range map[bool]hook.Decision{false: c.closed, true: c.open} {
				rule.FailOpen = open
				got := h.trusted(rule).Before(t.Context(), aCall())
				if got.Decision != want || (got.Reason == "") != (want == allow) {
					t.Errorf("open %v: %+v, want %v", open, got, want)
				}
				if !open {
					has(t, got.Reason, c.words...)
					if string(got.Arguments) != c.arguments {
						t.Errorf("arguments %s, want %s", got.Arguments, c.arguments)
					}
				}
			}
		})
	}
}

func TestWhatAHookReads(t *testing.T) {
	h := newHome(t)
	h.options.Environment.Profile = "work"
	rule := h.pre("guard.sh", "cat > seen.json")
	rule.Matcher = "mcp__files__.*"
	if got := h.trusted(rule).Before(t.Context(), aCall()); got.Decision != hook.Allow {
		t.Fatal(got)
	}
	data, err := os.ReadFile(h.path("seen.json"))
	if err != nil {
		t.Fatal(err)
	}
	want := `{"hook_event_name":"pre_tool_call","tool_name":"mcp__files__write","tool_input":{"path":"a.txt","size":12345678901234567890,"deep":{"a":1,"b":2}},"session_id":"s1","cwd":"` + h.dir +
		`","profile":"work","extra":{"public_name":"mcp__files__write_ab12","server":"files","telemetry_schema_version":"hermes.observer.v1","tool":"write","tool_call_id":"call_1","turn_id":"t1"}}` + "\n"
	if string(data) != want {
		t.Errorf("%s", data)
	}
}

// TestSeveralHooks: in the order of the file, each with what the ones before it
// changed; a block ends it and beats every question.
func TestSeveralHooks(t *testing.T) {
	h := newHome(t)
	note := func(name, answer string) hook.Rule {
		return h.pre(name, "cat >> seen; cat <<'END'\n"+answer+"\nEND")
	}
	ask := note("ask.sh", `{"action":"approve","message":"first","rule_key":"files:write"}`)
	again := note("again.sh", `{"action":"approve","message":"second"}`)
	one := note("one.sh", `{"action":"modify","args":{"path":"one","extra":true}}`)
	two := note("two.sh", `{"action":"modify","args":{"path":"two"}}`)
	block := note("block.sh", `{"action":"block","message":"no"}`)
	other := note("other.sh", `{"action":"block","message":"not mine"}`)
	other.Matcher = "mcp__web__.*"
	got := h.trusted(other, ask, one, again, two).Before(t.Context(), aCall())
	if got.Decision != hook.Ask || got.RuleKey != "" || string(got.Arguments) != `{"deep":{"a":1,"b":2},"extra":true,"path":"two","size":12345678901234567890}` {
		t.Errorf("%+v %s", got, got.Arguments)
	}
	has(t, got.Reason, "first", "ask.sh", "second", "again.sh")
	seen, err := os.ReadFile(h.path("seen"))
	if err != nil {
		t.Fatal(err)
	}
	if lines := strings.Split(strings.TrimSpace(string(seen)), "\n"); len(lines) != 4 || !strings.Contains(lines[3], `"tool_input":{"deep":{"a":1,"b":2},"extra":true,"path":"one"`) {
		t.Errorf("%s", seen)
	}
	for _, rules := range [][]hook.Rule{{ask, block}, {block, ask}, {one, ask, block}} {
		if got := h.trusted(rules...).Before(t.Context(), aCall()); got.Decision != hook.Block || got.Arguments != nil {
			t.Errorf("%+v", got)
		}
	}
}

// TestRuleOfSeveralHooks: a yes for good to the rule of one hook answers for no
// other that asks about the same call.
func TestRuleOfSeveralHooks(t *testing.T) {
	h := newHome(t)
	ask := func(name, rest string) hook.Rule { return h.pre(name, `echo '{"action":"ask"`+rest+`}'`) }
	a, b, once := ask("a.sh", `,"rule_key":"a"`), ask("b.sh", `,"rule_key":"b"`), ask("once.sh", "")
	key := func(rules ...hook.Rule) string { return h.trusted(rules...).Before(t.Context(), aCall()).RuleKey }
	if alone := key(a); alone != "a" {
		t.Errorf("alone %q", alone)
	}
	if both := key(a, b); both == "" || both == "a" || both == "b" {
		t.Errorf("both %q", both)
	}
	for _, rules := range [][]hook.Rule{{a, once}, {once, a}, {a, once, b}} {
		if got := key(rules...); got != "" {
			t.Errorf("%q with a hook that names no rule", got)
		}
	}
}

func TestHookThatHangs(t *testing.T) {
	h := newHome(t)
	rule := h.pre("guard.sh", "echo '{}'; sleep 1000")
	rule.Timeout = 300 * time.Millisecond
	got := h.trusted(rule).Before(t.Context(), aCall())
	if got.Decision != hook.Block {
		t.Errorf("%+v", got)
	}
	has(t, got.Reason, "failed closed", "300ms", "ended")
	rule = h.pre("other.sh", "touch begun; sleep 1000")
	runner := h.trusted(rule)
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		eventually(t, func() bool { return h.there("begun") })
		cancel()
	}()
	got = runner.Before(ctx, aCall())
	if got.Decision != hook.Block {
		t.Errorf("%+v", got)
	}
	has(t, got.Reason, "was stopped")
}

func TestNothingRunsUnasked(t *testing.T) {
	h := newHome(t)
	rule := h.pre("guard.sh", "touch ran")
	observers := hook.NewObservers(nil)
	h.options.Observers = observers
	post := rule
	post.Event = hook.EventPostToolCall
	twice := aCall()
	twice.Arguments = json.RawMessage(`{"path":"safe","deep":[{"x":1,"x":2}]}`)
	h.trusted(rule)
	started := h.options.Starter
	h.options.Starter = nil
	noStarter := h.runner(rule)
	h.options.Starter = started
	for name, got := range map[string]hook.Verdict{
		"zero runner":         (&hook.Runner{}).Before(t.Context(), aCall()),
		"nothing starts":      noStarter.Before(t.Context(), aCall()),
		"arguments two ways":  h.runner(rule).Before(t.Context(), twice),
		"a broken matcher":    h.runner(hook.Rule{Event: hook.EventPreToolCall, Matcher: "(", Command: "true"}).Before(t.Context(), aCall()),
		"no consent":          h.runner(hook.Rule{Event: hook.EventPreToolCall, Matcher: ".*", Command: rule.Command, FailOpen: true}).Before(t.Context(), aCall()),
		"no such program":     h.runner(hook.Rule{Event: hook.EventPreToolCall, Command: "/nowhere/x", FailOpen: true}).Before(t.Context(), aCall()),
		"unreadable command":  h.runner(hook.Rule{Event: hook.EventPreToolCall, Command: "x 'y", FailOpen: true}).Before(t.Context(), aCall()),
		"the zero verdict":    {},
		"consent for another": h.runner(hook.Rule{Event: hook.EventPreToolCall, Command: rule.Command + " --lax"}).Before(t.Context(), aCall()),
	} {
		if got.Decision != hook.Block {
			t.Errorf("%s: %+v", name, got)
		}
	}
	h.runner(post).After(t.Context(), aCall(), hook.Outcome{})
	if untold := observers.Close(time.Minute); untold != 0 || h.there("ran") {
		t.Errorf("%d untold, ran %v", untold, h.there("ran"))
	}
	if got := h.runner(post).Before(t.Context(), aCall()); got.Decision != hook.Allow {
		t.Errorf("an observer decides: %+v", got)
	}
}

// TestSecretAtTheCut: a secret is taken out of a hook's words before they are cut,
// because nobody would know a piece of it.
func TestSecretAtTheCut(t *testing.T) {
	for name, body := range map[string]string{
		"standard error":  `printf '%0395d%s' 0 PASSWORD9 >&2; exit 2`,
		"a failure":       `printf '%0395d%s' 0 PASSWORD9 >&2; exit 1`,
		"a block":         `printf '{"action":"block","message":"%03995d%s"}' 0 PASSWORD9`,
		"a question":      `printf '{"action":"ask","message":"%03995d%s"}' 0 PASSWORD9`,
		"a block by code": `printf '{"message":"%03995d%s"}' 0 PASSWORD9; exit 2`,
	} {
		t.Run(name, func(t *testing.T) {
			h := newHome(t)
			h.options.Clean = func(text string) string { return strings.ReplaceAll(text, "PASSWORD9", "*") }
			got := h.trusted(h.pre("guard.sh", body)).Before(t.Context(), aCall())
			if got.Decision == hook.Allow || strings.Contains(got.Reason, "PASS") || !strings.Contains(got.Reason, "000*") {
				t.Errorf("%v …%s", got.Decision, got.Reason[max(0, len(got.Reason)-60):])
			}
		})
	}
}
