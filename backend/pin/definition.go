package pin

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"hash"
)

// Definition is one tool as its server describes it. Input and Output are its
// schemas, Annotations the server's own hints, each as JSON and nil for none.
type Definition struct {
	Name        string          `json:"name"`
	Title       string          `json:"title,omitempty"`
	Description string          `json:"description,omitempty"`
	Input       json.RawMessage `json:"input,omitempty"`
	Output      json.RawMessage `json:"output,omitempty"`
	Annotations json.RawMessage `json:"annotations,omitempty"`
}

// Hash names what a definition says: SHA-256 in hexadecimal. The order of keys
// and the space between them do not count; every character of a text and the
// exact digits of a number do.
func (d Definition) Hash() string {
	h := sha256.New()
	for _, text := range []string{d.Name, d.Title, d.Description} {
		part(h, []byte(text))
	}
	for _, raw := range []json.RawMessage{d.Input, d.Output, d.Annotations} {
		part(h, canonical(raw))
	}
	return hex.EncodeToString(h.Sum(nil))
}

// written tells that two definitions are the same bytes; then their hashes are.
func (d Definition) written(o Definition) bool {
	return d.Name == o.Name && d.Title == o.Title && d.Description == o.Description &&
		bytes.Equal(d.Input, o.Input) && bytes.Equal(d.Output, o.Output) && bytes.Equal(d.Annotations, o.Annotations)
}

// hashBeside is the hash, without the work where the pinned definition is the
// same bytes.
func (r record) hashBeside(d Definition) string {
	if !r.Short && r.Hash != "" && d.written(r.Pin) {
		return r.Hash
	}
	return d.Hash()
}

// part adds a text with its length, so that no two lists of texts are the same
// bytes.
func part(h hash.Hash, text []byte) {
	var size [8]byte
	binary.BigEndian.PutUint64(size[:], uint64(len(text)))
	h.Write(size[:])
	h.Write(text)
}

// size is about what the definition takes in the file, in bytes.
func (d Definition) size() int {
	return len(d.Name) + len(d.Title) + len(d.Description) + len(d.Input) + len(d.Output) + len(d.Annotations)
}

// storable is the definition as the file can hold it: every schema is JSON, and
// what is longer than the file takes is left out; its hash stays.
func (d Definition) storable() (kept Definition, whole bool) {
	if d.size() > maxDefinition {
		return Definition{Name: d.Name}, false
	}
	d.Input, d.Output, d.Annotations = valid(d.Input), valid(d.Output), valid(d.Annotations)
	return d, true
}

func valid(raw json.RawMessage) json.RawMessage {
	raw = bytes.TrimSpace(raw)
	switch {
	case len(raw) == 0 || bytes.Equal(raw, []byte("null")):
		return nil
	case json.Valid(raw):
		return raw
	}
	// Text of a string is always JSON.
	text, _ := json.Marshal(string(raw))
	return text
}
