package config

import (
	"strings"
	"testing"
)

func TestAmazon(t *testing.T) {
	for name, c := range map[string]struct{ file, env, region, refused string }{
		"nothing":       {"model: {provider: bedrock, default: m}", "", "", ""},
		"under model":   {"model: {provider: bedrock, default: m, region: eu-west-1}\nbedrock: {region: us-east-1}", "", "eu-west-1", ""},
		"under bedrock": {"model: m\nbedrock: {region: us-east-1}", "", "us-east-1", ""},
		"a variable":    {"model: {region: '${WHERE}'}", "WHERE=eu-north-1", "eu-north-1", ""},
		"a missing one": {"model: {region: '${WHERE}'}", "", "", "WHERE"},
	} {
		t.Run(name, func(t *testing.T) {
			h := home(t, c.file+"\n")
			put(t, h.Env(), c.env+"\nAWS_PROFILE=of-env-file\n")
			s := Open(h, Options{Getenv: env()}).Load()
			got, err := s.ResolveAmazon(env("AWS_PROFILE", "of-process", "AWS_REGION", "us-west-2"))
			if c.refused != "" {
				if err == nil || !strings.Contains(err.Error(), c.refused) {
					t.Fatalf("error %v", err)
				}
				return
			}
			if err != nil || got.Region != c.region {
				t.Fatalf("region %q, error %v", got.Region, err)
			}
			for name, want := range map[string]string{"AWS_PROFILE": "of-env-file", "AWS_REGION": "us-west-2", "AWS_DEFAULT_REGION": ""} {
				if value, ok := got.Variable(name); value != want || ok != (want != "") {
					t.Errorf("%s is %q (%v), want %q", name, value, ok, want)
				}
			}
		})
	}
}

// TestBedrockKey wants the key of Bedrock found where Amazon's programs look for
// it, and none wanted.
func TestBedrockKey(t *testing.T) {
	for name, c := range map[string]struct {
		file string
		env  []string
		want Model
	}{
		"none":            {"model: {provider: bedrock, default: m}", nil, Model{Provider: "bedrock", Name: "m", BaseURL: "", Key: ""}},
		"the environment": {"model: {provider: bedrock, default: m}", []string{"AWS_BEARER_TOKEN_BEDROCK", "b"}, Model{Provider: "bedrock", Name: "m", BaseURL: "", Key: "b"}},
		"the file":        {"model: {provider: bedrock, default: m, api_key: f, base_url: 'https://vpce.example'}", []string{"AWS_BEARER_TOKEN_BEDROCK", "b"}, Model{Provider: "bedrock", Name: "m", BaseURL: "https://vpce.example", Key: "f"}},
	} {
		c.want.Vendor = "bedrock"
		if got, err := load(t, c.file).ResolveModel("", env(c.env...)); err != nil || got != c.want {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
}
