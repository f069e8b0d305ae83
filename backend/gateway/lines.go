package gateway

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// parseError is JSON-RPC's answer to what is no JSON (JSON-RPC 2.0 section 5.1).
const parseError = `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse error"}}` + "\n"

// invalidRequest is its answer to JSON that is no message, and so none with an id
// that one could answer to.
const invalidRequest = `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"Invalid Request"}}` + "\n"

// faulty is the answer to a line that is no message and no batch of messages, empty
// for one that is.
func faulty(line []byte) string {
	if !json.Valid(line) {
		return parseError
	}
	messages := []json.RawMessage{line}
	if line[0] == '[' && (json.Unmarshal(line, &messages) != nil || len(messages) == 0) {
		return invalidRequest
	}
	for _, message := range messages {
		if _, err := jsonrpc.DecodeMessage(message); err != nil {
			return invalidRequest
		}
	}
	return ""
}

// maxLine bounds one message of a client, in bytes.
const maxLine = 64 << 20

// checkedLines gives a client's messages line by line and answers a line that
// is no JSON or no message itself: the SDK would end the session for it.
type checkedLines struct {
	*io.PipeReader
	source io.Closer
}

// Close ends the reading of both sides.
func (c checkedLines) Close() error {
	c.PipeReader.Close()
	return c.source.Close()
}

func checkLines(in io.ReadCloser, out io.Writer) checkedLines {
	read, write := io.Pipe()
	go func() {
		lines := bufio.NewScanner(in)
		lines.Buffer(nil, maxLine)
		for lines.Scan() {
			line := bytes.TrimSpace(lines.Bytes())
			if len(line) == 0 {
				continue
			}
			if answer := faulty(line); answer != "" {
				if _, err := io.WriteString(out, answer); err != nil {
					write.CloseWithError(err)
					return
				}
				continue
			}
			if _, err := write.Write(append(bytes.Clone(line), '\n')); err != nil {
				return
			}
		}
		// The end of the input, or what went wrong with it.
		write.CloseWithError(lines.Err())
	}()
	return checkedLines{PipeReader: read, source: in}
}

// oneAtATime keeps whole writes apart.
type oneAtATime struct {
	mu sync.Mutex
	w  io.WriteCloser
}

func (o *oneAtATime) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.w.Write(p)
}

// Close closes what is written to.
func (o *oneAtATime) Close() error { return o.w.Close() }
