package config

import (
	"slices"
	"strings"
	"testing"
)

func TestDangerousAssignments(t *testing.T) {
	for _, c := range []struct{ line, want string }{
		{"env|LD_PRELOAD=/tmp/x.so|node", "LD_PRELOAD"},
		{"env|-S|NODE_OPTIONS=--require=/tmp/x node a", "NODE_OPTIONS"},
		{"env|-SNODE_OPTIONS=--require=/tmp/x node a", "NODE_OPTIONS"},
		{"sh|-c|LD_PRELOAD=/x node a", "LD_PRELOAD"},
		{"sh|-c|cd /x;export 'BASH_ENV'=/x && node a", "BASH_ENV"},
		{"docker|run|-e|LD_PRELOAD=/x|image", "LD_PRELOAD"},
		{"docker|run|-eLD_PRELOAD=/x|image", "LD_PRELOAD"},
		{"docker|run|--env=LD_PRELOAD=/x|image", "LD_PRELOAD"},
		{"npx|--node-options=--require=/tmp/x|p", "NODE_OPTIONS"},
		{"npx|--node-options|--require=/tmp/x|p", "NODE_OPTIONS"},
		{"cmd|/c|set NODE_OPTIONS=--require=x&& node a", "NODE_OPTIONS"},
		{"LD_PRELOAD=/x node", "LD_PRELOAD"},
		{"env|A=b|node", ""},
		{"node|--title=ENV=prod|a.js", "ENV"},
		{"node|--require|a.js", ""},
		{"docker|run|-e|TOKEN|-e|MODE=ENV=1|image", ""},
		{"npx|-y|p|https://example.com/?ENV=1", ""},
		{"npx|-y|p|--env|production", ""},
	} {
		words := strings.Split(c.line, "|")
		got := Connection{Command: words[0], Args: words[1:]}.DangerousAssignments()
		if strings.Join(got, ",") != c.want {
			t.Errorf("%s: %q", c.line, got)
		}
	}
	s := load(t, "mcp_servers:\n  demo:\n    command: env\n    args:\n      - LD_PRELOAD=/tmp/x.so\n      - node\n")
	if p := server(t, s, "demo").Problems; len(p) != 1 || p[0].Code != CodeDangerousEnv || p[0].Line != 5 || p[0].Params[0] != "LD_PRELOAD" {
		t.Errorf("%+v", p)
	}
	if got := (Connection{Command: "env", Args: []string{"LD_AUDIT=/x"}, Env: map[string]string{"BASH_ENV": "x", "A": "b"}}).DangerousEnv(); !slices.Equal(got, []string{"BASH_ENV", "LD_AUDIT"}) {
		t.Errorf("%q", got)
	}
}

func TestHiddenScripts(t *testing.T) {
	const encoded = "SQBFAFgAIAAoAE4AZQB3AC0ATwBiAGoA"
	for _, c := range []struct {
		line string
		bad  bool
	}{
		{"cmd.exe|/c|powershell -enc " + encoded, true},
		{"cmd.exe|/c|powershell -NoProfile -EncodedCommand " + encoded, true},
		{"cmd|/c|powershell|-enc|" + encoded, true},
		{"sh|-c|powershell.exe -e " + encoded, true},
		{"cmd.exe|/c|power^shell -e^nc SQBFAFgA", true},
		{"sh|-c|node -e something123", false},
		{"sh|-c|$X", true},
		{"bash|-lc|${X}", true},
		{"bash|-c|\"$X\"", true},
		{"env|bash|-c|eval $X", true},
		{"cmd|/c|%X%", true},
		{"sh|-c|exec node ${FILE}", false},
		{"sh|-c|node a.js", false},
		{"node|-c|${X}", false},
		{"sh|${FILE}", false},
	} {
		words := strings.Split(c.line, "|")
		if got := (Connection{Command: words[0], Args: words[1:]}).Suspicious(); len(got) > 0 != c.bad {
			t.Errorf("%s: %+v", c.line, got)
		}
	}
}
