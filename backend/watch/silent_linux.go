package watch

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"strings"
	"syscall"
)

// fuseMagic is shared by all file systems in user space, also virtiofs.
const fuseMagic = 0x65735546

// silent names the file system of a place where it does not tell of every
// change, empty where it does or nothing is known.
func silent(place string) string {
	var stat syscall.Statfs_t
	if err := syscall.Statfs(place, &stat); err != nil {
		return ""
	}
	magic := uint32(stat.Type)
	if magic != fuseMagic {
		return silentMagic(magic)
	}
	mounts, err := os.Open("/proc/self/mountinfo")
	if err != nil {
		return "fuse"
	}
	defer mounts.Close()
	var info syscall.Stat_t
	if err := syscall.Stat(place, &info); err != nil {
		return "fuse"
	}
	return silentFUSE(mountType(mounts, uint64(info.Dev)))
}

// silentMagic names the file systems that other machines, or the kernel itself,
// change without an event (statfs(2), linux/magic.h).
func silentMagic(magic uint32) string {
	switch magic {
	case 0x6969:
		return "nfs"
	case 0x517B, 0xFF534D42, 0xFE534D42:
		return "smb"
	case 0x01021997:
		return "9p" // also the drives of Windows under WSL
	case 0x5346414F, 0x6B414653:
		return "afs"
	case 0x00C36400:
		return "ceph"
	case 0x786F4256:
		return "vboxsf"
	case 0xBACBACBC:
		return "vmhgfs"
	case 0x7C7C6673:
		return "prl_fs"
	case 0x0BD00BD0:
		return "lustre"
	case 0x47504653:
		return "gpfs"
	case 0x20030528:
		return "orangefs"
	case 0x73757245:
		return "coda"
	case 0x564C:
		return "ncp"
	case 0x01161970:
		return "gfs2"
	case 0x7461636F:
		return "ocfs2"
	case 0x9FA0:
		return "proc"
	case 0x62656572:
		return "sysfs"
	}
	return ""
}

// silentFUSE names a file system in user space, unless it is one that keeps its
// files on this machine: then every change passes this kernel.
func silentFUSE(kind string) string {
	switch kind {
	case "fuseblk", "fuse.fuse-overlayfs", "fuse.mergerfs", "fuse.bindfs", "fuse.gocryptfs", "fuse.encfs", "fuse.cryfs", "fuse.ecryptfs", "fuse.lxcfs", "fuse.unionfs":
		return ""
	case "":
		return "fuse"
	}
	return kind
}

// mountType finds the type of the file system with a device number in a
// mountinfo (proc(5)): the third field is major:minor, the type follows " - ".
func mountType(mountinfo io.Reader, dev uint64) string {
	number := fmt.Sprintf("%d:%d", dev>>8&0xfff|dev>>32&^uint64(0xfff), dev&0xff|dev>>12&^uint64(0xff))
	kind := ""
	for lines := bufio.NewScanner(mountinfo); lines.Scan(); {
		before, after, ok := strings.Cut(lines.Text(), " - ")
		fields := strings.Fields(before)
		if !ok || len(fields) < 3 || fields[2] != number {
			continue
		}
		kind, _, _ = strings.Cut(after, " ")
	}
	return kind
}
