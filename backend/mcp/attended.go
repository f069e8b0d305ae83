package mcp

import (
	"os"
	"slices"

	"golang.org/x/term"
)

// attended tells whether one of the standard streams is a terminal. A program
// started from a desktop has none.
func attended() bool {
	return slices.ContainsFunc([]*os.File{os.Stdin, os.Stdout, os.Stderr}, func(f *os.File) bool {
		return term.IsTerminal(int(f.Fd()))
	})
}
