package config

import (
	"os"
	"strings"
	"testing"
)

// TestOtherSpellingsAreTheSameProgram: an entry that spells the program of a
// locked server in another way begins held (FILTER section 6).
func TestOtherSpellingsAreTheSameProgram(t *testing.T) {
	const (
		address = "url: https://x.example/mcp"
		program = "command: node, args: [f.js]"
		pack    = "command: npx, args: [-y, \"@a/server\", /srv]"
		files   = "builtin: files, root: /srv"
	)
	for _, c := range []struct{ locked, other string }{
		{address, "url: HTTPS://X.example/mcp"},
		{address, "url: https://x.example:443/mcp"},
		{address, "url: https://x.example/mcp#a"},
		{address, `url: "https://x.example/mcp?"`},
		{address, "url: https://x.example/mcp/"},
		{address, "url: https://x.example//mcp"},
		{address, "url: https://x.example/./mcp"},
		{address, "url: https://x.example/a/../mcp"},
		{address, "url: https://x.example/%6dcp"},
		{address, `url: " https://x.example/mcp"`},
		{address, "url: https://me@x.example/mcp"},
		{address, "url: https://x.example./mcp"},
		{address, "url: https://x.example/mcp, transport: sse"},
		{address, "url: \"https://${HOST}/mcp\""},
		{program, `command: "${N}", args: [f.js]`},
		{program, `command: node, args: ["${F}"]`},
		{program, `command: node, args: ["${env:F}"]`},
		{program, "command: /usr/bin/node, args: [f.js]"},
		{program, `command: " node", args: [f.js]`},
		{program, "command: node.exe, args: [f.js]"},
		{program, "command: nodejs, args: [f.js]"},
		{program, "command: node, args: [./f.js]"},
		{program, "command: node, args: [a/..//./f.js]"},
		{program, "command: node, args: [--no-warnings, f.js]"},
		{program, "command: node, args: [--, f.js]"},
		{program, "command: env, args: [node, f.js]"},
		{program, "command: /usr/bin/env, args: [-i, -u, X, A=b, node, f.js]"},
		{program, `command: env, args: [-S, "node f.js"]`},
		{program, "command: nohup, args: [node, f.js]"},
		{program, "command: nice, args: [-n, \"5\", node, f.js]"},
		{program, "command: exec, args: [node, f.js]"},
		{program, "command: timeout, args: [\"60\", node, f.js]"},
		{program, `command: sh, args: [-c, "exec node f.js"]`},
		{program, `command: /bin/bash, args: [-lc, "A=b exec /usr/bin/node './f.js'"]`},
		{program, `command: env, args: [zsh, -c, "nice node f.js"]`},
		{program, "command: cmd, args: [/c, node, f.js]"},
		{program, "command: node, args: [f.js, --token, other]"},
		{pack, "command: npx, args: [\"@a/server\", /srv]"},
		{pack, "command: npx, args: [-y, \"@a/server@1.2\", /srv/]"},
		{pack, "command: npx, args: [-y, \"--package=@a/server@2\", server, /srv]"},
		{pack, "command: npx, args: [-p, \"@a/server\", server, /srv]"},
		{pack, "command: npm, args: [exec, --, \"@a/server\", /srv]"},
		{pack, "command: pnpm, args: [dlx, \"@a/server\", /srv]"},
		{"command: uvx, args: [server]", "command: uv, args: [tool, run, server==1.2]"},
		{"command: sh, args: [-c, \"a | b\"]", "command: /bin/sh, args: [-ec, \"a  |  b\"]"},
		{files, "builtin: files, root: /srv/"},
		{files, "builtin: files, root: /x/../srv"},
	} {
		if !spellingHeld(t, c.locked, c.other) {
			t.Errorf("%s opens beside the locked %s", c.other, c.locked)
		}
	}
	for _, c := range []struct{ locked, other string }{
		{address, "url: https://x.example/other"},
		{address, "url: http://x.example/mcp"},
		{address, "url: https://x.example:444/mcp"},
		{address, `url: "https://x.example/mcp?team=a"`},
		{program, "command: node, args: [g.js]"},
		{program, "command: deno, args: [f.js]"},
		{program, `command: "${NOT_SET}", args: [f.js]`},
		{pack, "command: npx, args: [-y, \"@a/other\", /srv]"},
		{pack, "command: npx, args: [-y, \"@a/server\", /home]"},
		{files, "builtin: git, root: /srv"},
		{files, "builtin: files, root: /home"},
	} {
		if spellingHeld(t, c.locked, c.other) {
			t.Errorf("%s is held beside the locked %s", c.other, c.locked)
		}
	}
}

// spellingHeld adds an entry beside a locked one and tells whether it is held.
func spellingHeld(t *testing.T, locked, other string) bool {
	t.Helper()
	file := "mcp_servers:\n  demo: {" + locked + ", tools: {include: []}}\n"
	h := home(t, file)
	put(t, h.Env(), "N=node\nF=f.js\nHOST=X.example\n")
	put(t, h.Config(), file)
	f := recorded(t, h)
	put(t, h.Config(), file+"  new: {"+other+"}\n")
	f.Reload()
	return isHeld(t, f, "new") && isHeld(t, again(t, h), "new")
}

// recorded is a process that recorded the file of a home.
func recorded(t *testing.T, h Home) *File {
	t.Helper()
	if err := os.MkdirAll(h.Native(), 0o700); err != nil {
		t.Fatal(err)
	}
	f := quick(t, h)
	record(t, f)
	return f
}

// TestIdentityHoldsNoSecrets: a new token is no new program, and the digest says
// nothing about it.
func TestIdentityHoldsNoSecrets(t *testing.T) {
	with := func(token string) string {
		c := Connection{Transport: TransportStdio, Command: "node", Args: []string{"f.js", "--api-key", token, "password=" + token, "https://x.example/?token=" + token}}
		return c.identity(newScope(Home{}, nil, env()))
	}
	if with("a") != with("b") {
		t.Error("another token is another program")
	}
}

// FuzzIdentity: no spelling breaks it, and it is the same twice.
func FuzzIdentity(f *testing.F) {
	f.Add("env", "-S\x00node f.js")
	f.Add("sh", "-c\x00'")
	f.Add("npx", "-p")
	f.Add("exec", "exec\x00exec\x00exec")
	f.Fuzz(func(t *testing.T, command, args string) {
		c := Connection{Transport: TransportStdio, Command: command, Args: strings.Split(args, "\x00")}
		if s := newScope(Home{}, nil, env()); len(c.identity(s)) != 16 || c.identity(s) != c.identity(s) {
			t.Error("no identity")
		}
	})
}
