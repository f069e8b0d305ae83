package gateway

import (
	"encoding/json"
	"testing"

	"hermes/backend/registry"
)

// TestOfferSaysWhatTheServerSays hands on the output schema and every hint.
func TestOfferSaysWhatTheServerSays(t *testing.T) {
	yes, no := true, false
	o := &offer{}
	o.entries = []registry.Entry{
		{Public: "full", Schema: json.RawMessage(`{"type":"object"}`), Output: json.RawMessage(`{"type":"object","properties":{"n":{"type":"integer"}}}`),
			ReadOnly: &no, Destructive: &no, Idempotent: &yes, OpenWorld: &no},
		{Public: "plain", Schema: json.RawMessage(`{"type":"object"}`)},
	}
	_, session := connect(t, o, func() {})
	list, err := session.ListTools(t.Context(), nil)
	if err != nil || len(list.Tools) != 2 {
		t.Fatalf("%v %+v", err, list)
	}
	full, plain := list.Tools[0], list.Tools[1]
	if text, err := json.Marshal(full.OutputSchema); err != nil || string(text) != `{"properties":{"n":{"type":"integer"}},"type":"object"}` {
		t.Errorf("output schema %s, %v", text, err)
	}
	if a := full.Annotations; a == nil || a.ReadOnlyHint || !a.IdempotentHint || a.DestructiveHint == nil || *a.DestructiveHint || a.OpenWorldHint == nil || *a.OpenWorldHint {
		t.Errorf("hints %+v", a)
	}
	if plain.OutputSchema != nil || plain.Annotations != nil {
		t.Errorf("said of a tool that says nothing: %+v", plain)
	}
}
