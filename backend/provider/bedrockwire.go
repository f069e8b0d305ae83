package provider

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws/protocol/eventstream"

	"hermes/backend/provider/amazon"
)

const (
	eventStreamType = "application/vnd.amazon.eventstream"
	// meterTime is how long a complete answer is waited for the event that counts
	// its tokens.
	meterTime = 2 * time.Second
)

// run sends a pass until it is answered, refused or given up.
func (c *bedrockCall) run(ctx context.Context) (Turn, bool, error) {
	var notices []string
	renewed := false
	for attempt := 1; ; {
		taught := c.memory.refused(c.url)
		notices = append(notices, c.effort.unsent(c.model, taught)...)
		body := c.write(taught)
		if body.asked.notice != "" {
			notices = append(notices, c.effort.tell(body.asked.notice, c.model, c.effort.level)...)
		}
		turn, paused, failed := c.attempt(ctx, body)
		if failed == nil {
			turn.Notices = append(notices, turn.Notices...)
			return turn, paused, nil
		}
		if err := context.Cause(ctx); err != nil {
			return Turn{}, false, fmt.Errorf("asking the model: %w", err)
		}
		failed.Attempts = attempt
		failed.Message, failed.Code = c.account.Redact(failed.Message), c.account.Redact(failed.Code)
		told, mended := mendThinking(failed, body.messagesRequest, c.effort, c.memory, c.url, c.model)
		notices = append(notices, told...)
		switch {
		case mended, c.teaches(failed, body.optional):
			continue
		case !renewed && isExpired(failed) && c.account.Forget():
			renewed = true
			continue
		case !failed.retry || attempt == maxAttempts:
			return Turn{}, false, failed
		}
		wait, ok := delay(attempt, failed.RetryAfter)
		if !ok {
			failed.Hint = fmt.Sprintf("the vendor asks to wait %s; try again then", failed.RetryAfter.Round(time.Second))
			return Turn{}, false, failed
		}
		c.log.Warn("model request failed, trying again", "host", c.host, "attempt", attempt,
			"status", failed.Status, "wait", wait, "reason", failed.Message)
		tellWait(c.waits, wait, failed)
		if err := pause(ctx, wait); err != nil {
			return Turn{}, false, fmt.Errorf("asking the model: %w", err)
		}
		attempt++
	}
}

// attempt sends the request once.
func (c *bedrockCall) attempt(ctx context.Context, body bedrockBody) (Turn, bool, *Error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.root.String(), bytes.NewReader(body.raw))
	if err != nil {
		return Turn{}, false, &Error{Message: "building the model request: " + clip(err.Error())}
	}
	req.URL = c.address(body.operation)
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", eventStreamType)
	if body.operation == "converse" {
		req.Header.Set("Accept", "application/json")
	}
	req.Header.Set("Accept-Encoding", "identity")
	req.Header.Set("User-Agent", "hermes")
	if err := c.account.Sign(ctx, req, body.raw, "bedrock", c.region); err != nil {
		return Turn{}, false, accountError(err)
	}
	watch := newWatchdog(c.firstByte, c.idle, cancel)
	defer watch.stop()
	resp, err := c.client.Do(req)
	if err != nil {
		if errors.Is(context.Cause(ctx), errSilent) {
			return Turn{}, false, c.silent(c.firstByte)
		}
		return Turn{}, false, c.unsent(err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		watch.waiting(true)
		return Turn{}, false, c.refusal(resp)
	}
	in := newBody(resp.Body, watch)
	read := c.plain
	kind, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	switch {
	case kind == eventStreamType:
		read = c.frames
	case kind != "application/json" && (kind != "" || in.first() != '{'):
		return Turn{}, false, c.unreadable("something that is no answer of a model", errors.New("Content-Type "+clip(kind)))
	}
	turn, paused, failed := read(ctx, in, body.reader)
	if failed != nil && failed.RetryAfter == 0 {
		failed.RetryAfter = retryAfter(resp.Header, time.Now())
	}
	return turn, paused, failed
}

// plain reads an answer that was not streamed.
func (c *bedrockCall) plain(ctx context.Context, in *answerBody, r bedrockReader) (Turn, bool, *Error) {
	raw, failed := c.endpoint.whole(ctx, in)
	if failed != nil {
		return Turn{}, false, failed
	}
	if !json.Valid(raw) {
		return Turn{}, false, c.cut("it is not complete JSON", nil)
	}
	if err := r.whole(raw); err != nil {
		return Turn{}, false, c.unreadable("an answer that cannot be read", err)
	}
	return r.finish(c)
}

// frames reads a stream of events in Amazon's framing to its terminal event. A
// clean end without it is a cut answer.
func (c *bedrockCall) frames(ctx context.Context, in *answerBody, r bedrockReader) (Turn, bool, *Error) {
	from := frameReader{in: in.buf, dec: eventstream.NewDecoder()}
	for seen := false; ; seen = true {
		frame, err := from.next()
		begun, ended, _ := r.progress()
		switch {
		case err != nil && ended: // only the token counts are missing
			return r.finish(c)
		case errors.Is(err, errFraming) && !seen:
			return Turn{}, false, c.unreadable("something that is not a stream of events", err)
		case errors.Is(err, errFraming):
			return Turn{}, false, c.cut("its frames are damaged", err)
		case errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF):
			return Turn{}, false, c.broken(ctx, in, seen, nil)
		case err != nil:
			return Turn{}, false, c.broken(ctx, in, seen, err)
		}
		if failed := c.exception(frame, begun); failed != nil {
			return Turn{}, false, failed
		}
		if err := r.event(header(frame, eventType), frame.Payload); err != nil {
			return Turn{}, false, c.unread(begun, frame.Payload, err)
		}
		_, nowEnded, closed := r.progress()
		if closed {
			turn, paused, failed := r.finish(c)
			if failed == nil {
				from.drain(in)
			}
			return turn, paused, failed
		}
		if nowEnded && !ended {
			timer := time.AfterFunc(meterTime, func() { _ = in.Close() })
			defer timer.Stop()
		}
	}
}

const (
	preludeSize = 12
	// maxFrame and maxHeaders bound one frame, in bytes. The decoder of the SDK
	// believes every length it is told.
	maxFrame   = 32 << 20
	maxHeaders = 128 << 10
)

var errFraming = errors.New("it is not in Amazon's framing")

// frameReader splits a body into frames. The payload of a frame is valid until
// the next one.
type frameReader struct {
	in  *bufio.Reader
	dec *eventstream.Decoder
	buf []byte
	err error // of the body
}

func (f *frameReader) Read(p []byte) (int, error) {
	n, err := f.in.Read(p)
	f.err = err
	return n, err
}

// next gives the next frame; io.EOF is the end between two frames, errFraming
// bytes that are no frame, every other error one of the body.
func (f *frameReader) next() (eventstream.Message, error) {
	prelude, err := f.in.Peek(preludeSize)
	switch {
	case len(prelude) > 0 && errors.Is(err, io.EOF):
		return eventstream.Message{}, io.ErrUnexpectedEOF
	case err != nil:
		return eventstream.Message{}, err
	}
	size, headers := binary.BigEndian.Uint32(prelude), binary.BigEndian.Uint32(prelude[4:])
	if size > maxFrame || headers > maxHeaders || uint64(size) < uint64(headers)+preludeSize+4 {
		return eventstream.Message{}, errFraming
	}
	frame, err := f.dec.Decode(f, f.buf[:0])
	switch {
	case err == nil:
		f.buf = frame.Payload
		return frame, nil
	case errors.Is(f.err, io.EOF):
		return eventstream.Message{}, io.ErrUnexpectedEOF
	case f.err != nil:
		return eventstream.Message{}, f.err
	}
	return eventstream.Message{}, fmt.Errorf("%w: %w", errFraming, err)
}

// drain waits for the end of a finished answer, so that its connection can be
// used again.
func (f *frameReader) drain(in *answerBody) {
	timer := time.AfterFunc(drainTime, func() { _ = in.Close() })
	defer timer.Stop()
	_, _ = io.Copy(io.Discard, in.buf) // what follows is not part of the answer
}

// The headers of a frame.
const (
	messageType   = ":message-type"
	eventType     = ":event-type"
	exceptionType = ":exception-type"
	errorCode     = ":error-code"
	errorMessage  = ":error-message"
)

func header(frame eventstream.Message, name string) string {
	if v, ok := frame.Headers.Get(name).(eventstream.StringValue); ok {
		return string(v)
	}
	return ""
}

// accountError tells why the account cannot be used.
func accountError(err error) *Error {
	var told *amazon.Error
	if errors.As(err, &told) {
		return &Error{Message: told.Message, Hint: told.Hint, err: told}
	}
	return &Error{Message: "signing the model request: " + clip(err.Error()), err: err}
}
