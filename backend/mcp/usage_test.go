//go:build unix

package mcp

import (
	"testing"
	"time"
)

// TestUsageOfAServer counts the process of a server and those it started, and
// nothing for a server without one.
func TestUsageOfAServer(t *testing.T) {
	folder := t.TempDir()
	m := testManager(t, Options{}, quickTiming())
	alone := stdioWant("alone", "__server", "tools")
	m.apply(wants(alone, stdioWant("three", "__server", "fork", folder)))
	if missing := m.Wait(testContext(t), nil); len(missing) > 0 {
		t.Fatal(missing)
	}
	one, percent, ok := m.Usage("alone")
	if !ok || one < 1<<20 || percent < 0 {
		t.Errorf("alone: %d bytes, %f%%, %v", one, percent, ok)
	}
	if three, _, ok := m.Usage("three"); !ok || three < 2*one {
		t.Errorf("three processes use %d bytes, one uses %d (%v)", three, one, ok)
	}
	if _, _, ok := m.Usage("none"); ok {
		t.Error("a server that is not there uses something")
	}
	m.apply(nil)
	if _, _, ok := m.Usage("alone"); ok {
		t.Error("a server that was removed uses something")
	}
}

// TestUsageOverTime: the percentage is of the time since the last look, counts
// descendants of any group, and begins anew with a new process.
func TestUsageOverTime(t *testing.T) {
	began := time.Now()
	spent := map[int]time.Duration{}
	lists := 0
	list := func() []processRow {
		lists++
		var rows []processRow
		for pid, ids := range map[int][3]int{10: {1, 10, 10}, 11: {10, 10, 10}, 12: {11, 12, 12}, 13: {12, 99, 99}, 14: {1, 14, 10}, 20: {1, 20, 20}, 30: {1, 30, 30}} {
			rows = append(rows, processRow{
				pid: pid, parent: ids[0], group: ids[1], session: ids[2], began: began,
				read: func() (int64, time.Duration) { return int64(pid), spent[pid] },
			})
		}
		return rows
	}
	u := &usage{}
	look := func(pid int, after time.Duration, memory int64, percent float64, listed int) {
		t.Helper()
		m, p, ok := u.measure("s", pid, began.Add(after), list)
		if !ok || m != memory || p < percent-0.01 || p > percent+0.01 || lists != listed {
			t.Errorf("after %s: %d bytes, %f%%, %v, listed %d times", after, m, p, ok, lists)
		}
	}
	const family = 10 + 11 + 12 + 13 + 14
	spent[10], spent[13], spent[20] = time.Second, time.Second, time.Hour
	look(10, 10*time.Second, family, 20, 1)
	spent[13] += 500 * time.Millisecond
	look(10, 11*time.Second, family, 50, 2)
	// A look that follows at once has the same answer and costs no list.
	look(10, 11*time.Second+time.Millisecond, family, 50, 2)
	// A descendant that ended takes its time with it: that is no negative use.
	spent[13] = 0
	look(10, 12*time.Second, family, 0, 3)
	spent[30] = 3 * time.Second
	look(30, 12*time.Second+time.Millisecond, 30, 3*100/12.001, 3)
	if _, _, ok := u.measure("s", 99999, began, list); ok {
		t.Error("a process that is gone uses something")
	}
}

func TestParsePS(t *testing.T) {
	rows := parsePS("    1     0     1  12345   1:02.50\n  812   1   812  2048 01:00:00\nbroken\n 9 1 9 0 2-03:04:05\n x 1 1 1 0:01\n 7 1 1 1 nonsense\n 8 1 1 1 1:2:3:4\n")
	want := []struct {
		pid, parent, group int
		memory             int64
		cpu                time.Duration
	}{
		{1, 0, 1, 12345 << 10, 62500 * time.Millisecond}, {812, 1, 812, 2 << 20, time.Hour}, {9, 1, 9, 0, 51*time.Hour + 4*time.Minute + 5*time.Second},
	}
	if len(rows) != len(want) {
		t.Fatalf("%d rows", len(rows))
	}
	for i, w := range want {
		memory, cpu := rows[i].read()
		if r := rows[i]; r.pid != w.pid || r.parent != w.parent || r.group != w.group || memory != w.memory || cpu != w.cpu {
			t.Errorf("row %d: %+v %d %s", i, r, memory, cpu)
		}
	}
}
