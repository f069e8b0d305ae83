package policy

// Restriction is what the lock ledger remembers of a server's rules (FILTER
// section 6). ResourcesOff and PromptsOff are set only where the key is written
// off; a whitelist's own default is no restriction of theirs.
type Restriction struct {
	State        State    `json:"state"`
	Patterns     []string `json:"patterns,omitempty"`
	ResourcesOff bool     `json:"resources_off,omitempty"`
	PromptsOff   bool     `json:"prompts_off,omitempty"`
	Untrusted    bool     `json:"untrusted,omitempty"`
}

// Restriction returns the restrictions these rules put in force. The zero
// Rules, which belong to no server, have none that could be lost.
func (r Rules) Restriction() Restriction {
	if r.d == nil {
		return Restriction{State: StateInvalid}
	}
	return Restriction{
		State:        r.d.state,
		Patterns:     r.Patterns(),
		ResourcesOff: r.d.switches[switchResources].value == toggleOff,
		PromptsOff:   r.d.switches[switchPrompts].value == toggleOff,
		Untrusted:    r.d.untrust,
	}
}

// Any tells whether there is something to hold: a whitelist, a blacklist, a
// value that denies because it cannot be read, a helper written off, or a
// server that is not trusted.
func (t Restriction) Any() bool {
	return t.State != StateOpen || t.ResourcesOff || t.PromptsOff || t.Untrusted
}
