package config

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"time"

	"hermes/backend/native"
	"hermes/backend/policy"
)

// ledgerVersion is the form of the ledger that this program writes.
const ledgerVersion = 1

// timeGrain is how exactly the ledger tells the time.
const timeGrain = time.Second

// lockWait bounds how long recording waits for another writer.
const lockWait = 5 * time.Second

// Ledger remembers per server the restrictions last in force (FILTER section
// 6). It is empty where nothing was recorded yet. Known are all servers that were
// seen, also those without a restriction, each with the digest of what it starts
// or contacts; nil where that was not recorded. HoldingOff tells that a command
// of ours confirmed `mcp.hold_lost_filters: false`. Opened is when a person opened
// a server by our own command: older traces of a lock of it mean nothing more.
// InForce are the rules last in force, as policy writes them, by which a
// relaxation is noticed that was made while no process of ours ran.
type Ledger struct {
	Version    int                    `json:"version"`
	Servers    map[string]LedgerEntry `json:"servers"`
	Known      map[string]string      `json:"known,omitempty"`
	Opened     map[string]time.Time   `json:"opened,omitempty"`
	InForce    map[string]string      `json:"in_force,omitempty"`
	HoldingOff bool                   `json:"hold_off_confirmed,omitempty"`
}

// LedgerEntry is what is remembered of one server. Target is a digest of what
// the entry starts or contacts, by which a server is known again under another
// name; Former are those from before while the server stays locked or held, so
// that another entry does not get one of them. Twin is the server whose
// restriction is held for this one. Since is when these restrictions were first seen, Revision the file
// they were seen in.
type LedgerEntry struct {
	policy.Restriction
	Target   string    `json:"target"`
	Former   []string  `json:"former,omitempty"`
	Twin     string    `json:"twin,omitempty"`
	Since    time.Time `json:"since"`
	Revision string    `json:"revision"`
	Grant    *Grant    `json:"grant,omitempty"`
}

// Grant is the word of our own command that one state of a server is meant. It
// is written before the file, so that every running process accepts exactly that
// state and nothing else. State is a digest of the rules as the file will say
// them. Ends tells that what is held ends with it.
type Grant struct {
	State string `json:"state"`
	Ends  bool   `json:"ends,omitempty"`
}

// grantFor names a state of the rules that the file says.
func grantFor(file policy.Rules, ends bool) *Grant {
	text, err := file.File().MarshalText()
	if err != nil || file.State() == policy.StateInvalid {
		// Rules that cannot be read are told apart by nothing.
		return nil
	}
	return &Grant{State: digest(text)[:16], Ends: ends}
}

// covers tells whether the grant is for what the file says now.
func (g *Grant) covers(file policy.Rules) bool {
	now := grantFor(file, false)
	return g != nil && now != nil && g.State == now.State
}

// ReadLedger reads a home's ledger. A missing one is empty and no error; one
// that cannot be read is an error and an empty ledger, because it must neither
// open nor block anything.
func ReadLedger(home Home) (Ledger, error) {
	empty := Ledger{Version: ledgerVersion, Servers: map[string]LedgerEntry{}}
	data, err := native.Read(home.ledgerFile(), maxFileBytes)
	if errors.Is(err, fs.ErrNotExist) {
		return empty, nil
	}
	if err != nil {
		return empty, fmt.Errorf("read %s: %w", home.ledgerFile(), err)
	}
	l, err := parseLedger(data)
	if err != nil {
		return empty, fmt.Errorf("read %s: %w", home.ledgerFile(), err)
	}
	return l, nil
}

// errLedgerVersion is a ledger of another program than this one.
var errLedgerVersion = errors.New("its version is not known here")

func parseLedger(data []byte) (Ledger, error) {
	var l Ledger
	if err := json.Unmarshal(data, &l); err != nil {
		return l, err
	}
	if l.Version != ledgerVersion {
		return l, fmt.Errorf("%w: %d", errLedgerVersion, l.Version)
	}
	for name, entry := range l.Servers {
		if !entry.Valid() {
			return l, fmt.Errorf("the entry %q does not say a restriction", name)
		}
	}
	if l.Servers == nil {
		l.Servers = map[string]LedgerEntry{}
	}
	return l, nil
}

// equal compares two ledgers; times are compared as moments.
func (l Ledger) equal(o Ledger) bool {
	return l.HoldingOff == o.HoldingOff && (l.Known == nil) == (o.Known == nil) && maps.Equal(l.Known, o.Known) &&
		maps.EqualFunc(l.Opened, o.Opened, time.Time.Equal) && maps.Equal(l.InForce, o.InForce) &&
		maps.EqualFunc(l.Servers, o.Servers, func(a, b LedgerEntry) bool {
			grants := a.Grant == b.Grant || a.Grant != nil && b.Grant != nil && *a.Grant == *b.Grant
			return grants && a.Restriction.Equal(b.Restriction) && a.Target == b.Target && a.Revision == b.Revision &&
				slices.Equal(a.Former, b.Former) && a.Twin == b.Twin && a.Since.Equal(b.Since)
		})
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
