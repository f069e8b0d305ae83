// Package watch turns the noisy events of a file system into "look again".
//
// It reads no file and compares nothing: whoever is told to look compares a
// hash of the bytes. It also never polls (DESIGN invariant 10), so changes that
// another machine makes on a network share are not seen.
package watch
