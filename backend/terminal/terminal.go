package terminal

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"golang.org/x/term"
)

// ErrCanceled says that the person left a question without an answer.
var ErrCanceled = errors.New("cancelled")

// ErrInterrupted says that the person typed Ctrl-C.
var ErrInterrupted = errors.New("interrupted")

// Terminal is where a person is asked. Plain asks for text that needs neither
// cursor movement nor raw keys; Color lets the picker use colours. Width and
// Height stand for a size that cannot be asked for, 80x24 when zero.
type Terminal struct {
	In            io.Reader
	Out           io.Writer
	Plain         bool
	Color         bool
	Width, Height int
}

// Interactive tells whether there is a person: both streams are a terminal.
func (t *Terminal) Interactive() bool {
	_, in := fileOf(t.In)
	_, out := fileOf(t.Out)
	return in && out
}

// fileOf gives the descriptor of a stream that is a terminal.
func fileOf(stream any) (fd int, ok bool) {
	file, isFile := stream.(*os.File)
	if !isFile || file == nil {
		return 0, false
	}
	fd = int(file.Fd()) //nolint:gosec // a descriptor fits
	return fd, term.IsTerminal(fd)
}

func (t *Terminal) say(format string, args ...any) {
	fmt.Fprintf(t.Out, format, args...)
}

// answer is one line that was read.
type answer struct {
	text string
	err  error
}

// line reads one line, without what may follow it. The read itself cannot be
// stopped: when ctx ends first it is left behind, and what it gets is lost.
func (t *Terminal) line(ctx context.Context) (string, error) {
	return t.await(ctx, func() answer { return readLine(t.In) })
}

func (t *Terminal) await(ctx context.Context, read func() answer) (string, error) {
	if err := ctx.Err(); err != nil {
		return "", err
	}
	got := make(chan answer, 1)
	go func() { got <- read() }()
	select {
	case <-ctx.Done():
		t.say("\n")
		return "", ctx.Err()
	case a := <-got:
		switch {
		case a.err == nil, errors.Is(a.err, io.EOF) && a.text != "":
			return strings.TrimSuffix(a.text, "\r"), nil
		case errors.Is(a.err, io.EOF):
			t.say("\n")
			return "", ErrCanceled
		case errors.Is(a.err, ErrInterrupted):
			return "", ErrInterrupted
		}
		return "", fmt.Errorf("read the answer: %w", a.err)
	}
}

// maxLine bounds an answer.
const maxLine = 1 << 20

func readLine(in io.Reader) answer {
	var line []byte
	one := make([]byte, 1)
	for len(line) < maxLine {
		n, err := in.Read(one)
		if n == 1 && one[0] == '\n' {
			return answer{text: string(line)}
		}
		line = append(line, one[:n]...)
		if err != nil {
			return answer{text: string(line), err: err}
		}
	}
	return answer{err: errors.New("the line is too long")}
}
