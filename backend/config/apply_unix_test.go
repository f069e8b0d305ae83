//go:build unix

package config

import (
	"os"
	"syscall"
	"testing"
)

func TestApplyKeepsOwner(t *testing.T) {
	h := home(t, demo)
	want := [2]int{os.Getuid(), os.Getgid()}
	if os.Getuid() == 0 {
		want = [2]int{12345, 23456}
		if err := os.Chown(h.Config(), want[0], want[1]); err != nil {
			t.Fatal(err)
		}
	}
	apply(t, open(t, h), off("demo", "read_file"))
	info, err := os.Stat(h.Config())
	if err != nil {
		t.Fatal(err)
	}
	stat := info.Sys().(*syscall.Stat_t)
	if got := [2]int{int(stat.Uid), int(stat.Gid)}; got != want {
		t.Errorf("owner is %v, want %v", got, want)
	}
}
