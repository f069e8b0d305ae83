package config

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"gopkg.in/yaml.v3"
)

// hugeFile is a file of 100 servers and 5,000 lines, as it grows over the years:
// comments, tools by name, and the settings of other parts.
func hugeFile() string {
	var b strings.Builder
	b.WriteString("# Hermes\nmodel:\n  provider: openai\n  default: gpt\n\nmcp_servers:\n")
	for i := range 100 {
		fmt.Fprintf(&b, "  # what server %d is for\n  server%d:\n    command: npx   # program %d\n    args: [\"-y\", \"pkg-%d\", \"/srv/data\"]\n    env:\n      TOKEN: ${TOKEN_%d}\n    timeout: 60\n    tools:\n      include:\n", i, i, i, i, i)
		for tool := range 28 {
			fmt.Fprintf(&b, "        - tool_number_%d   # what it does\n", tool)
		}
		b.WriteString("      resources: false\n\n")
	}
	b.WriteString("display:\n")
	for i := range 1090 {
		fmt.Fprintf(&b, "  setting_%d: value %d\n", i, i)
	}
	return b.String()
}

func BenchmarkLoadHugeFile(b *testing.B) {
	h := home(b, hugeFile())
	f := Open(h, Options{Getenv: env("HOME", h.Dir)})
	b.ReportAllocs()
	for b.Loop() {
		if len(f.Load().Servers) != 100 {
			b.Fatal("not read")
		}
	}
}

// BenchmarkFloorParse is the floor of reading: the YAML parser alone on the same
// bytes.
func BenchmarkFloorParse(b *testing.B) {
	data := []byte(hugeFile())
	b.ReportAllocs()
	for b.Loop() {
		var n yaml.Node
		if err := yaml.Unmarshal(data, &n); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkChangeHugeFile is one edit end to end: lock, read, compare, splice,
// prove, write, flush, rename, flush the folder.
func BenchmarkChangeHugeFile(b *testing.B) {
	h := home(b, hugeFile())
	f := Open(h, Options{Getenv: env("HOME", h.Dir)})
	f.Load()
	n := 60
	for b.Loop() {
		n++
		r, err := f.Change(context.Background(), Change{Steps: []Step{set(n, "mcp_servers", "server50", "timeout")}})
		if err != nil || !r.Changed {
			b.Fatal(r.Changed, err)
		}
	}
}

// BenchmarkApplyHugeFile is one tool switched off or on there.
func BenchmarkApplyHugeFile(b *testing.B) {
	h := home(b, hugeFile())
	f := Open(h, Options{Getenv: env("HOME", h.Dir)})
	f.Load()
	wanted := []Edit{off("server50", "tool_number_7"), on("server50", "tool_number_7")}
	n := 0
	for b.Loop() {
		if r, err := f.Apply(context.Background(), wanted[n%2]); err != nil || !r.Changed {
			b.Fatal(r.Changed, err)
		}
		n++
	}
}

// BenchmarkFloorWrite is the floor of an edit: the same bytes written, flushed,
// renamed and the folder flushed, with nothing read or proved.
func BenchmarkFloorWrite(b *testing.B) {
	data := []byte(hugeFile())
	h := home(b, hugeFile())
	for b.Loop() {
		temp, err := writeTemp(h.Config(), data)
		if err != nil {
			b.Fatal(err)
		}
		if err := errors.Join(os.Rename(temp, h.Config()), syncFolder(h.Dir)); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkImportHugeFile adds 30 servers in one change, without the write.
func BenchmarkImportHugeFile(b *testing.B) {
	doc, err := parse([]byte(hugeFile()))
	if err != nil {
		b.Fatal(err)
	}
	var steps []Step
	for i := range 30 {
		steps = append(steps, set(Map("command", "npx", "args", []string{"-y", "pkg"}), "mcp_servers", fmt.Sprintf("new%d", i)))
	}
	for b.Loop() {
		if after, err := planChange("config.yaml", doc, steps); err != nil || after == nil {
			b.Fatal(err)
		}
	}
}
