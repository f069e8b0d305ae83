package terminal

import (
	"os"
	"os/signal"
	"syscall"
)

// Endings are the signals that end the program in order: an interrupt, the polite
// request to end, and a terminal that hung up, unless the program was started so
// that it outlives its terminal.
func Endings() []os.Signal {
	all := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) {
		all = append(all, syscall.SIGHUP)
	}
	return all
}
