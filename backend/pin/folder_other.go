//go:build !unix

package pin

// syncFolder does nothing where folders cannot be flushed.
func syncFolder(string) error { return nil }
