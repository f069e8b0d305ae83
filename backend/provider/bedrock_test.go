package provider

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/protocol/eventstream"
	v4 "github.com/aws/aws-sdk-go-v2/aws/signer/v4"

	"hermes/backend/message"
)

const (
	claudeID = "us.anthropic.claude-sonnet-4-5-20250929-v1:0"
	novaID   = "amazon.nova-pro-v1:0"
)

// awsVariables is an environment with keys and nothing of this machine's.
func awsVariables(more ...string) func(string) (string, bool) {
	set := map[string]string{
		"AWS_ACCESS_KEY_ID": "AKIDEXAMPLE", "AWS_SECRET_ACCESS_KEY": "very-secret-key", "AWS_REGION": "eu-west-1",
		"AWS_CONFIG_FILE": "/nonexistent/config", "AWS_SHARED_CREDENTIALS_FILE": "/nonexistent/credentials", "AWS_EC2_METADATA_DISABLED": "true",
	}
	for i := 0; i < len(more); i += 2 {
		set[more[i]] = more[i+1]
	}
	return func(name string) (string, bool) { value := set[name]; return value, value != "" }
}

func newBedrock(t *testing.T, o BedrockOptions) *Bedrock {
	t.Helper()
	if o.Client == nil {
		o.Client = &http.Client{Transport: &http.Transport{}}
	}
	if o.Variable == nil {
		o.Variable = awsVariables()
	}
	p := NewBedrock(o)
	t.Cleanup(func() { _ = p.Close() })
	return p
}

// frame is one message of an event stream, in the framing of the SDK's encoder.
func frame(kind, name, payload string) []byte {
	headers := eventstream.Headers{{Name: ":message-type", Value: eventstream.StringValue(kind)}}
	switch kind {
	case "event":
		headers.Set(":event-type", eventstream.StringValue(name))
	case "exception":
		headers.Set(":exception-type", eventstream.StringValue(name))
	case "error":
		headers.Set(":error-code", eventstream.StringValue(name))
		headers.Set(":error-message", eventstream.StringValue(payload))
		payload = ""
	}
	headers.Set(":content-type", eventstream.StringValue("application/json"))
	var out bytes.Buffer
	if err := eventstream.NewEncoder().Encode(&out, eventstream.Message{Headers: headers, Payload: []byte(payload)}); err != nil {
		panic(err)
	}
	return out.Bytes()
}

// chunks is an invoke stream that carries these Anthropic events.
func chunks(events ...string) []byte {
	var out []byte
	for _, e := range events {
		payload := fmt.Sprintf(`{"bytes":%q,"p":"abcdefgh"}`, base64.StdEncoding.EncodeToString([]byte(e)))
		out = append(out, frame("event", "chunk", payload)...)
	}
	return out
}

// event is one of a Converse stream: its name and its payload.
func events(pairs ...string) []byte {
	var out []byte
	for i := 0; i < len(pairs); i += 2 {
		out = append(out, frame("event", pairs[i], pairs[i+1])...)
	}
	return out
}

func stream(w http.ResponseWriter, body []byte) {
	w.Header().Set("Content-Type", "application/vnd.amazon.eventstream")
	w.Header().Set("Retry-After-Ms", "1")
	_, _ = w.Write(body)
}

func refuse(w http.ResponseWriter, status int, code, said string) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Retry-After-Ms", "1")
	w.Header().Set("X-Amzn-Errortype", code+":http://internal.amazon.com/coral/com.amazon.bedrock/")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(map[string]string{"message": said})
}

// What a model may write and an encoder may change.
const (
	oddInput = `{"calls": [{"n":9007199254740993,"f":1.0,"t":"<b> & \u2028 Grüße \u0000"}],   "z":1,"a":2}`
	oddText  = `{"type":"text","text":"So: <b> & \u2028","future":{"kept":1.0}}`
	signed   = `{"type":"thinking","thinking":"hm \u003c","signature":"c2ln+/=="}`
)

func oddAnswer() []byte {
	half := len(oddInput) / 2
	piece := func(s string) string {
		return `{"type":"content_block_delta","index":2,"delta":{"type":"input_json_delta","partial_json":` + string(appendString(nil, s)) + `}}`
	}
	return chunks(
		`{"type":"message_start","message":{"id":"m","role":"assistant","content":[],"usage":{"input_tokens":10,"cache_read_input_tokens":5,"output_tokens":1}}}`,
		`{"type":"content_block_start","index":0,"content_block":`+signed+`}`, `{"type":"content_block_stop","index":0}`,
		`{"type":"content_block_start","index":1,"content_block":`+oddText+`}`, `{"type":"content_block_stop","index":1}`,
		`{"type":"content_block_start","index":2,"content_block":{"type":"tool_use","id":"toolu_1","name":"tool_call","input":{}}}`,
		piece(oddInput[:half]), piece(oddInput[half:]), `{"type":"content_block_stop","index":2}`,
		`{"type":"message_delta","delta":{"stop_reason":"tool_use"},"usage":{"output_tokens":7}}`,
		`{"type":"message_stop","amazon-bedrock-invocationMetrics":{"inputTokenCount":10}}`,
	)
}

// TestInvokeBytes wants an Anthropic model asked in Anthropic's own format and
// its blocks sent back as they came.
func TestInvokeBytes(t *testing.T) {
	rec := newRecorder(t, func(w http.ResponseWriter, _ *http.Request, nth int) {
		if nth == 1 {
			stream(w, oddAnswer())
			return
		}
		stream(w, chunks(`{"type":"message_start","message":{"content":[]}}`, `{"type":"content_block_start","index":0,"content_block":{"type":"text","text":"done"}}`,
			`{"type":"message_delta","delta":{"stop_reason":"end_turn"}}`, `{"type":"message_stop"}`))
	})
	p := newBedrock(t, BedrockOptions{BaseURL: rec.URL, CacheTTL: "5m"})
	req := ask("go")
	req.Model = claudeID
	var shown strings.Builder
	turn, err := p.Stream(context.Background(), req, func(s string) { shown.WriteString(s) })
	if err != nil {
		t.Fatal(err)
	}
	if turn.Vendor != VendorAnthropic || turn.Stop != message.StopToolCalls || turn.Content != "So: <b> & \u2028" || shown.String() != turn.Content {
		t.Errorf("turn %+v, shown %q", turn, shown.String())
	}
	if want := (message.Usage{InputTokens: 15, OutputTokens: 7, CacheRead: 5}); turn.Usage != want {
		t.Errorf("usage %+v", turn.Usage)
	}
	if len(turn.ToolCalls) != 1 || turn.ToolCalls[0].Arguments != oddInput {
		t.Fatalf("calls %+v", turn.ToolCalls)
	}
	use := `{"type":"tool_use","id":"toolu_1","name":"tool_call","input":` + oddInput + `}`
	for i, want := range []string{signed, oddText, use} {
		if got := string(turn.Blocks[i]); got != want {
			t.Errorf("block %d\n got %s\nwant %s", i, got, want)
		}
	}
	req.Messages = append(req.Messages,
		message.Message{Role: message.RoleAssistant, Content: turn.Content, ToolCalls: turn.ToolCalls, Vendor: turn.Vendor, Blocks: turn.Blocks},
		message.Message{Role: message.RoleTool, ToolCallID: "toolu_1", Content: "result"})
	if _, err := p.Stream(context.Background(), req, nil); err != nil {
		t.Fatal(err)
	}
	first, second := rec.sent(t, 0), rec.sent(t, 1)
	if !bytes.HasPrefix(first, []byte(`{"anthropic_version":"bedrock-2023-05-31","max_tokens":`)) || bytes.Contains(first, []byte(`"stream"`)) || bytes.Contains(first, []byte(`"model"`)) {
		t.Errorf("body %s", first)
	}
	if want := signed + "," + oddText + "," + use; !bytes.Contains(second, []byte(`"content":[`+want+`]`)) {
		t.Errorf("the blocks were not sent back as they came:\n%s", second)
	}
}

// TestInvokeMoves wants a conversation of api.anthropic.com go on at Bedrock and
// back with the same bytes.
func TestInvokeMoves(t *testing.T) {
	rec := newRecorder(t, func(w http.ResponseWriter, r *http.Request, _ int) {
		if r.URL.Path == "/v1/messages" {
			w.Header().Set("Content-Type", "text/event-stream")
			for _, e := range []string{`{"type":"content_block_start","index":0,"content_block":` + signed + `}`, `{"type":"content_block_start","index":1,"content_block":` + oddText + `}`,
				`{"type":"message_delta","delta":{"stop_reason":"end_turn"}}`, `{"type":"message_stop"}`} {
				fmt.Fprintf(w, "data: %s\n\n", e)
			}
			return
		}
		stream(w, oddAnswer())
	})
	direct := NewAnthropic(Options{BaseURL: rec.URL, Key: "k", Client: &http.Client{Transport: &http.Transport{}}})
	defer direct.Close()
	through := newBedrock(t, BedrockOptions{BaseURL: rec.URL})
	req := ask("go")
	for i, p := range []Provider{direct, through, direct} {
		req.Model = claudeID
		turn, err := p.Stream(context.Background(), req, nil)
		if err != nil {
			t.Fatal(err)
		}
		if i > 0 && !bytes.Contains(rec.sent(t, i), []byte(`{"role":"assistant","content":[`+signed+","+oddText)) {
			t.Errorf("request %d: %s", i, rec.sent(t, i))
		}
		req.Messages = append(req.Messages, message.Message{Role: message.RoleAssistant, Content: turn.Content, ToolCalls: turn.ToolCalls, Vendor: turn.Vendor, Blocks: turn.Blocks})
		for _, c := range turn.ToolCalls {
			req.Messages = append(req.Messages, message.Message{Role: message.RoleTool, ToolCallID: c.ID, Content: "r"})
		}
		req.Messages = append(req.Messages, message.Message{Role: message.RoleUser, Content: "on"})
	}
}

// TestBedrockSigned wants what is signed to be what arrives, also for a model
// that is named by an ARN, and the region of an ARN used.
func TestBedrockSigned(t *testing.T) {
	rec := newRecorder(t, func(w http.ResponseWriter, _ *http.Request, _ int) {
		stream(w, events("messageStop", `{"stopReason":"end_turn"}`, "metadata", `{"usage":{}}`))
	})
	var uris []string
	handler := rec.Config.Handler
	rec.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		uris = append(uris, r.RequestURI)
		handler.ServeHTTP(w, r)
	})
	p := newBedrock(t, BedrockOptions{BaseURL: rec.URL + "/vpc/"})
	for i, c := range []struct{ model, path, region string }{
		{"meta.llama3-3-70b-instruct-v1:0", "/vpc/model/meta.llama3-3-70b-instruct-v1%3A0/converse-stream", "eu-west-1"},
		{"arn:aws:bedrock:us-east-1:123456789012:application-inference-profile/abc 1", "/vpc/model/arn%3Aaws%3Abedrock%3Aus-east-1%3A123456789012%3Aapplication-inference-profile%2Fabc%201/converse-stream", "us-east-1"},
	} {
		req := ask("go")
		req.Model = c.model
		if _, err := p.Stream(context.Background(), req, nil); err != nil {
			t.Fatal(err)
		}
		if uris[i] != c.path {
			t.Errorf("path %s\nwant %s", uris[i], c.path)
		}
		header := rec.headers[i]
		if want, got := resign(t, rec.URL+uris[i], header, rec.sent(t, i), c.region), header.Get("Authorization"); got != want {
			t.Errorf("Authorization %s\nwant %s", got, want)
		}
	}
}

// resign computes the signature of what arrived.
func resign(t *testing.T, url string, header http.Header, body []byte, region string) string {
	t.Helper()
	req, err := http.NewRequest(http.MethodPost, url, bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	_, names, _ := strings.Cut(header.Get("Authorization"), "SignedHeaders=")
	names, _, _ = strings.Cut(names, ",")
	for _, name := range strings.Split(names, ";") {
		if value := header.Get(name); value != "" && name != "content-length" {
			req.Header.Set(name, value)
		}
	}
	at, err := time.Parse("20060102T150405Z", header.Get("X-Amz-Date"))
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256(body)
	creds := aws.Credentials{AccessKeyID: "AKIDEXAMPLE", SecretAccessKey: "very-secret-key"}
	if err := v4.NewSigner().SignHTTP(context.Background(), creds, req, hex.EncodeToString(sum[:]), "bedrock", region, at); err != nil {
		t.Fatal(err)
	}
	return req.Header.Get("Authorization")
}

// TestBedrockKey wants a Bedrock API key sent as it is, to its host alone, and no
// credentials looked for.
func TestBedrockKey(t *testing.T) {
	rec := newRecorder(t, func(w http.ResponseWriter, _ *http.Request, _ int) { stream(w, oddAnswer()) })
	p := newBedrock(t, BedrockOptions{BaseURL: rec.URL, Key: "bedrock-api-key", Variable: awsVariables("AWS_ACCESS_KEY_ID", "")})
	req := ask("go")
	req.Model = claudeID
	if _, err := p.Stream(context.Background(), req, nil); err != nil {
		t.Fatal(err)
	}
	if got := rec.headers[0].Get("Authorization"); got != "Bearer bedrock-api-key" {
		t.Errorf("Authorization %q", got)
	}
}

// TestBedrockUnusable wants errors before anything is sent to say what to do.
func TestBedrockUnusable(t *testing.T) {
	for name, c := range map[string]struct {
		model, base, region string
		variable            func(string) (string, bool)
		want                []string
	}{
		"no model":       {"", "", "", nil, []string{"model.default"}},
		"no region":      {claudeID, "", "", awsVariables("AWS_REGION", ""), []string{"no AWS region", "region: us-east-1", "AWS_REGION"}},
		"no credentials": {claudeID, "http://127.0.0.1:1", "", awsVariables("AWS_ACCESS_KEY_ID", ""), []string{"no AWS credentials", "AWS_BEARER_TOKEN_BEDROCK", "AWS_PROFILE"}},
		"odd region":     {claudeID, "", "moon", nil, []string{`"moon" is not an AWS region`}},
		"odd address":    {claudeID, "ftp://x", "", nil, []string{"model.base_url"}},
		"a password":     {claudeID, "https://u:very-secret-key@x", "", nil, []string{"user name or password"}},
	} {
		t.Run(name, func(t *testing.T) {
			p := newBedrock(t, BedrockOptions{BaseURL: c.base, Region: c.region, Variable: c.variable})
			req := ask("go")
			req.Model = c.model
			_, err := p.Stream(context.Background(), req, nil)
			var failed *Error
			if !errors.As(err, &failed) {
				t.Fatalf("error %v", err)
			}
			for _, want := range c.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("%q does not say %q", err, want)
				}
			}
			if strings.Contains(err.Error(), "very-secret") {
				t.Errorf("%q holds a key", err)
			}
		})
	}
}
