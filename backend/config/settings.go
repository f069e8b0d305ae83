package config

import (
	"fmt"
	"strings"
	"time"

	"hermes/backend/policy"
)

const defaultStartWait = 10 * time.Second

// Settings are the keys of the file that are neither servers nor restrictions.
// StartWait is how long a one-shot chat waits for its servers
// (`mcp.start_wait`, seconds). AutoReload is
// `mcp.auto_reload_on_config_change`: false asks to be told of a change rather
// than to have new servers connected; restrictions act at once all the same.
type Settings struct {
	Model      ModelSettings
	StartWait  time.Duration
	AutoReload bool
	ToolSearch ToolSearch
	// Connectors are the gateway of hosted tools.
	Connectors Connectors
	// Loops bound a turn.
	Loops Loops
	// Compression says when a conversation is summarised.
	Compression Compression
	// CancelLocked is `mcp.locked_calls: cancel`: a running call whose tool is
	// locked is cancelled at its server. Otherwise it finishes (`finish`).
	CancelLocked bool
	// HoldFilters is `mcp.hold_lost_filters`: false asks not to hold a
	// restriction whose key is gone. It counts once a command of ours confirmed
	// it (File.ConfirmHolding).
	HoldFilters bool
	// CacheTTL is `prompt_caching.cache_ttl`: "5m", "1h", or "" for no marks.
	CacheTTL string
	// Reasoning is how much the model is asked to reason.
	Reasoning Reasoning

	holdLine int
}

// ModelSettings are the `model` key and the endpoints a file defines by name.
// All texts are templates: ${VAR} stands unexpanded until ResolveModel.
type ModelSettings struct {
	Provider, Default, BaseURL, APIKey, KeyEnv string
	// Region is the AWS region (ResolveAmazon).
	Region    string
	Endpoints []Endpoint
	// ContextLength is the window in tokens and Prices are what the model
	// costs, where the file says so (0 and nil where not).
	ContextLength int
	Prices        *Prices
	line, column  int
}

// Endpoint is an entry of `custom_providers` or `providers`: an address under a
// name, as a template.
type Endpoint struct {
	Name, BaseURL, APIKey, KeyEnv, Model, API string
	Line, Column                              int
}

// ToolSearch is `tools.tool_search`, the settings of deferred tools
// (hermes-agent reference 1.2), with every value inside its range. Mode and
// Listing are "auto", "on" or "off".
type ToolSearch struct {
	Mode             string
	ThresholdPercent float64
	DefaultLimit     int
	MaxLimit         int
	Listing          string
	ListingMaxTokens int
}

type settingsReader struct {
	file     string
	problems []Problem
}

func readSettings(file string, root *policy.Node) (Settings, []Problem) {
	r := &settingsReader{file: file}
	s := Settings{StartWait: defaultStartWait, AutoReload: true, HoldFilters: true}
	if n := at(root, "mcp.start_wait"); !isUnset(n) {
		if d, ok := seconds(n); ok {
			s.StartWait = d
		} else if f, ok := number(n); ok && f == 0 {
			s.StartWait = 0
		} else {
			r.warn(n, "write `start_wait: 10`", "`mcp.start_wait` is not a number of seconds; %v is used", defaultStartWait)
		}
	}
	if on, ok := boolLike(at(root, "mcp.auto_reload_on_config_change")); ok {
		s.AutoReload = on
	}
	if n := at(root, "mcp.hold_lost_filters"); !isUnset(n) {
		if on, ok := boolLike(n); ok && !on {
			s.HoldFilters, s.holdLine = false, n.Line
		} else if !ok {
			r.warn(n, "write `hold_lost_filters: true` or `false`", "`mcp.hold_lost_filters` is neither true nor false and counts as true")
		}
	}
	if n := at(root, "mcp.locked_calls"); !isUnset(n) {
		switch word := strings.ToLower(scalarText(n)); word {
		case "finish":
		case "cancel":
			s.CancelLocked = true
		default:
			// The stricter of the two: a call of a locked tool does not go on
			// because of a slip of the pen.
			s.CancelLocked = true
			r.warn(n, "write `locked_calls: finish` or `cancel`", "`mcp.locked_calls` is neither finish nor cancel and counts as cancel")
		}
	}
	s.ToolSearch = r.toolSearch(at(root, "tools.tool_search"))
	s.Connectors = r.connectors(root)
	s.Compression = r.compression(root)
	s.CacheTTL = r.caching(root)
	s.Loops = r.loops(root)
	s.Reasoning = r.reasoning(root)
	s.Model = r.model(root)
	return s, r.problems
}

func (r *settingsReader) warn(n *policy.Node, hint, format string, args ...any) {
	r.problems = append(r.problems, Problem{
		Severity: policy.SeverityWarning, Code: "settings.value", Message: fmt.Sprintf(format, args...), Hint: hint,
		File: r.file, Line: n.Line, Column: n.Column,
	})
}

func (r *settingsReader) toolSearch(n *policy.Node) ToolSearch {
	out := ToolSearch{Mode: "auto", ThresholdPercent: 5, DefaultLimit: 5, MaxLimit: 25, Listing: "auto", ListingMaxTokens: 4000}
	if isNull(n) {
		return out
	}
	if n.Kind == policy.KindScalar {
		// The legacy form: true means the default, false means off.
		if on, ok := boolLike(n); ok && !on {
			out.Mode = "off"
		}
		return out
	}
	out.Mode = threeWay(at(n, "enabled"))
	out.Listing = threeWay(at(n, "listing"))
	out.ThresholdPercent = r.within(n, "threshold_pct", out.ThresholdPercent, 0, 100)
	out.MaxLimit = int(r.within(n, "max_search_limit", float64(out.MaxLimit), 1, 50))
	out.DefaultLimit = int(r.within(n, "search_default_limit", float64(out.DefaultLimit), 1, float64(out.MaxLimit)))
	out.ListingMaxTokens = int(r.within(n, "listing_max_tokens", float64(out.ListingMaxTokens), 200, 60000))
	r.deferred(at(n, "defer"))
	return out
}

// deferred checks `tools.tool_search.defer`, the names of Hermes Agent's own tools
// that are deferred beside those of servers. This program has no tools of its own:
// every tool is a server's and is deferred anyway, whatever the list says.
func (r *settingsReader) deferred(n *policy.Node) {
	if isNull(n) {
		return
	}
	wrong := n.Kind != policy.KindSequence
	if !wrong {
		_, ok := words(n)
		wrong = !ok
	}
	if wrong {
		r.warn(n, "write a list of names, such as `defer: [session_search]`, or `defer: []`",
			"`tools.tool_search.defer` must be a list of names and is not used; every tool of a server is deferred all the same")
	}
}

// threeWay reads auto, on or off; what is unknown is auto.
func threeWay(n *policy.Node) string {
	if on, ok := boolLike(n); ok && on {
		return "on"
	} else if ok {
		return "off"
	}
	return "auto"
}

// within reads a number and moves it into its range.
func (r *settingsReader) within(m *policy.Node, name string, normal, low, high float64) float64 {
	n := at(m, name)
	if isUnset(n) {
		return min(max(normal, low), high)
	}
	f, ok := number(n)
	if !ok {
		r.warn(n, fmt.Sprintf("write a number from %v to %v", low, high), "`%s` is not a number; %v is used", name, normal)
		f = normal
	}
	return min(max(f, low), high)
}

func (r *settingsReader) model(root *policy.Node) ModelSettings {
	var m ModelSettings
	key, n := pair(root, "model")
	if key != nil {
		m.line, m.column = key.Line, key.Column
	}
	switch {
	case isNull(n):
	case n.Kind == policy.KindScalar:
		m.Default = scalarText(n)
	case n.Kind == policy.KindMapping:
		m.Provider = scalarText(at(n, "provider"))
		m.BaseURL = scalarText(at(n, "base_url"))
		m.APIKey = scalarText(at(n, "api_key"))
		m.Default = first(scalarText(at(n, "default")), scalarText(at(n, "model")))
		m.KeyEnv = first(scalarText(at(n, "key_env")), scalarText(at(n, "api_key_env")))
		m.ContextLength, m.Prices = r.contextLength(n), r.prices(n)
	default:
		r.warn(n, "write `model: NAME` or a mapping with `provider` and `default`", "`model` must be text or a mapping, not a %s", kindName(n))
	}
	m.Region = first(scalarText(at(root, "model.region")), scalarText(at(root, "bedrock.region")))
	m.Endpoints = r.endpoints(root)
	return m
}

// endpoints reads `custom_providers`, a list, and `providers`, a mapping by
// name. What has no address is no endpoint.
func (r *settingsReader) endpoints(root *policy.Node) []Endpoint {
	var out []Endpoint
	add := func(name string, n *policy.Node) {
		e := Endpoint{
			Name: name, Line: n.Line, Column: n.Column,
			BaseURL: first(scalarText(at(n, "base_url")), scalarText(at(n, "api")), scalarText(at(n, "url"))),
			APIKey:  scalarText(at(n, "api_key")),
			KeyEnv:  first(scalarText(at(n, "key_env")), scalarText(at(n, "api_key_env"))),
			Model:   first(scalarText(at(n, "model")), scalarText(at(n, "default_model"))),
			API:     first(scalarText(at(n, "api_mode")), scalarText(at(n, "transport"))),
		}
		if e.Name != "" && e.BaseURL != "" {
			out = append(out, e)
		}
	}
	if _, list := pair(root, "custom_providers"); list != nil && list.Kind == policy.KindSequence {
		for _, n := range list.Children {
			add(scalarText(at(n, "name")), n)
		}
	}
	if _, named := pair(root, "providers"); named != nil && named.Kind == policy.KindMapping {
		for i := 0; i+1 < len(named.Children); i += 2 {
			if key := named.Children[i]; key.Kind == policy.KindScalar {
				add(strings.TrimSpace(key.Value), named.Children[i+1])
			}
		}
	}
	return out
}

// first gives the first text that is not empty.
func first(texts ...string) string {
	for _, s := range texts {
		if s != "" {
			return s
		}
	}
	return ""
}
