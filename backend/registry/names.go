package registry

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
)

// Public names (DESIGN section 4): mcp__<server>__<tool>, every character
// outside [A-Za-z0-9_] replaced by '_', at most 64 characters, because
// providers refuse a whole request for one longer or other name.
const (
	namePrefix = "mcp__"
	nameJoin   = "__"
	maxName    = 64
	hashDigits = 12
	// keptServer is how much of a long server name is kept beside a long tool
	// name.
	keptServer = 20
)

// PublicNames gives the public name of every tool of a server. configured are
// all server names of the file and rawTools the server's full list, denied
// tools included: who is connected, and what is allowed, never changes a name.
//
// A name gets a suffix made from a hash of the raw server and tool name where
// it could be another's, or is too long. A server name is ambiguous if another
// configured one is equal after sanitising, or if the joining "__" does not
// first appear right behind it (it contains "__" or ends in "_"). A name that
// ends like a suffix gets one too, so that no server can name a tool into
// another's suffixed name.
func PublicNames(configured []string, server string, rawTools []string) map[string]string {
	n := newNamer(configured).server(server, rawTools)
	out := make(map[string]string, len(rawTools))
	for _, tool := range rawTools {
		out[tool] = n.tool(tool)
	}
	return out
}

// namer knows how many configured servers share a sanitised name.
type namer struct{ shared map[string]int }

func newNamer(configured []string) namer {
	n := namer{shared: make(map[string]int, len(configured))}
	seen := make(map[string]bool, len(configured))
	for _, name := range configured {
		if !seen[name] {
			seen[name] = true
			n.shared[sanitize(name)]++
		}
	}
	return n
}

// serverNamer names the tools of one server.
type serverNamer struct {
	raw, clean string
	ambiguous  bool
	shared     map[string]int // sanitised tool names and how many raw ones have them
}

func (n namer) server(name string, rawTools []string) serverNamer {
	s := serverNamer{raw: name, clean: sanitize(name), shared: make(map[string]int, len(rawTools))}
	s.ambiguous = n.shared[s.clean] > 1 || strings.Index(s.clean+nameJoin, nameJoin) != len(s.clean)
	seen := make(map[string]bool, len(rawTools))
	for _, tool := range rawTools {
		if !seen[tool] {
			seen[tool] = true
			s.shared[sanitize(tool)]++
		}
	}
	return s
}

func (s serverNamer) tool(raw string) string {
	clean := sanitize(raw)
	name := namePrefix + s.clean + nameJoin + clean
	if s.ambiguous || s.shared[clean] > 1 || len(name) > maxName || endsLikeSuffix(name) {
		return s.suffixed(raw, clean)
	}
	return name
}

// taken reports whether one of the server's own tools has this sanitised name;
// a native tool wins over a generated helper, also when it is denied.
func (s serverNamer) taken(helper string) bool { return s.shared[helper] > 0 }

func (s serverNamer) suffixed(raw, clean string) string {
	const room = maxName - len(namePrefix) - len(nameJoin) - 1 - hashDigits
	server := s.clean
	if len(server)+len(clean) > room {
		server = server[:min(len(server), max(keptServer, room-len(clean)))]
		clean = clean[:min(len(clean), room-len(server))]
	}
	// The lengths keep two pairs of names apart whatever characters they hold.
	sum := sha256.Sum256(fmt.Appendf(nil, "%d:%s%d:%s", len(s.raw), s.raw, len(raw), raw))
	return namePrefix + server + nameJoin + clean + "_" + hex.EncodeToString(sum[:hashDigits/2])
}

func sanitize(name string) string {
	return strings.Map(func(r rune) rune {
		if r < 0x80 && isNameByte(byte(r)) {
			return r
		}
		return '_'
	}, name)
}

func isNameByte(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '_'
}

func endsLikeSuffix(name string) bool {
	if len(name) <= hashDigits || name[len(name)-hashDigits-1] != '_' {
		return false
	}
	for _, c := range []byte(name[len(name)-hashDigits:]) {
		if (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return false
		}
	}
	return true
}

// fold is how a name is compared when a model wrote it a little differently.
func fold(name string) string {
	return strings.NewReplacer("-", "_", " ", "_").Replace(strings.ToLower(strings.TrimSpace(name)))
}
