package watch

import (
	"path/filepath"
	"strings"

	"golang.org/x/sys/windows"
)

// silent names a place on another machine, empty for one on this.
func silent(place string) string {
	volume := filepath.VolumeName(place)
	if strings.HasPrefix(volume, `\\`) && !strings.HasPrefix(volume, `\\?\`) && !strings.HasPrefix(volume, `\\.\`) ||
		strings.HasPrefix(strings.ToUpper(volume), `\\?\UNC\`) {
		return "network share"
	}
	root, err := windows.UTF16PtrFromString(volume + `\`)
	if err == nil && windows.GetDriveType(root) == windows.DRIVE_REMOTE {
		return "network drive"
	}
	return ""
}
