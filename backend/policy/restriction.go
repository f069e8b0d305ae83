package policy

import "slices"

// Restriction is what the lock ledger remembers of a server's rules (FILTER
// section 6). ResourcesOff and PromptsOff are set only where the key is written
// off; a whitelist's own default is no restriction of theirs. Lost are earlier
// restrictions whose keys are gone from the file and that are held all the same.
// A State that is not known denies, as StateInvalid does. SamplingOff and
// ElicitationOff are never remembered; they keep off what a change that waits
// would turn on (Both). Waits marks what is kept off because of such a change
// alone, and only serves the words.
type Restriction struct {
	State        State         `json:"state"`
	Patterns     []string      `json:"patterns,omitempty"`
	ResourcesOff bool          `json:"resources_off,omitempty"`
	PromptsOff   bool          `json:"prompts_off,omitempty"`
	Untrusted    bool          `json:"untrusted,omitempty"`
	Lost         []Restriction `json:"lost,omitempty"`

	SamplingOff    bool `json:"sampling_off,omitempty"`
	ElicitationOff bool `json:"elicitation_off,omitempty"`
	Waits          bool `json:"-"`
}

// maxLost bounds how many lost restrictions of one server are told apart; more
// are held as one that denies everything.
const maxLost = 16

// Restriction returns the restrictions these rules put in force. The zero
// Rules, which belong to no server, have none that could be lost.
func (r Rules) Restriction() Restriction {
	if r.d == nil {
		return Restriction{State: StateInvalid}
	}
	if h := r.d.hold; h != nil {
		t := h.file.Restriction()
		t.Lost = cloneRestrictions(h.lost)
		return t
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
// value that denies because it cannot be read, a helper written off, a server
// that is not trusted, or what is held already.
func (t Restriction) Any() bool {
	return t.State != StateOpen || t.ResourcesOff || t.PromptsOff || t.Untrusted || t.SamplingOff || t.ElicitationOff || len(t.Lost) > 0
}

// Valid tells whether a restriction is one that this package writes; the ledger
// takes nothing else for readable.
func (t Restriction) Valid() bool {
	switch t.State {
	case StateOpen, StateInvalid:
		if len(t.Patterns) > 0 {
			return false
		}
	case StateOnly:
	case StateExcept:
		if len(t.Patterns) == 0 {
			return false
		}
	default:
		return false
	}
	for _, l := range t.Lost {
		if len(l.Lost) > 0 || !l.Valid() {
			return false
		}
	}
	return len(t.Lost) <= maxLost
}

// Equal compares two restrictions part by part. What they are kept for makes no
// difference.
func (t Restriction) Equal(o Restriction) bool {
	return t.State == o.State && slices.Equal(t.Patterns, o.Patterns) && t.ResourcesOff == o.ResourcesOff &&
		t.PromptsOff == o.PromptsOff && t.Untrusted == o.Untrusted &&
		t.SamplingOff == o.SamplingOff && t.ElicitationOff == o.ElicitationOff && slices.EqualFunc(t.Lost, o.Lost, Restriction.Equal)
}

// List returns the words of the state that a restriction describes, as
// Rules.List does.
func (t Restriction) List() Words { return Rules{t.decided()}.List() }

// Keys names what the restriction consists of in the file, in the order
// include, exclude, resources, prompts, trust; for a value that could not be
// read it is the block that held it.
func (t Restriction) Keys() []string {
	var out []string
	for _, part := range append([]Restriction{t}, t.Lost...) {
		for key, there := range map[string]bool{
			keyInclude: part.State == StateOnly, keyExclude: part.State == StateExcept, keyResources: part.ResourcesOff,
			keyPrompts: part.PromptsOff, keyTrust: part.Untrusted, keyTools: part.denies(),
			keySampling: part.SamplingOff, keyElicitation: part.ElicitationOff,
		} {
			if there && !slices.Contains(out, key) {
				out = append(out, key)
			}
		}
	}
	order := []string{keyInclude, keyExclude, keyResources, keyPrompts, keyTrust, keySampling, keyElicitation, keyTools}
	slices.SortFunc(out, func(a, b string) int { return slices.Index(order, a) - slices.Index(order, b) })
	return out
}

// denies tells a restriction under which nothing at all may be called.
func (t Restriction) denies() bool {
	return t.State != StateOpen && t.State != StateOnly && t.State != StateExcept
}

// decided prepares the lists of a restriction for matching.
func (t Restriction) decided() *decided {
	d := &decided{state: t.State, failed: -1}
	if t.denies() {
		d.state = StateInvalid
		return d
	}
	list := make([]pattern, 0, len(t.Patterns))
	for _, text := range t.Patterns {
		list = append(list, pattern{text: text, shown: show(text)})
	}
	d.setPatterns(list)
	return d
}

// cloneRestrictions copies lost restrictions, which have no lost ones themselves.
func cloneRestrictions(list []Restriction) []Restriction {
	if len(list) == 0 {
		return nil
	}
	out := make([]Restriction, len(list))
	for i, t := range list {
		t.Patterns = cloneStrings(t.Patterns)
		out[i] = t
	}
	return out
}
