package message

import (
	"crypto/sha256"
	"encoding/hex"
	"strconv"
)

// DeterministicCallID is the id of a call that has none of its own: "call_" and
// the first twelve hexadecimal digits of the SHA-256 of "name:arguments:index".
// It is the function of the same name in Hermes Agent, so that a replay gives
// the same ids in both programs; random ones would also spoil the vendor's
// prompt cache, because ids are part of the prefix (DESIGN section 5).
func DeterministicCallID(name, arguments string, index int) string {
	sum := sha256.Sum256([]byte(name + ":" + arguments + ":" + strconv.Itoa(index)))
	return "call_" + hex.EncodeToString(sum[:6])
}
