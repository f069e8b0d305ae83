// Package desk holds the use cases that the faces call: list, edit, why, chat
// and the others, one file each, facts in and views out.
package desk
