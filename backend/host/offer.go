package host

import (
	"reflect"
	"slices"
	"strconv"
	"sync"

	"hermes/backend/message"
	"hermes/backend/registry"
)

// maxOffers is how many sessions' offers are kept; a vendor's prompt cache is
// forgotten long before.
const maxOffers = 64

// offers are what the models of the latest sessions were offered. The zero value
// knows none: after a restart a session begins with the list of then, which is
// the same bytes where the tools are the same.
type offers struct {
	mu    sync.Mutex
	all   map[string]*offer
	order []string
}

// of gives the offer of a session.
func (o *offers) of(session string) *offer {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.all == nil {
		o.all = map[string]*offer{}
	}
	if known := o.all[session]; known != nil {
		return known
	}
	if len(o.order) == maxOffers {
		delete(o.all, o.order[0])
		o.order = slices.Delete(o.order, 0, 1)
	}
	fresh := &offer{}
	o.all[session], o.order = fresh, append(o.order, session)
	return fresh
}

// offer is what one session's model was offered and told so far (DESIGN
// invariant 5). The list of the first pass stays as it is, byte for byte, as long
// as nothing of it is denied: what is added is told where the conversation goes
// on, because every vendor's prompt cache begins with the tools.
type offer struct {
	mu      sync.Mutex
	made    bool
	options registry.Options
	catalog *registry.Catalog // what tools and told were compared with last
	tools   []message.ToolDef
	told    map[string]registry.Entry // by public name
	// first is the catalogue of the first pass until the second one begins. Whose
	// server was still starting then is no change of anything a person saw.
	first *registry.Catalog
}

// late tells that nothing is different but tools of servers that were still
// starting at the first pass, and no pass was offered anything since.
func (o *offer) late(catalog *registry.Catalog, c change) bool {
	if o.first == nil || c.changed > 0 || len(c.gone) > 0 || len(c.added) == 0 {
		return false
	}
	for _, entry := range catalog.Entries() {
		if !slices.Contains(c.added, entry.Public) {
			continue
		}
		if server, pending := o.first.Pending(entry.Public); !pending || server != entry.Server {
			return false
		}
	}
	return true
}

// change is how a catalogue differs from what was told.
type change struct {
	added   []string // also changed ones, by public name
	gone    []string
	changed int // of added
}

// look compares; away tells that a tool is only not there for the moment.
func (o *offer) look(catalog *registry.Catalog, away func(registry.Entry) bool) change {
	var c change
	now := map[string]bool{}
	for _, entry := range catalog.Entries() {
		now[entry.Public] = true
		was, known := o.told[entry.Public]
		switch {
		case !known:
			c.added = append(c.added, entry.Public)
		case was.Description != entry.Description || string(was.Schema) != string(entry.Schema):
			c.added = append(c.added, entry.Public)
			c.changed++
		}
	}
	for name, entry := range o.told {
		if !now[name] && !away(entry) {
			c.gone = append(c.gone, name)
		}
	}
	return c
}

// learn takes a catalogue's tools for told. What is away stays told.
func (o *offer) learn(catalog *registry.Catalog, gone []string) {
	for _, name := range gone {
		delete(o.told, name)
	}
	for _, entry := range catalog.Entries() {
		o.told[entry.Public] = entry
	}
	o.catalog = catalog
}

// pass gives the tools of the next model pass and, where they are not those of
// the last, what that costs.
func (o *offer) pass(catalog *registry.Catalog, options registry.Options, away func(registry.Entry) bool) (tools []message.ToolDef, cost message.Saying) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.made && o.catalog == catalog && o.options == options {
		o.first = nil
		return o.tools, cost
	}
	fresh := catalog.ModelTools(options)
	if !o.made {
		o.made, o.options, o.tools, o.told, o.first = true, options, fresh, map[string]registry.Entry{}, catalog
		o.learn(catalog, nil)
		return fresh, cost
	}
	c := o.look(catalog, away)
	late := o.late(catalog, c) && o.options == options
	o.first = nil
	before := o.tools
	switch {
	case options.Mode == registry.ModeOff && o.options.Mode == registry.ModeOff:
		o.tools = o.append(fresh, c.gone)
	case late, o.options != options, len(c.gone) > 0, (len(before) == 0) != (len(fresh) == 0):
		// Late ones are listed like the others: what a vendor cached of one pass is
		// little, and a note would stay in the conversation for good.
		o.tools = fresh
	default:
		// Additions are told by news.
		return o.tools, cost
	}
	o.options = options
	o.learn(catalog, c.gone)
	if late || reflect.DeepEqual(before, o.tools) {
		return o.tools, cost
	}
	if c.none() {
		return o.tools, message.Say(message.ToolsAnewSettings)
	}
	return o.tools, message.Say(message.ToolsAnew, c.counts()...)
}

// append keeps the place of what was offered, takes away what is gone, and puts
// what is new at the end.
func (o *offer) append(fresh []message.ToolDef, gone []string) []message.ToolDef {
	byName := make(map[string]message.ToolDef, len(fresh))
	for _, def := range fresh {
		byName[def.Name] = def
	}
	var out []message.ToolDef
	for _, def := range o.tools {
		if slices.Contains(gone, def.Name) {
			continue
		}
		if now, ok := byName[def.Name]; ok {
			def = now
		}
		out = append(out, def)
		delete(byName, def.Name)
	}
	for _, def := range fresh {
		if _, ok := byName[def.Name]; ok {
			out = append(out, def)
		}
	}
	return out
}

// news tells once of tools that were added behind the bridge, for the model and
// for people; both are empty where there is nothing to tell now.
func (o *offer) news(catalog *registry.Catalog, options registry.Options, away func(registry.Entry) bool) (note string, said message.Saying) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if !o.made || o.catalog == catalog || options.Mode == registry.ModeOff || o.options != options || len(o.tools) == 0 {
		return "", said
	}
	c := o.look(catalog, away)
	if len(c.gone) > 0 || o.late(catalog, c) {
		return "", said // the next pass makes the whole list anew
	}
	o.learn(catalog, nil)
	if note = catalog.News(c.added); note == "" {
		return "", said
	}
	return note, message.Say(message.ToolsTold, c.counts()...)
}

func (c change) none() bool { return len(c.added) == 0 && len(c.gone) == 0 }

// counts are how many are new, described in another way, and gone.
func (c change) counts() []string {
	return []string{strconv.Itoa(len(c.added) - c.changed), strconv.Itoa(c.changed), strconv.Itoa(len(c.gone))}
}
