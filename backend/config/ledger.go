package config

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"time"

	"hermes/backend/policy"
)

// ledgerVersion is the form of the ledger that this program writes.
const ledgerVersion = 1

// lockWait bounds how long recording waits for another writer.
const lockWait = 5 * time.Second

// Ledger remembers per server the restrictions last in force (FILTER section
// 6). It is empty where nothing was recorded yet.
type Ledger struct {
	Version int                    `json:"version"`
	Servers map[string]LedgerEntry `json:"servers"`
}

// LedgerEntry is what is remembered of one server. Target is a digest of what
// the entry starts or contacts, by which a server is known again under another
// name. Since is when these restrictions were first seen, Revision the file
// they were seen in.
type LedgerEntry struct {
	policy.Restriction
	Target   string    `json:"target"`
	Since    time.Time `json:"since"`
	Revision string    `json:"revision"`
}

// ReadLedger reads a home's ledger. A missing one is empty and no error; one
// that cannot be read is an error and an empty ledger, because it must neither
// open nor block anything.
func ReadLedger(home Home) (Ledger, error) {
	empty := Ledger{Version: ledgerVersion, Servers: map[string]LedgerEntry{}}
	data, err := readBounded(home.ledgerFile())
	if errors.Is(err, fs.ErrNotExist) {
		return empty, nil
	}
	if err != nil {
		return empty, fmt.Errorf("read %s: %w", home.ledgerFile(), err)
	}
	var l Ledger
	if err := json.Unmarshal(data, &l); err != nil {
		return empty, fmt.Errorf("read %s: %w", home.ledgerFile(), err)
	}
	if l.Version != ledgerVersion {
		return empty, fmt.Errorf("read %s: version %d is not known here", home.ledgerFile(), l.Version)
	}
	if l.Servers == nil {
		l.Servers = empty.Servers
	}
	return l, nil
}

// Record remembers the restrictions that a snapshot puts in force. Servers that
// are not in the file keep what is remembered of them; one that has no
// restriction now has nothing to remember. Nothing is recorded of a file that
// is not in force, and nothing is written when nothing changed, or before our
// own folder was made by a person's first edit or conversation.
func (f *File) Record(snap *Snapshot) error {
	if snap == nil || snap.Broken {
		return nil
	}
	if info, err := os.Stat(f.home.Native()); err != nil || !info.IsDir() {
		return nil
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	old, err := ReadLedger(f.home)
	if err != nil {
		// Writing over it would destroy what a person may still repair.
		return err
	}
	if _, changed := old.after(snap, time.Time{}); !changed {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), lockWait)
	defer cancel()
	unlock, err := f.holdLock(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	if old, err = ReadLedger(f.home); err != nil {
		return err
	}
	now, changed := old.after(snap, f.options.Now().UTC().Truncate(time.Second))
	if !changed {
		return nil
	}
	data, err := json.MarshalIndent(now, "", "  ")
	if err != nil {
		return fmt.Errorf("record %s: %w", f.home.ledgerFile(), err)
	}
	return f.write.create(f.home.ledgerFile(), append(data, '\n'))
}

// after gives the ledger once a snapshot is in force, and whether that differs.
func (l Ledger) after(snap *Snapshot, now time.Time) (Ledger, bool) {
	out := Ledger{Version: ledgerVersion, Servers: map[string]LedgerEntry{}}
	for name, entry := range l.Servers {
		out.Servers[name] = entry
	}
	changed := false
	for i := range snap.Servers {
		sv := &snap.Servers[i]
		was, known := l.Servers[sv.Name]
		is := sv.Rules.Restriction()
		if !is.Any() {
			delete(out.Servers, sv.Name)
			changed = changed || known
			continue
		}
		entry := LedgerEntry{Restriction: is, Target: sv.Conn.identity(), Since: now, Revision: snap.Revision}
		if known && was.Target == entry.Target && reflect.DeepEqual(was.Restriction, is) {
			continue
		}
		if known && reflect.DeepEqual(was.Restriction, is) {
			entry.Since, entry.Revision = was.Since, was.Revision
		}
		out.Servers[sv.Name] = entry
		changed = true
	}
	return out, changed
}

// identity is a digest of what a connection starts or contacts.
func (c Connection) identity() string {
	parts := append([]string{c.Transport, c.Command, c.URL, c.Builtin, c.Root}, c.Args...)
	sum := sha256.Sum256([]byte(strings.Join(parts, "\x00")))
	return hex.EncodeToString(sum[:8])
}

// create writes a file of ours, new or old, in one step, readable by its owner
// alone.
func (w writer) create(path string, data []byte) (err error) {
	temp, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+"-*.tmp")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.Remove(temp.Name()))
		}
	}()
	_, err = temp.Write(data)
	if err = errors.Join(err, temp.Sync(), temp.Close()); err != nil {
		return err
	}
	if err := w.rename(temp.Name(), path); err != nil {
		return err
	}
	return syncFolder(filepath.Dir(path))
}
