package provider

import (
	"context"
	"math/rand/v2"
	"net/http"
	"strconv"
	"strings"
	"time"

	"hermes/backend/message"
)

const (
	maxAttempts  = 3
	firstBackoff = 500 * time.Millisecond
	maxBackoff   = 8 * time.Second
	// maxWait is how long a vendor's Retry-After is waited for; a longer one
	// is for the person to decide.
	maxWait = 2 * time.Minute
)

// delay is the pause before the attempt after the given one. ok is false when
// the vendor asks for more than anybody waits unasked.
func delay(attempt int, after time.Duration) (wait time.Duration, ok bool) {
	if after > maxWait {
		return 0, false
	}
	if after > 0 {
		return after, true
	}
	wait = min(firstBackoff<<(attempt-1), maxBackoff)
	return wait - time.Duration(rand.Int64N(int64(wait/2))), true
}

// retryAfter reads retry-after-ms and Retry-After (seconds or a date).
func retryAfter(h http.Header, now time.Time) time.Duration {
	if ms, err := strconv.ParseFloat(strings.TrimSpace(h.Get("Retry-After-Ms")), 64); err == nil {
		return seconds(ms / 1000)
	}
	value := strings.TrimSpace(h.Get("Retry-After"))
	if s, err := strconv.ParseFloat(value, 64); err == nil {
		return seconds(s)
	}
	if at, err := http.ParseTime(value); err == nil {
		return max(0, at.Sub(now))
	}
	return 0
}

func seconds(s float64) time.Duration {
	const longest = 365 * 24 * 3600
	if !(s > 0) { // also NaN
		return 0
	}
	return time.Duration(min(s, longest) * float64(time.Second))
}

// tellWait tells how long is waited before a request is sent again, and why. A pause
// that nobody notices is not told.
func tellWait(tell func(message.Saying), wait time.Duration, failed *Error) {
	switch rounded := max(wait.Round(time.Second), time.Second).String(); {
	case tell == nil || wait < time.Second:
	case failed.RetryAfter > 0:
		tell(message.Say(message.RetryAsked, rounded, failed.Message))
	default:
		tell(message.Say(message.RetryWaits, rounded, failed.Message))
	}
}

func pause(ctx context.Context, wait time.Duration) error {
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-timer.C:
		return nil
	}
}
