// Package hook runs the programs that a file names for calls of tools: before a
// call, where they may block it, change its arguments or want a person to be
// asked, and after it, where they watch. The words between us and a hook are
// those of Hermes Agent (docs/HOOKS.md).
//
// What is different is the direction of every doubt. A hook that fails, hangs,
// answers what cannot be read, or is not the one a person trusted, blocks the
// call. Trust is bound to the content of the files a hook stands on, which are
// read again right before each run.
//
// The package starts nothing itself: a Starter does, which also sees to it that
// nothing of a hook is left behind.
package hook
