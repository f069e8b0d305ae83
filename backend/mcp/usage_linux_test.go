package mcp

import (
	"testing"
	"time"
)

func TestParseRow(t *testing.T) {
	boot := time.Unix(1000, 0)
	const rest = " 7 42 43 0 -1 4194560 1 2 3 4 100 50 25 25 20 0 1 0 500 1000000 3 18446744073709551615"
	row, ok := parseRow([]byte("42 (a) b (c) S"+rest), boot, 4096)
	if !ok || row.pid != 42 || row.parent != 7 || row.group != 42 || row.session != 43 || !row.began.Equal(boot.Add(5*time.Second)) {
		t.Errorf("%+v %v", row, ok)
	}
	if memory, cpu := row.read(); memory != 3*4096 || cpu != 2*time.Second {
		t.Errorf("%d bytes, %s", memory, cpu)
	}
	for _, bad := range []string{"", "42", "42 (a) S", "x (a) S" + rest, "42 (a) Z" + rest} {
		if _, ok := parseRow([]byte(bad), boot, 4096); ok {
			t.Errorf("%q is read", bad)
		}
	}
}
