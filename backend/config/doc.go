// Package config is the one door to config.yaml: an immutable snapshot with
// its revision and problems, edits as compare-and-swap byte splices of the
// paths that package policy names, and beside the file its `.env`, its ${VAR}
// references and the ledger.
//
// It reads every key of a server but the tool rules: those belong to package
// policy (DESIGN invariant 1), which gets the entry as a small tree.
package config
