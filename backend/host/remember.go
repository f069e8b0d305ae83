package host

import (
	"hermes/backend/config"
	"hermes/backend/mcp"
	"hermes/backend/registry"
)

// remembered puts the last list of a server into a status that has none. full
// gives the definitions, too, which a listing does without.
func (h *Host) remembered(server *config.Server, status mcp.Status, full bool) mcp.Status {
	key, target, ok := pinKey(server)
	if !ok || len(status.Tools) > 0 || status.State == mcp.StateConnected {
		return status
	}
	glance, ok := h.pins.Glance(key, target)
	if !ok {
		return status
	}
	status.Version, status.Protocol = glance.Version, glance.Protocol
	status.Resources, status.Prompts = glance.Resources, glance.Prompts
	if full {
		if sight, whole := h.pins.List(key, target); whole {
			status.Tools = make([]mcp.Tool, len(sight.Tools))
			for i, t := range sight.Tools {
				status.Tools[i] = mcp.Tool{Name: t.Name, Title: t.Title, Description: t.Description, InputSchema: t.Input,
					OutputSchema: t.Output, Annotations: t.Annotations, ReadOnly: t.ReadOnly, Destructive: t.Destructive}
			}
			return status
		}
	}
	status.Tools = make([]mcp.Tool, len(glance.Tools))
	for i, t := range glance.Tools {
		status.Tools[i] = mcp.Tool{Name: t.Name, ReadOnly: t.ReadOnly, Destructive: t.Destructive}
	}
	return status
}

// offer says what of a server may be called: the list of its session, or of one
// that starts at its first call the list that is remembered. allowed tells that
// the file lets it run.
func (h *Host) offer(server *config.Server, source *registry.Source, allowed bool) {
	status, live := h.live(server)
	if live {
		// Also of a server that is being locked: its tools stay known, and can be
		// released one by one.
		status, _, _ = h.latest(server.Name)
		live = status.State == mcp.StateConnected
	}
	switch {
	case live:
		source.Blocked = h.sight(server, status)
	case status.State == mcp.StateReady, status.State == mcp.StateStarting && server.Lazy && h.knows(server.Name):
		// Its tools do not go away while its first call starts it.
		status.State = ""
		status = h.remembered(server, status, true)
		source.Blocked = h.blockedOf(server.Name)
		live = true
	}
	if !allowed {
		return
	}
	source.Known, source.Pending = live, !live && h.Started()
	if live {
		source.Tools, source.Resources, source.Prompts = registryTools(status.Tools), status.Resources, status.Prompts
	}
}

// wakeIfPinned asks for a new catalogue where the pins are not those that the
// lists were compared with.
func (h *Host) wakeIfPinned() {
	turn := h.pins.Turn()
	h.sightings.mu.Lock()
	moved := false
	for _, s := range h.sightings.last {
		moved = moved || s.turn != turn
	}
	h.sightings.mu.Unlock()
	if moved {
		h.wake()
	}
}

// blockedOf are the tools of a remembered list that must not be called.
func (h *Host) blockedOf(server string) map[string]string {
	out := map[string]string{}
	for name, tool := range h.Marks(server) {
		if why := blockedReason(server, tool); why != "" {
			out[name] = why
		}
	}
	return out
}

// knows tells whether the tools of a server are remembered, whole and from this
// connection, so that it may wait for its first call.
func (h *Host) knows(server string) bool {
	key, target, ok := h.pinned(server)
	if !ok {
		return false
	}
	_, whole := h.pins.List(key, target)
	return whole
}

func (h *Host) modern(server string) (modern, known bool) {
	key, _, ok := h.pinned(server)
	if !ok {
		return false, false
	}
	return h.pins.Modern(key)
}

func (h *Host) onModern(server string, modern bool) {
	key, _, ok := h.pinned(server)
	if !ok {
		return
	}
	if err := h.pins.SetModern(key, modern); err != nil {
		h.options.Logger.Warn("the protocol of a server was not written", "server", server, "error", err)
	}
}
