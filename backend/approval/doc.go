// Package approval decides whether a call may run without a person's yes, and
// refuses with the reason where nobody can be asked. Its Inbox puts questions
// before a person, on every face at once.
package approval
