package host

import (
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gofrs/flock"

	"hermes/backend/config"
	"hermes/backend/mcp"
	"hermes/backend/native"
)

// Presence is what another Hermes process on this home tells of one server that
// it runs. Process is that one's id, PID the server's own (0 for none); Tools
// counts what the server offers.
type Presence struct {
	Process  int           `json:"-"`
	State    mcp.State     `json:"state"`
	Reason   string        `json:"reason,omitempty"`
	Since    time.Time     `json:"since,omitzero"`
	Attempts int           `json:"attempts,omitempty"`
	NextTry  time.Time     `json:"next_try,omitzero"`
	Latency  time.Duration `json:"latency_ns,omitempty"`
	PID      int           `json:"pid,omitempty"`
	Version  string        `json:"version,omitempty"`
	Protocol string        `json:"protocol,omitempty"`
	Tools    int           `json:"tools,omitempty"`
	Noise    int           `json:"noise,omitempty"`
}

// presences is the file `native/run/PID.json` of one process. Beside it lies
// PID.lock, which the process holds as long as it lives: the operating system
// frees the lock of a process that was killed, whatever was written.
type presences struct {
	Process int                 `json:"process"`
	Servers map[string]Presence `json:"servers"`
}

const (
	presenceBytes = 1 << 20
	presenceFiles = 64
	// presencePause is the shortest time between two writings.
	presencePause = 200 * time.Millisecond
)

// runDir is where running processes tell of their servers.
func runDir(home config.Home) string { return filepath.Join(home.Native(), "run") }

// announcer writes this process' file. All of it happens in one goroutine.
type announcer struct {
	home config.Home
	lock *flock.Flock
	last string
}

// appear begins to tell other processes of this one. The lock is held.
func (h *Host) appear() {
	if !h.appeared {
		h.appeared = true
		h.followed.Go(h.present)
	}
}

// present keeps the file in step with the servers until the host ends; a process
// that follows the file has one before it starts any, so that it can be asked to
// reload. A home without our own folder is left as it is.
func (h *Host) present() {
	a := &announcer{home: h.options.Home}
	defer a.withdraw()
	pause := time.NewTimer(0)
	defer pause.Stop()
	for {
		select {
		case <-h.ctx.Done():
			return
		case <-h.changed:
		}
		select {
		case <-h.ctx.Done():
			return
		case <-pause.C:
		}
		if h.following() || h.Started() {
			if err := a.write(h.presences()); err != nil {
				h.options.Logger.Debug("the states of the servers are not told to others", "error", err)
			}
		}
		pause.Reset(presencePause)
	}
}

// poke wakes whoever waits on the channel, or lets it find that it was.
func poke(sleeper chan struct{}) {
	select {
	case sleeper <- struct{}{}:
	default:
	}
}

func (h *Host) presences() map[string]Presence {
	h.mu.Lock()
	manager := h.manager
	h.mu.Unlock()
	out := map[string]Presence{}
	if manager == nil {
		return out
	}
	redactor := h.redactor()
	for name, s := range manager.Statuses() {
		out[name] = Presence{
			State: s.State, Reason: redactor.Redact(s.Reason), Since: s.Since, Attempts: s.Attempts, NextTry: s.NextTry, Latency: s.Latency,
			PID: s.PID, Version: s.Version, Protocol: s.Protocol, Tools: len(s.Tools), Noise: s.Noise,
		}
	}
	return out
}

func (a *announcer) write(servers map[string]Presence) error {
	data, err := json.Marshal(presences{Process: os.Getpid(), Servers: servers})
	if err != nil || string(data) == a.last || len(data) > presenceBytes {
		return err
	}
	if !native.HasFolder(a.home.Native()) {
		return nil
	}
	folder := runDir(a.home)
	if err := native.Folder(folder); err != nil {
		return err
	}
	if err := a.hold(folder); err != nil || a.lock == nil {
		return err
	}
	if err := native.Replace(filepath.Join(folder, strconv.Itoa(os.Getpid())+".json"), data); err != nil {
		return err
	}
	a.last = string(data)
	return nil
}

// hold takes this process' lock. In another container a process may have our
// number; then it has the file as well.
func (a *announcer) hold(folder string) error {
	if a.lock != nil {
		return nil
	}
	path := filepath.Join(folder, strconv.Itoa(os.Getpid())+".lock")
	for range 3 {
		lock, err := native.Lock(path)
		if err != nil {
			return err
		}
		held, err := lock.TryLock()
		if held && isAt(lock, path) {
			a.lock = lock
			return nil
		}
		// Somebody may just be clearing away a file of an earlier process.
		if err := errors.Join(err, lock.Close()); err != nil || !held {
			return err
		}
	}
	return nil
}

// isAt tells whether the file that is locked is the one that others find.
func isAt(lock *flock.Flock, path string) bool {
	held, err := lock.Stat()
	if err != nil {
		return false
	}
	found, err := os.Lstat(path)
	return err == nil && os.SameFile(held, found)
}

func (a *announcer) withdraw() {
	if a.lock == nil {
		return
	}
	base := filepath.Join(runDir(a.home), strconv.Itoa(os.Getpid()))
	// Removed while held, so that nobody takes them for those of a dead process.
	_ = os.Remove(base + ".json")
	_ = os.Remove(base + ".lock")
	_ = a.lock.Close()
}

// Elsewhere is what other Hermes processes on this home tell of servers they
// run, by the server's name; of several that run one, a connected one counts,
// then the latest. What a process that is gone left behind is removed.
func (h *Host) Elsewhere() map[string]Presence {
	out := map[string]Presence{}
	for _, servers := range h.others() {
		for name, p := range servers {
			if known, there := out[name]; !there || better(p, known) {
				out[name] = p
			}
		}
	}
	return out
}

// others are the other Hermes processes on this home with what they tell, by
// their id.
func (h *Host) others() map[int]map[string]Presence {
	out := map[int]map[string]Presence{}
	folder := runDir(h.options.Home)
	if !native.HasFolder(folder) {
		return out
	}
	entries, err := os.ReadDir(folder)
	if err != nil {
		return out
	}
	read := 0
	for _, entry := range entries {
		number, ok := strings.CutSuffix(entry.Name(), ".json")
		pid, err := strconv.Atoi(number)
		if !ok || err != nil || pid <= 0 || pid == os.Getpid() || number != strconv.Itoa(pid) {
			continue
		}
		if read++; read > presenceFiles {
			break
		}
		if told, lives := readPresences(folder, pid); lives {
			out[pid] = told
		}
	}
	return out
}

func better(p, known Presence) bool {
	connected := p.State == mcp.StateConnected
	if connected != (known.State == mcp.StateConnected) {
		return connected
	}
	return p.Since.After(known.Since)
}

// readPresences reads the file of one process; lives is false where that is gone
// or the file is none of ours: it may be as long and as foreign as anybody likes.
func readPresences(folder string, pid int) (servers map[string]Presence, lives bool) {
	base := filepath.Join(folder, strconv.Itoa(pid))
	lock := flock.New(base+".lock", flock.SetFlag(os.O_RDONLY|noFollow), flock.SetPermissions(0o600))
	free, err := lock.TryRLock()
	if free || errors.Is(err, fs.ErrNotExist) {
		// Nobody holds it: the process is gone.
		_ = os.Remove(base + ".json")
		_ = os.Remove(base + ".lock")
	}
	_ = lock.Close()
	if free || err != nil {
		return nil, false
	}
	file, info, err := native.Open(base + ".json")
	if err != nil {
		return nil, false
	}
	defer func() { _ = file.Close() }()
	if info.Size() > presenceBytes || !ours(info) {
		return nil, false
	}
	data, err := io.ReadAll(io.LimitReader(file, presenceBytes+1))
	var told presences
	if err != nil || len(data) > presenceBytes || json.Unmarshal(data, &told) != nil || told.Process != pid {
		return nil, false
	}
	for name, p := range told.Servers {
		if !slices.Contains(presentStates(), p.State) {
			delete(told.Servers, name)
			continue
		}
		p.Process = pid
		told.Servers[name] = p
	}
	return maps.Clone(told.Servers), true
}

func presentStates() []mcp.State {
	return []mcp.State{
		mcp.StateDisabled, mcp.StateLocked, mcp.StateInvalid, mcp.StateStarting, mcp.StateConnected,
		mcp.StateReady, mcp.StateNeedsAuth, mcp.StateParked, mcp.StateFailed,
	}
}
