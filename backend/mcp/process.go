package mcp

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync"
	"time"
)

// program is a resolved command: everything the system needs to start it.
type program struct {
	path string
	// name is the program's own name, empty for its path.
	name string
	// args are the arguments after the program's own name.
	args []string
	env  []string
	dir  string
}

// process is one running server with its pipes. Whoever starts it must call
// stop exactly once, also when it died by itself: its descendants may live.
type process struct {
	cmd    *exec.Cmd
	pid    int
	group  *group
	guard  *guard
	timing timing

	stdin  *input
	stdout *output

	// done is closed when the process was waited for.
	done chan struct{}
	// drained is closed when nobody reads standard error any more.
	drained chan struct{}
	// settled is closed when how and words are set: how the process ended, and
	// the last it wrote.
	settled    chan struct{}
	how, words string
}

// recorder takes what a process writes to standard error, and tells the last of
// it when the process has ended.
type recorder interface {
	io.Writer
	lastWords(limit int) string
}

// start runs a program in a group of its own. Its standard error goes to log,
// chunk by chunk, from one goroutine.
func (l *launcher) start(p program, log recorder) (*process, error) {
	pipes, err := openPipes()
	if err != nil {
		return nil, err
	}
	marker := l.nextMarker()
	name := cmp.Or(p.name, p.path)
	cmd := &exec.Cmd{
		Path:   p.path,
		Args:   append([]string{name}, p.args...),
		Env:    append(p.env, markerVariable+"="+marker),
		Dir:    p.dir,
		Stdin:  pipes.childIn,
		Stdout: pipes.childOut,
		Stderr: pipes.childErr,
		// The pipes are plain files, so Wait has nothing to copy; the delay only
		// guards against that ever changing.
		WaitDelay: l.timing.killGrace,
	}
	l.ensureGuard()
	group, err := l.run(cmd, marker)
	pipes.closeChild()
	if err != nil {
		pipes.closeOurs()
		return nil, fmt.Errorf("starting %s: %w", name, err)
	}
	l.guard.add(cmd.Process.Pid, group.began())
	proc := &process{
		cmd: cmd, pid: cmd.Process.Pid, group: group, guard: l.guard, timing: l.timing,
		stdin: &input{File: pipes.in, before: group.remember}, stdout: &output{file: pipes.out, ended: make(chan struct{})},
		done: make(chan struct{}), drained: make(chan struct{}), settled: make(chan struct{}),
	}
	go proc.wait(pipes.err, log)
	go proc.drain(pipes.err, log)
	return proc, nil
}

// wait collects the exit state, so that no zombie stays, and then ends the
// reading of the pipes: a descendant that inherited them would keep them open
// for ever.
func (p *process) wait(stderr *os.File, log recorder) {
	// The error is the exit state again.
	_ = p.cmd.Wait()
	close(p.done)
	pause(p.drained, p.timing.drain)
	_ = stderr.Close()
	// What it wrote at the very end may still stand in the pipe.
	pause(p.stdout.ended, p.timing.drain)
	_ = p.stdout.Close()
	<-p.drained
	p.how, p.words = p.cmd.ProcessState.String(), log.lastWords(3)
	close(p.settled)
}

func (p *process) drain(stderr io.Reader, log io.Writer) {
	defer close(p.drained)
	// The log never fails; a reader that stopped would block the server.
	_, _ = io.Copy(log, stderr)
}

// ended tells in words how the process ended, "" while it runs.
func (p *process) ended() string {
	if !pause(p.settled, 3*p.timing.drain) {
		return ""
	}
	if p.words == "" {
		return "the process ended (" + p.how + ")"
	}
	return "the process ended (" + p.how + "); its last words: " + p.words
}

// stop ends the process and every descendant in steps: closed standard input,
// termination, kill. It returns when nothing is left, or when even a kill did
// not help within its time.
func (p *process) stop() {
	_ = p.stdin.Close()
	if !pause(p.done, p.timing.stdinGrace) {
		p.group.terminate()
		if !pause(p.done, p.timing.termGrace) {
			p.group.kill()
			pause(p.done, p.timing.killGrace)
		}
	}
	p.group.sweep(p.timing)
	p.group.release()
	p.guard.remove(p.pid)
	pause(p.settled, 3*p.timing.drain)
	_ = p.stdout.Close()
}

// input is our end of a process' standard input. Closing it is the first step of
// every stop, also where a connection does it, so what must be seen while the
// process lives is looked at before.
type input struct {
	*os.File
	once   sync.Once
	before func()
}

// Close implements io.Closer.
func (i *input) Close() error {
	i.once.Do(i.before)
	return i.File.Close()
}

// output is our end of a process' standard output, which tells when it was read
// to the end.
type output struct {
	file  *os.File
	once  sync.Once
	ended chan struct{}
}

// Read implements io.Reader.
func (o *output) Read(chunk []byte) (int, error) {
	n, err := o.file.Read(chunk)
	if err != nil {
		o.once.Do(func() { close(o.ended) })
	}
	return n, err
}

// Close implements io.Closer.
func (o *output) Close() error {
	err := o.file.Close()
	o.once.Do(func() { close(o.ended) })
	return err
}

// pause waits for a channel to close, at most d, and tells whether it did.
func pause(done <-chan struct{}, d time.Duration) bool {
	select {
	case <-done:
		return true
	default:
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-done:
		return true
	case <-timer.C:
		return false
	}
}

// pipes are the three pipes of a process, ours and the child's ends.
type pipes struct {
	in, out, err                *os.File
	childIn, childOut, childErr *os.File
}

func openPipes() (*pipes, error) {
	var p pipes
	var err error
	if p.childIn, p.in, err = os.Pipe(); err == nil {
		if p.out, p.childOut, err = os.Pipe(); err == nil {
			p.err, p.childErr, err = os.Pipe()
		}
	}
	if err != nil {
		p.closeChild()
		p.closeOurs()
		return nil, fmt.Errorf("opening pipes: %w", err)
	}
	return &p, nil
}

func (p *pipes) closeChild() { closeFiles(p.childIn, p.childOut, p.childErr) }
func (p *pipes) closeOurs()  { closeFiles(p.in, p.out, p.err) }

func closeFiles(files ...*os.File) {
	for _, f := range files {
		if f != nil {
			_ = f.Close()
		}
	}
}
