package host

import (
	"context"

	"hermes/backend/config"
)

// Change brings keys of the file to what the steps want and publishes it.
func (h *Host) Change(ctx context.Context, c config.Change) (config.Result, error) {
	result, err := h.file.Change(ctx, c)
	if err != nil {
		return config.Result{}, err
	}
	if err := h.file.Record(result.Snapshot); err != nil {
		h.options.Logger.Warn("the ledger was not written", "error", err)
	}
	h.publish(TopicConfig)
	return result, nil
}
