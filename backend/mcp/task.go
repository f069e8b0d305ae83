package mcp

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"time"
)

// Task is a short program that answers on standard output and ends, such as a
// hook. It runs like a server: in a group of its own, known to the guard, with
// the minimal environment, and nothing it starts outlives it.
type Task struct {
	// Path is the program, Name what it is called, empty for its path, Args what
	// follows its name.
	Path string
	Name string
	Args []string
	// Env is set beside what every child inherits, and wins; it holds
	// MarkVariable.
	Env map[string]string
	Dir string
	// Input is its standard input.
	Input []byte
	// Limit is how long it may take; zero is no time at all.
	Limit time.Duration
	// MaxOutput and MaxErrors bound, in bytes, what is taken of standard output
	// and kept of standard error.
	MaxOutput, MaxErrors int
}

// TaskEnd is how a Task ended. Code is its exit code, -1 where it was killed.
// Late tells that its time was over, Long that it wrote more than MaxOutput; of
// either nothing is left running. Output is then what came before.
type TaskEnd struct {
	Output, Errors []byte
	Code           int
	Late, Long     bool
}

// ErrClosed is the error of what begins after Close.
var ErrClosed = errors.New("the program is ending")

// RunTask runs a task and returns when nothing of it is left. The error is that
// of a task that did not start, or of ctx, whose end kills it.
func (m *Manager) RunTask(ctx context.Context, t Task) (TaskEnd, error) {
	m.mu.Lock()
	if m.closed {
		m.mu.Unlock()
		return TaskEnd{}, ErrClosed
	}
	m.work.Add(1)
	m.mu.Unlock()
	defer m.work.Done()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(m.life, cancel)()
	if err := ctx.Err(); err != nil {
		return TaskEnd{}, err
	}
	return m.launcher.runTask(ctx, t, childEnviron(os.Environ(), t.Env))
}

func (l *launcher) runTask(ctx context.Context, t Task, env map[string]string) (TaskEnd, error) {
	errs := &head{limit: t.MaxErrors}
	process, err := l.start(program{path: t.Path, name: t.Name, args: t.Args, env: pairs(env), dir: t.Dir}, errs)
	if err != nil {
		return TaskEnd{}, err
	}
	var work sync.WaitGroup
	work.Go(func() {
		// A program may answer without reading all, or anything.
		_, _ = process.stdin.File.Write(t.Input)
		_ = process.stdin.File.Close()
	})
	out := &head{limit: t.MaxOutput}
	long := make(chan struct{})
	work.Go(func() {
		if _, err := io.Copy(out, io.LimitReader(process.stdout, int64(t.MaxOutput)+1)); err == nil && out.cut() {
			close(long)
		}
	})
	end := l.await(ctx, process, t.Limit, long)
	if end.Late || end.Long || ctx.Err() != nil {
		process.group.destroy(l.timing)
	}
	process.stop()
	work.Wait()
	end.Output, end.Errors = out.bytes(), errs.bytes()
	end.Code = -1
	select {
	case <-process.done:
		end.Code = process.cmd.ProcessState.ExitCode()
	default: // not even a kill ended it
	}
	if err := ctx.Err(); err != nil {
		return end, fmt.Errorf("%s was stopped: %w", cmp.Or(t.Name, t.Path), err)
	}
	// What it wrote at its very end is read by now.
	end.Long = end.Long || out.cut()
	return end, nil
}

// await waits for the first of the ends a task can have.
func (l *launcher) await(ctx context.Context, p *process, limit time.Duration, long <-chan struct{}) (end TaskEnd) {
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case <-p.done:
	case <-ctx.Done():
	case <-timer.C:
		end.Late = true
	case <-long:
		end.Long = true
	}
	return end
}

// head keeps the first bytes of what is written to it, and whether there were
// more. It never fails: a program must not hang because nobody reads it.
type head struct {
	limit int

	mu   sync.Mutex
	kept bytes.Buffer
	more bool
}

// Write implements io.Writer.
func (h *head) Write(chunk []byte) (int, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	room := max(h.limit-h.kept.Len(), 0)
	h.more = h.more || len(chunk) > room
	h.kept.Write(chunk[:min(room, len(chunk))])
	return len(chunk), nil
}

func (h *head) cut() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.more
}

func (h *head) bytes() []byte {
	h.mu.Lock()
	defer h.mu.Unlock()
	return bytes.Clone(h.kept.Bytes())
}

// lastWords is nobody's question of a task: its Errors are kept whole.
func (h *head) lastWords(int) string { return "" }
