package watch

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// A write through another name of the same file, as a bind mount gives it, is
// no event of the watched folder.
func TestWriteThroughAnotherName(t *testing.T) {
	root := t.TempDir()
	path, other := filepath.Join(root, "home", "config.yaml"), filepath.Join(root, "elsewhere", "source.yaml")
	put(t, path, "a")
	if err := os.Mkdir(filepath.Dir(other), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Link(path, other); err != nil {
		t.Fatal(err)
	}
	e := open(t, path, short)
	e.until("a")
	put(t, other, "b")
	e.until("b")
}

// Without a watcher of the system it is said, a look happens when it is asked
// for, and the next look hears again once there is room.
func TestUsedUpLimit(t *testing.T) {
	path := filepath.Join(t.TempDir(), "home", "config.yaml")
	put(t, path, "a")
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		t.Fatal(err)
	}
	none := limit
	none.Cur = 0
	if err := syscall.Setrlimit(syscall.RLIMIT_NOFILE, &none); err != nil {
		t.Fatal(err)
	}
	looks := make(chan struct{}, 100)
	w, err := Watch(context.Background(), path, Options{Quiet: short}, func(bool) bool {
		looks <- struct{}{}
		return true
	})
	if back := syscall.Setrlimit(syscall.RLIMIT_NOFILE, &limit); back != nil {
		t.Fatal(back)
	}
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	<-looks
	if reason, deaf := w.Deaf(); !deaf || !strings.Contains(reason, "fs.inotify.max_user_instances") {
		t.Fatalf("deaf %v: %q", deaf, reason)
	}
	w.Look(t.Context())
	<-looks
	if reason, deaf := w.Deaf(); deaf {
		t.Fatalf("deaf although there is room: %q", reason)
	}
	put(t, path, "b")
	<-looks
	if got := exhausted(syscall.ENOSPC); !strings.Contains(got, "fs.inotify.max_user_watches") {
		t.Errorf("%q", got)
	}
}

func TestFileSystemThatDoesNotTell(t *testing.T) {
	link := filepath.Join(t.TempDir(), "config.yaml")
	if err := os.Symlink("/proc/version", link); err != nil {
		t.Fatal(err)
	}
	w, err := Watch(context.Background(), link, Options{Quiet: short}, func(bool) bool { return true })
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	if reason, deaf := w.Deaf(); !deaf || !strings.Contains(reason, link) || !strings.Contains(reason, "(proc)") {
		t.Errorf("deaf %v: %q", deaf, reason)
	}
	if kind := silent(t.TempDir()); kind != "" {
		t.Errorf("the folder of the tests is taken for %s", kind)
	}
}

func TestMagicNumbers(t *testing.T) {
	for magic, want := range map[uint32]string{
		0x6969: "nfs", 0xFF534D42: "smb", 0xFE534D42: "smb", 0x517B: "smb", 0x01021997: "9p", 0x00C36400: "ceph",
		0x786F4256: "vboxsf", 0x7C7C6673: "prl_fs", 0x0BD00BD0: "lustre",
		0xEF53: "", 0x01021994: "", 0x9123683E: "", 0x58465342: "", 0x794C7630: "", 0x2FC12FC1: "",
	} {
		if got := silentMagic(magic); got != want {
			t.Errorf("%#x: %q, want %q", magic, got, want)
		}
	}
}

func TestFileSystemsInUserSpace(t *testing.T) {
	const mounts = "36 35 98:0 /mnt1 /mnt2 rw,noatime master:1 - ext3 /dev/root rw,errors=continue\n" +
		"40 35 0:52 / /home/me/remote rw,nosuid shared:9 - fuse.sshfs me@host:/ rw,user_id=1000\n" +
		"41 35 0:53 / / rw - fuse.fuse-overlayfs fuse-overlayfs rw\n" +
		"42 35 8:17 / /media/stick rw - fuseblk /dev/sdb1 rw\n"
	for dev, want := range map[uint64]string{52: "fuse.sshfs", 53: "", 0x811: "", 54: "fuse"} {
		if got := silentFUSE(mountType(strings.NewReader(mounts), dev)); got != want {
			t.Errorf("device %#x: %q, want %q", dev, got, want)
		}
	}
}

// Editors' swap and backup files, and what other programs keep in the home,
// call for no look.
func TestFilesBesideCauseNothing(t *testing.T) {
	home := filepath.Join(t.TempDir(), "home")
	path := filepath.Join(home, "config.yaml")
	put(t, path, "a")
	e := open(t, path, 100*time.Millisecond)
	e.until("a")
	for _, name := range []string{".config.yaml.swp", ".config.yaml.swx", "config.yaml~", "4913", ".#config.yaml", "#config.yaml#", "config.yaml.bak", "state.db", "state.db-wal"} {
		put(t, filepath.Join(home, name), "x")
		e.must(os.Remove(filepath.Join(home, name)))
	}
	put(t, path, "b")
	if looks := e.until("b"); looks != 1 {
		t.Errorf("%d looks, want the one for the file itself", looks)
	}
}
