package host

import (
	"errors"
	"net/http"

	"hermes/backend/agent"
	"hermes/backend/message"
	"hermes/backend/provider"
)

// facts is what is known about a model; what the file says of it comes first.
func (h *Host) facts(model string) provider.ModelFacts {
	facts, _ := provider.Facts(model)
	settings := h.file.Current().Settings
	if n := settings.Model.ContextLength; n > 0 {
		facts.Window = n
	}
	if own := settings.Model.Prices; own != nil {
		facts.Input, facts.Output, facts.CacheRead, facts.CacheWrite, facts.Priced = own.Input, own.Output, own.CacheRead, own.CacheWrite, true
		return facts
	}
	return facts.Kept(settings.CacheTTL)
}

// compaction says when the conversations of a model are summarised.
func (h *Host) compaction(model string) agent.Compaction {
	window, settings := h.facts(model).Window, h.file.Current().Settings.Compression
	out := agent.Compaction{Window: window, Threshold: settings.Share(window), Most: settings.MostTokens}
	if settings.Enabled {
		out.TooLong = tooLong
	}
	return out
}

// tooLong recognises the vendor's word about a conversation that does not fit.
func tooLong(err error) bool {
	var said *provider.Error
	return errors.As(err, &said) && (said.Code == "context_length_exceeded" || said.Status == http.StatusRequestEntityTooLarge)
}

// price tells what a usage of a model costs.
func (h *Host) price(model string) func(message.Usage) (float64, bool) {
	facts := h.facts(model)
	return func(u message.Usage) (float64, bool) { return facts.Cost(u), facts.Priced }
}
