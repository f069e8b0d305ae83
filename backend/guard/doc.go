// Package guard watches a turn and its results: repetition, size, secrets, and
// the fence around what an untrusted tool says.
package guard
