package mcp

import (
	"time"
	"unsafe"

	"golang.org/x/sys/windows"
)

// processTable takes a snapshot of all processes; what each uses is read for
// those that are asked for. A process whose parent ended is not counted.
func processTable() []processRow {
	snapshot, err := windows.CreateToolhelp32Snapshot(windows.TH32CS_SNAPPROCESS, 0)
	if err != nil {
		return nil
	}
	defer func() { _ = windows.CloseHandle(snapshot) }()
	entry := windows.ProcessEntry32{Size: uint32(unsafe.Sizeof(windows.ProcessEntry32{}))}
	var rows []processRow
	for err = windows.Process32First(snapshot, &entry); err == nil; err = windows.Process32Next(snapshot, &entry) {
		pid := entry.ProcessID
		rows = append(rows, processRow{
			pid: int(pid), parent: int(entry.ParentProcessID),
			read: func() (int64, time.Duration) { return readProcess(pid) },
		})
	}
	return rows
}

// memoryCounters is PROCESS_MEMORY_COUNTERS of psapi.h.
type memoryCounters struct {
	size, faults           uint32
	peak, resident         uintptr
	peakPaged, paged       uintptr
	peakNonPaged, nonPaged uintptr
	pagefile, peakPagefile uintptr
}

func readProcess(pid uint32) (int64, time.Duration) {
	process, err := windows.OpenProcess(windows.PROCESS_QUERY_LIMITED_INFORMATION, false, pid)
	if err != nil {
		return 0, 0
	}
	defer func() { _ = windows.CloseHandle(process) }()
	var created, ended, kernel, user windows.Filetime
	var cpu time.Duration
	if windows.GetProcessTimes(process, &created, &ended, &kernel, &user) == nil {
		cpu = span(kernel) + span(user)
	}
	counters := memoryCounters{size: uint32(unsafe.Sizeof(memoryCounters{}))}
	done, _, _ := windows.NewLazySystemDLL("kernel32.dll").NewProc("K32GetProcessMemoryInfo").Call(
		uintptr(process), uintptr(unsafe.Pointer(&counters)), uintptr(counters.size))
	if done == 0 {
		return 0, cpu
	}
	return int64(counters.resident), cpu
}

// span is a Filetime that holds a length of time, in steps of 100 ns.
func span(t windows.Filetime) time.Duration {
	return time.Duration(int64(t.HighDateTime)<<32|int64(t.LowDateTime)) * 100
}
