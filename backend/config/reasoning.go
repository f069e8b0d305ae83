package config

import (
	"slices"
	"strings"

	"hermes/backend/policy"
)

// Reasoning is `agent.reasoning_effort`, the level of reasoning that a model is
// asked for, and `agent.reasoning_overrides`, the levels of single models. Effort
// is empty where nothing is set: then nothing is sent, and the model reasons as it
// does by itself.
type Reasoning struct {
	Effort    string
	Overrides []ModelEffort
}

// ModelEffort is the level of one model.
type ModelEffort struct{ Model, Effort string }

// Efforts are the words for a level, from none on.
func Efforts() []string {
	return []string{"none", "minimal", "low", "medium", "high", "xhigh", "max", "ultra"}
}

// ParseEffort reads a word for a level. What Hermes Agent calls ultra is the
// highest level vendors have; false and disabled are none.
func ParseEffort(word string) (string, bool) {
	switch word = strings.ToLower(strings.TrimSpace(word)); word {
	case "false", "disabled", "off":
		return "none", true
	case "ultra":
		return "max", true
	}
	return word, slices.Contains(Efforts(), word)
}

// For is the level of a model, by any of the names it goes by.
func (r Reasoning) For(model string) string {
	for _, exact := range []bool{true, false} {
		for _, o := range r.Overrides {
			if o.Model == model || !exact && plainModel(o.Model) == plainModel(model) {
				return o.Effort
			}
		}
	}
	return r.Effort
}

// plainModel leaves out what resellers put before a model's name, and writes its
// version with hyphens.
func plainModel(name string) string {
	name = strings.ToLower(strings.TrimSpace(name))
	return strings.ReplaceAll(name[strings.LastIndexByte(name, '/')+1:], ".", "-")
}

func (r *settingsReader) reasoning(root *policy.Node) Reasoning {
	agent := at(root, "agent")
	out := Reasoning{Effort: r.effort(at(agent, "reasoning_effort"), "agent.reasoning_effort")}
	overrides := at(agent, "reasoning_overrides")
	switch {
	case isNull(overrides):
	case overrides.Kind != policy.KindMapping:
		r.warn(overrides, "write `reasoning_overrides:` and below it `MODEL: high`", "`agent.reasoning_overrides` is not a mapping of models and is not used")
	default:
		for i := 0; i+1 < len(overrides.Children); i += 2 {
			model := scalarText(overrides.Children[i])
			if level := r.effort(overrides.Children[i+1], "agent.reasoning_overrides."+model); level != "" && model != "" {
				out.Overrides = append(out.Overrides, ModelEffort{model, level})
			}
		}
	}
	return out
}

// effort reads a level; a word that is none is told and never becomes another one.
func (r *settingsReader) effort(n *policy.Node, name string) string {
	if isUnset(n) {
		return ""
	}
	if on, ok := boolLike(n); ok && !on {
		return "none"
	}
	if n.Kind == policy.KindScalar {
		if level, ok := ParseEffort(scalarText(n)); ok {
			return level
		}
	}
	r.warn(n, "write one of "+strings.Join(Efforts(), ", "), "`%s` is no level of reasoning; none is sent, so the model reasons as it does by itself", name)
	return ""
}
