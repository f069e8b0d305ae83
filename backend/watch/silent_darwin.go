package watch

import "syscall"

// silent names the file system of a place where it does not tell of every
// change, empty where it does or nothing is known.
func silent(place string) string {
	var stat syscall.Statfs_t
	if err := syscall.Statfs(place, &stat); err != nil {
		return ""
	}
	name := make([]byte, 0, len(stat.Fstypename))
	for _, c := range stat.Fstypename {
		if c == 0 {
			break
		}
		name = append(name, byte(c))
	}
	switch kind := string(name); kind {
	case "nfs", "smbfs", "afpfs", "webdav", "ftp", "cifs", "osxfuse", "macfuse", "fusefs", "prl_fs", "vboxsf", "vmhgfs", "virtiofs", "9p":
		return kind
	}
	return ""
}
