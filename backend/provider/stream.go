package provider

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/openai/openai-go/v3/packages/ssestream"
)

var errSilent = errors.New("no data")

// watchdog cancels a request whose server falls silent.
type watchdog struct {
	timer       *time.Timer
	first, idle time.Duration
}

func newWatchdog(first, idle time.Duration, cancel context.CancelCauseFunc) *watchdog {
	return &watchdog{timer: time.AfterFunc(first, func() { cancel(errSilent) }), first: first, idle: idle}
}

// waiting is told before a read; only time spent reading counts, not the time
// a slow screen takes to show text.
func (w *watchdog) waiting(begun bool) {
	if begun {
		w.timer.Reset(w.idle)
	} else {
		w.timer.Reset(w.first)
	}
}

func (w *watchdog) stop() { w.timer.Stop() }

// answerBody is the body of an answer as the decoder wants it: without a byte
// order mark and with the last event closed by an empty line. Closing the last
// event is harmless: an answer counts only with its terminal event, so half an
// event ends in an error either way.
type answerBody struct {
	io.Reader
	buf    *bufio.Reader
	closer io.Closer
	read   int64
	last   byte
}

func newBody(body io.ReadCloser, watch *watchdog) *answerBody {
	b := &answerBody{closer: body}
	b.buf = bufio.NewReaderSize(readerFunc(func(p []byte) (int, error) {
		watch.waiting(b.read > 0)
		n, err := body.Read(p)
		watch.stop()
		if n > 0 {
			b.read += int64(n)
			b.last = p[n-1]
		}
		return n, err
	}), 32<<10)
	b.Reader = io.MultiReader(b.buf, strings.NewReader("\n\n"))
	return b
}

// first skips a byte order mark and white space that a plain JSON answer may
// begin with, and returns the first byte after it without consuming it; 0 at
// the end.
func (b *answerBody) first() byte {
	if mark, err := b.buf.Peek(3); err == nil && bytes.Equal(mark, []byte("\xef\xbb\xbf")) {
		_, _ = b.buf.Discard(3)
	}
	for {
		next, err := b.buf.Peek(1)
		if err != nil {
			return 0
		}
		switch next[0] {
		case ' ', '\t', '\r', '\n':
			_, _ = b.buf.Discard(1)
		default:
			return next[0]
		}
	}
}

func (b *answerBody) Close() error { return b.closer.Close() }

type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

// drainTime is how long a finished answer's connection is waited for so that
// it can be used again: the end normally arrives with the last event.
const drainTime = 20 * time.Millisecond

// newDecoder splits a body into server-sent events, for every vendor: the
// decoders of the official clients are the same code, and none of them looks
// into an event.
func newDecoder(in *answerBody) ssestream.Decoder {
	// The decoder picks its format by Content-Type; this one is always SSE.
	return ssestream.NewDecoder(&http.Response{
		Header: http.Header{"Content-Type": []string{"text/event-stream"}},
		Body:   in,
	})
}

// events reads a stream to its terminal event. A clean end without [DONE], or
// [DONE] without a finish_reason, is a cut answer.
func (p *OpenAI) events(ctx context.Context, in *answerBody, onText func(string)) (Turn, *Error) {
	dec := newDecoder(in)
	a := &assembler{onText: onText}
	for dec.Next() {
		event := dec.Event()
		data := bytes.TrimSpace(event.Data)
		if bytes.Equal(data, []byte("[DONE]")) {
			if failed := p.unfinished(a.finish); failed != nil {
				return Turn{}, failed
			}
			drain(dec, in)
			return a.turn(), nil
		}
		var c chunk
		if err := json.Unmarshal(data, &c); err != nil {
			if event.Type == "error" {
				return Turn{}, p.inStream(a.started, data)
			}
			return Turn{}, p.badEvent(in, a.started, err)
		}
		if event.Type == "error" || !isNull(c.Error) || c.Object == "error" {
			return Turn{}, p.inStream(a.started, data)
		}
		if err := a.add(c); err != nil {
			return Turn{}, p.unreadable("an answer that cannot be read", err)
		}
	}
	return Turn{}, p.broken(ctx, in, a.started || a.finish != "", dec.Err())
}

// unfinished is why an answer that has ended is not a whole one, nil if it is.
func (p *OpenAI) unfinished(finish string) *Error {
	switch finish {
	case "":
		return p.cut("it ended without a finish_reason", nil)
	case "error":
		return p.cut("the vendor stopped with an error", nil)
	case "content_filter":
		e := p.cut("the vendor's content filter withheld it", nil)
		e.Hint = "nothing of it was kept and nothing was run; ask in other words or choose another model"
		return e
	}
	return nil
}

// inStream is an error event. Before the first piece of an answer it is like a
// failed status and may be tried again.
func (p *endpoint) inStream(started bool, data []byte) *Error {
	e := p.eventError(data)
	if started {
		e.retry = false
		e.err = ErrCut
	}
	return e
}

// badEvent tells a line that was cut by the end of the stream from one that is
// not in the format.
func (p *endpoint) badEvent(in *answerBody, started bool, err error) *Error {
	if _, ended := in.buf.Peek(1); ended != nil && in.last != '\n' {
		return p.cut("the stream ended inside an event", nil)
	}
	if !started {
		return p.unreadable("an event that is not JSON", err)
	}
	return p.cut("an event is not JSON", err)
}

// broken is a stream that ended without its terminal event.
func (p *endpoint) broken(ctx context.Context, in *answerBody, started bool, err error) *Error {
	switch {
	case errors.Is(context.Cause(ctx), errSilent):
		if in.read == 0 {
			return p.silent(p.firstByte)
		}
		e := p.silent(p.idle)
		e.err = errors.Join(ErrCut, errSilent)
		return e
	case in.read == 0:
		// The connection broke before the answer began: as if never answered.
		e := p.cut("the connection closed before the first byte", err)
		e.retry = true
		return e
	case err != nil:
		return p.cut("the connection broke", err)
	case !started:
		return p.unreadable("something that is not a stream of "+p.dialect.events,
			fmt.Errorf("no event in %d bytes", in.read))
	default:
		return p.cut("the stream ended without its terminal event", nil)
	}
}

func drain(dec ssestream.Decoder, in *answerBody) {
	timer := time.AfterFunc(drainTime, func() { _ = in.Close() })
	defer timer.Stop()
	for dec.Next() {
		// Whatever follows the terminal event is not part of the answer.
		continue
	}
}

// whole reads an answer that is one JSON object.
func (p *endpoint) whole(ctx context.Context, in *answerBody) ([]byte, *Error) {
	raw, err := io.ReadAll(io.LimitReader(in.buf, maxAnswer+1))
	if err != nil {
		return nil, p.broken(ctx, in, true, err)
	}
	if len(raw) > maxAnswer {
		return nil, p.unreadable("an answer that cannot be read", fmt.Errorf("it is longer than %d MB", maxAnswer>>20))
	}
	return raw, nil
}

// plain reads the answer of a server that ignores "stream": one JSON object.
// It is complete or it does not parse, and its message is the block as it came.
func (p *OpenAI) plain(ctx context.Context, in *answerBody, onText func(string)) (Turn, *Error) {
	raw, failed := p.whole(ctx, in)
	if failed != nil {
		return Turn{}, failed
	}
	var c chunk
	if err := json.Unmarshal(raw, &c); err != nil {
		return Turn{}, p.cut("it is not complete JSON", err)
	}
	if !isNull(c.Error) || c.Object == "error" {
		return Turn{}, p.eventError(raw)
	}
	if len(c.Choices) == 0 || isNull(c.Choices[0].Message) {
		return Turn{}, p.unreadable("JSON that is not a chat completion", errors.New(clip(string(raw))))
	}
	if failed = p.unfinished(c.Choices[0].FinishReason); failed != nil {
		return Turn{}, failed
	}
	a := &assembler{onText: onText}
	c.Choices[0].Delta = c.Choices[0].Message
	c.Choices = c.Choices[:1]
	if err := a.add(c); err != nil {
		return Turn{}, p.unreadable("an answer that cannot be read", err)
	}
	whole := a.named()
	turn := a.turn()
	if whole {
		turn.Blocks[0] = append(json.RawMessage(nil), c.Choices[0].Message...)
	}
	return turn, nil
}
