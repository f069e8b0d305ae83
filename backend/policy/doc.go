// Package policy is the only reader of tool rules: it turns a server's entry
// into a state, words and verdicts, an edit into path operations, and holds
// the rule of the lock ledger.
//
// Nothing else in the program looks at the keys this package reads. It imports
// only light parts of the standard library, because the same code is compiled
// to WebAssembly for the page.
package policy
