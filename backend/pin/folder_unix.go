//go:build unix

package pin

import "os"

// syncFolder flushes a folder's entries to the disk.
func syncFolder(path string) error {
	folder, err := os.Open(path)
	if err != nil {
		return err
	}
	defer folder.Close()
	return folder.Sync()
}
