package mcp

import (
	"bytes"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// kin are the processes that come from one server, or from all servers of a
// program: the members of its groups and sessions, whoever carries its brand or
// its marker, whoever was seen below it before, and everything below those.
type kin struct {
	leaders leaders
	marker  string
	seen    leaders
}

// task is one line of the list of processes. A number is used again, a number
// with its start time is not.
type task struct {
	pid, parent, group, session int
	start                       uint64
	dead                        bool
}

// tasks reads the list of processes, zombies included.
func tasks() map[int]task {
	all := map[int]task{}
	for _, pid := range pids() {
		if t, ok := readTask(pid); ok {
			all[pid] = t
		}
	}
	return all
}

func pids() []int {
	folder, err := os.Open("/proc")
	if err != nil {
		return nil
	}
	defer func() { _ = folder.Close() }()
	names, _ := folder.Readdirnames(-1)
	found := make([]int, 0, len(names))
	for _, name := range names {
		if pid, err := strconv.Atoi(name); err == nil {
			found = append(found, pid)
		}
	}
	return found
}

// readTask reads proc_pid_stat(5). The name in it may hold spaces and
// parentheses, so the fields are counted from the last one.
func readTask(pid int) (task, bool) {
	data, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return task{}, false
	}
	fields := bytes.Fields(data[bytes.LastIndexByte(data, ')')+1:])
	if len(fields) < 20 {
		return task{}, false
	}
	numbers := make([]int, 0, 3)
	for _, field := range fields[1:4] {
		n, err := strconv.Atoi(string(field))
		if err != nil {
			return task{}, false
		}
		numbers = append(numbers, n)
	}
	start, err := strconv.ParseUint(string(fields[19]), 10, 64)
	if err != nil {
		return task{}, false
	}
	state := fields[0][0]
	return task{pid, numbers[0], numbers[1], numbers[2], start, state == 'Z' || state == 'X'}, true
}

// startOf is when a process began, in ticks since boot, 0 when it is not known.
func startOf(pid int) uint64 {
	t, _ := readTask(pid)
	return t.start
}

// living lists the processes of the family. Zombies are dead: they hold nothing
// and their parent collects them.
func (k kin) living() []task {
	all := tasks()
	leading := map[int]bool{}
	for pid, start := range k.leaders {
		// Somebody else's number by now says nothing of a group.
		if t, ok := all[pid]; !ok || start == 0 || t.start == start {
			leading[pid] = true
		}
	}
	mark := markOf(k.marker)
	children := map[int][]int{}
	var found []task
	var open []int
	known := map[int]bool{0: true, 1: true, os.Getpid(): true}
	for pid, t := range all {
		children[t.parent] = append(children[t.parent], pid)
		if known[pid] || t.dead {
			continue
		}
		start, seen := k.seen[pid]
		if seen && start == t.start || leading[t.group] || leading[t.session] || mark.on(pid) {
			known[pid] = true
			open = append(open, pid)
		}
	}
	for len(open) > 0 {
		pid := open[0]
		open = open[1:]
		found = append(found, all[pid])
		for _, child := range children[pid] {
			if !known[child] && !all[child].dead {
				known[child] = true
				open = append(open, child)
			}
		}
	}
	if len(found) == 0 {
		return mark.late()
	}
	return found
}

// signal sends to one process. It is held by a descriptor while its identity is
// checked again, so a number in use again is never hit.
func (t task) signal(sig syscall.Signal) {
	process, err := os.FindProcess(t.pid)
	if err != nil {
		return
	}
	defer func() { _ = process.Release() }()
	if startOf(t.pid) == t.start {
		_ = process.Signal(sig)
	}
}

// end terminates the family, also who joins it meanwhile, and kills what does
// not go.
func (k kin) end(t timing) {
	told := map[task]bool{}
	ended := awaitStep(t.termGrace, func() bool {
		list := k.living()
		for _, member := range list {
			if id := (task{pid: member.pid, start: member.start}); !told[id] {
				told[id] = true
				member.signal(syscall.SIGTERM)
			}
		}
		return len(list) == 0
	})
	if !ended {
		k.destroy(t.killGrace)
	}
}

// destroy kills the family until nobody is left of it. Everybody is stopped
// before the first is killed, so that a chain of forks does not outrun the look
// at it.
func (k kin) destroy(limit time.Duration) {
	awaitStep(limit, func() bool {
		k.freeze()
		list := k.living()
		for _, member := range list {
			member.signal(syscall.SIGKILL)
		}
		return len(list) == 0
	})
}

// mostLooks bounds the looks for newcomers; the next step looks again.
const mostLooks = 20

// freeze stops the family. A process that was sent the signal forks no more, so
// a look that finds nobody new has found everybody.
func (k kin) freeze() {
	stopped := map[task]bool{}
	mark := markOf(k.marker)
	for range mostLooks {
		mark.stopBranded()
		fresh := false
		for _, member := range k.living() {
			if id := (task{pid: member.pid, start: member.start}); !stopped[id] {
				stopped[id], fresh = true, true
				member.signal(syscall.SIGSTOP)
			}
		}
		if !fresh {
			return
		}
	}
}

// awaitStep repeats a step until it says that it is done or the time is over,
// and tells which. Nothing announces the end of a process that is not our own
// child.
func awaitStep(limit time.Duration, step func() bool) bool {
	deadline := time.NewTimer(limit)
	defer deadline.Stop()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for !step() {
		select {
		case <-deadline.C:
			return false
		case <-tick.C:
		}
	}
	return true
}

// marked tells whether the process was started with our marker. The environment
// of other users' processes cannot be read, and they are not ours.
func marked(pid int, wanted []byte) bool {
	environ, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/environ")
	if err != nil {
		return false
	}
	return bytes.HasPrefix(environ, wanted) || bytes.Contains(environ, append([]byte{0}, wanted...))
}

// wantedMarker is what stands in the environment of whoever has the marker. One
// that ends in a dot is the beginning of many; any other is meant whole.
func wantedMarker(marker string) []byte {
	wanted := markerVariable + "=" + marker
	if !strings.HasSuffix(marker, ".") {
		wanted += "\x00"
	}
	return []byte(wanted)
}
