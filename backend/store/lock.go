package store

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/gofrs/flock"

	"hermes/backend/native"
)

// lockSession makes this turn the only one on the session. The lock is the
// operating system's, so a program that was killed holds nothing; without it a
// second program would take a call that is running for one that was lost.
func (s *Store) lockSession(session string) (release func(), err error) {
	folder := filepath.Join(filepath.Dir(s.path), "turns")
	if err := native.Folder(folder); err != nil {
		return nil, s.explain(err)
	}
	path := filepath.Join(folder, session+".lock")
	for {
		lock, err := native.Lock(path)
		if err != nil {
			return nil, s.explain(err)
		}
		held, err := lock.TryLock()
		if err != nil {
			return nil, s.explain(err)
		}
		if !held {
			return nil, fmt.Errorf("%w: another turn of it (%s) runs, here or in another Hermes; wait for it or start a new session", ErrBusy, session)
		}
		if sameFile(lock, path) {
			return func() {
				// Removed while held, so that nobody locks a file that is gone.
				_ = os.Remove(path) // a lock file that stays harms nobody
				_ = lock.Unlock()   // closing the file is what frees it
			}, nil
		}
		if err := lock.Unlock(); err != nil {
			return nil, s.explain(err)
		}
	}
}

// sameFile reports that the locked file is the one other programs will find.
func sameFile(lock *flock.Flock, path string) bool {
	held, err := lock.Stat()
	if err != nil {
		return false
	}
	found, err := os.Stat(path)
	if errors.Is(err, os.ErrNotExist) {
		return false
	}
	return err == nil && os.SameFile(held, found)
}
