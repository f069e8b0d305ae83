package agent

import (
	"cmp"

	"hermes/backend/message"
)

// putOff is the ruling of a call that goes through the gates later.
const putOff Ruling = -1

// later puts a call off whose server is still starting, and every later one of
// that server with it, so that they keep their order. What waits has a goroutine
// for each server, because one that is slow to start is no reason for the calls of
// another one to wait.
func (r *round) later(i int) bool {
	target := r.slots[i].call.Target
	server := cmp.Or(target.Awaits, target.Server)
	r.mu.Lock()
	queue, waits := r.queues[server]
	if waits || target.Awaits != "" {
		r.queues[server] = append(queue, i)
	}
	r.mu.Unlock()
	if !waits && target.Awaits != "" {
		r.emit(message.Notice(message.ServerAwaited, server))
		r.loop.running.Go(func() { r.await(server, target) })
		return true
	}
	return waits
}

// await takes the calls that were put off through the gates when their server is
// there. Those that need a person go on a card of their own: the first one is
// answered, or may be, long before it is known what these would ask.
func (r *round) await(server string, target Target) {
	r.awaitServer(target)
	var card []int
	for i, more := r.first(server); more; i, more = r.next(server) {
		if r.enter(i, nil) {
			card = append(card, i)
		}
	}
	if len(card) > 0 {
		r.ask(card)
	}
}

// awaitServer keeps a fault from taking the program down; what waited is judged
// as it stands.
func (r *round) awaitServer(target Target) {
	defer func() {
		if fault := recover(); fault != nil {
			r.loop.logger().Error("the wait for a server failed inside the program", "server", target.Awaits, "fault", fault)
		}
	}()
	r.loop.Tools.Await(r.starting, target)
}

// first is the call at the head of a queue. It stays there while it is at the
// gates, so that a call that comes meanwhile does not overtake it.
func (r *round) first(server string) (int, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	queue := r.queues[server]
	if len(queue) == 0 {
		delete(r.queues, server)
		return 0, false
	}
	return queue[0], true
}

func (r *round) next(server string) (int, bool) {
	r.mu.Lock()
	r.queues[server] = r.queues[server][1:]
	r.mu.Unlock()
	return r.first(server)
}
