package mcp

import (
	"strconv"
	"strings"
	"time"
)

// parsePS reads the columns pid, ppid, pgid, rss (in KiB) and time of ps(1).
func parsePS(out string) []processRow {
	var rows []processRow
	for line := range strings.Lines(out) {
		fields := strings.Fields(line)
		if len(fields) != 5 {
			continue
		}
		var numbers [4]int
		var fault error
		for i := range numbers {
			n, err := strconv.Atoi(fields[i])
			if err != nil {
				fault = err
			}
			numbers[i] = n
		}
		cpu, ok := parsePSTime(fields[4])
		if fault != nil || !ok {
			continue
		}
		memory := int64(numbers[3]) << 10
		rows = append(rows, processRow{
			pid: numbers[0], parent: numbers[1], group: numbers[2],
			read: func() (int64, time.Duration) { return memory, cpu },
		})
	}
	return rows
}

// parsePSTime reads "[days-][hours:]minutes:seconds[.hundredths]".
func parsePSTime(text string) (time.Duration, bool) {
	days, rest, ok := strings.Cut(text, "-")
	if !ok {
		days, rest = "0", text
	}
	parts := strings.Split(rest, ":")
	switch len(parts) {
	case 2:
		parts = append([]string{"0"}, parts...)
	case 3:
	default:
		return 0, false
	}
	total := time.Duration(0)
	for i, part := range append([]string{days}, parts...) {
		unit := []time.Duration{24 * time.Hour, time.Hour, time.Minute, time.Second}[i]
		n, err := strconv.ParseFloat(part, 64)
		if err != nil || n < 0 {
			return 0, false
		}
		total += time.Duration(n * float64(unit))
	}
	return total, true
}
