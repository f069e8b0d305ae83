// Package watch turns the noisy events of a file system into "look again".
//
// It reads no file and compares nothing: whoever is told to look compares a
// hash of the bytes. It also never polls (DESIGN invariant 10): where a file
// system does not tell of changes, a Watcher says so and looks when it is asked.
package watch
