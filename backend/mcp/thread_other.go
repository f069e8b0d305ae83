//go:build !linux

package mcp

// starterThread is only needed on Linux, where a child's parent-death signal
// hangs on the thread that started it.
type starterThread struct{}

func (*starterThread) do(f func() error) error { return f() }

func (*starterThread) close() {}
