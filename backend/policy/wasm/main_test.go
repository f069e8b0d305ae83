package main

import (
	"flag"
	"os"
	"testing"
)

// TestMain asks for as many random cases as docs/FILTER.md section 7 wants,
// unless the command line says otherwise.
func TestMain(m *testing.M) {
	flag.Parse()
	given := false
	flag.Visit(func(f *flag.Flag) { given = given || f.Name == "rapid.checks" })
	if !given {
		if err := flag.Set("rapid.checks", "10000"); err != nil {
			panic(err)
		}
	}
	os.Exit(m.Run())
}
