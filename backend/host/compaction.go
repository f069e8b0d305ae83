package host

import (
	"errors"

	"hermes/backend/agent"
	"hermes/backend/message"
	"hermes/backend/provider"
)

// compaction says when the conversations of a model are summarised.
func (h *Host) compaction(facts provider.ModelFacts) agent.Compaction {
	window, settings := facts.Window, h.file.Current().Settings.Compression
	out := agent.Compaction{Window: window, Threshold: settings.Share(window), Most: settings.MostTokens}
	if settings.Enabled {
		out.TooLong = tooLong
	}
	return out
}

// tooLong recognises the vendor's word about a conversation that does not fit.
func tooLong(err error) bool {
	var said *provider.Error
	return errors.As(err, &said) && said.TooLong()
}

// price tells what a usage of a model costs.
func price(facts provider.ModelFacts) func(message.Usage) (float64, bool) {
	return func(u message.Usage) (float64, bool) { return facts.Cost(u), facts.Priced }
}
