package agent

// lanes orders the calls of one round on each server. A call waits for what
// was called before it, never for what comes later, so results can only be as
// if the calls had run one after another.
type lanes map[string]*lane

type lane struct {
	alone <-chan struct{}   // the latest Alone call
	reads []<-chan struct{} // the WithReads calls since then
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
	var wait []<-chan struct{}
	if at.alone != nil {
		wait = append(wait, at.alone)
	}
	if overlap == WithReads {
		at.reads = append(at.reads, done)
		return wait
	}
	wait = append(wait, at.reads...)
	at.alone, at.reads = done, nil
	return wait
}
