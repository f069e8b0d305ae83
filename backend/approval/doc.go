// Package approval decides whether a call may run without a person's yes: deny
// globs, reasons to ask, grants that were given. Its Inbox puts questions before
// a person, on every face at once.
package approval
