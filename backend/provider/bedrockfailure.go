package provider

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws/protocol/eventstream"
)

// refusal reads a failed answer.
func (c *bedrockCall) refusal(resp *http.Response) *Error {
	raw, _ := io.ReadAll(io.LimitReader(resp.Body, maxErrorBody))
	said, code := awsMessage(raw)
	// "ThrottlingException:http://internal.amazon.com/..."
	if name, _, _ := strings.Cut(resp.Header.Get("X-Amzn-Errortype"), ":"); name != "" {
		code = name
	}
	e := c.failure(resp.StatusCode, code, said, raw)
	e.RetryAfter = retryAfter(resp.Header, time.Now())
	return e
}

// awsMessage finds the words of a failure in the shapes Amazon's services use.
func awsMessage(raw []byte) (said, code string) {
	said, code = vendorMessage(raw)
	var e struct {
		Type string `json:"__type"`
	}
	if json.Unmarshal(raw, &e) == nil && e.Type != "" {
		_, name, found := strings.Cut(e.Type, "#")
		if code = name; !found {
			code = e.Type
		}
	}
	return said, code
}

// failure puts a refusal into words for people.
func (c *bedrockCall) failure(status int, code, said string, raw []byte) *Error {
	code = c.redact(clip(code))
	e := &Error{Status: status, Code: code, retry: retryable(status), body: raw}
	e.Message = fmt.Sprintf("Amazon Bedrock in %s answered %d %s", c.region, status, orOld(code, http.StatusText(status)))
	if strings.Contains(code, "Signature") {
		// Its words hold the request with everything that was signed.
		said, _, _ = strings.Cut(said, ".")
		said, _, _ = strings.Cut(said, "The Canonical")
	}
	if said != "" {
		e.Message += ": " + c.redact(said)
	}
	e.Hint = c.hint(status, code, strings.ToLower(said))
	// ModelErrorException: the model failed while it worked on the request.
	e.retry = e.retry || status == http.StatusFailedDependency
	return e
}

func (c *bedrockCall) hint(status int, code, said string) string {
	has := func(parts ...string) bool {
		for _, part := range parts {
			if strings.Contains(said, part) {
				return true
			}
		}
		return false
	}
	switch {
	case code == "ExpiredTokenException" || status == http.StatusForbidden && has("expired") && !has("signature"):
		return c.account.Renewal()
	case strings.Contains(code, "Signature") || code == "RequestTimeTooSkewed":
		if has("expired", "not yet current", "skew") {
			return "set the clock of this computer"
		}
		return "check the secret key of " + c.account.Source()
	case code == "UnrecognizedClientException" || code == "InvalidClientTokenId" || code == "MissingAuthenticationTokenException" || status == http.StatusUnauthorized:
		return "AWS does not know the keys of " + c.account.Source() + "; check them, or choose a profile with AWS_PROFILE"
	case status == http.StatusForbidden && c.account.UsesKey() && has("api key", "bearer", "authentication"):
		return "check the key in " + c.account.Source()
	case status == http.StatusForbidden:
		return fmt.Sprintf("ask for access to %s in the Bedrock console of %s, and let the account's policy allow bedrock:InvokeModelWithResponseStream", c.model, c.region)
	case has("on-demand throughput"):
		return fmt.Sprintf("this model needs an inference profile: set model.default to %s.%s or to the profile's ARN", profileStem(c.region), c.model)
	case has("too long", "too many input tokens", "maximum context", "exceeds the maximum", "context window"):
		return "the conversation is too long for this model: start a new one, choose a model with a larger window, or set model.context_length to what it reads so that it is summarised in time"
	case has("tool use", "tooluse", "toolconfig"):
		return "this model cannot call tools; choose another one"
	case status == http.StatusNotFound || has("model identifier", "invalid model"):
		return fmt.Sprintf("check model.default: is %s the id of a model that %s has? `aws bedrock list-foundation-models --region %s` lists them; another region is chosen with model.region", c.model, c.region, c.region)
	case status == http.StatusTooManyRequests:
		return "AWS limits requests to this model; wait and try again, or ask for a higher quota"
	case status == http.StatusBadRequest && code == "ServiceQuotaExceededException":
		return "the account's quota for this model is used up; ask for a higher one"
	case status >= 300 && status < 400:
		return "set model.base_url to the address it redirects to; the key is not sent to another host"
	case status == http.StatusBadRequest || status == http.StatusUnprocessableEntity:
		return "the model does not take this request; check that model.default can hold a conversation and call tools"
	case status >= 500 || status == http.StatusRequestTimeout || status == http.StatusFailedDependency:
		return "the fault is at the vendor; try again later or choose another model"
	}
	return ""
}

// profileStem is how the inference profiles of a region begin.
func profileStem(region string) string {
	switch {
	case strings.HasPrefix(region, "us-gov-"):
		return "us-gov"
	case strings.HasPrefix(region, "eu-"):
		return "eu"
	case strings.HasPrefix(region, "ap-"):
		return "apac"
	}
	return "us"
}

// isExpired reports credentials that ended before the time they were given.
func isExpired(e *Error) bool {
	return e.Status == http.StatusForbidden && (e.Code == "ExpiredTokenException" || e.Code == "ExpiredToken") ||
		e.Status == http.StatusBadRequest && e.Code == "ExpiredTokenException"
}

// teaches remembers an optional part that a model refuses, so that the request
// can be sent again without it. The stored messages keep everything.
func (c *bedrockCall) teaches(failed *Error, optional []string) bool {
	if failed.Status != http.StatusBadRequest {
		return false
	}
	said := bytes.ToLower(failed.body)
	learned := false
	for _, name := range optional {
		if namesPart(said, failed.body, name) && c.memory.refuse(c.url, name) {
			learned = true
			c.log.Info("the model refuses an optional part of a request; it is left out from now on", "model", c.model, "part", name)
		}
	}
	return learned
}

func namesPart(lower, body []byte, name string) bool {
	switch name {
	case converseCache, cacheKey:
		return bytes.Contains(lower, []byte("cachepoint")) || bytes.Contains(lower, []byte("prompt caching")) || namesField(body, name)
	case converseSystem:
		return bytes.Contains(lower, []byte("support system"))
	case converseStream:
		return bytes.Contains(lower, []byte("streaming mode")) || bytes.Contains(lower, []byte("support streaming"))
	case "reasoningContent":
		return bytes.Contains(lower, []byte("reasoning"))
	}
	return namesField(body, name)
}

// exception is a failure that came in place of an event, nil for an event.
// Before the first piece of an answer it may be tried again.
func (c *bedrockCall) exception(frame eventstream.Message, begun bool) *Error {
	var e *Error
	switch header(frame, messageType) {
	case "exception":
		said, _ := awsMessage(frame.Payload)
		code := header(frame, exceptionType)
		e = c.failure(exceptionStatus(code, frame.Payload), code, said, bytes.Clone(frame.Payload))
	case "error":
		e = c.failure(http.StatusInternalServerError, header(frame, errorCode), clip(header(frame, errorMessage)), nil)
	default:
		return nil
	}
	if begun {
		e.retry, e.err = false, ErrCut
		e.Message = "the answer was cut off: " + e.Message
		e.Hint = "nothing of it was kept and nothing was run; " + orOld(e.Hint, "send the message again")
	}
	return e
}

// exceptionStatus is the status an exception would have had as an answer.
func exceptionStatus(code string, payload []byte) int {
	switch code {
	case "throttlingException":
		return http.StatusTooManyRequests
	case "validationException":
		return http.StatusBadRequest
	case "modelTimeoutException":
		return http.StatusRequestTimeout
	case "serviceUnavailableException":
		return http.StatusServiceUnavailable
	case "accessDeniedException":
		return http.StatusForbidden
	case "modelStreamErrorException":
		var e struct {
			Status int `json:"originalStatusCode"`
		}
		if json.Unmarshal(payload, &e) == nil && e.Status >= 400 && e.Status < 600 {
			return e.Status
		}
		return http.StatusFailedDependency
	}
	return http.StatusInternalServerError
}

// unsent explains a request that got no answer.
func (c *bedrockCall) unsent(err error) *Error {
	e := c.sendError(err)
	var unknown *net.DNSError
	if errors.As(err, &unknown) && unknown.IsNotFound {
		e.Hint = fmt.Sprintf("check the region (%s) and the network", c.region)
	}
	return e
}

// unread is an event that is not in the format, or one the vendor itself calls
// an error.
func (c *bedrockCall) unread(begun bool, payload []byte, err error) *Error {
	if errors.Is(err, errVendorEvent) {
		var chunk struct{ Bytes []byte }
		_ = json.Unmarshal(payload, &chunk) // it was just read
		return c.inStream(begun, chunk.Bytes)
	}
	e := c.unreadable("an answer that cannot be read", err)
	e.Hint = "nothing of it was kept and nothing was run; send the message again or choose another model"
	return e
}
