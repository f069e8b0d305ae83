package pin

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"time"
)

// Key names a server by its name and a digest of what it starts or contacts:
// another program under the same name is another server here.
type Key struct{ Server, Identity string }

// Sight is what was seen of a server at one moment. Target is a digest of its
// whole connection; a list that came from another one is no cache. Tools are all
// it offers, in its order, before any rule.
type Sight struct {
	Target             string
	Version, Protocol  string
	Resources, Prompts bool
	Tools              []Offer
}

// Offer is one offered tool. ReadOnly and Destructive are the server's own
// words, nil for none; Refused says why it cannot be given to a model, empty
// where it can.
type Offer struct {
	Definition
	ReadOnly, Destructive *bool
	Refused               string
}

// Brief is what is remembered of an offered tool without its texts. Changed is
// blocked until a person accepts it; New was added since a person last looked.
// Beyond is one of more tools than are remembered: set aside, as Refused says.
type Brief struct {
	Name        string `json:"n"`
	ReadOnly    *bool  `json:"r,omitempty"`
	Destructive *bool  `json:"d,omitempty"`
	Refused     string `json:"q,omitempty"`
	Changed     bool   `json:"c,omitempty"`
	New         bool   `json:"w,omitempty"`
	Beyond      bool   `json:"b,omitempty"`
}

// head is the part of an entry that listings need; the file has it in front.
type head struct {
	Server    string    `json:"server"`
	Identity  string    `json:"identity"`
	Target    string    `json:"target,omitempty"`
	Listed    bool      `json:"listed,omitempty"`
	When      time.Time `json:"when"`
	Version   string    `json:"version,omitempty"`
	Protocol  string    `json:"protocol,omitempty"`
	Era       string    `json:"era,omitempty"`
	Resources bool      `json:"resources,omitempty"`
	Prompts   bool      `json:"prompts,omitempty"`
	Tools     []Brief   `json:"tools,omitempty"`
	Sum       uint32    `json:"sum"`
}

// Words of head.Era.
const (
	eraModern = "modern"
	eraLegacy = "legacy"
)

// record is one tool's pinned definition. Now is what the server says instead,
// nil where it says the same. Short tells that a definition was too long to keep
// and only its hash is.
type record struct {
	Pin   Definition  `json:"pin"`
	Hash  string      `json:"hash"`
	First time.Time   `json:"first"`
	New   bool        `json:"new,omitempty"`
	Short bool        `json:"short,omitempty"`
	Now   *Definition `json:"now,omitempty"`
	// NowHash, Since and NowShort belong to Now.
	NowHash  string    `json:"now_hash,omitempty"`
	Since    time.Time `json:"since,omitzero"`
	NowShort bool      `json:"now_short,omitempty"`
}

// entry is all that is remembered of one server. body is the line of the file
// until somebody needs its records.
type entry struct {
	head    head
	body    []byte
	records map[string]record
}

// clone copies an entry so that the copy can be changed.
func (e *entry) clone() *entry {
	return &entry{head: e.head, body: e.body, records: maps.Clone(e.records)}
}

// open reads the records. The file's sums were checked before, so an error means
// that the file was written by something else.
func (e *entry) open() error {
	if e.body == nil {
		if e.records == nil {
			e.records = map[string]record{}
		}
		return nil
	}
	records := map[string]record{}
	if err := json.Unmarshal(e.body, &records); err != nil {
		return err
	}
	e.records, e.body = records, nil
	return nil
}

// see takes in what a server offers now, and tells whether that is news. The
// first list is pinned whole, and nothing of it is new unless the server took the
// name of another one (replaced). Later a tool that is not known is pinned, too, and
// is new; one that is known and says something else is changed until it says
// again what is pinned, or a person accepts it. A tool that is gone stays pinned.
func (e *entry) see(s Sight, now time.Time, replaced bool) bool {
	first, before := !e.head.Listed && !replaced, e.head
	moved := false
	offered := make([]Brief, 0, len(s.Tools))
	seen := make(map[string]bool, len(s.Tools))
	for _, tool := range s.Tools {
		if seen[tool.Name] {
			continue
		}
		seen[tool.Name] = true
		brief := Brief{Name: tool.Name, ReadOnly: tool.ReadOnly, Destructive: tool.Destructive, Refused: tool.Refused}
		r, known := e.records[tool.Name]
		if !known && len(e.records) >= maxTools {
			// What cannot be remembered cannot be compared later.
			brief.Beyond, brief.Refused = true, beyond()
			offered = append(offered, brief)
			continue
		}
		next := r.meet(tool.Definition, known, first, now)
		if !known || !next.same(r) {
			e.records[tool.Name], moved = next, true
		}
		brief.Changed, brief.New = next.Now != nil, next.New
		offered = append(offered, brief)
	}
	for name, r := range e.records {
		if !seen[name] && r.Now != nil {
			// What is not offered cannot be accepted.
			e.records[name], moved = r.settled(), true
		}
	}
	e.head.Listed, e.head.Tools = true, offered
	e.head.Target, e.head.Version, e.head.Protocol = s.Target, s.Version, s.Protocol
	e.head.Resources, e.head.Prompts = s.Resources, s.Prompts
	if moved || !e.head.equal(before) || now.Sub(before.When) > renewAfter {
		e.head.When = now
		return true
	}
	return false
}

// beyond says why a tool is set aside that is one too many to be remembered.
func beyond() string {
	return "its server has more than " + strconv.Itoa(maxTools) + " tools: those beyond are set aside"
}

// differ are the tools of a sight that are pinned here with another definition.
// Of records that cannot be read nothing is said.
func (e *entry) differ(s Sight) []string {
	if e.open() != nil {
		return nil
	}
	var names []string
	for _, tool := range s.Tools {
		if r, known := e.records[tool.Name]; known && r.Hash != r.hashBeside(tool.Definition) {
			names = append(names, tool.Name)
		}
	}
	return names
}

// meet compares a definition with the pinned one.
func (r record) meet(d Definition, known, first bool, now time.Time) record {
	hash := r.hashBeside(d)
	kept, whole := d.storable()
	switch {
	case !known:
		return record{Pin: kept, Hash: hash, Short: !whole, First: now, New: !first}
	case hash == r.Hash:
		return r.settled()
	case r.Now != nil && r.NowHash == hash:
		return r
	}
	r.Now, r.NowHash, r.NowShort, r.Since = &kept, hash, !whole, now
	return r
}

// settled is the record without a change.
func (r record) settled() record {
	r.Now, r.NowHash, r.NowShort, r.Since = nil, "", false, time.Time{}
	return r
}

// accepted makes what the server says now the pinned definition.
func (r record) accepted() record {
	if r.Now != nil {
		r.Pin, r.Hash, r.Short = *r.Now, r.NowHash, r.NowShort
	}
	r.New = false
	return r.settled()
}

func (r record) same(o record) bool {
	return r.Hash == o.Hash && r.NowHash == o.NowHash && r.New == o.New
}

// equal compares all but the time.
func (h head) equal(o head) bool {
	return h.Server == o.Server && h.Identity == o.Identity && h.Target == o.Target && h.Listed == o.Listed && h.Version == o.Version &&
		h.Protocol == o.Protocol && h.Era == o.Era && h.Resources == o.Resources && h.Prompts == o.Prompts &&
		slices.EqualFunc(h.Tools, o.Tools, Brief.equal)
}

func (b Brief) equal(o Brief) bool {
	return b.Name == o.Name && b.Refused == o.Refused && b.Changed == o.Changed && b.New == o.New && b.Beyond == o.Beyond &&
		word(b.ReadOnly) == word(o.ReadOnly) && word(b.Destructive) == word(o.Destructive)
}

func word(b *bool) int {
	switch {
	case b == nil:
		return -1
	case *b:
		return 1
	}
	return 0
}

// mark writes the states of the records into the listing's part again.
func (e *entry) mark() {
	e.head.Tools = slices.Clone(e.head.Tools)
	for i := range e.head.Tools {
		brief := &e.head.Tools[i]
		if r, known := e.records[brief.Name]; known {
			brief.Changed, brief.New = r.Now != nil, r.New
		}
	}
}

// adopt takes from another memory of the same server what this one does not
// know: what is written already was there first, what the other one saw is later.
func (e *entry) adopt(o *entry) {
	for name, theirs := range o.records {
		mine, known := e.records[name]
		if !known {
			e.records[name] = theirs
			continue
		}
		current, hash, short := theirs.Pin, theirs.Hash, theirs.Short
		if theirs.Now != nil {
			current, hash, short = *theirs.Now, theirs.NowHash, theirs.NowShort
		}
		mine.New = mine.New && theirs.New
		if hash == mine.Hash {
			mine = mine.settled()
		} else if hash != mine.NowHash {
			mine.Now, mine.NowHash, mine.NowShort, mine.Since = &current, hash, short, theirs.Since
			if mine.Since.IsZero() {
				mine.Since = theirs.First
			}
		}
		e.records[name] = mine
	}
	if o.head.Listed && (!e.head.Listed || o.head.When.After(e.head.When)) {
		era := e.head.Era
		e.head = o.head
		if e.head.Era == "" {
			e.head.Era = era
		}
	}
	if e.head.Era == "" {
		e.head.Era = o.head.Era
	}
	e.mark()
}
