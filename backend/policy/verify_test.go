package policy_test

import (
	"testing"

	"hermes/backend/policy"
)

// TestVerifyRefuses goes through what Verify has to notice, one refusal each:
// an edit may change exactly what was asked for (docs/FILTER.md section 5).
func TestVerifyRefuses(t *testing.T) {
	on := func(tool string) policy.Intent { return policy.Intent{Action: policy.ActionOn, Tool: tool} }
	off := func(tool string) policy.Intent { return policy.Intent{Action: policy.ActionOff, Tool: tool} }
	expand := func(i policy.Intent) policy.Intent {
		i.Expand = true
		return i
	}
	knows := func(i policy.Intent, known ...string) policy.Intent {
		i.Known = known
		return i
	}
	chose := func(on, off []string) policy.Intent {
		return policy.Intent{Action: policy.ActionSelect, On: on, Off: off}
	}
	only := func(names ...string) policy.Intent { return policy.Intent{Action: policy.ActionOnly, On: names} }
	lock, open, restore := policy.Intent{Action: policy.ActionLock}, policy.Intent{Action: policy.ActionOpen}, policy.Intent{Action: policy.ActionRestore}
	a, b := []string{"a"}, []string{"b"}
	for _, c := range []struct {
		name, before, after string
		intent              policy.Intent
		code                string
	}{
		{"on", "{tools: {include: [a]}}", "{tools: {include: [a, b]}}", on("b"), ""},
		{"on, and an empty name goes", `{tools: {include: [a, ""]}}`, "{tools: {include: [a, b]}}", on("b"), ""},
		{"on, and an empty name comes", `{tools: {include: [a]}}`, `{tools: {include: [a, b, ""]}}`, on("b"), ""},
		{"on, nothing done", "{tools: {include: [a]}}", "{tools: {include: [a]}}", on("b"), "verify.result"},
		{"on, what could not be read can be", "{tools: 42}", "{tools: {include: [b]}}", on("b"), "verify.result"},
		{"off, what could not be read opens", "{tools: 42}", "{tools: {exclude: [x]}}", off("x"), "verify.result"},
		{"off, nothing can be read any more", "{tools: {exclude: [y]}}", "{tools: 42}", off("y"), "verify.result"},
		{"off, a whitelist opens", "{tools: {include: [a]}}", "{tools: {exclude: [a]}}", off("a"), "verify.more"},
		{"off, an open server gets a whitelist", "{}", "{tools: {include: [b]}}", off("a"), "verify.more"},
		{"on, another name of the file off", "{tools: {include: [a]}}", "{tools: {include: [b]}}", expand(on("b")), "verify.more"},
		{"on, another name of the file on", "{tools: {include: [a]}}", "{tools: {include: [a, b, c]}}", expand(on("b")), "verify.more"},
		{"on, a known tool on", `{tools: {include: [a]}}`, `{tools: {include: [a, b, "z*"]}}`, knows(expand(on("b")), "zz"), "verify.more"},
		{"on, a known tool off", `{tools: {include: ["z*"]}}`, `{tools: {include: [b]}}`, knows(expand(on("b")), "zz"), "verify.more"},
		{"off, a pattern is expanded", `{tools: {include: ["z*"]}}`, `{tools: {include: [zb]}}`, knows(expand(off("za")), "za", "zb"), ""},
		{"off, a pattern is expanded unasked", `{tools: {include: ["z*"]}}`, `{tools: {include: [zb]}}`, knows(off("za"), "za", "zb"), "verify.more"},
		{"on, a pattern comes", "{tools: {include: [a]}}", `{tools: {include: [a, b, "z*"]}}`, on("b"), "verify.more"},
		{"on, a name of no effect comes", `{tools: {include: ["*"]}}`, `{tools: {include: ["*", c]}}`, on("b"), "verify.more"},
		{"on, a name of no effect goes", `{tools: {include: ["*", c]}}`, `{tools: {include: ["*"]}}`, on("b"), "verify.more"},
		{"on, resources too", "{tools: {include: [a]}}", "{tools: {include: [a, b], resources: true}}", on("b"), "verify.more"},
		{"on, prompts off", "{tools: {include: [a]}}", "{tools: {include: [a, b], prompts: false}}", on("b"), "verify.more"},
		{"on, elicitation too", "{tools: {include: [a]}}", "{tools: {include: [a, b]}, elicitation: true}", on("b"), "verify.more"},
		{"on, trust gone", "{tools: {include: [a]}, trust: untrusted}", "{tools: {include: [a, b]}}", on("b"), "verify.more"},
		{"on, trust comes", "{tools: {include: [a]}}", "{tools: {include: [a, b]}, trust: untrusted}", on("b"), "verify.more"},

		{"lock", "{tools: {include: [a]}}", "{tools: {include: []}}", lock, ""},
		{"lock, helpers off", "{tools: {include: [a], resources: true, prompts: true}}", "{tools: {include: [], resources: false, prompts: false}}", lock, ""},
		{"lock, and untrusted", "{}", "{tools: {include: []}, trust: untrusted}", lock, ""},
		{"lock, trusted", "{trust: untrusted}", "{tools: {include: []}}", lock, "verify.more"},
		{"lock, a tool stays", "{tools: {include: [a, b]}}", "{tools: {include: [b]}}", lock, "verify.result"},
		{"lock, open instead", "{tools: {include: [a]}}", "{}", lock, "verify.result"},
		{"lock, sampling off", "{sampling: true}", "{tools: {include: []}, sampling: false}", lock, "verify.more"},
		{"lock, sampling on", "{}", "{tools: {include: []}, sampling: true}", lock, "verify.more"},
		{"lock what could not be read", "{tools: {include: 42, resources: true}}", "{tools: {include: []}}", lock, ""},
		{"lock what could not be read, trusted", "{tools: 42, trust: untrusted}", "{tools: {include: []}}", lock, "verify.more"},
		{"lock what could not be read, untrusted", "{tools: 42, trust: untrusted}", "{tools: {include: []}, trust: untrusted}", lock, ""},
		{"lock what could not be read, more untrusted", "{tools: 42}", "{tools: {include: []}, trust: untrusted}", lock, ""},

		{"open", "{tools: {include: [a]}}", "{}", open, ""},
		{"open, an exclude stays", "{tools: {include: [a], exclude: [b]}}", "{tools: {exclude: [b]}}", open, "verify.result"},
		{"open, trusted", "{tools: {include: [a]}, trust: untrusted}", "{}", open, "verify.more"},
		{"open, untrusted", "{tools: {include: [a]}}", "{trust: untrusted}", open, "verify.more"},
		{"open, prompts off", "{tools: {include: [a]}}", "{tools: {prompts: false}}", open, "verify.more"},

		{"select", "{tools: {include: [a]}}", "{tools: {include: [b]}}", chose(b, a), ""},
		{"select in a blacklist", "{tools: {exclude: [b]}}", "{tools: {exclude: [a]}}", chose(b, a), ""},
		{"select, on is off", "{tools: {include: [a]}}", "{tools: {include: []}}", chose(b, a), "verify.result"},
		{"select, off is on", "{tools: {include: [a]}}", "{tools: {include: [a, b]}}", chose(b, a), "verify.result"},
		{"select, what could not be read can be", "{tools: 42}", "{tools: {exclude: [a]}}", chose(b, a), "verify.result"},
		{"select, nothing can be read any more", "{tools: {exclude: [a]}}", "{tools: 42}", chose(nil, a), "verify.result"},
		{"select, a whitelist opens", "{tools: {include: [a]}}", "{tools: {exclude: [a]}}", chose(b, a), "verify.more"},
		{"select, resources too", "{tools: {include: [a]}}", "{tools: {include: [b], resources: true}}", chose(b, a), "verify.more"},
		{"select, another name on", "{tools: {include: [a]}}", "{tools: {include: [b, c]}}", chose(b, a), "verify.more"},
		{"select, another name off", "{tools: {include: [a, c]}}", "{tools: {include: [b]}}", chose(b, a), "verify.more"},
		{"select, a pattern comes", "{tools: {include: [a]}}", `{tools: {include: [b, "z*"]}}`, chose(b, a), "verify.more"},
		{"select, a pattern goes", `{tools: {include: [a, "z*"]}}`, `{tools: {include: [b]}}`, chose(b, a), "verify.more"},
		{"select, a pattern is expanded", `{tools: {include: [a, "z*"]}}`, `{tools: {include: [b, zz]}}`, knows(expand(chose(b, a)), "zz", "a", "b"), ""},
		{"select, a known tool off", `{tools: {include: [a, "z*"]}}`, `{tools: {include: [b]}}`, knows(expand(chose(b, a)), "zz", "a", "b"), "verify.more"},
		{"select, an empty name goes", `{tools: {include: [a, ""]}}`, `{tools: {include: [b]}}`, chose(b, a), ""},

		{"only", "{tools: {exclude: [x]}}", "{tools: {include: [a]}}", only("a"), ""},
		{"only nothing", "{}", "{tools: {include: []}}", only(), ""},
		{"only, an empty name is there", "{}", `{tools: {include: [a, ""]}}`, only("a"), ""},
		{"only, a blacklist instead", "{}", "{tools: {exclude: [a]}}", only("a"), "verify.result"},
		{"only, what could not be read can be", "{tools: 42}", "{tools: {include: [a]}}", only("a"), "verify.result"},
		{"only, a name is missing", "{}", "{tools: {include: [a]}}", only("a", "b"), "verify.result"},
		{"only, a name more", "{}", "{tools: {include: [a, b]}}", only("a"), "verify.more"},
		{"only, a pattern in its place", "{}", `{tools: {include: ["*"]}}`, only("a"), "verify.result"},
		{"only, a pattern more", "{}", `{tools: {include: [a, "*"]}}`, only("a"), "verify.more"},
		{"only, resources too", "{}", "{tools: {include: [a], resources: true}}", only("a"), "verify.more"},
		{"only, trusted", "{trust: untrusted}", "{tools: {include: [a]}}", only("a"), "verify.more"},

		{"restore", "{}", "{tools: {include: [a], prompts: false}, trust: untrusted}", restore, ""},
		{"restore a blacklist", "{}", "{tools: {exclude: [a]}}", restore, ""},
		{"restore nothing", "{}", "{}", restore, ""},
		{"restore, unreadable before", "{tools: 42}", "{tools: {include: [a]}}", restore, "verify.result"},
		{"restore, unreadable after", "{}", "{tools: 42}", restore, "verify.result"},
		{"restore, a whitelist opens", "{tools: {include: [a]}}", "{}", restore, "verify.more"},
		{"restore, a blacklist opens", `{tools: {exclude: ["a*"]}}`, "{}", restore, "verify.more"},
		{"restore, a name on", "{tools: {include: [a]}}", "{tools: {include: [a, b]}}", restore, "verify.more"},
		{"restore, a known tool on", `{tools: {include: [a]}}`, `{tools: {include: [a, "z*"]}}`, knows(restore, "zz"), "verify.more"},
		{"restore, sampling on", "{sampling: false}", "{sampling: true}", restore, "verify.more"},
		{"restore, resources on", "{tools: {include: []}}", "{tools: {include: [], resources: true}}", restore, "verify.more"},
		{"restore, trusted", "{trust: untrusted}", "{}", restore, "verify.more"},
		{"no action", "{}", "{}", policy.Intent{}, "edit.action"},
		{"an action nobody knows", "{}", "{}", policy.Intent{Action: "toggle", Tool: "a"}, "edit.action"},
	} {
		t.Run(c.name, func(t *testing.T) {
			checkVerify(t, "mcp_servers:\n  demo: "+c.before+"\n", "mcp_servers:\n  demo: "+c.after+"\n", "demo", c.intent, c.code)
		})
	}
}

// TestVerifyLooksAtTheWholeFile: every server other than the edited one is there
// and decides as before.
func TestVerifyLooksAtTheWholeFile(t *testing.T) {
	lock := policy.Intent{Action: policy.ActionLock}
	const before = "mcp_servers:\n  demo: {}\n  other: {}\n"
	for name, c := range map[string]struct{ before, after, server, code string }{
		"as intended":             {before, "mcp_servers:\n  demo: {tools: {include: []}}\n  other: {}\n", "demo", ""},
		"order does not count":    {before, "mcp_servers:\n  other: {}\n  demo: {tools: {include: []}}\n", "demo", ""},
		"the server is renamed":   {before, "mcp_servers:\n  dome: {tools: {include: []}}\n  other: {}\n", "demo", "verify.server"},
		"the server was not":      {"mcp_servers:\n  other: {}\n", "mcp_servers:\n  demo: {tools: {include: []}}\n  other: {}\n", "demo", "verify.server"},
		"the server takes a name": {before, "mcp_servers:\n  demo: {tools: {include: []}}\n  third: {}\n", "third", "verify.others"},
		"a server more":           {before, "mcp_servers:\n  demo: {tools: {include: []}}\n  other: {}\n  third: {}\n", "demo", "verify.server"},
		"another server changes":  {before, "mcp_servers:\n  demo: {tools: {include: []}}\n  other: {sampling: false}\n", "demo", "verify.others"},
		"no file any more":        {before, "", "demo", "verify.server"},
		"no file at all":          {"", "", "demo", "verify.server"},
	} {
		t.Run(name, func(t *testing.T) { checkVerify(t, c.before, c.after, c.server, lock, c.code) })
	}
}
