package transfer

import (
	"fmt"
	"slices"
	"strings"

	"hermes/backend/policy"
)

// ruleKeys gives the keys of an entry that look like rules for tools, whoever's
// they are. Readers take away what they understand; what is left is told, so
// that a key nobody reads is never dropped in silence.
func ruleKeys(entry *policy.Node) []string {
	var found []string
	each(entry, func(key, value *policy.Node) {
		if looksLikeRules(key.Value, value) {
			found = append(found, key.Value)
		}
	})
	return once(found)
}

// looksLikeRules tells a key that may keep tools out. A number, a switch or a
// plain word under a name that only speaks of tools is a setting; a list of all
// tools keeps none out.
func looksLikeRules(key string, value *policy.Node) bool {
	if missing(value) || permissive(key) {
		return false
	}
	if list, ok := textList(value); ok && len(list) == 1 && list[0] == "*" && key == "tools" {
		return false
	}
	if misplaced(key) {
		return true
	}
	word := strings.NewReplacer("_", "", "-", "").Replace(strings.ToLower(key))
	switch word {
	case "tools", "allow", "allowed", "deny", "denied", "block", "blocked", "included", "excluded", "filter", "filters",
		"permission", "permissions", "allowlist", "denylist", "blocklist", "whitelist", "blacklist":
		return true
	}
	if !strings.Contains(word, "tool") {
		return false
	}
	if value.Kind != policy.KindScalar {
		return true
	}
	said := func(verb string) bool { return strings.Contains(word, verb) }
	return isText(value) && slices.ContainsFunc([]string{"allow", "den", "block", "clude", "able", "available", "only", "filter", "hid", "black", "white"}, said)
}

// permissive tells keys that only say what is not asked for.
func permissive(key string) bool {
	return slices.Contains([]string{"alwaysAllow", "autoApprove", "autoApproveTools", "auto_approve", "always_allow"}, key)
}

// misplaced tells a key of our own rules, which means something only inside of
// tools.
func misplaced(key string) bool {
	block := mapping()
	put(block, key, nil)
	return policy.KnowsTools(block)
}

// understood takes keys off the list of those that mean nothing to the reader.
func (e *entry) understood(keys ...string) {
	e.strange = slices.DeleteFunc(e.strange, func(key string) bool { return slices.Contains(keys, key) })
}

// permits tells that what another host does without asking is asked here.
func (e *entry) permits() {
	each(e.node, func(key, value *policy.Node) {
		if !missing(value) && permissive(key.Value) {
			e.note("`" + key.Value + "` is not taken over: calls of tools that may write ask here")
		}
	})
}

// strangeRules says what becomes of rules that mean nothing to the host. Where
// the host is only guessed, the rules may be meant by the one who wrote them,
// so that the server is locked.
func (s *Server) strangeRules(h Host) {
	if len(s.strange) == 0 {
		return
	}
	keys := join(s.strange)
	switch {
	case h.Name == "json":
		s.lock("not known: " + keys)
		for _, key := range s.strange {
			if misplaced(key) {
				s.note(fmt.Sprintf("`%s` stands beside the command and not in a block `tools`, which is its place: "+
					"what was meant cannot be known, so the server is locked", key))
				return
			}
		}
		s.note("`" + s.strange[0] + "` may keep tools out in words that are not known here, so the server is locked")
	case h.guessed:
		s.lock("not known: " + keys)
		s.note("`" + keys + "` means nothing to " + h.Title + ", whose file this was taken for, so the server is locked; " +
			"name the format with --from " + h.Name + " or --from json")
	default:
		s.note("`" + keys + "` means nothing to " + h.Title + " and is left out; if it came from another program, import it with --from json")
	}
}

func (s *Server) lock(meaning string) {
	s.Filter, s.Tools, s.Meaning = Only(), nil, meaning
}
