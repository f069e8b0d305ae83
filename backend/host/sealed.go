package host

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
	"sync"

	"hermes/backend/config"
	"hermes/backend/mcp"
	"hermes/backend/native"
)

// seal names whole connections without telling what is in them. Its key is a file of
// our own folder, so that a grant means the same connection tomorrow and nobody who
// reads the grants alone can try values. Before a person could have said yes to
// anything there is no file: then its names are good for this process alone. The zero
// value has no key yet.
type seal struct {
	mu   sync.Mutex
	key  []byte
	kept bool // the key is that of the file
}

const (
	sealFile = "grants.key"
	sealSize = sha256.Size
)

// of gives the key, and whether it is one to bind grants to.
func (s *seal) of(home config.Home) (key []byte, kept bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.kept {
		return s.key, true
	}
	if key, err := readSeal(home); err == nil {
		s.key, s.kept = key, true
	} else if s.key == nil {
		s.key = newSealKey()
	}
	return s.key, s.kept
}

func newSealKey() []byte {
	key := make([]byte, sealSize)
	// It never fails: the program ends where the system has no randomness.
	_, _ = rand.Read(key)
	return key
}

func readSeal(home config.Home) ([]byte, error) {
	key, err := native.Read(filepath.Join(home.Native(), sealFile), sealSize)
	if err == nil && len(key) != sealSize {
		err = native.ErrForeign
	}
	return key, err
}

// keep makes the file where it is missing or is none of ours, in a home that has our
// folder. What was bound to another key asks again.
func (s *seal) keep(home config.Home) (err error) {
	if _, kept := s.of(home); kept || !native.HasFolder(home.Native()) {
		return nil
	}
	path := filepath.Join(home.Native(), sealFile)
	lock, err := native.Lock(path + ".lock")
	if err != nil {
		return err
	}
	if err := lock.Lock(); err != nil {
		return fmt.Errorf("keep the key of the grants: %w", err)
	}
	defer func() { err = errors.Join(err, lock.Unlock()) }()
	// Another process may have made it meanwhile.
	_, err = readSeal(home)
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, native.ErrForeign), errors.Is(err, native.ErrLong):
		if err := native.Replace(path, newSealKey()); err != nil {
			return err
		}
	case err != nil:
		return err
	}
	s.of(home)
	return nil
}

const (
	// exactly begins the name of a whole connection, passing one that is good for this
	// process alone. Grants of before have neither.
	exactly = "exact:"
	passing = "passing:"
)

// sealed names things, for grants where kept.
func (h *Host) sealed(things ...any) (name string, kept bool) {
	key, kept := h.seal.of(h.options.Home)
	data, err := json.Marshal(things)
	if err != nil {
		// Texts, numbers and booleans cannot fail; if they do, nothing is the same.
		return passing + rand.Text(), false
	}
	sum := hmac.New(sha256.New, key)
	_, _ = sum.Write(data)
	if name = hex.EncodeToString(sum.Sum(nil)); kept {
		return exactly + name, true
	}
	return passing + name, false
}

// connection names everything a server is started or contacted with: the file of its
// program, arguments, values of variables, folders, address, headers, certificates.
// Only how long is waited for it is left out. One whose variables are not set has no
// name that a grant could be bound to.
func (h *Host) connection(snap *config.Snapshot, server *config.Server) (name string, kept bool) {
	conn, err := snap.Expand(server.Conn)
	if err != nil {
		name, _ = h.sealed(server.Name, server.Identity())
		return passing + strings.TrimPrefix(strings.TrimPrefix(name, exactly), passing), false
	}
	// What is taken away is known to change nothing; a field that nobody thought of
	// makes another connection.
	conn.Timeout, conn.ConnectTimeout, conn.Keepalive, conn.IdleTimeout, conn.MaxLifetime = 0, 0, 0, 0, 0
	if len(conn.Args) == 0 {
		conn.Args = nil
	}
	if len(conn.Env) == 0 {
		conn.Env = nil
	}
	if len(conn.Headers) == 0 {
		conn.Headers = nil
	}
	if len(conn.Confinement.Folders) == 0 {
		conn.Confinement.Folders = nil
	}
	return h.sealed(conn, mcp.Locate(conn))
}
