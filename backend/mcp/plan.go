package mcp

import (
	"maps"
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
	// parallel lets calls overlap freely; trusted lets those overlap that the
	// server calls read-only.
	parallel bool
	trusted  bool
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

// sameConnection compares what a session was built from. Time limits are read
// anew at every use, so changing them restarts nothing; no more does a change
// of the rules.
func sameConnection(a, b want) bool {
	return a.conn.Transport == b.conn.Transport &&
		a.conn.Command == b.conn.Command &&
		slices.Equal(a.conn.Args, b.conn.Args) &&
		maps.Equal(a.conn.Env, b.conn.Env) &&
		a.conn.Cwd == b.conn.Cwd &&
		a.conn.URL == b.conn.URL &&
		a.conn.Builtin == b.conn.Builtin &&
		a.conn.Root == b.conn.Root &&
		maps.Equal(a.conn.Headers, b.conn.Headers)
}
