// Package approval decides whether a call may run without a person's yes, and
// refuses with the reason where nobody can be asked.
package approval
