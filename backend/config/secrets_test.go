package config

import (
	"slices"
	"strings"
	"testing"
)

func TestConnectionSecrets(t *testing.T) {
	conn := Connection{
		Command: "x",
		Args: []string{
			"--api-key", "ARGSECRET22222", "--token=ARGEQUALS33333", "-y", "ordinary-package", "--header", "Authorization: Bearer ARGBEARER4444",
			"sk-ARGSHAPED55555", "postgres://u:ARGPASS66666@db/x", "DSN_URL=https://u:ARGURL777777@h/", "--password", "--verbose-mode",
		},
		Env:     map[string]string{"GITHUB_TOKEN": "ENVTOKEN111111", "MODE": "ordinary-mode", "PLAIN": "ghp_ENVSHAPED2222", "DATABASE": "postgres://u:ENVURLPASS33@db/x", "API_KEY": "short", "OTHER_KEY": "${REFERENCE}"},
		Headers: map[string]string{"Authorization": "Bearer HEADERTOKEN444", "X-Plain": "ordinary-header"},
		URL:     "https://u:URL%2FPW55555@127.0.0.1:1/mcp?api_key=URLQUERY%3A66666&mode=ordinary-query#URLFRAGMENT77",
	}
	got := conn.Secrets()
	for _, want := range []string{
		"ARGSECRET22222", "ARGEQUALS33333", "ARGBEARER4444", "sk-ARGSHAPED55555", "ARGPASS66666", "ARGURL777777",
		"ENVTOKEN111111", "ghp_ENVSHAPED2222", "ENVURLPASS33", "Bearer HEADERTOKEN444", "HEADERTOKEN444",
		"URL%2FPW55555", "URL/PW55555", "URLQUERY%3A66666", "URLQUERY:66666", "URLFRAGMENT77",
	} {
		if !slices.Contains(got, want) {
			t.Errorf("%q is missing in %q", want, got)
		}
	}
	for _, unwanted := range []string{
		"ordinary-package", "ordinary-mode", "ordinary-header", "ordinary-query", "short", "${REFERENCE}", "--verbose-mode", "127.0.0.1:1", "",
	} {
		if slices.Contains(got, unwanted) {
			t.Errorf("%q is no secret", unwanted)
		}
	}
	if got := (Connection{}).Secrets(); len(got) != 0 {
		t.Errorf("of nothing: %q", got)
	}
}

func TestFileSecretsHoldThoseOfConnections(t *testing.T) {
	h := home(t, `mcp_servers:
  demo: {command: x, args: [--api-key, ARGSECRET22222]}
  web: {url: "https://u:URLPW55555@127.0.0.1:1/mcp?api_key=URLQUERY66666"}
`)
	f := Open(h, Options{Getenv: env()})
	f.Load()
	for _, want := range []string{"ARGSECRET22222", "URLPW55555", "URLQUERY66666"} {
		if got := f.Secrets(); !slices.Contains(got, want) {
			t.Errorf("%q is missing in %q", want, got)
		}
	}
}

// TestSecretsAsJSON: a program that prints its settings as JSON writes a secret
// in another way than the person did.
func TestSecretsAsJSON(t *testing.T) {
	secret := `p#a"s's $X\ ü`
	list := Connection{Env: map[string]string{"DB_PASSWORD": secret}}.Secrets()
	for _, want := range []string{secret, `p#a\"s's $X\\ ü`} {
		if !slices.Contains(list, want) {
			t.Errorf("%q is not among %q", want, list)
		}
	}
}

// TestSecretsUnderOrdinaryNames: a literal that looks like a key is one, whatever
// it is called; what looks like a setting stays readable.
func TestSecretsUnderOrdinaryNames(t *testing.T) {
	s := load(t, "mcp_servers:\n  a:\n    command: x\n    env: {MYSTUFF: zz99TopSecret, PLAIN: production, REGION: eu-central-1, DIR: /srv/Data2024, LONG: abcdef0123456789abcd, DAY: 2024-01-01T00, PORT: '80808080'}\n  b: {url: 'https://x.example', headers: {X-Plain: Abcdef012345, Accept: application/json}}\n")
	got := strings.Join(s.secrets(), " ")
	for _, secret := range []string{"zz99TopSecret", "abcdef0123456789abcd", "Abcdef012345"} {
		if !strings.Contains(got, secret) {
			t.Errorf("%s is not known: %s", secret, got)
		}
	}
	for _, open := range []string{"production", "eu-central", "/srv", "2024-01", "80808080", "application"} {
		if strings.Contains(got, open) {
			t.Errorf("%s is hidden: %s", open, got)
		}
	}
}

// TestSecretsOfWhatWaits: a key that stands on the disk and is not in force yet is
// hidden like the others, and so is the one that it is to replace.
func TestSecretsOfWhatWaits(t *testing.T) {
	h, f, busy := atWork(t, oneServer("command: x"), "API_KEY=the-key-in-force\n")
	put(t, h.Env(), "API_KEY=the-key-that-waits\nOTHER_KEY=another-that-waits\n")
	put(t, h.Config(), oneServer("command: x|env: {API_KEY: written-and-waits}"))
	s, _ := f.Reload()
	if len(s.Waiting) != 3 {
		t.Fatalf("%+v", s.Waiting)
	}
	for _, want := range []string{"the-key-in-force", "the-key-that-waits", "another-that-waits", "written-and-waits"} {
		if !slices.Contains(f.Secrets(), want) {
			t.Errorf("%q is shown", want)
		}
	}
	busy.Store(false)
	if s, _ := f.Release(); len(s.Waiting) > 0 || slices.Contains(f.Secrets(), "the-key-in-force") {
		t.Errorf("%+v %q", s.Waiting, f.Secrets())
	}
}
