package mcp

import (
	"errors"
	"runtime"
	"sync"
)

// starterThread starts every server from one operating system thread that lives
// as long as the launcher. Linux sends the parent-death signal when the thread
// that started the child ends, not when the program does, and the Go runtime is
// free to end any other thread.
type starterThread struct {
	mu   sync.Mutex
	jobs chan func()
	done chan struct{}
	shut bool
}

var errThreadClosed = errors.New("no server is started after closing")

// do runs f on the thread and returns its error.
func (t *starterThread) do(f func() error) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.shut {
		return errThreadClosed
	}
	if t.jobs == nil {
		t.jobs, t.done = make(chan func()), make(chan struct{})
		go serveThread(t.jobs, t.done)
	}
	result := make(chan error, 1)
	t.jobs <- func() { result <- f() }
	return <-result
}

// serveThread never unlocks, so that the thread ends with it.
func serveThread(jobs <-chan func(), done chan<- struct{}) {
	defer close(done)
	runtime.LockOSThread()
	for job := range jobs {
		job()
	}
}

func (t *starterThread) close() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.shut {
		return
	}
	t.shut = true
	if t.jobs != nil {
		close(t.jobs)
		<-t.done
	}
}
