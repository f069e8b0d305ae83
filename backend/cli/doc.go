// Package cli is the command line: it parses, asks desk, prints a view and
// chooses the exit code.
//
// Exit codes: 0 ok, 1 failed or finding, 2 usage, 3 unknown server, 130
// interrupted.
package cli
