package mcp

import (
	"crypto/sha256"
	"encoding/binary"
	"math/bits"
	"os"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// A brand is the marker written into the limit of file locks of a process. The
// kernel has not read that limit since 2.4.25 (getrlimit(2)), but every child
// inherits it, and neither fork, setsid, exec nor a clean environment changes
// it. So an orphan is known as ours, and whose it is, also when all between it
// and its server is gone and when we are: parentage tells neither.
const brandLimit = unix.RLIMIT_LOCKS

// brandCount are the bits for a server's number, brandLeast the fewest that a
// brand may have: below that, the limit was set by somebody else.
const (
	brandCount = 24
	brandLeast = 48
)

// mark is how the processes of a marker are known.
type mark struct {
	wanted   []byte
	low, end uint64
}

// markOf reads a marker, TOKEN.NUMBER for one server and "TOKEN." for all. The
// empty one marks nobody.
func markOf(marker string) mark {
	if marker == "" {
		return mark{}
	}
	m := mark{wanted: wantedMarker(marker)}
	token, number, _ := strings.Cut(marker, ".")
	base, ok := brandOf(token, ownLimit())
	if !ok {
		return m
	}
	if number == "" {
		m.low, m.end = base, base+1<<brandCount
		return m
	}
	n, err := strconv.ParseUint(number, 10, brandCount)
	if err == nil {
		m.low, m.end = base|n, base|n+1
	}
	return m
}

// brandOf is the lowest brand of a token. It is below the limit we have, which
// is a brand itself when a server of another Hermes started us: that one's must
// still be known as its own.
func brandOf(token string, limit uint64) (uint64, bool) {
	top := 62
	if limit != unix.RLIM_INFINITY {
		top = bits.Len64(limit) - 2
	}
	if top < brandLeast {
		return 0, false
	}
	sum := sha256.Sum256([]byte(token))
	free := uint64(1)<<(top-brandCount) - 1
	return 1<<top | binary.BigEndian.Uint64(sum[:8])&free<<brandCount, true
}

func ownLimit() uint64 {
	var limit unix.Rlimit
	if err := unix.Prlimit(0, brandLimit, nil, &limit); err != nil {
		return 0
	}
	return limit.Max
}

// on tells whether a process is one of the marker's.
func (m mark) on(pid int) bool {
	return m.branded(pid) || len(m.wanted) > 0 && marked(pid, m.wanted)
}

func (m mark) branded(pid int) bool {
	var limit unix.Rlimit
	if m.low == 0 || unix.Prlimit(pid, brandLimit, nil, &limit) != nil {
		return false
	}
	return limit.Cur >= m.low && limit.Cur < m.end || limit.Max >= m.low && limit.Max < m.end
}

// each gives the branded processes one by one, as they are met.
func (m mark) each(do func(pid int)) {
	self := os.Getpid()
	for _, pid := range pids() {
		if pid != self && pid != 1 && m.branded(pid) {
			do(pid)
		}
	}
}

// late looks again after a look that found nobody: a chain of forks has another
// member when the list is read than when its members are. It believes quick
// looks during which nobody was born.
func (m mark) late() []task {
	var found []task
	for look := range mostLooks {
		born := lastBorn()
		m.each(func(pid int) {
			if t, ok := readTask(pid); ok && !t.dead {
				found = append(found, t)
			} else if !ok {
				// It ended under the eyes of this look, maybe after a fork.
				born = ""
			}
		})
		if len(found) > 0 || m.low == 0 || look > 0 && born != "" && born == lastBorn() {
			break
		}
	}
	return found
}

// lastBorn is the number of the newest process, the last field of
// proc_loadavg(5), "" where it is not told.
func lastBorn() string {
	data, _ := os.ReadFile("/proc/loadavg")
	fields := strings.Fields(string(data))
	if len(fields) < 5 {
		return ""
	}
	return fields[4]
}

// stopBranded stops whoever is branded, on sight: before a look at everything
// is over, a chain of forks would be somebody else.
func (m mark) stopBranded() {
	m.each(func(pid int) {
		process, err := os.FindProcess(pid)
		if err != nil {
			return
		}
		// Again, now that a descriptor holds it.
		if m.branded(pid) {
			_ = process.Signal(syscall.SIGSTOP)
		}
		_ = process.Release()
	})
}

// brand writes the marker into a process that was just started, and into
// whatever it started itself by then. A system that refuses leaves the other
// ways to know it.
func brand(pid int, marker string) {
	m := markOf(marker)
	if m.low == 0 {
		return
	}
	limit := unix.Rlimit{Cur: m.low, Max: m.low}
	if own := ownLimit(); own != unix.RLIM_INFINITY {
		limit.Max = own
	}
	m.write(pid, limit)
}

func (m mark) write(pid int, limit unix.Rlimit) {
	if unix.Prlimit(pid, brandLimit, &limit, nil) != nil {
		return
	}
	number := strconv.Itoa(pid)
	children, _ := os.ReadFile("/proc/" + number + "/task/" + number + "/children")
	for word := range strings.FieldsSeq(string(children)) {
		if child, err := strconv.Atoi(word); err == nil && !m.branded(child) {
			m.write(child, limit)
		}
	}
}
