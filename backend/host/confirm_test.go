package host

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"hermes/backend/approval"
	"hermes/backend/hook"
	"hermes/backend/store"
)

// TestOwnFilesMadeByASibling: a link that an earlier call of the same answer makes is
// seen before the later one is sent, and the model is told to call again.
func TestOwnFilesMadeByASibling(t *testing.T) {
	s := newScene(t)
	folder := t.TempDir()
	path := filepath.Join(folder, "notes", "config.yaml")
	s.note.did = func(_, arguments string) {
		if strings.Contains(arguments, "unpack") {
			if err := os.Symlink(s.home, filepath.Join(folder, "notes")); err != nil {
				t.Error(err)
			}
		}
	}
	h := s.open()
	got := s.say(h, Turn{Yolo: true}, all(approval.ScopeOnce), []scripted{send("notes", "unpack"), send("notes", path)}, []scripted{send("notes", path)})
	s.check("a link", got, "ok blocked ok", "", `send {"text":"`+path+`"}; send {"text":"unpack"}`)
	if told := strings.Join(got.contents, "\n"); !strings.Contains(told, "named no such file") || !strings.Contains(told, "Make the same call again") {
		t.Errorf("the model was told %s", told)
	}
	if len(got.cards) != 1 || got.cards[0].Calls[0].Why[0].Code != approval.WhyOwnFiles {
		t.Errorf("%+v", got.cards)
	}
}

// TestWrittenRightBeforeTheYes: what a person writes and what is answered in the same
// moment meet in that order.
func TestWrittenRightBeforeTheYes(t *testing.T) {
	for name, test := range map[string]struct{ before, after, status string }{
		"a deny glob": {"timeout: 30", `timeout: 30, deny: ["web:send"]`, "blocked"},
		"a lock":      {"trust: untrusted}", "trust: untrusted, tools: {include: [read]}}", "denied"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newScene(t)
			h := s.open()
			s.check(name, s.say(h, Turn{}, func(q approval.Question) approval.Answer {
				s.edit(test.before, test.after)
				return all(approval.ScopeOnce)(q)
			}, []scripted{send("web", "a")}), test.status, "", "")
		})
	}
}

// edit changes the file as an editor does.
func (s *scene) edit(before, after string) {
	s.t.Helper()
	path := filepath.Join(s.home, "config.yaml")
	text, err := os.ReadFile(path)
	if err != nil || !strings.Contains(string(text), before) {
		s.t.Fatal(err, string(text))
	}
	if err := os.WriteFile(path+".new", []byte(strings.Replace(string(text), before, after, 1)), 0o600); err != nil {
		s.t.Fatal(err)
	}
	if err := os.Rename(path+".new", path); err != nil {
		s.t.Fatal(err)
	}
}

// TestHookAddedWhileAPersonReads: it decides about the call that waits.
func TestHookAddedWhileAPersonReads(t *testing.T) {
	s := newScene(t)
	h := s.open()
	got := s.say(h, Turn{}, func(q approval.Question) approval.Answer {
		s.edit("approvals:", "hooks: {pre_tool_call: [{matcher: \"mcp__web__send\", command: /bin/true}]}\napprovals:")
		return all(approval.ScopeOnce)(q)
	}, []scripted{send("web", "a"), {"mcp__web__read", "{}"}})
	s.check("a hook", got, "blocked ok", "read {}", "")
	if told := strings.Join(got.contents, "\n"); !strings.Contains(told, "hermes hooks trust") {
		t.Errorf("the model was told %s", told)
	}
}

// TestCardShowsWhatIsSent: what looks like a secret hides nothing behind it; one that
// is known goes, with its own letters alone; of what is too long both ends are shown.
func TestCardShowsWhatIsSent(t *testing.T) {
	s := newScene(t)
	h := s.open()
	shown := func(text string) string {
		t.Helper()
		arguments, err := json.Marshal(map[string]string{"text": text})
		if err != nil {
			t.Fatal(err)
		}
		got := s.say(h, Turn{}, all(approval.ScopeOnce), []scripted{{"mcp__web__send", string(arguments)}})
		s.check("sent as it is", got, "ok", "send "+string(arguments), "")
		return got.cards[0].Calls[0].Arguments
	}
	for _, text := range []string{
		"# -----BEGIN PRIVATE KEY\nrm -rf ~/work", "curl -H 'Authorization: Bearer abcdefghijklmnop0123;rm'", "export API_TOKEN=rm_-rf_everything_now",
		"https://a:b12345@x.example/ sk-abcdefghijklmnop1234567890",
	} {
		want, _ := json.Marshal(map[string]string{"text": text})
		if got := shown(text); got != string(want) {
			t.Errorf("the card shows %s, and %s is sent", got, want)
		}
	}
	if got := shown("a test-key-of-no-worth b"); got != `{"text":"a [redacted] b"}` {
		t.Errorf("the card shows %s", got)
	}
	if got := shown("a\u200b\u202eb"); got != `{"text":"a\u200b\u202eb"}` {
		t.Errorf("the card shows %q", got)
	}
	long := shown("begins" + strings.Repeat("ä", maxShownArguments) + "ends")
	if !strings.HasPrefix(long, `{"text":"begins`) || !strings.HasSuffix(long, `ends"}`) || !strings.Contains(long, "200022 bytes are not shown") {
		t.Errorf("the card shows %d bytes: %.60s", len(long), long)
	}
}

// TestTaintOfAnotherProcess: what another Hermes read into the conversation counts in
// this one, which was there before.
func TestTaintOfAnotherProcess(t *testing.T) {
	s := newScene(t)
	one, other := s.open(), s.open()
	first := s.say(one, Turn{}, s.never, []scripted{send("notes", "a")})
	s.check("nothing read", first, "ok", "", `send {"text":"a"}`)
	s.check("another reads", s.say(other, Turn{Session: first.session}, all(approval.ScopeOnce), []scripted{{"mcp__web__read", "{}"}}), "ok", "read {}", "")
	s.check("nobody is there", s.say(one, Turn{Session: first.session}, nil, []scripted{send("notes", "b")}), "denied", "", "")
}

// TestGrantsAreForTheWholeConnection: nothing of how a server is started or contacted
// changes under a yes, and what an earlier Hermes kept counts for nothing.
func TestGrantsAreForTheWholeConnection(t *testing.T) {
	for name, change := range map[string]func(s *scene, h *Host){
		"a header": func(s *scene, _ *Host) { s.edit("trust: untrusted}", "trust: untrusted, headers: {X-Account: other}}") },
		"the row of an earlier Hermes": func(s *scene, h *Host) {
			server, _ := h.file.Current().Server("web")
			grants, err := h.Grants(s.t.Context())
			if err != nil || len(grants) != 1 {
				s.t.Fatal(grants, err)
			}
			old := grants[0]
			old.Identity = server.Identity()
			sessions, err := h.Sessions()
			if err == nil {
				err = sessions.AddGrant(s.t.Context(), old)
			}
			if err == nil {
				err = h.RevokeGrants(s.t.Context(), grants[0].ID)
			}
			if err != nil {
				s.t.Fatal(err)
			}
		},
		"the key is gone": func(s *scene, h *Host) {
			if err := os.Remove(filepath.Join(h.Home().Native(), sealFile)); err != nil {
				s.t.Fatal(err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := newScene(t)
			h := s.open()
			s.check("the yes", s.say(h, Turn{}, all(approval.ScopeAlways), []scripted{send("web", "a")}), "ok", `send {"text":"a"}`, "")
			change(s, h)
			if err := h.Close(); err != nil {
				t.Fatal(err)
			}
			h = s.open()
			grants, err := h.Grants(t.Context())
			if err != nil || len(grants) != 1 || h.GrantVoid(grants[0]) == "" {
				t.Errorf("%+v, %v", grants, err)
			}
			if result := h.GatewayTools().Call(t.Context(), "mcp__web__send", []byte(`{"text":"g"}`), nil); !result.IsError {
				t.Errorf("the gateway: %+v", result)
			}
			s.check("after that", s.say(h, Turn{}, nil, []scripted{send("web", "c")}), "denied", "", "")
		})
	}
}

// TestConnectionNames: every part of a connection makes another name, how long is
// waited for it none, and the name holds nothing that could be tried without the key.
func TestConnectionNames(t *testing.T) {
	folder := t.TempDir()
	for _, name := range []string{"a/tool", "b/tool"} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(folder, name)), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(folder, name), []byte("#!/bin/sh\n"), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	const base = `{command: sh, args: [-c, "run pkg@1.0 --read-only"], env: {MODE: safe, API_TOKEN: "1234"}}`
	key := make([]byte, sealSize)
	name := func(entry, token string) string {
		t.Helper()
		h := quietHost(t, "mcp_servers:\n  s: "+entry+"\n", map[string]string{"TOKEN": token})
		if err := os.MkdirAll(h.Home().Native(), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(h.Home().Native(), sealFile), key, 0o600); err != nil {
			t.Fatal(err)
		}
		snap := h.file.Current()
		server, ok := snap.Server("s")
		if !ok {
			t.Fatal(entry)
		}
		name, kept := h.connection(snap, server)
		if !kept || !strings.HasPrefix(name, exactly) {
			t.Errorf("%s: %q cannot be kept", entry, name)
		}
		return name
	}
	first := name(base, "x")
	if again := name(strings.Replace(base, "{command", "{timeout: 5, connect_timeout: 7, command", 1), "x"); again != first {
		t.Error("a time makes another connection")
	}
	seen := map[string]string{first: base}
	for _, entry := range []string{
		strings.Replace(base, "@1.0", "@2.0", 1), strings.Replace(base, " --read-only", "", 1), strings.Replace(base, "safe", "full", 1),
		strings.Replace(base, "1234", "1235", 1), strings.Replace(base, "MODE: safe, ", "", 1), strings.Replace(base, "{command", "{cwd: /tmp, command", 1),
		strings.Replace(base, "command: sh", "command: "+folder+"/a/tool", 1), strings.Replace(base, "command: sh", "command: "+folder+"/b/tool", 1),
		strings.Replace(base, "command: sh", `command: /bin/echo`, 1), strings.Replace(base, "{command", "{folders: [/tmp], command", 1),
		strings.Replace(base, "MODE: safe", "MODE: safe, PATH: "+folder, 1),
		`{url: "http://127.0.0.1:1/mcp"}`, `{url: "http://127.0.0.1:1/mcp", transport: sse}`, `{url: "http://127.0.0.1:1/mcp?key=1"}`, `{url: "http://127.0.0.1:1/mcp/"}`,
		`{url: "http://127.0.0.1:1/mcp", headers: {Authorization: "Bearer a"}}`, `{url: "http://127.0.0.1:1/mcp", headers: {Authorization: "Bearer b"}}`,
		`{url: "http://127.0.0.1:1/mcp", ssl_verify: false}`, `{builtin: files, root: /tmp}`, `{builtin: files, root: /var}`, `{command: sh, env: {T: "${TOKEN}"}}`,
	} {
		got := name(entry, "x")
		if other, twice := seen[got]; twice {
			t.Errorf("one name for %s and %s", entry, other)
		}
		seen[got] = entry
	}
	if name(`{command: sh, env: {T: "${TOKEN}"}}`, "y") == name(`{command: sh, env: {T: "${TOKEN}"}}`, "x") {
		t.Error("another value of a variable is the same connection")
	}
	key[0] = 1
	if name(base, "x") == first {
		t.Error("the name says something without the key")
	}
}

// TestSealIsKept: a home that is only looked at gets no key, one with our folder gets
// one for good, whoever asks first, and what is none is replaced.
func TestSealIsKept(t *testing.T) {
	h := quietHost(t, "mcp_servers: {}\n", nil)
	if err := h.seal.keep(h.Home()); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(h.Home().Native(), sealFile)
	if _, err := os.Lstat(h.Home().Native()); !os.IsNotExist(err) {
		t.Error("a home that was only looked at has a folder of ours")
	}
	if err := os.MkdirAll(h.Home().Native(), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte("short"), 0o600); err != nil {
		t.Fatal(err)
	}
	var one, two seal
	for _, s := range []*seal{&one, &two} {
		if err := s.keep(h.Home()); err != nil {
			t.Fatal(err)
		}
	}
	a, kept := one.of(h.Home())
	if b, too := two.of(h.Home()); !kept || !too || string(a) != string(b) || len(a) != sealSize {
		t.Errorf("%x %v, %x %v", a, kept, b, too)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v %v", info, err)
	}
}

// TestGrantOfNoConnection: what cannot be kept is not offered.
func TestGrantOfNoConnection(t *testing.T) {
	h := quietHost(t, "mcp_servers:\n  s: {command: sh, env: {T: \"${NOT_SET_ANYWHERE}\"}, trust: untrusted}\n", nil)
	if reason := h.GrantVoid(store.Grant{Server: "s", Tool: "x", Identity: exactly + "00", Definition: "d"}); reason == "" {
		t.Error("a grant without a key counts")
	}
	snap := h.file.Current()
	server, _ := snap.Server("s")
	if name, kept := h.connection(snap, server); kept || !strings.HasPrefix(name, passing) {
		t.Errorf("%q %v", name, kept)
	}
}

// TestTrustTakenBackWhileAPersonReads: a hook that let the call pass and that nobody
// trusts any more as it is, decides no longer: the call is not sent.
func TestTrustTakenBackWhileAPersonReads(t *testing.T) {
	for name, change := range map[string]func(h *Host, rule hook.Rule, script string) error{
		"revoked": func(h *Host, rule hook.Rule, _ string) error {
			gone, err := h.HookConsents().Revoke(rule)
			if !gone {
				t.Error("there was no consent")
			}
			return err
		},
		"another script": func(_ *Host, _ hook.Rule, script string) error {
			return os.WriteFile(script, []byte("#!/bin/sh\necho '{}' # other\n"), 0o700)
		},
		"nothing": func(*Host, hook.Rule, string) error { return nil },
	} {
		t.Run(name, func(t *testing.T) {
			s := newScene(t)
			script := filepath.Join(t.TempDir(), "hook.sh")
			if err := os.WriteFile(script, []byte("#!/bin/sh\necho '{}'\n"), 0o700); err != nil {
				t.Fatal(err)
			}
			s.edit("approvals:", "hooks: {pre_tool_call: [{matcher: \"mcp__web__send\", command: "+script+"}]}\napprovals:")
			h := s.open()
			h.Remember()
			runner, rules := h.Hooks()
			if trust, err := runner.Approve(rules[0], runner.Examine(rules[0]).Files, time.Now()); err != nil || trust.State != hook.Trusted {
				t.Fatal(trust, err)
			}
			status, sent := "blocked", ""
			if name == "nothing" {
				status, sent = "ok", `send {"text":"a"}`
			}
			got := s.say(h, Turn{}, func(q approval.Question) approval.Answer {
				if err := change(h, rules[0], script); err != nil {
					t.Error(err)
				}
				return all(approval.ScopeOnce)(q)
			}, []scripted{send("web", "a")})
			s.check(name, got, status, sent, "")
			if told := strings.Join(got.contents, "\n"); len(got.cards) != 1 || name != "nothing" && !strings.Contains(told, "hermes hooks trust") {
				t.Errorf("%d cards, the model was told %s", len(got.cards), told)
			}
		})
	}
}
