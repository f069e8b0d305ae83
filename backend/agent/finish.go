package agent

import (
	"fmt"
	"strings"
	"time"

	"hermes/backend/message"
)

// finish writes the result of a call and tells of it, once.
func (r *round) finish(i int, result Result) {
	r.mu.Lock()
	claimed, started, began, note := r.slots[i].claimed, r.slots[i].started, r.slots[i].began, r.slots[i].note
	r.slots[i].claimed = true
	if result.Halt != "" && r.halt == "" && !claimed {
		r.halt = result.Halt
	}
	r.mu.Unlock()
	if claimed {
		return
	}
	if result.Shown == "" {
		result.Shown = result.Content
	}
	if note != "" {
		result.Shown += "\n" + note
	}
	row := toolRow(r.calls[i], result.Status, message.Noted(result.Content, strings.TrimSpace(note+"\n"+r.loop.Tools.News())))
	if err := r.record(i, row); err != nil {
		r.fail(err)
		// Recovery will write the row; the event says what it will say.
		result = Result{Status: message.StatusInterrupted, Content: message.CallNotRecorded.Text()}
		if started {
			result = Result{Status: message.StatusUnknown, Content: message.CallNotStored.Text()}
		}
		row = toolRow(r.calls[i], result.Status, result.Content)
	}
	r.slots[i].telling.Lock()
	r.emit(resultEvent(row, result))
	r.slots[i].telling.Unlock()
	r.slots[i].row = row
	took := time.Duration(0)
	if started {
		took = time.Since(began)
	}
	r.observe(i, result, took)
	close(r.slots[i].done)
}

// record stores a row; a fault of the store is an error of it, so that nobody
// waits for ever.
func (r *round) record(i int, row message.Message) (err error) {
	defer func() {
		if fault := recover(); fault != nil {
			err = fmt.Errorf("the store failed: %v", fault)
		}
	}()
	return r.loop.Journal.FinishCall(r.store, r.session, r.calls[i].ID, row)
}

// observe tells the gate of a terminal event. What it does must not hold up the
// calls that wait for this one.
func (r *round) observe(i int, result Result, took time.Duration) {
	call := r.slots[i].call
	r.after.Add(1)
	r.loop.running.Go(func() {
		defer r.after.Done()
		r.loop.tellAfter(r.store, call, result, took)
	})
}

// waitAfter lets the observers of a round end before the model goes on, because
// what they do (a formatter, a commit) belongs to the call. A stop waits for
// nobody; Loop.Wait does.
func (r *round) waitAfter() {
	ended := make(chan struct{})
	r.loop.running.Go(func() {
		r.after.Wait()
		close(ended)
	})
	select {
	case <-ended:
	case <-r.ctx.Done():
	}
}
