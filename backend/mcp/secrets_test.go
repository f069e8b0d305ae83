//go:build unix

package mcp

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hermes/backend/config"
)

// TestWrittenSecretsAreNeverShown: secrets written into the file itself stay
// out of the state, the log and its file, whoever repeats them.
func TestWrittenSecretsAreNeverShown(t *testing.T) {
	script := filepath.Join(t.TempDir(), "echo.sh")
	if err := os.WriteFile(script, []byte("#!/bin/sh\necho \"begun $* $GITHUB_TOKEN $PGPASSWORD\" >&2\nexit 3\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		conn    config.Connection
		secrets []string
		shown   string
	}{
		"address": {
			config.Connection{Transport: config.TransportHTTP, URL: "https://u:URLPW55555@127.0.0.1:1/mcp?api_key=URLQUERY66666"},
			[]string{"URLPW55555", "URLQUERY66666"}, "127.0.0.1:1",
		},
		"no address": {
			config.Connection{Transport: config.TransportHTTP, URL: "https://u:URLPW55555@127.0.0.1:x1/mcp?api_key=URLQUERY66666"},
			[]string{"URLPW55555", "URLQUERY66666"}, "***",
		},
		"program": {
			config.Connection{
				Transport: config.TransportStdio, Command: script, Args: []string{"--api-key", "ARGSECRET22222"},
				Env: map[string]string{"GITHUB_TOKEN": "ENVSECRET33333", "PGPASSWORD": "hunter2"},
			},
			[]string{"ARGSECRET22222", "ENVSECRET33333", "hunter2"}, "begun",
		},
	} {
		t.Run(name, func(t *testing.T) {
			folder := t.TempDir()
			m := testManager(t, Options{LogDir: folder}, quickTiming())
			w := stdioWant("s", "__server")
			w.conn = c.conn
			m.apply(wants(w))
			status := waitUntil(t, m, "s", isStuck)
			data, err := os.ReadFile(filepath.Join(folder, "mcp-s.log"))
			if err != nil {
				t.Fatal(err)
			}
			all := status.Reason + "\n" + strings.Join(m.Log("s"), "\n") + "\n" + string(data)
			for _, secret := range c.secrets {
				if strings.Contains(all, secret) {
					t.Errorf("%s is shown in %s", secret, all)
				}
			}
			if !strings.Contains(all, c.shown) {
				t.Errorf("%q is not shown in %s", c.shown, all)
			}
		})
	}
}
