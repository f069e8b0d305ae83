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
	for _, test := range []struct {
		name  string
		rules approval.Rules
		facts approval.Facts
		rule  string
		words []string
	}{
		{"the zero value", approval.Rules{}, trusted, "unknown", []string{"not read"}},
		{"trusted", approval.New(approval.Options{}), trusted, "", nil},
		{"untrusted", approval.New(approval.Options{}), untrusted, "untrusted", []string{"config.yaml:12: ", `"files"`, "trust: full", "--yolo", "not sent"}},
		{"untrusted in smart mode", approval.New(approval.Options{Mode: "smart"}), untrusted, "untrusted", nil},
		{"untrusted in a mode nobody knows", approval.New(approval.Options{Mode: "offf"}), untrusted, "untrusted", nil},
		{"untrusted, and the server says it only reads", approval.New(approval.Options{}), readOnly, "untrusted", nil},
		{"untrusted with --yolo", approval.New(approval.Options{Yolo: true}), untrusted, "", nil},
		{"untrusted with mode off", approval.New(approval.Options{Mode: " Off "}), untrusted, "", nil},
		{"untrusted with mode false", approval.New(approval.Options{Mode: "false"}), untrusted, "", nil},
		{"deny by public name, before yolo", approval.New(approval.Options{Yolo: true, Deny: deny("x", "MCP__*__Write_*")}), trusted, "deny", []string{"config.yaml:30: ", `"MCP__*__Write_*"`, "mcp__files__write_file"}},
		{"deny by server", approval.New(approval.Options{Deny: deny("files")}), trusted, "deny", nil},
		{"deny by server:tool", approval.New(approval.Options{Deny: deny("files:write*")}), trusted, "deny", nil},
		{"deny by a command inside", approval.New(approval.Options{Deny: deny("rm -rf *")}), command, "deny", []string{"one of its arguments"}},
		{"deny with arguments that are no JSON", approval.New(approval.Options{Deny: deny("rm*")}), broken, "deny", nil},
		{"deny of another", approval.New(approval.Options{Deny: deny("git*", "write", "")}), trusted, "", nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := test.rules.Decide(test.facts)
			if got.Rule != test.rule || got.Allowed != (test.rule == "") || (got.Reason == "") != got.Allowed {
				t.Errorf("got %+v, want rule %q", got, test.rule)
			}
			for _, word := range test.words {
				if !strings.Contains(got.Reason, word) {
					t.Errorf("the reason %q lacks %q", got.Reason, word)
				}
			}
		})
	}
	if (approval.Decision{}).Allowed {
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
		if got := !rules.Decide(approval.Facts{Public: test.text}).Allowed; got != test.want {
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
		if d := rules.Decide(approval.Facts{Public: name, Untrusted: rapid.Bool().Draw(t, "untrusted")}); d.Allowed {
			t.Fatalf("%s was allowed", name)
		}
	})
}
