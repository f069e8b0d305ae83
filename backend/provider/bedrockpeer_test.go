package provider

import (
	"bytes"
	"context"
	"net/http"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/bedrockruntime"
	"github.com/aws/aws-sdk-go-v2/service/bedrockruntime/types"
)

// TestBedrockPeer asks the same server through the SDK's own client: the address
// and the signature are made as ours are, and it reads the frames this package's
// tests write.
func TestBedrockPeer(t *testing.T) {
	const arn = "arn:aws:bedrock:eu-west-1:123456789012:inference-profile/eu.anthropic.claude-sonnet-4-5-20250929-v1:0"
	var uris []string
	rec := newRecorder(t, func(w http.ResponseWriter, r *http.Request, _ int) {
		uris = append(uris, r.RequestURI)
		stream(w, oddAnswer())
	})
	client := bedrockruntime.New(bedrockruntime.Options{
		Region: "eu-west-1", BaseEndpoint: aws.String(rec.URL), HTTPClient: &http.Client{Transport: &http.Transport{DisableKeepAlives: true}},
		Credentials: aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
			return aws.Credentials{AccessKeyID: "AKIDEXAMPLE", SecretAccessKey: "very-secret-key"}, nil
		}),
	})
	req := ask("go")
	req.Model = arn
	if _, err := newBedrock(t, BedrockOptions{BaseURL: rec.URL}).Stream(context.Background(), req, nil); err != nil {
		t.Fatal(err)
	}
	out, err := client.InvokeModelWithResponseStream(context.Background(), &bedrockruntime.InvokeModelWithResponseStreamInput{
		ModelId: aws.String(arn), Body: rec.sent(t, 0), ContentType: aws.String("application/json"),
	})
	if err != nil {
		t.Fatal(err)
	}
	got := &messageAssembler{}
	for e := range out.GetStream().Events() {
		chunk, ok := e.(*types.ResponseStreamMemberChunk)
		if !ok {
			t.Fatalf("event %T", e)
		}
		if err := got.event(chunk.Value.Bytes); err != nil {
			t.Fatal(err)
		}
	}
	if err := out.GetStream().Close(); err != nil || !got.ended || len(got.blocks) != 3 {
		t.Errorf("the SDK read %d blocks, ended %v, error %v", len(got.blocks), got.ended, err)
	}
	if uris[0] != uris[1] || !bytes.Equal(rec.sent(t, 0), rec.sent(t, 1)) {
		t.Errorf("we ask at  %s\nthe SDK at %s", uris[0], uris[1])
	}
	for i := range uris {
		want := resign(t, rec.URL+uris[i], rec.headers[i], rec.sent(t, i), "eu-west-1")
		if have := rec.headers[i].Get("Authorization"); have != want || !strings.Contains(have, "/eu-west-1/bedrock/aws4_request") {
			t.Errorf("request %d is signed %s\nwant %s", i, have, want)
		}
	}
}
