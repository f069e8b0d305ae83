package host

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"sync"

	"hermes/backend/config"
	"hermes/backend/mcp"
	"hermes/backend/pin"
	"hermes/backend/policy"
	"hermes/backend/registry"
)

// Codes of what the host tells of definitions.
const (
	CodeNewTools     = "pin.new"
	CodeChangedTools = "pin.changed"
	CodePins         = "pin.file"
	CodeReplaced     = "pin.replaced"
	CodeBeyondTools  = "pin.beyond"
)

// errBlocked is in the chain of a call's error that was refused because the
// server describes the tool otherwise than it was accepted.
var errBlocked = errors.New("its definition is not the one that was accepted")

// sightings remember which list of a server was compared last, so that the same
// list is not hashed again and again.
type sightings struct {
	mu   sync.Mutex
	last map[string]sighting
}

type sighting struct {
	key     pin.Key
	first   *mcp.Tool
	count   int
	turn    uint64
	blocked map[string]string
}

// pinKey names a server in the store of definitions; ok is false for our own
// servers, which are part of this program.
func pinKey(server *config.Server) (key pin.Key, target string, ok bool) {
	if server.Conn.Transport == config.TransportBuiltin {
		return pin.Key{}, "", false
	}
	sum := sha256.Sum256([]byte(server.Conn.Transport + " " + server.Conn.Target()))
	return pin.Key{Server: server.Name, Identity: server.Identity()}, hex.EncodeToString(sum[:8]), true
}

// pinned is pinKey of a server by its name.
func (h *Host) pinned(name string) (key pin.Key, target string, ok bool) {
	server, known := h.file.Current().Server(name)
	if !known {
		return pin.Key{}, "", false
	}
	return pinKey(server)
}

// newPins makes the store of a home.
func newPins(home config.Home, file *config.File) *pin.Store {
	return pin.New(pin.Options{Folder: home.Native(), Configured: func(name string) bool {
		_, ok := file.Current().Server(name)
		return ok
	}})
}

// sight takes in what a server offers now and gives the tools that must not be
// called, each with the reason.
func (h *Host) sight(server *config.Server, status mcp.Status) map[string]string {
	key, target, ok := pinKey(server)
	if !ok {
		return nil
	}
	s := sighting{key: key, count: len(status.Tools), turn: h.pins.Turn()}
	if s.count > 0 {
		s.first = &status.Tools[0]
	}
	h.sightings.mu.Lock()
	defer h.sightings.mu.Unlock()
	if last, seen := h.sightings.last[server.Name]; seen && last.key == key && last.first == s.first && last.count == s.count && last.turn == s.turn {
		return last.blocked
	}
	seen, err := h.pins.See(key, sightOf(target, status))
	if err != nil {
		h.options.Logger.Warn("the tool definitions were not written", "server", server.Name, "error", err)
	}
	s.blocked, s.turn = map[string]string{}, h.pins.Turn()
	for _, tool := range seen.Tools {
		if why := blockedReason(server.Name, tool); why != "" {
			s.blocked[tool.Name] = why
		}
	}
	h.sightings.last[server.Name] = s
	h.tellOf(server, seen)
	return s.blocked
}

// blockedReason says why a remembered tool must not be called, empty where it may:
// one that is not remembered cannot be compared later.
func blockedReason(server string, tool pin.Brief) string {
	switch {
	case tool.Beyond:
		return tool.Refused
	case tool.Changed:
		return changedReason(server)
	}
	return ""
}

func changedReason(server string) string {
	return errBlocked.Error() + "; `hermes mcp changes " + server + "` shows the difference, `hermes mcp accept " + server + "` accepts it"
}

func sightOf(target string, status mcp.Status) pin.Sight {
	sight := pin.Sight{Target: target, Version: status.Version, Protocol: status.Protocol, Resources: status.Resources, Prompts: status.Prompts,
		Tools: make([]pin.Offer, len(status.Tools))}
	for i := range status.Tools {
		tool := &status.Tools[i]
		sight.Tools[i] = pin.Offer{Definition: definitionOf(tool), ReadOnly: tool.ReadOnly, Destructive: tool.Destructive,
			Refused: registry.Unfit(registryTool(tool))}
	}
	return sight
}

func definitionOf(tool *mcp.Tool) pin.Definition {
	return pin.Definition{Name: tool.Name, Title: tool.Title, Description: tool.Description,
		Input: tool.InputSchema, Output: tool.OutputSchema, Annotations: tool.Annotations}
}

// admit is asked by the manager right before a call is sent, with the list of
// the session that takes it. A tool that nobody compared yet is refused: the
// catalogue is made of lists that were.
func (h *Host) admit(server, tool string, offered []mcp.Tool) error {
	if h.pendingDenies(registry.Entry{Server: server, Tool: tool}) {
		return errLockedBefore
	}
	entry, ok := h.file.Current().Server(server)
	if !ok {
		return errors.New("the server is not configured")
	}
	key, _, ok := pinKey(entry)
	if !ok {
		return nil
	}
	for i := range offered {
		if offered[i].Name == tool && h.pins.Judge(key, definitionOf(&offered[i])) == pin.Same {
			return nil
		}
	}
	return errBlocked
}

// Blocked says why a tool of a server must not be called although the rules
// allow it: its definition is not the one that was accepted.
func (h *Host) Blocked(server, tool string) (reason string, blocked bool) {
	key, target, ok := h.pinned(server)
	if !ok {
		return "", false
	}
	entry, _ := h.file.Current().Server(server)
	if status, live := h.live(entry); live {
		reason, blocked = h.sight(entry, status)[tool]
		return reason, blocked
	}
	glance, _ := h.pins.Glance(key, target)
	for _, seen := range glance.Tools {
		if seen.Name == tool {
			reason = blockedReason(server, seen)
			return reason, reason != ""
		}
	}
	return "", false
}

// live gives the status of a server whose session belongs to the entry in force.
func (h *Host) live(server *config.Server) (mcp.Status, bool) {
	h.mu.Lock()
	manager := h.manager
	h.mu.Unlock()
	if manager == nil || !manager.Serves(server.Name, server.Conn) {
		return mcp.Status{}, false
	}
	status := manager.Status(server.Name)
	return status, status.State == mcp.StateConnected
}

// Marks are what is remembered of each tool that a server offered last, without
// its texts: whether it is new, changed, or cannot be given to a model.
func (h *Host) Marks(server string) map[string]pin.Brief {
	key, target, ok := h.pinned(server)
	if !ok {
		return nil
	}
	glance, _ := h.pins.Glance(key, target)
	out := make(map[string]pin.Brief, len(glance.Tools))
	for _, tool := range glance.Tools {
		out[tool.Name] = tool
	}
	return out
}

// Pins is the store of definitions, with the name of a server in it; ok is false
// for a server that is not configured or is one of ours.
func (h *Host) Pins(server string) (store *pin.Store, key pin.Key, ok bool) {
	key, _, ok = h.pinned(server)
	return h.pins, key, ok
}

// AcceptChanges pins what a server says now of its changed tools, each as it was
// shown, and remembers that the new ones were looked at. Everybody is told.
func (h *Host) AcceptChanges(server string, shown map[string]string, added []string) error {
	key, _, ok := h.pinned(server)
	if !ok {
		return config.ErrUnknownServer
	}
	if err := h.pins.Accept(key, shown, added); err != nil {
		return err
	}
	h.wake()
	h.publish(TopicConfig)
	return nil
}

// lookedAt remembers that a person chose among the tools of a server.
func (h *Host) lookedAt(server string, action policy.Action) {
	switch action {
	case policy.ActionOn, policy.ActionOff, policy.ActionSelect, policy.ActionOnly:
	default:
		return
	}
	if key, _, ok := h.pinned(server); ok {
		if err := h.pins.Looked(key); err != nil {
			h.options.Logger.Warn("the tool definitions were not written", "server", server, "error", err)
		}
	}
}

// PinProblem says what is wrong with the file of definitions. whole looks at all
// of it, which a listing does without.
func (h *Host) PinProblem(whole bool) (config.Problem, bool) {
	p := h.pins.Problem(whole)
	if p == nil {
		return config.Problem{}, false
	}
	return config.Problem{Severity: policy.SeverityWarning, Code: CodePins + "." + p.Kind, Params: []string{p.Fault}, Message: p.Message, Hint: p.Hint, File: p.File}, true
}
