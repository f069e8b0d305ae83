package mcp

import (
	"math/rand/v2"
	"time"
)

// timing holds every duration the package waits for, so that a test can ask the
// same questions in milliseconds.
type timing struct {
	// probe is how long a server may be silent on server/discover before the
	// older handshake is tried on the same process.
	probe time.Duration
	// handshake is how long it may be silent on that one as well, before it
	// gets a fresh process that is not probed.
	handshake time.Duration
	// connect and connectLauncher are the defaults for an entry without a
	// connect_timeout. npx without a network needs 71 seconds.
	connect, connectLauncher time.Duration
	// call is the default for an entry without a timeout.
	call time.Duration
	// reports is the pause between two reports of a call's progress.
	reports time.Duration
	// list bounds the reading of all pages of a tool list.
	list time.Duration
	// stdinGrace, termGrace and killGrace are the steps of stopping a process.
	stdinGrace, termGrace, killGrace time.Duration
	// goodbye is how long a server may take to hear that a session ends.
	goodbye time.Duration
	// drain is how long output of a dead process is still read.
	drain time.Duration
	// login is how long the login shell may take to tell its PATH.
	login time.Duration
	// quiet and quietCap debounce tools/list_changed.
	quiet, quietCap time.Duration
	// streamHeaders bounds the wait for the answer to the GET of a stream.
	streamHeaders time.Duration
	// proven is the age at which a session clears the count of failures.
	proven time.Duration
	// parked is the pause between tries once the quick ones are used up.
	parked time.Duration
	// ping is how long an idle server may take to give a sign of life.
	ping time.Duration
	// breaker is how long calls are refused after too many without an answer.
	breaker time.Duration
	// backoffBase and backoffCap shape the pauses between quick tries.
	backoffBase, backoffCap time.Duration
}

// quickTries is the number of tries in a row before a server is left alone for
// a while.
const quickTries = 5

func defaultTiming() timing {
	return timing{
		probe:           3 * time.Second,
		handshake:       8 * time.Second,
		connect:         60 * time.Second,
		connectLauncher: 90 * time.Second,
		call:            300 * time.Second,
		reports:         250 * time.Millisecond,
		list:            60 * time.Second,
		stdinGrace:      500 * time.Millisecond,
		termGrace:       2 * time.Second,
		killGrace:       2 * time.Second,
		goodbye:         2 * time.Second,
		drain:           200 * time.Millisecond,
		login:           3 * time.Second,
		quiet:           100 * time.Millisecond,
		quietCap:        time.Second,
		streamHeaders:   10 * time.Second,
		proven:          time.Minute,
		parked:          5 * time.Minute,
		ping:            10 * time.Second,
		breaker:         time.Minute,
		backoffBase:     time.Second,
		backoffCap:      time.Minute,
	}
}

// backoff is the pause after the given number of failures in a row: doubling,
// capped, and spread by a fifth so that servers which fell together do not
// rise together.
func (t timing) backoff(failures int) time.Duration {
	d := t.backoffCap
	if shift := failures - 1; shift < 16 {
		d = min(t.backoffBase<<max(shift, 0), t.backoffCap)
	}
	return spread(d)
}

func spread(d time.Duration) time.Duration {
	if d <= 0 {
		return 0
	}
	return d - d/5 + rand.N(2*d/5+1)
}
