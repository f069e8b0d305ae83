package provider

import (
	"bytes"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strings"
	"time"
	"unicode"
)

// Error is a failed model pass in words for people: what happened and where in
// Message, what to do next in Hint. Nothing in it holds a key.
type Error struct {
	// Status is the HTTP status, or the one the vendor put into a stream; 0
	// when there was no answer.
	Status  int
	Message string
	Hint    string
	// Code is the vendor's own word for the failure, "" if it gave none.
	Code string
	// RetryAfter is how long the vendor asked to wait, 0 if it did not say.
	RetryAfter time.Duration
	// Attempts is how often the request was sent.
	Attempts int

	retry bool
	body  []byte
	err   error
}

// Error is the whole sentence, hint included.
func (e *Error) Error() string {
	if e.Hint == "" {
		return e.Message
	}
	return e.Message + "; " + e.Hint
}

// Unwrap gives the cause, for errors.Is on context and network errors.
func (e *Error) Unwrap() error { return e.err }

// TooLong reports that the conversation does not fit into the model's window.
func (e *Error) TooLong() bool {
	return e.Status == http.StatusRequestEntityTooLarge || meaning(e.Code, e.Message) == codeTooLong
}

// codeTooLong is OpenAI's word for it.
const codeTooLong = "context_length_exceeded"

// ErrCut is the cause of every answer that ended before its terminal event.
var ErrCut = errors.New("the answer was cut off")

const (
	maxErrorBody = 64 << 10
	maxVendor    = 500 // runes of a vendor's message shown to people
)

// statusError reads a failed HTTP answer.
func (p *endpoint) statusError(resp *http.Response) *Error {
	raw, _ := io.ReadAll(io.LimitReader(resp.Body, maxErrorBody))
	said, code := vendorMessage(raw)
	e := &Error{
		Status:     resp.StatusCode,
		Code:       p.redact(code),
		RetryAfter: retryAfter(resp.Header, time.Now()),
		retry:      retryable(resp.StatusCode),
		body:       raw,
	}
	e.Message = fmt.Sprintf("the model server %s answered %d %s", p.host, resp.StatusCode, http.StatusText(resp.StatusCode))
	if said != "" {
		e.Message += ": " + p.redact(said)
	}
	e.Hint = p.hint(resp.StatusCode, meaning(code, said))
	return e
}

// eventError reads an error a vendor put into a stream or into an answer with
// status 200.
func (p *endpoint) eventError(raw []byte) *Error {
	said, code := vendorMessage(raw)
	status := eventStatus(raw, code)
	e := &Error{Status: status, Code: p.redact(code), retry: retryable(status) || isOverload(code), body: raw}
	e.Message = fmt.Sprintf("the model server %s reported an error", p.host)
	if said != "" {
		e.Message += ": " + p.redact(said)
	}
	e.Hint = p.hint(status, meaning(code, said))
	if e.Hint == "" {
		e.Hint = "nothing of this answer was kept; send the message again"
	}
	return e
}

// usual says how an address of the vendor ends.
func (p *endpoint) usual() string {
	if p.dialect.stem == "" {
		return ""
	}
	return " (it usually ends in " + p.dialect.stem + ")"
}

func (p *endpoint) hint(status int, code string) string {
	switch {
	case status == http.StatusUnauthorized || status == http.StatusForbidden:
		if p.key == "" {
			return "no key was sent: set model.api_key or " + p.dialect.variable
		}
		return "check the key in model.api_key or " + p.dialect.variable + " and that it belongs to model.base_url"
	case status == http.StatusPaymentRequired || code == "insufficient_quota":
		return "the account has no credit left; check its billing"
	case status == http.StatusNotFound:
		return "check model.default (the model's name) and model.base_url" + p.usual()
	case status == http.StatusRequestEntityTooLarge || code == codeTooLong:
		return "the conversation is too long for this model: start a new one, choose a model with a larger window, or set model.context_length to what it reads so that it is summarised in time"
	case status == http.StatusTooManyRequests:
		return "the vendor limits requests; wait and try again"
	case status >= 300 && status < 400:
		return "set model.base_url to the address it redirects to; the key is not sent to another host"
	case status == http.StatusBadRequest || status == http.StatusUnprocessableEntity:
		return "the server does not take this request; check that model.default can call tools"
	case status >= 500 || isOverload(code):
		return "the fault is at the vendor; try again later or choose another model"
	}
	return ""
}

// meaning is the word for a failure that a vendor tells apart in its sentence
// only.
func meaning(code, said string) string {
	said = strings.ToLower(said)
	switch {
	case strings.Contains(said, "prompt is too long"), strings.Contains(said, "input is too long"),
		strings.Contains(said, "exceed context limit"), strings.Contains(said, "maximum context length"),
		strings.Contains(said, "available context size"):
		return codeTooLong
	case strings.Contains(said, "credit balance is too low"):
		return "insufficient_quota"
	}
	return code
}

// sendError explains a request that got no answer.
func (p *endpoint) sendError(err error) *Error {
	// Only the innermost error is kept: url.Error repeats the whole address.
	e := &Error{err: innermost(err), retry: true}
	if errors.Is(err, errRedirect) {
		e.retry = false
		e.Message = fmt.Sprintf("the model server %s redirects to another host", p.host)
		e.Hint = p.hint(http.StatusMovedPermanently, "")
		return e
	}
	e.Message = fmt.Sprintf("cannot reach the model server %s: %s", p.host, p.redact(clip(e.err.Error())))
	e.Hint = "check model.base_url and the network"
	var untrusted *tls.CertificateVerificationError
	switch {
	case errors.As(err, &untrusted):
		e.retry = false
		e.Hint = "its certificate is not trusted; check model.base_url, a proxy in between, and the clock"
	case p.local:
		e.Hint = "is the server running? Check model.base_url"
	}
	return e
}

func innermost(err error) error {
	for {
		next := errors.Unwrap(err)
		if next == nil {
			return err
		}
		err = next
	}
}

// cut is an answer without its end.
func (p *endpoint) cut(why string, err error) *Error {
	e := &Error{
		Message: fmt.Sprintf("the answer of the model server %s was cut off: %s", p.host, why),
		Hint:    "nothing of it was kept and nothing was run; send the message again",
		err:     ErrCut,
	}
	if err != nil {
		e.Message += " (" + p.redact(clip(err.Error())) + ")"
		e.err = errors.Join(ErrCut, err)
	}
	return e
}

// unreadable is an answer that is not in the format.
func (p *endpoint) unreadable(what string, err error) *Error {
	return &Error{
		Message: fmt.Sprintf("the model server %s sent %s: %s", p.host, what, p.redact(clip(err.Error()))),
		Hint:    "check that model.base_url is " + p.dialect.format,
		err:     err,
	}
}

func retryable(status int) bool {
	switch status {
	case http.StatusRequestTimeout, http.StatusConflict, http.StatusTooManyRequests:
		return true
	}
	return status >= 500
}

func isOverload(code string) bool {
	switch code {
	case "server_error", "api_error", "timeout_error":
		return true
	}
	return strings.Contains(code, "overloaded") || strings.Contains(code, "rate_limit")
}

// vendorMessage finds the words of a failure in the shapes vendors use.
func vendorMessage(raw []byte) (said, code string) {
	raw = bytes.TrimSpace(raw)
	if !isObject(raw) {
		if bytes.HasPrefix(raw, []byte("<")) {
			return "it sent a web page", ""
		}
		return clip(string(raw)), ""
	}
	var e struct {
		Error, Detail, Message json.RawMessage
		Code, Type             json.RawMessage
	}
	if json.Unmarshal(raw, &e) != nil {
		return clip(string(raw)), ""
	}
	if isObject(e.Error) {
		var in struct{ Message, Code, Type json.RawMessage }
		if json.Unmarshal(e.Error, &in) == nil && !isNull(in.Message) {
			return clip(words(in.Message)), firstWord(in.Code, in.Type)
		}
	}
	for _, part := range []json.RawMessage{e.Error, e.Message, e.Detail} {
		if !isNull(part) {
			return clip(words(part)), firstWord(e.Code, e.Type)
		}
	}
	return clip(string(raw)), ""
}

func words(raw json.RawMessage) string {
	if s := text(raw); s != "" {
		return s
	}
	return string(raw)
}

func firstWord(raws ...json.RawMessage) string {
	for _, raw := range raws {
		if s := text(raw); s != "" {
			return s
		}
	}
	return ""
}

// eventStatus is the HTTP status some gateways put into the error object, else
// the one that the vendor's word for the failure stands for.
func eventStatus(raw []byte, code string) int {
	var e struct {
		Code   json.Number
		Status json.Number
		Error  struct{ Code, Status json.Number }
	}
	// A code that is a word fails to decode and leaves the others read.
	_ = json.Unmarshal(raw, &e)
	for _, n := range []json.Number{e.Error.Code, e.Error.Status, e.Code, e.Status} {
		if v, err := n.Int64(); err == nil && v >= 300 && v < 600 {
			return int(v)
		}
	}
	switch code {
	case "invalid_request_error":
		return http.StatusBadRequest
	case "authentication_error":
		return http.StatusUnauthorized
	case "billing_error":
		return http.StatusPaymentRequired
	case "permission_error":
		return http.StatusForbidden
	case "not_found_error":
		return http.StatusNotFound
	case "request_too_large":
		return http.StatusRequestEntityTooLarge
	case "rate_limit_error":
		return http.StatusTooManyRequests
	}
	return 0
}

// clip makes a vendor's text fit for one line of a terminal.
func clip(s string) string {
	s = strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) {
			return ' '
		}
		if unicode.Is(unicode.C, r) {
			return -1
		}
		return r
	}, strings.ToValidUTF8(s, "\ufffd"))
	s = strings.Join(strings.Fields(s), " ")
	if runes := []rune(s); len(runes) > maxVendor {
		s = string(runes[:maxVendor]) + "…"
	}
	return s
}

// redact takes the key, and what looks like one, out of a text that goes to
// people or logs: vendors like to quote the key they refuse.
func (p *endpoint) redact(s string) string {
	if len(p.key) >= 4 {
		s = strings.ReplaceAll(s, p.key, "[key]")
	}
	return p.keys.ReplaceAllString(s, "[key]")
}

func keyPattern() *regexp.Regexp {
	return regexp.MustCompile(`(?i)\bbearer\s+\S+|\b(?:sk|pk|gsk|xai|key)-[\w*.-]{6,}|(?:api[_-]?key|token)=[^\s&"']+`)
}
