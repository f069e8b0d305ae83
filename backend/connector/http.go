package connector

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptrace"
	"strings"
	"sync/atomic"
	"time"
	"unicode"
)

const (
	maxAnswer = 4 << 20
	maxPlain  = 500 // runes of a gateway's text shown to people and models
)

// reply is the body of an answer with status 200, or why there is none.
type reply struct {
	body    []byte
	failure *Failure
	unknown bool
}

// look sends a question that changes nothing and reads its answer.
func (g *Gateway) look(ctx context.Context, path string, asked, into any) *Failure {
	got := g.post(ctx, path, asked, g.lookup)
	if got.failure != nil {
		return got.failure
	}
	var failed struct {
		Error json.RawMessage `json:"error"`
	}
	if json.Unmarshal(got.body, &failed) == nil {
		if failure, told := g.told(failed.Error); told {
			return failure
		}
	}
	if json.Unmarshal(got.body, into) != nil {
		return g.malformed("it is not the JSON object of an answer")
	}
	return nil
}

// post sends one request, once.
func (g *Gateway) post(ctx context.Context, path string, asked any, limit time.Duration) reply {
	raw, err := json.Marshal(asked)
	if err != nil {
		return reply{failure: &Failure{Code: CodeToolError, Message: "the arguments are not JSON; nothing was sent"}}
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	var sent atomic.Bool
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{WroteHeaders: func() { sent.Store(true) }})
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, g.base.JoinPath(path).String(), bytes.NewReader(raw))
	if err != nil {
		return reply{failure: &Failure{Code: CodeProviderError, Message: "building the request: " + g.plain(err.Error())}}
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json")
	req.Header.Set("User-Agent", "hermes")
	if g.token != "" {
		req.Header.Set("Authorization", "Bearer "+g.token)
	}
	resp, err := g.client.Do(req)
	if err != nil {
		return g.unsent(err, sent.Load(), limit)
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return g.refused(resp)
	}
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer+1))
	switch {
	case err != nil:
		return g.unsent(err, true, limit)
	case len(body) > maxAnswer:
		out := g.unreadable(fmt.Sprintf("it is larger than %d MB", maxAnswer>>20))
		return reply{failure: out.Failure, unknown: true}
	}
	return reply{body: body}
}

// unsent explains a request without an answer. sent tells that the gateway may have
// read it.
func (g *Gateway) unsent(err error, sent bool, limit time.Duration) reply {
	failed := &Failure{Code: CodeProviderError}
	switch {
	case errors.Is(err, errRedirect):
		failed.Message = "the connectors gateway " + g.base.Host + " redirects to another host"
		failed.Hint = "set connectors.url to the address it redirects to; the token is not sent to another host"
		return reply{failure: failed}
	case errors.Is(err, context.DeadlineExceeded):
		failed.Message = fmt.Sprintf("the connectors gateway %s did not answer within %s", g.base.Host, limit)
	case errors.Is(err, context.Canceled):
		failed.Message = "the turn was stopped before the connectors gateway " + g.base.Host + " answered"
	default:
		// Only the innermost error is kept: url.Error repeats the whole address.
		for next := errors.Unwrap(err); next != nil; next = errors.Unwrap(err) {
			err = next
		}
		failed.Message = "the connectors gateway " + g.base.Host + " cannot be reached: " + g.plain(err.Error())
	}
	failed.Hint = "nothing was sent"
	if sent {
		failed.Hint = "the request was sent, and whether it took effect is not known: look before you repeat it"
	}
	return reply{failure: failed, unknown: sent}
}

// refused reads an answer with another status than 200. Only one of a fault behind
// the gateway leaves open whether the call happened.
func (g *Gateway) refused(resp *http.Response) reply {
	body, _ := io.ReadAll(io.LimitReader(resp.Body, 64<<10)) // what is there of it
	failed := &Failure{Message: fmt.Sprintf("the connectors gateway %s answered %d %s", g.base.Host, resp.StatusCode, http.StatusText(resp.StatusCode))}
	var answer struct {
		Error json.RawMessage `json:"error"`
	}
	if json.Unmarshal(body, &answer) == nil {
		if said, told := g.told(answer.Error); told {
			failed.Message += ": " + said.Message
			failed.Connector, failed.Hint = said.Connector, said.Hint
		}
	}
	hint := ""
	switch status := resp.StatusCode; {
	case status == http.StatusUnauthorized || status == http.StatusForbidden:
		failed.Code, hint = CodeConnectionRequired, "a person checks connectors.token, or connects the account at the gateway"
	case status == http.StatusNotFound:
		failed.Code, hint = CodeToolNotFound, "search for the tool again; if none is found, connectors.url may be wrong"
	case status >= 300 && status < 400:
		failed.Code, hint = CodeProviderError, "set connectors.url to the address it redirects to"
	case status == http.StatusTooManyRequests:
		failed.Code, hint = CodeProviderError, "the gateway limits calls; wait before you try again"
	case status >= 500:
		failed.Code, hint = CodeProviderError, "whether the call took effect is not known: look before you repeat it"
	default:
		failed.Code = CodeToolError
	}
	if failed.Hint == "" || resp.StatusCode >= 500 {
		failed.Hint = hint
	}
	return reply{failure: failed, unknown: resp.StatusCode >= 500}
}

// plain is a text of a gateway on one line, bounded and without the token.
func (g *Gateway) plain(text string) string {
	if len(g.token) >= 4 {
		text = strings.ReplaceAll(text, g.token, "[token]")
	}
	text = strings.Join(strings.FieldsFunc(text, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }), " ")
	if runes := []rune(text); len(runes) > maxPlain {
		text = string(runes[:maxPlain]) + "…"
	}
	return strings.ToValidUTF8(text, "�")
}
