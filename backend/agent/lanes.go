package agent

import "slices"

// lanes orders the calls of one round on each server. A call waits for what
// was called before it, never for what comes later, so results can only be as
// if the calls had run one after another.
type lanes map[string]*lane

// lane holds every earlier call: one that a person denied ends before those it
// would have waited for, so waiting for the latest alone is not enough.
type lane struct {
	alone, reads []<-chan struct{}
}

// admit enters a call that closes done when it is over, and returns what it
// has to wait for.
func (l lanes) admit(server string, overlap Overlap, done <-chan struct{}) []<-chan struct{} {
	if overlap == Free {
		return nil
	}
	at := l[server]
	if at == nil {
		at = &lane{}
		l[server] = at
	}
	wait := slices.Clone(at.alone)
	if overlap == WithReads {
		at.reads = append(at.reads, done)
		return wait
	}
	wait = append(wait, at.reads...)
	at.alone = append(at.alone, done)
	return wait
}
