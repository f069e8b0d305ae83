//go:build !linux

package mcp

import (
	"errors"
	"runtime"
)

// confinable tells why this system cannot hold a limit: it never can.
func confinable() error {
	return errors.New("`folders` is set, and there is no way on " + runtime.GOOS + " to limit the files of a program (Linux has one); remove the key, or run the server in a container")
}

func become(confinement, []string) error { return confinable() }
