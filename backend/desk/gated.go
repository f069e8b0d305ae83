package desk

import (
	"hermes/backend/config"
	"hermes/backend/host"
	"hermes/backend/view"
)

// ruleGated is the rule of a call that the policy allows and a deny glob refuses,
// ruleAsks that of one about which a person is asked, ruleGranted that of one to
// which a person said always, ruleHook that of one on which a hook has a word.
const (
	ruleGated   = "gate.refused"
	ruleAsks    = "gate.asks"
	ruleGranted = "gate.granted"
	ruleHook    = "gate.hook"
)

// gatedView says in a verdict what a call would meet behind the policy. A call
// that asks is an allowed one: what it needs is said.
func gatedView(why *view.Why, standing host.Standing, entry *config.Server) {
	switch {
	case standing.Refused != "":
		why.Allowed = false
		say(why, ruleGated, standing.Refused)
	case standing.Granted != 0:
		say(why, ruleGranted, standing.Asks)
	case standing.Asks != "":
		why.Asks = true
		say(why, ruleAsks, standing.Asks)
	case standing.Decides != "":
		say(why, ruleHook, standing.Decides)
		return
	default:
		return
	}
	if standing.Decides != "" {
		say(why, why.Rule, why.Reason+"; and "+standing.Decides)
	}
	why.Line, why.Column = entry.Line, entry.Column
}

func say(why *view.Why, rule, text string) {
	why.Rule, why.Reason = rule, text
	why.Words = view.Words{Code: rule, Params: []string{text}, Text: text}
}
