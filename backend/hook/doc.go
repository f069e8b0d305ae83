// Package hook knows which calls a configured hook would gate, and refuses them
// as long as the hook does not run.
package hook
