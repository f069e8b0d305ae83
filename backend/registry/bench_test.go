package registry

import (
	"encoding/json"
	"fmt"
	"testing"
)

func benchCatalog(n int) ([]string, []Source) {
	verbs := []string{"read", "write", "list", "create", "delete", "search", "update", "export", "import", "merge"}
	nouns := []string{"file", "ticket", "commit", "calendar", "message", "invoice", "customer", "branch", "image", "report"}
	var names []string
	var sources []Source
	for s := range (n + 99) / 100 {
		src := Source{Server: fmt.Sprintf("server%02d", s), Rules: open(), Known: true}
		for i := range min(100, n-s*100) {
			verb, noun := verbs[i%10], nouns[i/10%10]
			src.Tools = append(src.Tools, tool(fmt.Sprintf("%s_%s_%d", verb, noun, i),
				fmt.Sprintf("Can %s one %s of the project number %d. Takes filters and gives the result as text.", verb, noun, s),
				`{"type":"object","properties":{"id":{"type":"string","description":"Id"},"limit":{"type":"integer"},"filter":{"type":"object","properties":{"state":{"enum":["open","closed"]},"since":{"type":"string","format":"date"}}}},"required":["id"]}`))
		}
		names = append(names, src.Server)
		sources = append(sources, src)
	}
	return names, sources
}

func BenchmarkBuild500(b *testing.B) {
	names, sources := benchCatalog(500)
	b.ReportAllocs()
	for b.Loop() {
		Build(names, sources)
	}
}

// BenchmarkModelTools500 makes the definitions of a new catalogue of 500 tools,
// as the first pass after a reload does.
func BenchmarkModelTools500(b *testing.B) {
	names, sources := benchCatalog(500)
	for _, mode := range []string{ModeAuto, ModeOff} {
		b.Run(mode, func(b *testing.B) {
			o := DefaultOptions()
			o.Mode = mode
			b.ReportAllocs()
			for b.Loop() {
				b.StopTimer()
				c := Build(names, sources)
				b.StartTimer()
				c.ModelTools(o)
			}
		})
	}
}

func BenchmarkModelToolsAgain(b *testing.B) {
	c := Build(benchCatalog(500))
	c.ModelTools(Options{})
	for b.Loop() {
		c.ModelTools(Options{})
	}
}

func BenchmarkResolve(b *testing.B) {
	c := Build(benchCatalog(500))
	for b.Loop() {
		if _, verdict := c.Resolve("mcp__server03__read_file_0"); !verdict.Allowed {
			b.Fatal(verdict)
		}
	}
}

// BenchmarkSearch10000 builds the index of 10,000 tools, and asks a built one: with
// two queries whose words are new every time, and with one for what is not there.
func BenchmarkSearch10000(b *testing.B) {
	names, sources := benchCatalog(10000)
	b.Run("index", func(b *testing.B) {
		for b.Loop() {
			b.StopTimer()
			c := Build(names, sources)
			b.StartTimer()
			if err := c.search.open(c); err != nil {
				b.Fatal(err)
			}
		}
	})
	c := Build(names, sources)
	if err := c.search.open(c); err != nil {
		b.Fatal(err)
	}
	for name, query := range map[string]string{"query": `{"queries":["search calendar %d","export invoice project"]}`, "missing": `{"queries":["Wettervorhersage %d"]}`} {
		b.Run(name, func(b *testing.B) {
			i := 0
			for b.Loop() {
				i++
				c.Search(json.RawMessage(fmt.Sprintf(query, i)), Options{})
			}
		})
	}
}

func BenchmarkValidate(b *testing.B) {
	schema := json.RawMessage(`{"type":"object","properties":{"id":{"type":"string","description":"Id"},"limit":{"type":"integer"},"filter":{"type":"object","properties":{"state":{"enum":["open","closed"]},"since":{"type":"string","format":"date"}}}},"required":["id"]}`)
	args := json.RawMessage(`{"id":"x","limit":5,"filter":{"state":"open"}}`)
	b.Run("first", func(b *testing.B) {
		for b.Loop() {
			if invalid := Validate(schema, args); invalid != nil {
				b.Fatal(invalid)
			}
		}
	})
	b.Run("again", func(b *testing.B) {
		c := Build([]string{"s"}, []Source{{Server: "s", Rules: open(), Known: true, Tools: []Tool{{Name: "a", InputSchema: schema}}}})
		entry, _ := c.Resolve("mcp__s__a")
		for b.Loop() {
			if invalid := entry.Validate(args); invalid != nil {
				b.Fatal(invalid)
			}
		}
	})
}
