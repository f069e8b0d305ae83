package host

import (
	"net/url"
	"strings"

	"hermes/backend/config"
	"hermes/backend/provider"
)

// vendor gives the provider of a model. What one turn learns about a server is
// known to the next. cacheTTL is empty for a single request: marking a prompt
// that is never sent again only costs. effort is the level of reasoning, empty to
// ask for none.
func (h *Host) vendor(model config.Model, cacheTTL, effort string) (provider.Provider, error) {
	amazon, err := h.file.Current().ResolveAmazon(h.options.Getenv)
	if err != nil && model.Provider == config.ProviderBedrock {
		return nil, err
	}
	return provider.New(provider.Settings{
		Provider: model.Provider, BaseURL: model.BaseURL, Key: model.Key, Region: amazon.Region, Variable: amazon.Variable,
		CacheTTL: cacheTTL, Vendor: model.Vendor, Effort: effort, Bearer: model.Bearer, Memory: h.taught, Logger: h.options.Logger,
	})
}

// modelFacts are the window and the prices of a model: what the file says, else
// what is publicly known. A server on this machine is not priced unless the file
// says so, whatever its model is called. The zero value knows nothing.
func modelFacts(settings config.Settings, model config.Model) provider.ModelFacts {
	facts, _ := provider.Facts(model.Name)
	facts = facts.Kept(settings.CacheTTL)
	if u, err := url.Parse(model.BaseURL); err != nil || isThisMachine(u.Hostname()) {
		facts.Priced = false
	}
	if n := settings.Model.ContextLength; n > 0 {
		facts.Window = n
	}
	if p := settings.Model.Prices; p != nil {
		facts.Priced = true
		facts.Input, facts.Output, facts.CacheRead, facts.CacheWrite = p.Input, p.Output, p.CacheRead, p.CacheWrite
	}
	return facts
}

func isThisMachine(host string) bool {
	return host == "localhost" || host == "::1" || host == "0.0.0.0" || strings.HasPrefix(host, "127.")
}
