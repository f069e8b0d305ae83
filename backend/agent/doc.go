// Package agent runs the turn loop: stream, split batches, persist, gate, run,
// answer in order, repeat or stop.
package agent
