package mcp

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

var errMessageTooLong = fmt.Errorf("a message of more than %d MiB", maxMessage>>20)

// filter captures the call's result from the body of its response. The SDK's
// streamable connection cannot be wrapped (the wrapper would lose an unexported
// method it needs), so the bytes are taken one layer below.
func (c *capture) filter(response *http.Response) {
	kind, _, _ := mime.ParseMediaType(response.Header.Get("Content-Type"))
	switch kind {
	case "application/json":
		response.Body = &messageBody{source: response.Body, capture: c}
	case "text/event-stream":
		response.Body = &eventBody{source: response.Body, reader: bufio.NewReaderSize(response.Body, 32<<10), capture: c}
	default:
		return
	}
	response.ContentLength = -1
	response.Header.Del("Content-Length")
}

// rewrite takes the result out of a message and returns what the SDK is to see.
func (c *capture) rewrite(data []byte) []byte {
	message, err := jsonrpc.DecodeMessage(data)
	if err != nil {
		return data
	}
	response, ok := message.(*jsonrpc.Response)
	if !ok {
		return data
	}
	if response.Error != nil {
		c.refuse(response.Error)
		return data
	}
	response.Result = c.take(response.Result)
	if !c.strip {
		return data
	}
	short, err := jsonrpc.EncodeMessage(response)
	if err != nil {
		return data
	}
	return short
}

// messageBody is a body that holds one message.
type messageBody struct {
	source  io.ReadCloser
	capture *capture
	rest    *bytes.Reader
}

func (b *messageBody) Read(p []byte) (int, error) {
	if b.rest == nil {
		data, err := io.ReadAll(io.LimitReader(b.source, maxMessage+1))
		if err == nil && len(data) > maxMessage {
			err = errMessageTooLong
		}
		if err != nil {
			return 0, err
		}
		b.rest = bytes.NewReader(b.capture.rewrite(data))
	}
	return b.rest.Read(p)
}

func (b *messageBody) Close() error { return b.source.Close() }

// eventBody is a body of server-sent events. Events pass unchanged, but for the
// one with the call's result.
type eventBody struct {
	source  io.ReadCloser
	reader  *bufio.Reader
	capture *capture
	ready   bytes.Buffer
	err     error
}

func (b *eventBody) Read(p []byte) (int, error) {
	for b.ready.Len() == 0 {
		if b.err != nil {
			return 0, b.err
		}
		b.err = b.nextEvent()
	}
	return b.ready.Read(p)
}

func (b *eventBody) Close() error { return b.source.Close() }

// nextEvent moves one event, up to its empty line, into the buffer.
func (b *eventBody) nextEvent() error {
	var event, data []byte
	for {
		line, err := b.reader.ReadBytes('\n')
		event = append(event, line...)
		if len(event) > maxMessage {
			return errMessageTooLong
		}
		text := bytes.TrimRight(line, "\r\n")
		if value, ok := bytes.CutPrefix(text, []byte("data:")); ok {
			if data != nil {
				data = append(data, '\n')
			}
			data = append(data, bytes.TrimPrefix(value, []byte(" "))...)
		}
		if err == nil && len(text) > 0 {
			continue
		}
		if len(data) > 0 {
			event = b.withData(event, data)
		}
		b.ready.Write(event)
		if errors.Is(err, io.EOF) {
			return io.EOF
		}
		return err
	}
}

// withData replaces the data lines of an event, where the data changed.
func (b *eventBody) withData(event, data []byte) []byte {
	fresh := b.capture.rewrite(data)
	if bytes.Equal(fresh, data) {
		return event
	}
	var out bytes.Buffer
	for line := range bytes.Lines(event) {
		text := bytes.TrimRight(line, "\r\n")
		if len(text) > 0 && !bytes.HasPrefix(text, []byte("data:")) {
			out.Write(text)
			out.WriteByte('\n')
		}
	}
	out.WriteString("data: ")
	out.Write(fresh)
	out.WriteString("\n\n")
	return out.Bytes()
}
