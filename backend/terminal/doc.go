// Package terminal asks a person in a terminal: a full-screen picker with
// search, the same as numbered text for plain terminals, and prompts of one
// line. A question that is not answered changes nothing: cancelling, the end of
// the input and an interruption are errors of their own.
package terminal
