package hook

import (
	"os"
	"strconv"
)

// handle is the place of an open file: whoever opens or starts it gets that
// file, whatever its path leads to by then. It lasts while we keep it open.
func handle(file *opened) string {
	return "/proc/" + strconv.Itoa(os.Getpid()) + "/fd/" + strconv.FormatUint(uint64(file.in.Fd()), 10)
}
