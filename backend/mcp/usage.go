package mcp

import (
	"sync"
	"time"
)

// usage remembers what servers used when somebody looked, so that the next look
// can tell the processor time since. Nobody looking costs nothing.
type usage struct {
	mu sync.Mutex
	// table is one look at all processes, shared by servers that are asked for
	// together.
	table []processRow
	taken time.Time
	last  map[string]usageSample
}

// processRow is one process as the system lists it.
type processRow struct {
	pid, parent, group, session int
	// read gives its resident memory in bytes and the processor time it and its
	// collected children used; 0 for a process that is gone.
	read func() (memory int64, cpu time.Duration)
	// began is when it started, zero where that is not known.
	began time.Time
}

type usageSample struct {
	pid     int
	cpu     time.Duration
	at      time.Time
	percent float64
}

const (
	// tableAge is how old a look at the processes may be.
	tableAge = 500 * time.Millisecond
	// leastSpan is the shortest time over which a percentage says anything.
	leastSpan = 250 * time.Millisecond
)

// Usage measures what a server's processes use now: resident memory in bytes,
// and processor time in percent of one core since the last look (since its
// start for the first). Counted are its process, that one's group and session,
// and their descendants; memory that they share counts for each. ok is false for
// a server without a process of ours.
func (m *Manager) Usage(server string) (memoryBytes int64, cpuPercent float64, ok bool) {
	pid := m.Status(server).PID
	if pid == 0 {
		return 0, 0, false
	}
	return m.usage.measure(server, pid, time.Now(), processTable)
}

func (u *usage) measure(server string, pid int, now time.Time, list func() []processRow) (int64, float64, bool) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if age := now.Sub(u.taken); u.table == nil || age < 0 || age > tableAge {
		u.table, u.taken = list(), now
	}
	var memory int64
	var cpu time.Duration
	var began time.Time
	found := false
	for _, row := range family(u.table, pid) {
		bytes, spent := row.read()
		memory, cpu = memory+bytes, cpu+spent
		if row.pid == pid {
			found, began = true, row.began
		}
	}
	if !found {
		delete(u.last, server)
		return 0, 0, false
	}
	before, known := u.last[server]
	if !known || before.pid != pid {
		before = usageSample{pid: pid, at: began}
	}
	percent := before.percent
	if span := now.Sub(before.at); !before.at.IsZero() && span >= leastSpan {
		percent = max(0, 100*float64(cpu-before.cpu)/float64(span))
		before = usageSample{pid: pid, cpu: cpu, at: now, percent: percent}
	}
	if before.at.IsZero() {
		before = usageSample{pid: pid, cpu: cpu, at: now}
	}
	if u.last == nil {
		u.last = map[string]usageSample{}
	}
	u.last[server] = before
	return memory, percent, true
}

// family are the processes of the leader's group and session, and whatever
// descends from them.
func family(table []processRow, leader int) []processRow {
	inside := map[int]bool{}
	var rows []processRow
	add := func(row processRow) {
		if !inside[row.pid] {
			inside[row.pid] = true
			rows = append(rows, row)
		}
	}
	for _, row := range table {
		if row.pid == leader || row.group == leader || row.session == leader {
			add(row)
		}
	}
	for grown := true; grown; {
		before := len(rows)
		for _, row := range table {
			if inside[row.parent] {
				add(row)
			}
		}
		grown = len(rows) > before
	}
	return rows
}
