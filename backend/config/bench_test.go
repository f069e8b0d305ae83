package config

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"hermes/backend/policy"
)

// servers writes a file of n servers as people write them.
func servers(n int) string {
	var b strings.Builder
	b.WriteString("# Hermes\nmodel:\n  provider: openai\n  default: gpt\n\nmcp_servers:\n")
	for i := range n {
		fmt.Fprintf(&b, "  server%d:\n    command: npx   # program %d\n    args: [\"-y\", \"pkg-%d\", \"/srv/data\"]\n    env:\n      TOKEN: ${TOKEN_%d}\n    timeout: 60\n    tools:\n      include: [read_file, list_directory, \"get_*\"]\n      resources: false\n", i, i, i, i)
	}
	return b.String()
}

func BenchmarkLoad100Servers(b *testing.B) {
	h := home(b, servers(100))
	f := Open(h, Options{Getenv: env("HOME", h.Dir)})
	b.ReportAllocs()
	for b.Loop() {
		if len(f.Load().Servers) != 100 {
			b.Fatal("not read")
		}
	}
}

func BenchmarkLoad3Servers(b *testing.B) {
	h := home(b, servers(3))
	f := Open(h, Options{Getenv: env("HOME", h.Dir)})
	for b.Loop() {
		f.Load()
	}
}

func BenchmarkPlanEdit100Servers(b *testing.B) {
	doc, err := parse([]byte(servers(100)))
	if err != nil {
		b.Fatal(err)
	}
	e := Edit{Server: "server50", Intent: policy.Intent{Action: policy.ActionOff, Tool: "read_file"}}
	for b.Loop() {
		if after, err := plan("config.yaml", doc, e, policy.Rules{}); err != nil || after == nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkReloadUnchanged(b *testing.B) {
	h := home(b, servers(100))
	f := Open(h, Options{Getenv: env("HOME", h.Dir)})
	f.Load()
	for b.Loop() {
		if _, changed := f.Reload(); changed {
			b.Fatal("changed")
		}
	}
}

func BenchmarkApply(b *testing.B) {
	h := home(b, servers(20))
	f := Open(h, Options{Getenv: env("HOME", h.Dir)})
	f.Load()
	wanted := []Edit{off("server3", "read_file"), on("server3", "read_file")}
	n := 0
	for b.Loop() {
		if r, err := f.Apply(context.Background(), wanted[n%2]); err != nil || !r.Changed {
			b.Fatal(r.Changed, err)
		}
		n++
	}
}
