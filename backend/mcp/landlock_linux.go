package mcp

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"unsafe"

	"golang.org/x/sys/unix"
)

// leastLandlock is the first version that holds all of what the key promises:
// before it, a file that may only be read could be cut to nothing.
const leastLandlock = 3

// confinable tells why this system cannot hold a limit, nil where it can.
func confinable() error { return confinableAt(landlockVersion()) }

func confinableAt(version int) error {
	const next = "remove the key, or run the server in a container"
	switch {
	case version <= 0:
		return errors.New("`folders` is set, and the kernel cannot limit the files of a program (Landlock is not there or is switched off); " + next)
	case version < leastLandlock:
		return fmt.Errorf("`folders` is set, and the kernel's Landlock (version %d) cannot hold all of it (version %d can, of Linux 6.2); %s", version, leastLandlock, next)
	}
	return nil
}

func landlockVersion() int {
	version, _, fault := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, unix.LANDLOCK_CREATE_RULESET_VERSION)
	if fault != 0 {
		return 0
	}
	return int(version)
}

const (
	landlockRead = unix.LANDLOCK_ACCESS_FS_EXECUTE | unix.LANDLOCK_ACCESS_FS_READ_FILE | unix.LANDLOCK_ACCESS_FS_READ_DIR

	landlockWrite = unix.LANDLOCK_ACCESS_FS_WRITE_FILE | unix.LANDLOCK_ACCESS_FS_TRUNCATE | unix.LANDLOCK_ACCESS_FS_REFER |
		unix.LANDLOCK_ACCESS_FS_REMOVE_DIR | unix.LANDLOCK_ACCESS_FS_REMOVE_FILE |
		unix.LANDLOCK_ACCESS_FS_MAKE_CHAR | unix.LANDLOCK_ACCESS_FS_MAKE_DIR | unix.LANDLOCK_ACCESS_FS_MAKE_REG |
		unix.LANDLOCK_ACCESS_FS_MAKE_SOCK | unix.LANDLOCK_ACCESS_FS_MAKE_FIFO | unix.LANDLOCK_ACCESS_FS_MAKE_BLOCK |
		unix.LANDLOCK_ACCESS_FS_MAKE_SYM

	// landlockFile are the rights a single file can have.
	landlockFile = unix.LANDLOCK_ACCESS_FS_EXECUTE | unix.LANDLOCK_ACCESS_FS_READ_FILE | unix.LANDLOCK_ACCESS_FS_WRITE_FILE |
		unix.LANDLOCK_ACCESS_FS_TRUNCATE | unix.LANDLOCK_ACCESS_FS_IOCTL_DEV
)

// become takes the limit upon the calling thread and turns this process into
// the program. exec keeps the thread that calls it, with its limit, and ends all
// others, so nothing needs to be done to those.
func become(limit confinement, args []string) error {
	if err := confinable(); err != nil {
		return err
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if err := restrictThread(limit); err != nil {
		return err
	}
	return fmt.Errorf("starting %s: %w", args[0], unix.Exec(args[0], args, os.Environ()))
}

func restrictThread(limit confinement) error {
	handled := uint64(landlockRead | landlockWrite)
	if landlockVersion() >= 5 {
		handled |= unix.LANDLOCK_ACCESS_FS_IOCTL_DEV
	}
	attr := unix.LandlockRulesetAttr{Handled_access_fs: handled}
	// Older kernels know the first field alone.
	ruleset, _, fault := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, uintptr(unsafe.Pointer(&attr)), unsafe.Sizeof(attr.Handled_access_fs), 0)
	if fault != 0 {
		return fmt.Errorf("making a Landlock rule set: %w", fault)
	}
	defer func() { _ = unix.Close(int(ruleset)) }()
	for _, rule := range limit.Rules {
		err := addRule(int(ruleset), rule, handled)
		if err != nil && (rule.Need || !errors.Is(err, unix.ENOENT) && !errors.Is(err, unix.EACCES) && !errors.Is(err, unix.ENOTDIR)) {
			return fmt.Errorf("letting the program reach %s: %w", rule.Path, err)
		}
	}
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("giving up new privileges: %w", err)
	}
	if _, _, fault := unix.Syscall(unix.SYS_LANDLOCK_RESTRICT_SELF, ruleset, 0, 0); fault != 0 {
		return fmt.Errorf("putting the Landlock rules in force: %w", fault)
	}
	return nil
}

func addRule(ruleset int, rule confineRule, handled uint64) error {
	file, err := unix.Open(rule.Path, unix.O_PATH|unix.O_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer func() { _ = unix.Close(file) }()
	var info unix.Stat_t
	if err := unix.Fstat(file, &info); err != nil {
		return err
	}
	access := uint64(landlockRead)
	if rule.Write {
		access |= landlockWrite | unix.LANDLOCK_ACCESS_FS_IOCTL_DEV
	}
	if info.Mode&unix.S_IFMT != unix.S_IFDIR {
		access &= landlockFile
	} else {
		access &^= unix.LANDLOCK_ACCESS_FS_IOCTL_DEV
	}
	attr := unix.LandlockPathBeneathAttr{Allowed_access: access & handled, Parent_fd: int32(file)}
	_, _, fault := unix.Syscall6(unix.SYS_LANDLOCK_ADD_RULE, uintptr(ruleset), unix.LANDLOCK_RULE_PATH_BENEATH, uintptr(unsafe.Pointer(&attr)), 0, 0, 0)
	if fault != 0 {
		return fault
	}
	return nil
}
