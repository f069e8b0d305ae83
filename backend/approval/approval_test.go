package approval_test

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"hermes/backend/approval"
)

func TestDecide(t *testing.T) {
	yes := true
	trusted := approval.Facts{Public: "mcp__files__write_file", Server: "files", Tool: "write_file", Arguments: `{"path":"a"}`}
	untrusted := trusted
	untrusted.Untrusted, untrusted.Where = true, "config.yaml:12"
	readOnly := untrusted
	readOnly.ReadOnly = &yes
	deny := func(patterns ...string) (out []approval.DenyGlob) {
		for _, p := range patterns {
			out = append(out, approval.DenyGlob{Pattern: p, Where: "config.yaml:30"})
		}
		return out
	}
	command := trusted
	command.Arguments = `{"steps":[{"command":" RM -rf /srv "}]}`
	broken := trusted
	broken.Arguments = "rm -rf"
	no := false
	bound := func(f approval.Facts) approval.Facts { f.Identity, f.Definition = "id", "hash"; return f }
	hooked, ruled, own := bound(trusted), bound(trusted), bound(untrusted)
	hooked.HookAsks, hooked.Hook = true, "say \u202eso"
	ruled.HookAsks, ruled.HookRule = true, "writes"
	own.OwnFiles = "config.yaml"
	tainted := func(readOnly, destructive, openWorld *bool) approval.Facts {
		f := bound(trusted)
		f.Tainted, f.ReadOnly, f.Destructive, f.OpenWorld = "web", readOnly, destructive, openWorld
		return f
	}
	taintedUntrusted := tainted(&yes, &no, &no)
	taintedUntrusted.Untrusted = true
	taintedSilent := tainted(nil, nil, nil)
	taintedSilent.Untrusted = true
	manual, yolo := approval.New(approval.Options{}), approval.New(approval.Options{Yolo: true})
	for _, test := range []struct {
		name  string
		rules approval.Rules
		facts approval.Facts
		want  string // outcome, reasons, scopes
		words []string
	}{
		{"the zero value", approval.Rules{}, trusted, "denied unknown", []string{"not read"}},
		{"trusted", manual, trusted, "allowed", nil},
		{"untrusted, definition not known", manual, untrusted, "asks untrusted once", []string{"config.yaml:12: ", `"files"`}},
		{"untrusted", manual, bound(untrusted), "asks untrusted once session always", nil},
		{"untrusted in smart mode", approval.New(approval.Options{Mode: "smart"}), untrusted, "asks untrusted once", nil},
		{"untrusted in a mode nobody knows", approval.New(approval.Options{Mode: "offf"}), untrusted, "asks untrusted once", nil},
		{"untrusted, and the server says it only reads", manual, readOnly, "asks untrusted once", nil},
		{"untrusted with --yolo", yolo, untrusted, "allowed untrusted lifted", nil},
		{"untrusted with mode off", approval.New(approval.Options{Mode: " Off "}), untrusted, "allowed untrusted lifted", nil},
		{"untrusted with mode false", approval.New(approval.Options{Mode: "false"}), untrusted, "allowed untrusted lifted", nil},
		{"a hook asks", manual, hooked, "asks hook once", []string{`say \u202eso`}},
		{"a rule of a hook asks", manual, ruled, "asks hook once session always", nil},
		{"a hook asks with --yolo", yolo, hooked, "allowed hook lifted", nil},
		{"files of ours", manual, own, "asks own-files,untrusted once", []string{"config.yaml"}},
		{"files of ours with --yolo", yolo, own, "asks own-files,untrusted once", nil},
		{"tainted, nothing said", manual, tainted(nil, nil, nil), "asks tainted once session", []string{`"web"`}},
		{"tainted, only reads, wherever", manual, tainted(&yes, nil, nil), "asks tainted once session", nil},
		{"tainted, only reads, wherever, destroys nothing", manual, tainted(&yes, &no, nil), "asks tainted once session", nil},
		{"tainted, only reads here", manual, tainted(&yes, nil, &no), "allowed", nil},
		{"tainted, reads the world", manual, tainted(&yes, nil, &yes), "asks tainted once session", nil},
		{"tainted, adds here", manual, tainted(&no, &no, &no), "allowed", nil},
		{"tainted, adds wherever", manual, tainted(&no, &no, nil), "asks tainted once session", nil},
		{"tainted, says two things", manual, tainted(&yes, &yes, &no), "asks tainted once session", nil},
		{"tainted, not trusted, says it only reads", manual, taintedUntrusted, "asks untrusted once session always", nil},
		{"tainted, not trusted", manual, taintedSilent, "asks untrusted,tainted once session", nil},
		{"tainted with --yolo", yolo, tainted(nil, nil, nil), "allowed tainted lifted", nil},
		{"deny by public name, before yolo", approval.New(approval.Options{Yolo: true, Deny: deny("x", "MCP__*__Write_*")}), trusted, "denied deny", []string{"config.yaml:30: ", `"MCP__*__Write_*"`, "mcp__files__write_file"}},
		{"deny by server", approval.New(approval.Options{Deny: deny("files")}), trusted, "denied deny", nil},
		{"deny by server:tool", approval.New(approval.Options{Deny: deny("files:write*")}), trusted, "denied deny", nil},
		{"deny by a command inside", approval.New(approval.Options{Deny: deny("rm -rf *")}), command, "denied deny", []string{"one of its arguments"}},
		{"deny with arguments that are no JSON", approval.New(approval.Options{Deny: deny("rm*")}), broken, "denied deny", nil},
		{"deny before files of ours", approval.New(approval.Options{Deny: deny("files")}), own, "denied deny", nil},
		{"deny of another", approval.New(approval.Options{Deny: deny("git*", "write", "")}), trusted, "allowed", nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			d := test.rules.Decide(test.facts)
			got, said := "", d.Reason
			switch d.Outcome {
			case approval.Denied:
				got = "denied " + d.Rule
			case approval.Allowed:
				got = strings.TrimSpace("allowed " + d.Codes())
			case approval.Asks:
				got, said = "asks "+d.Codes(), d.Refused("Nobody was there.")
			}
			for _, scope := range d.Scopes {
				got += " " + string(scope)
			}
			if d.Lifted {
				got += " lifted"
			}
			if got != test.want || (d.Reason != "") != (d.Outcome == approval.Denied) {
				t.Errorf("got %q (%+v), want %q", got, d, test.want)
			}
			for _, word := range test.words {
				if !strings.Contains(said, word) {
					t.Errorf("%q lacks %q", said, word)
				}
			}
		})
	}
	if (approval.Decision{}).Outcome != approval.Denied {
		t.Error("a decision nobody made allows")
	}
}

// TestGlobs holds what Python's fnmatch.fnmatchcase says to these pairs.
func TestGlobs(t *testing.T) {
	for _, test := range []struct {
		pattern, text string
		want          bool
	}{
		{"*", "anything\nat/all", true}, {"a*c", "abc/abc", true}, {"a*c", "ab", false}, {"a?c", "aüc", true}, {"a?c", "ac", false},
		{"*a*b*c", "xxaxxbxxcxxc", true}, {"[ab]x", "bx", true}, {"[!ab]x", "bx", false}, {"[!ab]x", "ux", true}, {"[a-c]", "b", true},
		{"[a-c]", "-", false}, {"[ac-]", "-", true}, {"[]x]", "]", true}, {"[!]x]", "]", false}, {"[abc", "[abc", true}, {"[abc", "a", false},
		{"[]", "[]", true}, {"[!]", "[!]", true}, {`\*`, `\x`, true}, {`\*`, "*", false}, {"**", "x", true}, {"a", "ab", false}, {"ab", "a", false},
	} {
		rules := approval.New(approval.Options{Deny: []approval.DenyGlob{{Pattern: test.pattern}}})
		if got := rules.Decide(approval.Facts{Public: test.text}).Outcome == approval.Denied; got != test.want {
			t.Errorf("%q against %q: %v, want %v", test.pattern, test.text, got, test.want)
		}
	}
}

// TestDenyBeatsEverything: no mode and no flag lifts a deny glob.
func TestDenyBeatsEverything(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		name := rapid.StringMatching(`[a-zA-Z_]{1,12}`).Draw(t, "name")
		cut := rapid.IntRange(0, len(name)).Draw(t, "cut")
		rules := approval.New(approval.Options{
			Mode: rapid.SampledFrom([]string{"", "off", "manual", "smart", "x"}).Draw(t, "mode"),
			Yolo: rapid.Bool().Draw(t, "yolo"),
			Deny: []approval.DenyGlob{{Pattern: strings.ToUpper(name[:cut]) + "*"}},
		})
		if d := rules.Decide(approval.Facts{Public: name, Untrusted: rapid.Bool().Draw(t, "untrusted")}); d.Outcome != approval.Denied {
			t.Fatalf("%s was allowed", name)
		}
	})
}
