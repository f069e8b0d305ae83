package main

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"hermes/backend/policy"
)

const dataDir = "../../../testdata/policy"

// row is what these tests need of the shared data; testdata/policy/README.md
// describes it.
type row struct {
	Name        string          `json:"name"`
	Unreadable  bool            `json:"unreadable"`
	State       string          `json:"state"`
	List        string          `json:"list"`
	Row         string          `json:"row"`
	Live        []string        `json:"live"`
	Panel       string          `json:"panel"`
	Locked      bool            `json:"locked"`
	Verdicts    map[string]bool `json:"verdicts"`
	Resources   bool            `json:"resources"`
	Prompts     bool            `json:"prompts"`
	Sampling    bool            `json:"sampling"`
	Elicitation bool            `json:"elicitation"`
	Unmatched   []string        `json:"unmatched"`
	Problems    []struct {
		Severity, Code string
		Line, Column   int
	} `json:"problems"`
	Tree  string `json:"tree"`
	Held  bool
	Since string
}

type edit struct {
	Name      string          `json:"name"`
	Action    policy.Action   `json:"action"`
	Tool      string          `json:"tool"`
	Expand    bool            `json:"expand"`
	Known     []string        `json:"known"`
	Refused   string          `json:"refused"`
	Line      int             `json:"line"`
	Column    int             `json:"column"`
	Unchanged bool            `json:"unchanged"`
	Row       string          `json:"row"`
	Changes   map[string]bool `json:"changes"`
	Tree      string          `json:"tree"`
}

func shared[T any](t testing.TB, name string) []T {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(dataDir, name))
	if err != nil {
		t.Fatal(err)
	}
	var rows []T
	if err := json.Unmarshal(data, &rows); err != nil {
		t.Fatal(err)
	}
	return rows
}

func decoded(t testing.TB, text string) []byte {
	t.Helper()
	data, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// asked is one side of the comparison: the module in wazero, or the same code
// natively. Every answer is raw: a number, or the bytes of a record.
type asked interface {
	number(name string, args ...uint32) uint32
	record(name string, args ...uint32) []byte
	put(data []byte) uint32
}

// native calls the module's methods without WebAssembly.
type native struct{ m *module }

func (n native) put(data []byte) uint32 {
	copy(n.m.buffer(uint32(len(data))), data)
	return uint32(len(data))
}

func (n native) number(name string, a ...uint32) uint32 {
	toNumber := func(b bool) uint32 {
		if b {
			return 1
		}
		return 0
	}
	switch name {
	case "read":
		return n.m.read(a[0])
	case "drop":
		n.m.drop(a[0])
		return 0
	case "tools":
		return toNumber(n.m.setTools(a[0], a[1]))
	case "allowed":
		return toNumber(n.m.allowed(a[0], a[1]))
	case "allows":
		return toNumber(n.m.allows(a[0], a[1]))
	case "special":
		return toNumber(n.m.specialAllowed(a[0], a[1]))
	}
	panic("no such question: " + name)
}

func (n native) record(name string, a ...uint32) []byte {
	var size uint32
	switch name {
	case "summary":
		size = n.m.summary(a[0])
	case "verdict":
		size = n.m.verdict(a[0], a[1])
	case "verdict_of":
		size = n.m.verdictOf(a[0], a[1])
	case "special_verdict":
		size = n.m.specialVerdict(a[0], a[1])
	case "words":
		size = n.m.words(a[0], a[1])
	case "count":
		size = n.m.count(a[0])
	case "preview":
		size = n.m.preview(a[0], a[1], a[2], a[3])
	case "codes":
		size = n.m.codes()
	default:
		panic("no such record: " + name)
	}
	return bytes.Clone(n.m.output[:size])
}

// packed writes names as the exports take them.
func packed(names []string) []byte {
	var r record
	for _, name := range names {
		r.text(name)
	}
	return r.b
}

// reader takes a record apart again.
type reader struct {
	t testing.TB
	b []byte
}

func (r *reader) number() int {
	if len(r.b) < 4 {
		r.t.Fatal("the record ends too early")
	}
	n := int(r.b[0]) | int(r.b[1])<<8 | int(r.b[2])<<16 | int(r.b[3])<<24
	r.b = r.b[4:]
	return n
}

func (r *reader) toggle() bool { return r.number() == 1 }

func (r *reader) text() string {
	n := r.number()
	if n > len(r.b) {
		r.t.Fatal("the record ends too early")
	}
	s := string(r.b[:n])
	r.b = r.b[n:]
	return s
}

func (r *reader) list() []string {
	out := []string{}
	for n := r.number(); n > 0; n-- {
		out = append(out, r.text())
	}
	return out
}

func (r *reader) words() policy.Words {
	return policy.Words{Code: r.text(), Params: r.list(), Text: r.text()}
}

func (r *reader) end() {
	r.t.Helper()
	if len(r.b) != 0 {
		r.t.Errorf("%d bytes of the record are left", len(r.b))
	}
}

func TestWhatDoesNotFitIsDenied(t *testing.T) {
	n := native{new(module)}
	open := policy.EncodeTree(&policy.Node{Kind: policy.KindMapping, Tag: "!!map", Style: policy.StyleFlow})
	h := n.number("read", n.put(open))
	if h == 0 {
		t.Fatal("an open server cannot be read")
	}
	n.number("tools", h, n.put(packed([]string{"a"})))
	if n.number("allowed", h, 0) != 1 {
		t.Fatal("an open server denies")
	}
	if n.number("allowed", h, 1) != 0 || n.number("allowed", h, 1<<31) != 0 {
		t.Error("an index that was not named is allowed")
	}
	for _, other := range []uint32{0, h + 1, 1 << 31} {
		if n.number("allowed", other, 0) != 0 || n.number("allows", other, 1) != 0 || n.number("special", other, 0) != 0 {
			t.Errorf("handle %d allows", other)
		}
		if len(n.record("summary", other))+len(n.record("verdict", other, 0))+len(n.record("preview", other, 0, 0, 0)) != 0 {
			t.Errorf("handle %d has records", other)
		}
		n.number("drop", other)
	}
	if n.number("special", h, 99) != 0 {
		t.Error("special 99 is allowed")
	}
	if n.number("allows", h, 1<<30) != 0 || len(n.record("verdict_of", h, 1<<30)) != 0 || len(n.record("preview", h, 0, 0, 1<<30)) != 0 {
		t.Error("input beyond the buffer is read")
	}
	if n.number("tools", h, n.put([]byte{5, 0, 0, 0, 'a'})) != 0 || n.number("tools", h, n.put([]byte{1, 0})) != 0 {
		t.Error("names that are cut off are taken")
	}
	if n.number("allowed", h, 0) != 1 {
		t.Error("names that are cut off replaced the names from before")
	}
	if n.m.buffer(maxInput+1) != nil || n.m.buffer(0) == nil {
		t.Error("the buffer's bounds")
	}
	if n.number("read", n.put([]byte("no tree"))) != 0 || n.number("read", 1<<30) != 0 {
		t.Error("bytes that are no tree have a handle")
	}
	n.number("drop", h)
	n.number("drop", h)
	if n.number("allowed", h, 0) != 0 {
		t.Error("a handle that was dropped allows")
	}
}

func TestHandlesAreBoundedAndUsedAgain(t *testing.T) {
	n := native{new(module)}
	size := n.put(policy.EncodeTree(&policy.Node{Kind: policy.KindMapping, Tag: "!!map"}))
	for i := range uint32(maxHandles) {
		if h := n.number("read", size); h != i+1 {
			t.Fatalf("handle %d is %d", i+1, h)
		}
	}
	if n.number("read", size) != 0 {
		t.Error("more handles than allowed")
	}
	n.number("drop", 7)
	if n.number("read", size) != 7 || n.number("read", size) != 0 {
		t.Error("a handle that was given back is not used again")
	}
}

// TestPreviewsAsData runs the shared edits.
func TestPreviewsAsData(t *testing.T) {
	for _, e := range shared[edit](t, "edits.json") {
		t.Run(e.Name, func(t *testing.T) { checkPreview(t, native{new(module)}, e) })
	}
}

func checkPreview(t *testing.T, a asked, e edit) {
	t.Helper()
	h := a.number("read", a.put(decoded(t, e.Tree)))
	defer a.number("drop", h)
	a.number("tools", h, a.put(packed(e.Known)))
	r := &reader{t, a.record("preview", h, actionNumber(e.Action), number(e.Expand), a.put([]byte(e.Tool)))}
	outcome := r.number()
	if (outcome == outcomeRefused) != (e.Refused != "") || (outcome == outcomeUnchanged) != e.Unchanged {
		t.Fatalf("outcome %d", outcome)
	}
	if outcome == outcomeRefused {
		words, hint, line, column := r.words(), r.text(), r.number(), r.number()
		if words.Code != e.Refused || words.Text == "" || hint == "" || line != e.Line || column != e.Column {
			t.Errorf("refused by %+v, %q at %d:%d", words, hint, line, column)
		}
		r.end()
		return
	}
	state, locked := r.text(), r.toggle()
	list, row, panel := r.words(), r.words(), r.words()
	if row.Text != e.Row || list.Text == "" || panel.Text == "" || state == "" || locked && e.Row != "[include only: (none)]" {
		t.Errorf("%s, %v, %q, %q, %q", state, locked, list.Text, row.Text, panel.Text)
	}
	changes := map[string]bool{}
	for n := r.number(); n > 0; n-- {
		name := r.text()
		changes[name] = r.toggle()
	}
	if len(changes) != len(e.Changes) {
		t.Errorf("changes %v, want %v", changes, e.Changes)
	}
	for name, on := range e.Changes {
		if now, ok := changes[name]; !ok || now != on {
			t.Errorf("changes %v, want %v", changes, e.Changes)
		}
	}
	r.end()
}

func actionNumber(a policy.Action) uint32 {
	for n := range uint32(8) {
		if actionOf(n) == a {
			return n
		}
	}
	return 99
}

func number(b bool) uint32 {
	if b {
		return 1
	}
	return 0
}
