//go:build !unix

package native

// carefully has no name here: the look before the opening has to do.
const carefully = 0

// syncFolder does nothing where folders cannot be flushed.
func syncFolder(string) error { return nil }
