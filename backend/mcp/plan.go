package mcp

import (
	"maps"
	"reflect"
	"slices"

	"hermes/backend/config"
)

// want is what the snapshot asks for one server. Where run is false, state and
// reason say why.
type want struct {
	name   string
	run    bool
	state  State
	reason string
	// conn is the entry as written, variables unexpanded.
	conn config.Connection
	// values names what the variables in conn stand for, without telling: a
	// session that was built from other values must go. Empty where one is not
	// set. edition names the whole entry with the state of `.env`.
	values, edition string
	// parallel lets calls overlap freely; trusted lets those overlap that the
	// server calls read-only.
	parallel bool
	trusted  bool
	// samples and elicits let the server ask for a completion and ask the
	// person. They are asked anew at each request, so a change restarts nothing.
	samples, elicits bool
	// lazy lets the program wait for its first call; its tools are known.
	lazy bool
	// place says where a key of the entry stands, " (FILE:LINE)".
	place func(key string) string
	// expand fills in the variables, just before connecting.
	expand func(config.Connection) (config.Connection, error)
}

// deed is what a new snapshot asks to be done about one server.
type deed string

const (
	// deedStart connects a server that did not run.
	deedStart deed = "start"
	// deedKeep leaves a session alone: nothing about its connection changed.
	deedKeep deed = "keep"
	// deedRestart ends the session and begins one by the new entry.
	deedRestart deed = "restart"
	// deedStop lets running calls finish and ends the session.
	deedStop deed = "stop"
	// deedShow changes only what is said of a server that does not run.
	deedShow deed = "show"
	// deedForget drops a server that does not run and is gone from the file.
	deedForget deed = "forget"
)

type step struct {
	name string
	do   deed
}

// plan compares what was wanted with what is wanted, sorted by name. It decides
// everything Sync does and touches nothing.
func plan(before, after map[string]want) []step {
	var steps []step
	for _, name := range slices.Sorted(maps.Keys(before)) {
		if _, stays := after[name]; stays {
			continue
		}
		if before[name].run {
			steps = append(steps, step{name, deedStop})
		} else {
			steps = append(steps, step{name, deedForget})
		}
	}
	for _, name := range slices.Sorted(maps.Keys(after)) {
		old, known := before[name]
		steps = append(steps, step{name, compare(old, known, after[name])})
	}
	slices.SortStableFunc(steps, func(a, b step) int {
		switch {
		case a.name < b.name:
			return -1
		case a.name > b.name:
			return 1
		}
		return 0
	})
	return steps
}

func compare(old want, known bool, now want) deed {
	switch {
	case now.run && known && old.run && sameConnection(old, now):
		return deedKeep
	case now.run && known && old.run:
		return deedRestart
	case now.run:
		return deedStart
	case known && old.run:
		return deedStop
	default:
		return deedShow
	}
}

// sameConnection compares what a session was built from, with the values that
// its variables had. What is read anew at every use restarts nothing, no more
// does a change of the rules.
func sameConnection(a, b want) bool {
	return a.values == b.values && reflect.DeepEqual(essence(a.conn), essence(b.conn))
}

// essence is what a session is built from. It takes away what is known to be
// read anew, so that a field nobody thought of restarts rather than being
// overlooked.
func essence(c config.Connection) config.Connection {
	c.Timeout, c.ConnectTimeout = 0, 0
	c.Keepalive, c.IdleTimeout, c.MaxLifetime = 0, 0, 0
	// Absent and empty are one here.
	if len(c.Args) == 0 {
		c.Args = nil
	}
	if len(c.Env) == 0 {
		c.Env = nil
	}
	if len(c.Headers) == 0 {
		c.Headers = nil
	}
	if len(c.Confinement.Folders) == 0 {
		c.Confinement.Folders = nil
	}
	return c
}
