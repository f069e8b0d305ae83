package desk

import (
	"hermes/backend/message"
	"hermes/backend/view"
)

// usageView is what a turn took; nil where the vendor counted nothing.
func usageView(u message.Usage, cost float64, priced bool) *view.Usage {
	if u == (message.Usage{}) {
		return nil
	}
	out := &view.Usage{InputTokens: u.InputTokens, OutputTokens: u.OutputTokens, CacheRead: u.CacheRead, CacheWrite: u.CacheWrite}
	if priced {
		out.Cost = &cost
	}
	return out
}
