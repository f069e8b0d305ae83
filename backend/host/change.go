package host

import (
	"context"
	"time"

	"hermes/backend/config"
	"hermes/backend/policy"
)

// Change brings keys of the file to what the steps want and publishes it.
func (h *Host) Change(ctx context.Context, c config.Change) (config.Result, error) {
	began := time.Now()
	result, err := h.file.Change(ctx, c)
	if err != nil {
		return config.Result{}, err
	}
	result.Unrecorded = h.record(result.Snapshot)
	h.acts(action{at: began})
	h.publish(TopicConfig)
	return result, nil
}

// Replace puts whole new content in place of the file and publishes it.
func (h *Host) Replace(ctx context.Context, seen string, data []byte) (config.Result, error) {
	began := time.Now()
	result, err := h.file.Replace(ctx, seen, data)
	if err != nil {
		return config.Result{}, err
	}
	result.Unrecorded = h.record(result.Snapshot)
	h.acts(action{at: began})
	h.publish(TopicConfig)
	return result, nil
}

// ConfirmHolding is the word of our own command that `mcp.hold_lost_filters` in
// the file is meant; see config.File.ConfirmHolding.
func (h *Host) ConfirmHolding(ctx context.Context, on bool) error {
	if err := h.file.ConfirmHolding(ctx, on); err != nil {
		return err
	}
	h.publish(TopicConfig)
	return nil
}

// HasVariable tells whether the home's `.env` gives a variable a value.
func (h *Host) HasVariable(name string) bool { return h.file.HasVariable(name) }

// Stands looks at the disk and tells whether the file gives a value at a path.
func (h *Host) Stands(path []string, value *policy.Node) bool { return h.file.Stands(path, value) }
