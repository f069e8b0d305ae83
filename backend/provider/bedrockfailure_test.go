package provider

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"hermes/backend/message"
)

// fullReply is a short answer of either kind of model.
func fullReply(model string) []byte {
	if isAnthropic(model) {
		return chunks(`{"type":"message_start","message":{"content":[]}}`, `{"type":"content_block_start","index":0,"content_block":{"type":"text","text":"ok"}}`,
			`{"type":"message_delta","delta":{"stop_reason":"end_turn"}}`, `{"type":"message_stop"}`)
	}
	return events("messageStart", `{"role":"assistant"}`, "contentBlockDelta", `{"contentBlockIndex":0,"delta":{"text":"ok"}}`, "contentBlockStop", `{"contentBlockIndex":0}`,
		"messageStop", `{"stopReason":"end_turn"}`, "metadata", `{"usage":{"inputTokens":1,"outputTokens":2}}`)
}

// begunReply is the beginning of an answer: its first block is open.
func begunReply(model string) []byte {
	if isAnthropic(model) {
		return chunks(`{"type":"message_start","message":{"content":[]}}`, `{"type":"content_block_start","index":0,"content_block":{"type":"text","text":"half"}}`)
	}
	return events("messageStart", `{"role":"assistant"}`, "contentBlockDelta", `{"contentBlockIndex":0,"delta":{"text":"half"}}`)
}

// openedReply is an answer of which nothing has come yet.
func openedReply(model string) []byte {
	if isAnthropic(model) {
		return chunks(`{"type":"message_start","message":{"content":[]}}`)
	}
	return events("messageStart", `{"role":"assistant"}`)
}

// TestBedrockExceptions are the failures that come inside a stream: before the
// answer has begun they are tried again where that helps, after it never.
func TestBedrockExceptions(t *testing.T) {
	for name, c := range map[string]struct {
		kind, payload string
		status        int
		again         bool
		hint          string
	}{
		"throttlingException":         {"exception", `{"message":"Too many tokens"}`, 429, true, "higher quota"},
		"serviceUnavailableException": {"exception", `{"message":"busy"}`, 503, true, "try again later"},
		"internalServerException":     {"exception", `{"message":"oops"}`, 500, true, "try again later"},
		"modelStreamErrorException":   {"exception", `{"message":"broke","originalStatusCode":424}`, 424, true, "try again later"},
		"modelTimeoutException":       {"exception", `{"message":"slow"}`, 408, true, "try again later"},
		"validationException":         {"exception", `{"message":"Input is too long for requested model."}`, 400, false, "too long"},
		"InternalError":               {"error", "something broke", 500, true, "try again later"},
	} {
		for _, model := range []string{claudeID, novaID} {
			t.Run(name+" of "+model, func(t *testing.T) {
				for _, start := range [][]byte{nil, openedReply(model), begunReply(model)} {
					late := bytes.Equal(start, begunReply(model))
					rec := newRecorder(t, func(w http.ResponseWriter, _ *http.Request, nth int) {
						if nth == 1 {
							stream(w, append(bytes.Clone(start), frame(c.kind, name, c.payload)...))
							return
						}
						stream(w, fullReply(model))
					})
					req := ask("go")
					req.Model = model
					turn, err := newBedrock(t, BedrockOptions{BaseURL: rec.URL}).Stream(context.Background(), req, nil)
					if c.again && !late {
						if err != nil || turn.Content != "ok" || rec.count() != 2 {
							t.Fatalf("turn %+v, error %v, %d requests", turn, err, rec.count())
						}
						continue
					}
					var failed *Error
					if !errors.As(err, &failed) || failed.Status != c.status || failed.Code != name || rec.count() != 1 {
						t.Fatalf("error %#v, %d requests", err, rec.count())
					}
					if !strings.Contains(err.Error(), c.hint) || errors.Is(err, ErrCut) != late {
						t.Errorf("late %v: %v", late, err)
					}
				}
			})
		}
	}
}

// TestBedrockCut wants every stream without its terminal event to be an error,
// wherever it ends.
func TestBedrockCut(t *testing.T) {
	for _, model := range []string{claudeID, novaID} {
		t.Run(model, func(t *testing.T) {
			all := fullReply(model)
			// Up to the last frame but one of Anthropic, and the last two of Converse.
			end := len(all) - len(chunks(`{"type":"message_stop"}`))
			if !isAnthropic(model) {
				end = len(all) - len(events("messageStop", `{"stopReason":"end_turn"}`, "metadata", `{"usage":{"inputTokens":1,"outputTokens":2}}`))
			}
			for cut := 1; cut <= end; cut++ {
				c := testCall(t, model)
				in := newBody(http.NoBody, newWatchdog(time.Hour, time.Hour, func(error) {}))
				in.buf.Reset(bytes.NewReader(all[:cut]))
				in.read = int64(cut)
				turn, _, failed := c.frames(context.Background(), in, c.write(nil).reader)
				if failed == nil || turn.Blocks != nil || turn.ToolCalls != nil {
					t.Fatalf("cut at %d: turn %+v", cut, turn)
				}
			}
		})
	}
}

// testCall is a pass that is never sent.
func testCall(t testing.TB, model string) *bedrockCall {
	p := NewBedrock(BedrockOptions{BaseURL: "http://127.0.0.1:1", Variable: awsVariables()})
	req := ask("go")
	req.Model = model
	c, err := p.call(req, nil)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// TestBedrockMeter wants an answer whose token counts never come to be whole.
func TestBedrockMeter(t *testing.T) {
	rec := newRecorder(t, func(w http.ResponseWriter, _ *http.Request, _ int) {
		all := fullReply(novaID)
		stream(w, all[:len(all)-len(events("metadata", `{"usage":{"inputTokens":1,"outputTokens":2}}`))])
	})
	req := ask("go")
	req.Model = novaID
	turn, err := newBedrock(t, BedrockOptions{BaseURL: rec.URL}).Stream(context.Background(), req, nil)
	if err != nil || turn.Content != "ok" || turn.Usage != (message.Usage{}) {
		t.Fatalf("turn %+v, error %v", turn, err)
	}
}

// TestBedrockRefused are refusals with the hint a person needs, and never a
// secret in them.
func TestBedrockRefused(t *testing.T) {
	for name, c := range map[string]struct {
		status   int
		code     string
		said     string
		attempts int
		want     []string
	}{
		"no access": {403, "AccessDeniedException", "You don't have access to the model with the specified model ID.", 1,
			[]string{"Amazon Bedrock in eu-west-1 answered 403 AccessDeniedException", "access to " + claudeID, "Bedrock console of eu-west-1", "bedrock:InvokeModelWithResponseStream"}},
		"unknown key":   {403, "UnrecognizedClientException", "The security token included in the request is invalid.", 1, []string{"AWS_ACCESS_KEY_ID", "AWS_PROFILE"}},
		"expired token": {403, "ExpiredTokenException", "The security token included in the request is expired", 1, []string{"aws sso login", "AWS_SESSION_TOKEN"}},
		"wrong secret": {403, "InvalidSignatureException", "The request signature we calculated does not match the signature you provided. The Canonical String for this request should have been 'POST x-amz-security-token:very-secret-key'", 1,
			[]string{"check the secret key"}},
		"wrong clock":     {403, "InvalidSignatureException", "Signature expired: 20260101T000000Z is now earlier than 20260102T000000Z", 1, []string{"clock"}},
		"quoted secret":   {400, "ValidationException", "odd header very-secret-key AKIDEXAMPLE", 1, []string{"odd header [key] [key]"}},
		"no such model":   {400, "ValidationException", "The provided model identifier is invalid.", 1, []string{"model.default", "list-foundation-models --region eu-west-1", "model.region"}},
		"not here":        {404, "ResourceNotFoundException", "Could not resolve the foundation model from the provided model identifier.", 1, []string{"list-foundation-models", "eu-west-1"}},
		"profile needed":  {400, "ValidationException", "Invocation of model ID x with on-demand throughput isn’t supported. Retry your request with the ID or ARN of an inference profile", 1, []string{"inference profile", "eu."}},
		"too long":        {400, "ValidationException", "Input is too long for requested model.", 1, []string{"too long for this model"}},
		"throttled":       {429, "ThrottlingException", "Too many requests, please wait before trying again.", 3, []string{"429 ThrottlingException", "higher quota"}},
		"not ready":       {429, "ModelNotReadyException", "The model is not ready", 3, []string{"ModelNotReadyException"}},
		"model failed":    {424, "ModelErrorException", "The model failed", 3, []string{"at the vendor"}},
		"unavailable":     {503, "ServiceUnavailableException", "busy", 3, []string{"at the vendor"}},
		"a quota":         {400, "ServiceQuotaExceededException", "used up", 1, []string{"quota"}},
		"redirected":      {307, "", "", 1, []string{"model.base_url"}},
		"expired api key": {403, "AccessDeniedException", "Bearer Token has expired", 1, []string{"aws sso login"}},
	} {
		t.Run(name, func(t *testing.T) {
			rec := newRecorder(t, func(w http.ResponseWriter, _ *http.Request, _ int) { refuse(w, c.status, c.code, c.said) })
			req := ask("go")
			req.Model = claudeID
			var logged bytes.Buffer
			p := newBedrock(t, BedrockOptions{BaseURL: rec.URL, Logger: slog.New(slog.NewTextHandler(&logged, nil))})
			_, err := p.Stream(context.Background(), req, nil)
			var failed *Error
			if !errors.As(err, &failed) || failed.Status != c.status || failed.Attempts != c.attempts || rec.count() != c.attempts {
				t.Fatalf("error %#v, %d requests", err, rec.count())
			}
			for _, want := range c.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("%q does not say %q", err, want)
				}
			}
			if all := err.Error() + logged.String(); strings.Contains(all, "very-secret") || strings.Contains(all, "AKID") {
				t.Errorf("%s holds a key", all)
			}
		})
	}
}

// TestBedrockRenews wants credentials that ended early looked for once more.
func TestBedrockRenews(t *testing.T) {
	rec := newRecorder(t, func(w http.ResponseWriter, r *http.Request, nth int) {
		if strings.Contains(r.Header.Get("Authorization"), "Credential=RUN1/") {
			refuse(w, 403, "ExpiredTokenException", "expired")
			return
		}
		stream(w, fullReply(claudeID))
	})
	dir := t.TempDir()
	script := `echo x >> ` + dir + `/runs; echo '{"Version":1,"AccessKeyId":"RUN'$(wc -l < ` + dir + `/runs | tr -d " ")'","SecretAccessKey":"s","Expiration":"2099-01-01T00:00:00Z"}'`
	for path, text := range map[string]string{"run": script, "config": "[profile p]\ncredential_process = sh " + dir + "/run\n"} {
		if err := os.WriteFile(filepath.Join(dir, path), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	p := newBedrock(t, BedrockOptions{BaseURL: rec.URL, Variable: awsVariables("AWS_ACCESS_KEY_ID", "", "AWS_PROFILE", "p", "AWS_CONFIG_FILE", filepath.Join(dir, "config"))})
	req := ask("go")
	req.Model = claudeID
	if turn, err := p.Stream(context.Background(), req, nil); err != nil || turn.Content != "ok" || rec.count() != 2 {
		t.Fatalf("turn %+v, error %v, %d requests", turn, err, rec.count())
	}
}

func TestBedrockSilence(t *testing.T) {
	for name, start := range map[string][]byte{"before": nil, "within": begunReply(novaID)} {
		t.Run(name, func(t *testing.T) {
			done := make(chan struct{})
			rec := newRecorder(t, func(w http.ResponseWriter, r *http.Request, _ int) {
				stream(w, start)
				w.(http.Flusher).Flush()
				select {
				case <-r.Context().Done():
				case <-done:
				}
			})
			defer close(done)
			req := ask("go")
			req.Model = novaID
			p := newBedrock(t, BedrockOptions{BaseURL: rec.URL, FirstByte: 50 * time.Millisecond, Idle: 50 * time.Millisecond})
			_, err := p.Stream(context.Background(), req, nil)
			if !errors.Is(err, errSilent) || errors.Is(err, ErrCut) != (start != nil) || rec.count() != 1 {
				t.Fatalf("error %v, %d requests", err, rec.count())
			}
		})
	}
}

func TestBedrockStopped(t *testing.T) {
	ctx, cancel := context.WithCancelCause(context.Background())
	why := errors.New("a person stopped it")
	rec := newRecorder(t, func(w http.ResponseWriter, r *http.Request, _ int) {
		stream(w, begunReply(claudeID))
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	})
	req := ask("go")
	req.Model = claudeID
	_, err := newBedrock(t, BedrockOptions{BaseURL: rec.URL}).Stream(ctx, req, func(string) { cancel(why) })
	if !errors.Is(err, why) || rec.count() != 1 {
		t.Fatalf("error %v", err)
	}
}

// TestBedrockDeadThinking wants a signature that is refused left out of the
// second request and told.
func TestBedrockDeadThinking(t *testing.T) {
	rec := newRecorder(t, func(w http.ResponseWriter, _ *http.Request, nth int) {
		if nth == 1 {
			refuse(w, 400, "ValidationException", "messages.1.content.0: Invalid `signature` in `thinking` block")
			return
		}
		stream(w, fullReply(claudeID))
	})
	req := ask("go")
	req.Model = claudeID
	req.Messages = append(req.Messages,
		message.Message{Role: message.RoleAssistant, Content: "x", Vendor: VendorAnthropic, Blocks: raws(signed, `{"type":"text","text":"x"}`)},
		message.Message{Role: message.RoleUser, Content: "on"})
	turn, err := newBedrock(t, BedrockOptions{BaseURL: rec.URL}).Stream(context.Background(), req, nil)
	if err != nil || len(turn.Notices) != 1 || bytes.Contains(rec.sent(t, 1), []byte("thinking")) || !bytes.Contains(rec.sent(t, 0), []byte(signed)) {
		t.Fatalf("turn %+v, error %v\n%s", turn, err, rec.sent(t, 1))
	}
}
