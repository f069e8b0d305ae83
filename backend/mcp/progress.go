package mcp

import (
	"context"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// maxProgressText bounds what a server says of its progress, in bytes.
const maxProgressText = 500

type progressKey struct{}

// WithProgress asks Manager.Call to tell f how far the call is: done of total in
// the server's own unit, total 0 where it does not say, and its words. f is
// called from one goroutine, at most four times a second and with the latest
// report, never after Call has returned; Call waits for an f that runs.
func WithProgress(ctx context.Context, f func(done, total float64, text string)) context.Context {
	return context.WithValue(ctx, progressKey{}, progressWish{sink: f})
}

// WithFastProgress is WithProgress for a program that hands reports on instead
// of showing them to a person: f is called up to a hundred times a second.
func WithFastProgress(ctx context.Context, f func(done, total float64, text string)) context.Context {
	return context.WithValue(ctx, progressKey{}, progressWish{sink: f, pause: fastProgress})
}

// fastProgress is the pause between two reports to a program.
const fastProgress = 10 * time.Millisecond

// progressWish is who wants to know, and the pause between two reports, zero for
// that of people.
type progressWish struct {
	sink  func(done, total float64, text string)
	pause time.Duration
}

// progressBoard knows which call of a session a progress token belongs to.
type progressBoard struct {
	mu    sync.Mutex
	feeds map[string]*progressFeed
}

// watch begins to follow a call, if anybody wants to know; token is "" if not.
// end returns when the sink is not called any more.
func (b *progressBoard) watch(ctx context.Context, tokens *atomic.Int64, pause time.Duration) (token string, end func()) {
	wish, _ := ctx.Value(progressKey{}).(progressWish)
	if wish.sink == nil {
		return "", func() {}
	}
	if wish.pause > 0 {
		pause = wish.pause
	}
	// Unique for the whole program: a late report of another session means no
	// call of this one.
	token = "call-" + strconv.FormatInt(tokens.Add(1), 10)
	feed := &progressFeed{wake: make(chan struct{}, 1), over: make(chan struct{}), done: make(chan struct{})}
	b.mu.Lock()
	if b.feeds == nil {
		b.feeds = map[string]*progressFeed{}
	}
	b.feeds[token] = feed
	b.mu.Unlock()
	go feed.run(wish.sink, pause)
	return token, func() {
		b.mu.Lock()
		delete(b.feeds, token)
		b.mu.Unlock()
		close(feed.over)
		<-feed.done
	}
}

// take hands a notification to its call. It never waits.
func (b *progressBoard) take(params *sdk.ProgressNotificationParams, clean redactor) {
	if params == nil {
		return
	}
	token, ok := params.ProgressToken.(string)
	if !ok {
		return
	}
	b.mu.Lock()
	feed := b.feeds[token]
	b.mu.Unlock()
	if feed == nil {
		return
	}
	// Cleaned before it is cut: half a secret is not recognised.
	text := clean.clean(params.Message)
	text = strings.ToValidUTF8(text[:min(len(text), maxProgressText)], "")
	feed.put(progressReport{params.Progress, params.Total, text})
}

type progressReport struct {
	done, total float64
	text        string
}

// progressFeed keeps the latest report of one call until its sink takes it.
type progressFeed struct {
	wake, over, done chan struct{}

	mu     sync.Mutex
	latest progressReport
}

func (f *progressFeed) put(r progressReport) {
	f.mu.Lock()
	f.latest = r
	f.mu.Unlock()
	select {
	case f.wake <- struct{}{}:
	default:
	}
}

func (f *progressFeed) run(sink func(done, total float64, text string), pause time.Duration) {
	defer close(f.done)
	for {
		select {
		case <-f.wake:
		case <-f.over:
			return
		}
		f.mu.Lock()
		r := f.latest
		f.mu.Unlock()
		sink(r.done, r.total, r.text)
		timer := time.NewTimer(pause)
		select {
		case <-timer.C:
		case <-f.over:
			timer.Stop()
			return
		}
	}
}
