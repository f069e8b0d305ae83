package config

import (
	"os"
	"time"

	"hermes/backend/native"
)

// racyFor is how long after a change the stamps of a file say nothing: within
// one tick of a file system's clock (2 s at the most, FAT) a second change
// leaves them as they are.
const racyFor = 2 * time.Second

// stamp is what the file system says of a file without its content.
type stamp struct {
	exists       bool
	size         int64
	mode         os.FileMode
	mtime        time.Time
	ctime        int64
	device, node uint64
}

// stampOf looks at a file. fresh opens it, because a network file system asks
// its server again only then.
func stampOf(path string, fresh bool) stamp {
	info, err := os.Stat(path)
	if err != nil {
		return stamp{}
	}
	if fresh && info.Mode().IsRegular() {
		if file, err := os.Open(path); err == nil {
			if now, err := file.Stat(); err == nil {
				info = now
			}
			_ = file.Close() // nothing was written
		}
	}
	s := stamp{exists: true, size: info.Size(), mode: info.Mode(), mtime: info.ModTime()}
	s.ctime, s.device, s.node = inode(info)
	return s
}

// seen is what the disk was like at the latest reading: the file, `.env` and the
// ledger. changing tells that the reading did not settle.
type seen struct {
	at       time.Time
	stamps   [3]stamp
	sums     [3]string
	changing bool
}

func (f *File) paths() [3]string {
	return [3]string{f.home.Config(), f.home.Env(), f.home.ledgerFile()}
}

// glance takes the stamps; it has to come before the reading they stand for.
func (f *File) glance(fresh bool) seen {
	s := seen{at: time.Now()}
	for i, path := range f.paths() {
		s.stamps[i] = stampOf(path, fresh)
	}
	return s
}

// racy tells that a change right after the reading may have left the stamps as
// they are.
func (s seen) racy() bool {
	for _, st := range s.stamps {
		if st.exists && s.at.Sub(st.mtime) < racyFor {
			return true
		}
	}
	return false
}

// sumOf names what a reading of a file gave. One that is missing and one that
// is empty are told apart by their stamps.
func sumOf(data []byte, err error) string {
	if err != nil {
		return "unreadable"
	}
	return digest(data)
}

// Moved tells whether the disk is not what the state in force was read from. It
// costs three looks at the directory where nothing happened, and reads bytes
// only where the stamps differ or are too new to be relied on. fresh is for file
// systems that do not tell of changes: they are asked anew. Before the first
// Load nothing moved.
func (f *File) Moved(fresh bool) bool {
	last := f.seen.Load()
	switch {
	case last == nil:
		return false
	case last.changing:
		return true
	}
	now := f.glance(fresh)
	if now.stamps == last.stamps && !last.racy() && last.sums[0] != "unreadable" {
		return false
	}
	for i, path := range f.paths() {
		data, err := readBounded(path)
		if i == 2 {
			data, err = native.Read(path, maxFileBytes)
		}
		if now.stamps[i].exists != last.stamps[i].exists && i == 0 || sumOf(data, missingIsEmpty(err)) != last.sums[i] {
			return true
		}
	}
	now.sums = last.sums
	f.seen.CompareAndSwap(last, &now)
	return false
}

// missingIsEmpty takes a file that is not there for an empty one.
func missingIsEmpty(err error) error {
	if os.IsNotExist(err) {
		return nil
	}
	return err
}

// Settled tells whether the latest reading may be relied on until the next
// event: it found a file that can be read and does not change.
func (f *File) Settled() bool {
	last := f.seen.Load()
	return last == nil || !last.changing && last.sums[0] != "unreadable"
}
