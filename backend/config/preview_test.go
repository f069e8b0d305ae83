package config

import (
	"os"
	"slices"
	"testing"
)

func TestAuthHeaders(t *testing.T) {
	for value, want := range map[string]string{
		"Bearer ${TOKEN}":        "Bearer ${TOKEN}",
		"${SCHEME}${env:TOKEN}":  "${SCHEME}${env:TOKEN}",
		"token ${A}":             "token ${A}",
		"Bearer abc":             "***",
		"Bearer ${TOKEN}abc":     "***",
		"Bearer abc${TOKEN}":     "***",
		"Bearer ${TOKEN":         "***",
		"Bearer ":                "***",
		"":                       "***",
		"Secret-words ${TOKEN}":  "***",
		"Bearer ${TOKEN} ${ABC}": "***",
	} {
		c := Connection{Headers: map[string]string{"Authorization": value, "Accept": "text/plain"}}
		if got := c.AuthHeaders(); !slices.Equal(got, []string{"Authorization: " + want}) {
			t.Errorf("%q: %q", value, got)
		}
	}
	c := Connection{Headers: map[string]string{"Authorization": "Bearer ${A}", "X-Api-Key": "${B}${A}", "Accept": "${C}"}}
	if got := c.AuthVariables(); !slices.Equal(got, []string{"A", "B"}) {
		t.Errorf("%q", got)
	}
}

// TestPreview gives the state of a change, with variables nobody wrote, and
// leaves the disk alone.
func TestPreview(t *testing.T) {
	home := Home{Dir: t.TempDir() + "/home"}
	f := Open(home, Options{Getenv: func(string) string { return "" }})
	entry := Map("url", "https://example.com/mcp", "headers", Map("Authorization", "Bearer ${TOKEN}"))
	change := Change{Steps: []Step{{Kind: StepSet, Path: []string{keyServers, "demo"}, Value: entry}}}
	snap, err := f.Preview(change, map[string]string{"TOKEN": "of-the-preview"})
	if err != nil {
		t.Fatal(err)
	}
	server, ok := snap.Server("demo")
	if !ok || server.Conn.URL != "https://example.com/mcp" {
		t.Fatalf("%+v", snap.Names())
	}
	if value, ok := snap.Variable("TOKEN"); !ok || value != "of-the-preview" {
		t.Errorf("%q", value)
	}
	if _, err := os.Stat(home.Dir); err == nil {
		t.Error("the preview wrote something")
	}
	if _, err := f.Preview(Change{Steps: change.Steps, Seen: "another revision"}, nil); err == nil {
		t.Error("an old revision was previewed")
	}
}
