package policy_test

import (
	"encoding/base64"
	"reflect"
	"slices"
	"strings"
	"testing"

	"hermes/backend/policy"
)

// sameEdits plans every edit on an entry and on what the page gets of it.
func sameEdits(t *testing.T, r row, rules policy.Rules, entry, handed *policy.Node) {
	t.Helper()
	intents := []policy.Intent{{Action: policy.ActionLock}, {Action: policy.ActionOpen}}
	for _, tool := range append(slices.Clone(r.Live), newTool) {
		for _, expand := range []bool{false, true} {
			intents = append(intents,
				policy.Intent{Action: policy.ActionOn, Tool: tool, Expand: expand, Known: r.Live},
				policy.Intent{Action: policy.ActionOff, Tool: tool, Expand: expand, Known: r.Live})
		}
	}
	for _, intent := range intents {
		want, wantErr := policy.EditServer(rules, entry, intent)
		have, haveErr := policy.EditServer(rules, handed, intent)
		if !reflect.DeepEqual(have, want) || !reflect.DeepEqual(haveErr, wantErr) {
			t.Errorf("%s: %+v plans %+v, %v in the page; want %+v, %v", r.Name, intent, have, haveErr, want, wantErr)
		}
	}
}

const secretFile = `mcp_servers:
  demo:
    command: /opt/SECRET-command
    args: [--api-key, SECRET-arg, {deep: [SECRET-deep]}]
    env: &e {TOKEN: &SECRET-anchor SECRET-env}
    url: "https://u:SECRET-url@x.example/"
    headers: {Authorization: Bearer SECRET-header}
    cwd: SECRET-cwd
    oauth: {client_secret: SECRET-oauth}
    anything: SECRET-anything
    ? [SECRET-key]
    : SECRET-value
    tool: SECRET-near
    trust: {SECRET-trust: SECRET-trust}
    sampling: {enabled: false, model: SECRET-model}
    tools: {include: [read_file, "write_*"], note: SECRET-note}
  demo:
    env: {TOKEN: SECRET-double}
    tools: SECRET-tools
  text: npx SECRET-text
  list: [SECRET-item]
  tagged: !x {env: SECRET-tagged}
  large: {env: {TOKEN: SECRET-large}, args: ` + "DEEP" + `}
`

// TestSecretsStayInTheProgram: what the page gets holds no value of a key that
// policy does not read, whatever the entry's shape.
func TestSecretsStayInTheProgram(t *testing.T) {
	text := strings.ReplaceAll(secretFile, "DEEP", strings.Repeat("[", 120)+"SECRET-deep"+strings.Repeat("]", 120))
	set := setOf(t, text)
	if n := len(set.Names()); n != 5 {
		t.Fatalf("%d servers", n)
	}
	for _, name := range set.Names() {
		for what, data := range map[string][]byte{"document": set.Encode(name), "entry": policy.EncodeTree(set.Entry(name))} {
			if at := strings.Index(string(data), "SECRET"); at >= 0 {
				t.Errorf("%s, %s: %q", name, what, data[at:min(at+20, len(data))])
			}
		}
		want, _ := set.Rules(name)
		have, entry, err := policy.DecodeServer(set.Encode(name))
		if err != nil || !have.Equal(want) || have.Broken() != want.Broken() || !reflect.DeepEqual(have.Problems(), want.Problems()) {
			t.Errorf("%s: %+v, %v, want %+v", name, have.Problems(), err, want.Problems())
		}
		sameEdits(t, row{Name: name, Live: []string{"read_file", "write_file"}}, want, set.Entry(name), entry)
	}
}

// TestSharedTreesHoldNoSecrets: the same in the data that every runner reads.
func TestSharedTreesHoldNoSecrets(t *testing.T) {
	rows := 0
	for _, r := range sharedRows(t) {
		data, err := base64.StdEncoding.DecodeString(r.Tree)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(r.YAML, "SECRET-") {
			rows++
		}
		if strings.Contains(string(data), "SECRET-") {
			t.Errorf("%s: the tree holds a secret", r.Name)
		}
	}
	if rows == 0 {
		t.Error("no row holds a secret")
	}
}
