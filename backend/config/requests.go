package config

import (
	"time"

	"hermes/backend/policy"
)

// Sampling are the caps of a server that may ask for a model's completion;
// whether it may is policy's to say. Model overrides the model in use;
// AllowedModels, when not empty, are the only ones. PerMinute bounds the
// requests of a minute, MaxRounds those in a row that ask for tools.
type Sampling struct {
	Model         string
	MaxTokens     int
	Timeout       time.Duration
	PerMinute     int
	MaxRounds     int
	AllowedModels []string
}

// Elicitation are the settings of a server that may ask the person something.
type Elicitation struct {
	Timeout time.Duration
}

const (
	maxSamplingTokens  = 4096
	samplingTimeout    = 30 * time.Second
	samplingPerMinute  = 10
	samplingRounds     = 5
	elicitationTimeout = 300 * time.Second
)

// requests reads the caps of what a server may ask of us (hermes-mcp reference
// 1.1).
func (r *entryReader) requests() (Sampling, Elicitation) {
	s := Sampling{MaxTokens: maxSamplingTokens, Timeout: samplingTimeout, PerMinute: samplingPerMinute, MaxRounds: samplingRounds}
	if _, n := pair(r.entry, "sampling"); n != nil && n.Kind == policy.KindMapping {
		s.Model = scalarText(at(n, "model"))
		s.MaxTokens = r.count(n, "max_tokens_cap", s.MaxTokens)
		s.PerMinute = r.count(n, "max_rpm", s.PerMinute)
		s.MaxRounds = r.count(n, "max_tool_rounds", s.MaxRounds)
		if d, ok := seconds(at(n, "timeout")); ok {
			s.Timeout = d
		}
		if list := at(n, "allowed_models"); !isNull(list) {
			models, ok := words(list)
			if !ok {
				r.warn(list, "write a list of model names", "`allowed_models` cannot be read, so no model is allowed")
				models = []string{""}
			}
			s.AllowedModels = models
		}
	}
	e := Elicitation{Timeout: elicitationTimeout}
	if _, n := pair(r.entry, "elicitation"); n != nil && n.Kind == policy.KindMapping {
		if d, ok := seconds(at(n, "timeout")); ok {
			e.Timeout = d
		}
	}
	return s, e
}

// count reads a whole number from 0; what is none leaves the default.
func (r *entryReader) count(m *policy.Node, name string, normal int) int {
	n := at(m, name)
	if isUnset(n) {
		return normal
	}
	f, ok := number(n)
	if !ok || f < 0 || f > 1e6 {
		r.warn(n, "write a whole number", "`%s` is not a number; %d is used", name, normal)
		return normal
	}
	return int(f)
}
