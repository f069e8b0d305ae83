package policy_test

import (
	"testing"

	"hermes/backend/policy"
)

const benchFile = `mcp_servers:
  open: {}
  small: {tools: {include: [read_file, list_dir]}}
  large: {tools: {include: [a1, a2, a3, a4, a5, a6, a7, a8, a9, b1, b2, b3, b4, b5, b6, b7, b8, b9, read_file]}}
  globs: {tools: {include: ["list_*", "search_*", "read_*"]}}
  black: {tools: {exclude: [write_file, "delete_*"]}}
`

// BenchmarkVerdict asks with the whole answer, words and place included.
func BenchmarkVerdict(b *testing.B) {
	ask(b, func(r policy.Rules, name string) bool { return r.Tool(name).Allowed })
}

// BenchmarkAllows asks for yes or no.
func BenchmarkAllows(b *testing.B) { ask(b, policy.Rules.Allows) }

func ask(b *testing.B, question func(policy.Rules, string) bool) {
	set := setOf(b, benchFile)
	for _, server := range set.Names() {
		rules, _ := set.Rules(server)
		for _, c := range []struct{ name, tool string }{{"read", "read_file"}, {"write", "write_file"}} {
			b.Run(server+"/"+c.name, func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					question(rules, c.tool)
				}
			})
		}
	}
}

func BenchmarkReadServer(b *testing.B) {
	set := setOf(b, benchFile)
	entry := set.Entry("large")
	for b.Loop() {
		policy.ReadServer(entry)
	}
}

func BenchmarkDecodeServer(b *testing.B) {
	data := setOf(b, benchFile).Encode("large")
	for b.Loop() {
		if _, _, err := policy.DecodeServer(data); err != nil {
			b.Fatal(err)
		}
	}
}
