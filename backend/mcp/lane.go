package mcp

import (
	"context"
	"slices"
	"sync"
)

// lane lets calls of one server through in the order they came: one at a time,
// or several at once when all of them may overlap. A call that may not waits
// for those before it and holds back those after it.
type lane struct {
	mu     sync.Mutex
	shared int
	alone  bool
	queue  []*ticket
}

type ticket struct {
	overlap bool
	ready   chan struct{}
}

// enter waits for its turn and returns the function that ends it.
func (l *lane) enter(ctx context.Context, overlap bool) (leave func(), err error) {
	l.mu.Lock()
	if len(l.queue) == 0 && l.admit(overlap) {
		l.mu.Unlock()
		return l.leaver(overlap), nil
	}
	t := &ticket{overlap: overlap, ready: make(chan struct{})}
	l.queue = append(l.queue, t)
	l.mu.Unlock()
	select {
	case <-t.ready:
		return l.leaver(overlap), nil
	case <-ctx.Done():
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if i := slices.Index(l.queue, t); i >= 0 {
		l.queue = slices.Delete(l.queue, i, i+1)
		l.advance()
		return nil, ctx.Err()
	}
	// Let through at the same moment: give the turn back.
	l.leave(overlap)
	return nil, ctx.Err()
}

// try takes a turn alone if nobody has one or waits for one.
func (l *lane) try() (leave func(), ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.queue) > 0 || !l.admit(false) {
		return nil, false
	}
	return l.leaver(false), true
}

func (l *lane) leaver(overlap bool) func() {
	return sync.OnceFunc(func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.leave(overlap)
	})
}

func (l *lane) leave(overlap bool) {
	if overlap {
		l.shared--
	} else {
		l.alone = false
	}
	l.advance()
}

func (l *lane) advance() {
	for len(l.queue) > 0 && l.admit(l.queue[0].overlap) {
		close(l.queue[0].ready)
		l.queue = l.queue[1:]
	}
}

func (l *lane) admit(overlap bool) bool {
	if l.alone || (!overlap && l.shared > 0) {
		return false
	}
	if overlap {
		l.shared++
	} else {
		l.alone = true
	}
	return true
}
