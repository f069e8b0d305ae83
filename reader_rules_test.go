package main

import (
	"strings"

	"pgregory.net/rapid"
)

// Random rules as people and programs write them in YAML: mostly good ones, and
// every odd shape of FILTER section 2 now and then. Each value is the text
// below a server's `url`, indented by four spaces.

func oneIn(t *rapid.T, n int, label string) bool { return rapid.IntRange(1, n).Draw(t, label) == 1 }

func genServerRules() *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		switch rapid.IntRange(0, 19).Draw(t, "shape") {
		case 0:
			return ""
		case 1:
			return "    tools: " + rapid.SampledFrom([]string{"", "~", "{}", "[]", `""`, "true", "false", "a", "42", "[a]", "*names", "!!set {a}"}).Draw(t, "odd") + "\n"
		case 2:
			return "    tools: *block\n"
		case 3:
			return "    <<: {tools: {include: [" + genNameText().Draw(t, "merged") + "]}}\n"
		case 4:
			return "    tools: {include: [a]}\n    tools: {exclude: [b]}\n"
		case 5, 6, 7, 8, 9:
			return "    tools: {" + strings.Join(genKeys(t), ", ") + "}\n"
		}
		var b strings.Builder
		b.WriteString("    tools:\n")
		for _, line := range genKeys(t) {
			b.WriteString("      " + line + rapid.SampledFrom([]string{"", "", "", "  # a comment"}).Draw(t, "comment") + "\n")
		}
		return b.String()
	})
}

// genKeys are the lines of a tools block.
func genKeys(t *rapid.T) []string {
	keys := rapid.SliceOfN(rapid.SampledFrom([]string{"include", "include", "exclude", "exclude", "resources", "prompts", "colour", "<<"}), 0, 3).Draw(t, "keys")
	seen := map[string]bool{}
	lines := []string{}
	for _, key := range keys {
		if seen[key] && !oneIn(t, 12, "twice") {
			continue
		}
		seen[key] = true
		value := rapid.SampledFrom([]string{"true", "false", "off", `"no"`, "1", "maybe", "~", "{enabled: true}"}).Draw(t, key)
		switch key {
		case "include", "exclude":
			value = genListText().Draw(t, key)
		case "<<":
			value = rapid.SampledFrom([]string{"*block", "[*block, {exclude: [a]}]"}).Draw(t, key)
		}
		if rapid.IntRange(0, 9).Draw(t, "quoted key") == 0 && key != "<<" {
			key = `"` + key + `"`
		}
		lines = append(lines, key+": "+value)
	}
	return lines
}

func genListText() *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		switch rapid.IntRange(0, 11).Draw(t, "form") {
		case 0:
			return rapid.SampledFrom([]string{"~", "null", `""`, "42", "true", "2026-01-01", "{a: b}", "*names", "!!str a", "!!set {a, b}", "!mine [a]"}).Draw(t, "odd list")
		case 1:
			return genNameText().Draw(t, "scalar")
		case 2, 3:
			return "[]"
		}
		items := rapid.SliceOfN(genItemText(), 0, 8).Draw(t, "items")
		return "[" + strings.Join(items, ", ") + "]"
	})
}

func genItemText() *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		switch n := rapid.IntRange(0, 11).Draw(t, "item"); {
		case n == 0:
			return rapid.SampledFrom([]string{"~", "true", "42", "1.10", "on", "2026-01-01", "{a: b}", "[x]", `""`, `" a "`, "0x1F", "!!str 42"}).Draw(t, "odd item")
		case n < 4:
			return `"` + rapid.SampledFrom([]string{"*", "a*", "?", "[ab]", "*_file", "[!a]*", "x[-.]?", "[", "x-*", "ä*", "[[]", "READ*"}).Draw(t, "glob") + `"`
		}
		return genNameText().Draw(t, "name")
	})
}

func genNameText() *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		name := rapid.SampledFrom(append(toolPool(), "ghost", "mcp__s001__a")).Draw(t, "tool")
		switch rapid.IntRange(0, 2).Draw(t, "quotes") {
		case 0:
			return `"` + name + `"`
		case 1:
			return "'" + name + "'"
		}
		return name
	})
}
