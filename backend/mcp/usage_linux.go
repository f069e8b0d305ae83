package mcp

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// ticks is how many of a process' clock ticks are a second: the kernel tells
// programs 100 whatever its own is.
const ticks = 100

// processTable reads the list of processes.
func processTable() []processRow {
	folders, _ := filepath.Glob("/proc/[0-9]*")
	boot := bootTime()
	page := int64(os.Getpagesize())
	rows := make([]processRow, 0, len(folders))
	for _, folder := range folders {
		data, err := os.ReadFile(folder + "/stat")
		if err != nil {
			continue
		}
		if row, ok := parseRow(data, boot, page); ok {
			rows = append(rows, row)
		}
	}
	return rows
}

// parseRow reads a line of proc_pid_stat(5). The name in it may hold spaces and
// parentheses, so the fields are counted from the last one.
func parseRow(data []byte, boot time.Time, page int64) (processRow, bool) {
	end := bytes.LastIndexByte(data, ')')
	start := bytes.IndexByte(data, ' ')
	if end < 0 || start < 0 {
		return processRow{}, false
	}
	fields := bytes.Fields(data[end+1:])
	if len(fields) < 22 || fields[0][0] == 'Z' || fields[0][0] == 'X' {
		return processRow{}, false
	}
	number := func(field int) int64 {
		n, _ := strconv.ParseInt(string(fields[field-3]), 10, 64)
		return n
	}
	pid, err := strconv.Atoi(string(data[:start]))
	if err != nil {
		return processRow{}, false
	}
	// 14 to 17 are the times of the process and of its collected children.
	cpu := time.Duration(number(14)+number(15)+number(16)+number(17)) * time.Second / ticks
	memory := number(24) * page
	row := processRow{
		pid: pid, parent: int(number(4)), group: int(number(5)), session: int(number(6)),
		read: func() (int64, time.Duration) { return memory, cpu },
	}
	if !boot.IsZero() {
		row.began = boot.Add(time.Duration(number(22)) * time.Second / ticks)
	}
	return row, true
}

// bootTime is when the times in the list began, zero where that is not told.
func bootTime() time.Time {
	data, err := os.ReadFile("/proc/uptime")
	if err != nil {
		return time.Time{}
	}
	up, _, _ := strings.Cut(string(data), " ")
	seconds, err := strconv.ParseFloat(up, 64)
	if err != nil {
		return time.Time{}
	}
	return time.Now().Add(-time.Duration(seconds * float64(time.Second)))
}
