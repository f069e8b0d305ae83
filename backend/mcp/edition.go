package mcp

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/json"
	"hash"
	"io"

	"hermes/backend/config"
	"hermes/backend/policy"
)

// seal names values without keeping them: two of its names are equal when what
// they name is. The key is made for one Manager and never leaves it, so a name
// says nothing to anybody else, not even about a value that could be guessed.
type seal struct{ key []byte }

func newSeal() seal {
	key := make([]byte, sha256.Size)
	// It never fails: the program ends where the system has no randomness.
	_, _ = rand.Read(key)
	return seal{key}
}

func (s seal) sum(write func(hash.Hash)) string {
	h := hmac.New(sha256.New, s.key)
	write(h)
	return string(h.Sum(nil))
}

// values names an expanded connection, as far as a session is built from it.
func (s seal) values(expanded config.Connection) string {
	data, err := json.Marshal(essence(expanded))
	if err != nil {
		// Texts, numbers and booleans alone cannot fail; if they do, every
		// snapshot counts as a change.
		return rand.Text()
	}
	return s.sum(func(h hash.Hash) { _, _ = h.Write(data) })
}

// edition names an entry as it stands in the file, wherever it stands there,
// with the state of `.env`.
func (s seal) edition(entry *policy.Node, env string) string {
	return s.sum(func(h hash.Hash) {
		_, _ = io.WriteString(h, env+"\x00")
		writeNode(h, entry)
	})
}

func writeNode(h hash.Hash, n *policy.Node) {
	if n == nil {
		return
	}
	// Encoded as JSON, so that no text can pass for the end of another.
	_ = json.NewEncoder(h).Encode([]any{n.Kind, n.Tag, n.Value, len(n.Children)})
	for _, child := range n.Children {
		writeNode(h, child)
	}
}
