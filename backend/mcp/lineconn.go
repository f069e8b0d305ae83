package mcp

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"strconv"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// maxMessage bounds one message from a server, whatever the transport.
const maxMessage = 64 << 20

// lineTransport speaks newline-delimited JSON over a process's pipes. The SDK's
// own transport ends the session at the first line that is no message; real
// servers print banners.
type lineTransport struct {
	process *process
	log     *serverLog
	// limit bounds one message, in bytes.
	limit int
}

// Connect implements sdk.Transport.
func (t *lineTransport) Connect(context.Context) (sdk.Connection, error) {
	return newLineConn(t.process.stdin, t.process.stdout, t.log, t.limit), nil
}

// pipeEnd is where the messages to a server are written.
type pipeEnd interface {
	io.WriteCloser
	SetWriteDeadline(t time.Time) error
}

// lineConn is a connection of lines. Read drops what is no message; Write obeys
// its context even when the server does not read.
type lineConn struct {
	in    pipeEnd
	out   io.ReadCloser
	log   *serverLog
	limit int

	incoming chan jsonrpc.Message
	// ended is closed after readErr is set.
	ended   chan struct{}
	readErr error

	writing chan struct{}

	closeOnce sync.Once
	closed    chan struct{}
}

func newLineConn(in pipeEnd, out io.ReadCloser, log *serverLog, limit int) *lineConn {
	c := &lineConn{
		in: in, out: out, log: log, limit: limit,
		incoming: make(chan jsonrpc.Message), ended: make(chan struct{}),
		writing: make(chan struct{}, 1), closed: make(chan struct{}),
	}
	go c.pump()
	return c
}

// SessionID implements sdk.Connection: pipes have none.
func (c *lineConn) SessionID() string { return "" }

// Read returns the next message, or io.EOF after the server ended.
func (c *lineConn) Read(ctx context.Context) (jsonrpc.Message, error) {
	select {
	case message := <-c.incoming:
		return message, nil
	case <-c.ended:
		return nil, c.readErr
	case <-c.closed:
		return nil, io.EOF
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// pump reads lines until the pipe ends. A descriptor that was closed under it
// is an ordinary end.
func (c *lineConn) pump() {
	defer close(c.ended)
	reader := bufio.NewReaderSize(c.out, 64<<10)
	for {
		line, tail, err := readLine(reader, c.limit)
		if message := c.decode(line, tail); message != nil {
			select {
			case c.incoming <- message:
			case <-c.closed:
				c.readErr = io.EOF
				return
			}
		}
		if err != nil {
			c.readErr = err
			if errors.Is(err, os.ErrClosed) {
				c.readErr = io.EOF
			}
			return
		}
	}
}

// decode turns a line into a message, or into nothing and a line of the log.
// tail is set for a line that was too long: then line is its beginning.
func (c *lineConn) decode(line, tail []byte) jsonrpc.Message {
	line = bytes.TrimSpace(line)
	if len(line) == 0 {
		return nil
	}
	if tail != nil {
		c.log.note(fmt.Sprintf("a message of more than %d MiB was dropped", c.limit>>20))
		return oversized(line, tail, c.limit)
	}
	if line[0] == '{' {
		if message := largeResponse(line); message != nil {
			return message
		}
		if message, err := jsonrpc.DecodeMessage(line); err == nil {
			return message
		}
	}
	c.log.addNoise(line)
	return nil
}

const edge = 512

// readLine reads up to the next newline. Of a line beyond the bound it returns
// the first and the last bytes.
func readLine(reader *bufio.Reader, limit int) (line, tail []byte, err error) {
	// A line that grew in place would be copied again and again.
	var chunks [][]byte
	for size := 0; ; {
		chunk, err := reader.ReadSlice('\n')
		switch {
		case tail != nil:
			tail = append(tail, chunk...)
			tail = tail[max(0, len(tail)-edge):]
		case size+len(chunk) > limit:
			tail = append([]byte{}, chunk[max(0, len(chunk)-edge):]...)
			line = bytes.Join(chunks, nil)
			line, chunks = line[:min(len(line), edge)], nil
		default:
			size += len(chunk)
			chunks = append(chunks, bytes.Clone(chunk))
		}
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		if len(chunks) == 1 {
			return chunks[0], tail, err
		}
		if tail == nil {
			line = bytes.Join(chunks, nil)
		}
		return line, tail, err
	}
}

// largeResponse takes apart the large answer to a request, nil for whatever is
// something else: the SDK goes over each byte of a message several times.
func largeResponse(line []byte) jsonrpc.Message {
	const large = 1 << 20
	if len(line) < large || !json.Valid(line) {
		return nil
	}
	members, _ := membersOf(line)
	found := map[string]json.RawMessage{}
	for _, m := range members {
		found[m.key] = m.value
	}
	result, number := found["result"], float64(0)
	if len(members) != 3 || len(found) != 3 || string(found["jsonrpc"]) != `"2.0"` || !bytes.HasPrefix(result, []byte("{")) {
		return nil
	}
	if id := found["id"]; len(id) == 0 || id[0] < '0' || id[0] > '9' || json.Unmarshal(id, &number) != nil {
		return nil
	}
	id, err := jsonrpc.MakeID(number)
	if err != nil {
		return nil
	}
	return &jsonrpc.Response{ID: id, Result: result}
}

// oversized answers the call whose result was dropped, so that it does not wait
// for its time limit. Servers write the id first or last.
func oversized(head, tail []byte, limit int) jsonrpc.Message {
	id := regexp.MustCompile(`"id"\s*:\s*(\d+)`)
	match := id.FindSubmatch(head[:min(len(head), 96)])
	if match == nil {
		match = id.FindSubmatch(tail[max(0, len(tail)-96):])
	}
	if match == nil {
		return nil
	}
	number, err := strconv.ParseFloat(string(match[1]), 64)
	if err != nil {
		return nil
	}
	messageID, err := jsonrpc.MakeID(number)
	if err != nil {
		return nil
	}
	return &jsonrpc.Response{ID: messageID, Error: &jsonrpc.Error{
		Code:    jsonrpc.CodeInternalError,
		Message: fmt.Sprintf("the result is larger than %d MiB and was dropped", limit>>20),
	}}
}

// unwrittenError marks a message of which not one byte left.
type unwrittenError struct{ err error }

func (e *unwrittenError) Error() string { return e.err.Error() }
func (e *unwrittenError) Unwrap() error { return e.err }

// Write sends one message. When the context ends in the middle of it, the
// stream is no longer a stream of messages, so the connection is closed.
func (c *lineConn) Write(ctx context.Context, message jsonrpc.Message) error {
	data, err := jsonrpc.EncodeMessage(message)
	if err != nil {
		return &unwrittenError{fmt.Errorf("encoding a message: %w", err)}
	}
	data = append(data, '\n')
	select {
	case c.writing <- struct{}{}:
		defer func() { <-c.writing }()
	case <-c.closed:
		return &unwrittenError{io.ErrClosedPipe}
	case <-ctx.Done():
		return &unwrittenError{ctx.Err()}
	}
	if err := ctx.Err(); err != nil {
		return &unwrittenError{err}
	}
	n, err := c.writeUntil(ctx, data)
	switch {
	case err == nil:
		return nil
	case n == 0 && ctx.Err() == nil:
		return &unwrittenError{err}
	case n == 0 && c.in.SetWriteDeadline(time.Time{}) == nil:
		return &unwrittenError{ctx.Err()}
	}
	_ = c.Close()
	return err
}

// writeUntil writes until the context ends. Setting the deadline is what wakes
// a blocked write; where a pipe knows no deadline, closing it does.
func (c *lineConn) writeUntil(ctx context.Context, data []byte) (int, error) {
	if ctx.Done() == nil {
		return c.in.Write(data)
	}
	woken := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		defer close(woken)
		if c.in.SetWriteDeadline(time.Now()) != nil {
			_ = c.in.Close()
		}
	})
	n, err := c.in.Write(data)
	if !stop() {
		<-woken
		if err == nil {
			// The message left whole just as the context ended.
			err = c.in.SetWriteDeadline(time.Time{})
		}
	}
	return n, err
}

// Close closes the server's standard input, the polite way to end it. The
// process itself is stopped by its owner.
func (c *lineConn) Close() error {
	c.closeOnce.Do(func() {
		close(c.closed)
		_ = c.in.Close()
	})
	return nil
}
