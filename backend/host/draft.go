package host

import (
	"context"

	"hermes/backend/config"
	"hermes/backend/mcp"
)

// Preview gives the state that a change would bring; see config.File.Preview.
func (h *Host) Preview(c config.Change, variables map[string]string) (*config.Snapshot, error) {
	return h.file.Preview(c, variables)
}

// SetEnv writes one variable into the home's `.env` and publishes it.
func (h *Host) SetEnv(ctx context.Context, name, value string) error {
	if err := h.file.SetEnv(ctx, name, value); err != nil {
		return err
	}
	h.publish(TopicConfig)
	return nil
}

// LookAt connects to a server of a state that is not in force, such as one that
// is about to be added, and stops it again. Nothing of it is remembered.
func (h *Host) LookAt(ctx context.Context, snap *config.Snapshot, server string) (mcp.Status, error) {
	manager, err := h.servers()
	if err != nil {
		return mcp.Status{}, err
	}
	return manager.Look(ctx, snap, server)
}

// ReadBack reads the file once more from the disk and gives what it says.
func (h *Host) ReadBack() *config.Snapshot {
	snap, changed := h.file.Reload()
	if changed {
		h.publish(TopicConfig)
	}
	return snap
}
