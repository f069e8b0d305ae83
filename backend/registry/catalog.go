package registry

import (
	"slices"
	"strings"
	"sync"

	"hermes/backend/message"
	"hermes/backend/policy"
)

// Catalog is what may be called under one configuration and one set of live
// tool lists. It never changes and is safe for concurrent use; the zero value
// offers nothing.
type Catalog struct {
	entries  []Entry  // allowed, sorted by public name
	all      []Listed // sorted by public name
	byPublic map[string]int
	rules    map[string]policy.Rules
	pending  []string // servers that may run and are not there

	search  searcher
	mu      sync.Mutex
	offered []offered // definitions made so far, by options
}

type offered struct {
	options Options
	tools   []message.ToolDef
}

// Entries lists what the model may call, sorted by public name. The slice is
// the caller's.
func (c *Catalog) Entries() []Entry { return slices.Clone(c.entries) }

// All lists every tool of every known server with its verdict, for people.
func (c *Catalog) All() []Listed { return slices.Clone(c.all) }

// Resolve finds a tool by its public name and asks policy again. A name that is
// unknown, quarantined or denied gives a verdict that does not allow, with the
// reason for people; Refusal is what the model is told.
func (c *Catalog) Resolve(public string) (Entry, policy.Verdict) {
	i, ok := c.byPublic[public]
	if !ok {
		return Entry{}, refusal("registry.unknown", "no tool has the name "+quoteName(public), public)
	}
	item := &c.all[i]
	if item.Quarantine != "" {
		return item.Entry, refusal("registry.quarantined", "the tool is not offered: "+item.Quarantine, item.Quarantine)
	}
	verdict := c.ask(&item.Entry)
	if verdict.Allowed && item.Blocked != "" {
		return item.Entry, refusal("registry.blocked", "the tool is blocked: "+item.Blocked, item.Blocked)
	}
	return item.Entry, verdict
}

// ask is policy's answer about an entry now; a server without rules is denied
// by the zero value.
func (c *Catalog) ask(e *Entry) policy.Verdict {
	rules := c.rules[e.Server]
	if e.Helper != "" {
		return rules.Helper(e.Helper)
	}
	return rules.Tool(e.Tool)
}

func refusal(code, text string, params ...string) policy.Verdict {
	return policy.Verdict{Rule: code, Reason: policy.Words{Code: code, Params: params, Text: text}}
}

// Bridge reports whether a name is one of the bridge tools.
func (c *Catalog) Bridge(name string) bool { return isBridge(name) }

func isBridge(name string) bool {
	switch name {
	case message.NameToolSearch, message.NameToolDescribe, message.NameToolCall:
		return true
	}
	return false
}

// Pending names the server a public name may belong to, when that server may
// run and its tools are not known: a call waits for it (DESIGN section 4).
func (c *Catalog) Pending(public string) (server string, ok bool) {
	if _, known := c.byPublic[public]; known {
		return "", false
	}
	for _, name := range c.pending {
		if strings.HasPrefix(public, namePrefix+sanitize(name)+nameJoin) {
			return name, true
		}
	}
	return "", false
}

// PendingTool is the tool of such a name as far as the name tells: its characters
// may be others than the tool's own.
func PendingTool(public, server string) string {
	return strings.TrimPrefix(public, namePrefix+sanitize(server)+nameJoin)
}

// Repair finds the one allowed tool a model means with a name it wrote a little
// differently: other case, '-' or ' ' for '_', or the raw tool name alone. The
// name of a tool that is known and not allowed is never led to another, and a
// raw name that looks like a public one is no raw name.
func (c *Catalog) Repair(name string) (public string, ok bool) {
	folded := fold(name)
	if _, known := c.byPublic[name]; known || folded == "" {
		return "", false
	}
	if found := c.only(func(e *Entry) bool { return fold(e.Public) == folded }); found != "" {
		return found, true
	}
	if strings.HasPrefix(folded, namePrefix) {
		return "", false
	}
	found := c.only(func(e *Entry) bool { return fold(e.Tool) == folded })
	return found, found != ""
}

// only is the public name of the one entry that matches, "" for none or more.
func (c *Catalog) only(match func(*Entry) bool) string {
	found := ""
	for i := range c.entries {
		if !match(&c.entries[i]) {
			continue
		}
		if found != "" {
			return ""
		}
		found = c.entries[i].Public
	}
	return found
}

// Refusal is what the model is told about a name that cannot be called. A
// denied tool and one that does not exist get the same sentence, and only
// allowed tools are ever suggested.
func (c *Catalog) Refusal(name string) string {
	said := quoteName(name) + " is not a tool you can call."
	if server, ok := c.Pending(name); ok {
		return said + " The server " + quoteName(server) + " is not connected right now; use another tool or say so."
	}
	if public, ok := c.Repair(name); ok {
		return said + " Did you mean " + quoteName(public) + "?"
	}
	tail := fold(name)
	if at := strings.LastIndex(tail, nameJoin); at >= 0 {
		tail = tail[at+len(nameJoin):]
	}
	near := c.only(func(e *Entry) bool { return tail != "" && fold(sanitize(e.Tool)) == tail })
	if near != "" {
		return said + " Did you mean " + quoteName(near) + "?"
	}
	return said + " Use tool_search to find tools you can call; if none fits, say that it cannot be done. Do not retry this name."
}

// quoteName shows a name a model or a server wrote: one line, bounded.
func quoteName(name string) string {
	return "'" + strings.Join(strings.Fields(cut(clean(name), 100)), " ") + "'"
}
