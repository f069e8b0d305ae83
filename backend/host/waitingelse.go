package host

import (
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/gofrs/flock"

	"hermes/backend/config"
	"hermes/backend/native"
	"hermes/backend/policy"
)

// waitingEnding is the file of one process that tells others what waits in it. It
// is held as long as it says the truth, also by a process that is killed.
const waitingEnding = ".waiting"

const (
	// maxWaitingFile bounds the file, in bytes, maxWaitingLines what it says.
	maxWaitingFile  = 1 << 18
	maxWaitingLines = 100
)

// waitingLine is one change that waits, as it is told.
type waitingLine struct {
	What    string `json:"what"`
	Message string `json:"message"`
	File    string `json:"file,omitempty"`
	Line    int    `json:"line,omitempty"`
}

// teller holds this process' file.
type teller struct {
	lock *flock.Flock
	last string
}

// tellWaiting writes what waits, or takes the file away. It is called where
// changes are published, one at a time.
func (h *Host) tellWaiting(snap *config.Snapshot) {
	t := &h.work.teller
	if len(snap.Waiting) == 0 {
		t.close()
		return
	}
	lines := make([]waitingLine, 0, min(len(snap.Waiting), maxWaitingLines))
	for _, p := range snap.Waiting[:min(len(snap.Waiting), maxWaitingLines)] {
		lines = append(lines, waitingLine{What: p.Params[0], Message: p.Message, File: p.File, Line: p.Line})
	}
	data, err := json.Marshal(lines)
	if err != nil || string(data) == t.last {
		return
	}
	if err := t.write(h.options.Home, data); err != nil {
		h.options.Logger.Warn("other processes are not told of what waits", "error", err)
		return
	}
	t.last = string(data)
}

func (t *teller) write(home config.Home, data []byte) error {
	if !native.HasFolder(home.Native()) {
		return nil
	}
	if err := native.Folder(runDir(home)); err != nil {
		return err
	}
	path := filepath.Join(runDir(home), strconv.Itoa(os.Getpid())+waitingEnding)
	if t.lock == nil {
		lock, err := native.Lock(path)
		if err != nil {
			return err
		}
		if held, err := lock.TryLock(); err != nil || !held {
			_ = lock.Close()
			return err
		}
		t.lock = lock
	}
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_TRUNC|noFollow, 0o600)
	if err != nil {
		return err
	}
	_, err = file.Write(data)
	if closed := file.Close(); err == nil {
		err = closed
	}
	return err
}

func (t *teller) close() {
	if t.lock != nil {
		_ = os.Remove(t.lock.Path())
		_ = t.lock.Close()
	}
	*t = teller{}
}

// WaitingElsewhere is what other processes of this home say that waits in them
// and not here, as problems of the file; each once.
func (h *Host) WaitingElsewhere() []config.Problem {
	folder := runDir(h.options.Home)
	if !native.HasFolder(folder) {
		return nil
	}
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil
	}
	seen := map[string]bool{}
	for _, p := range h.file.Current().Waiting {
		seen[p.Message] = true
	}
	var out []config.Problem
	for _, entry := range entries {
		number, ok := strings.CutSuffix(entry.Name(), waitingEnding)
		pid, err := strconv.Atoi(number)
		if !ok || err != nil || pid <= 0 || pid == os.Getpid() {
			continue
		}
		for _, line := range waitingOf(filepath.Join(folder, entry.Name())) {
			if seen[line.Message] || line.Message == "" {
				continue
			}
			seen[line.Message] = true
			out = append(out, config.Problem{
				Severity: policy.SeverityWarning, Code: config.CodeWaits, Params: []string{line.What},
				Message: line.Message, Hint: "process " + number + " does not take it yet; `hermes mcp reload` does, and so does your next message there once its agent is done",
				File: line.File, Line: line.Line,
			})
		}
	}
	return out
}

// waitingOf reads the file of one process, and removes what a dead one left.
func waitingOf(path string) []waitingLine {
	lock := flock.New(path, flock.SetFlag(os.O_RDONLY|noFollow), flock.SetPermissions(0o600))
	free, err := lock.TryRLock()
	if free {
		_ = os.Remove(path)
	}
	_ = lock.Close()
	if free || err != nil {
		return nil
	}
	file, info, err := native.Open(path)
	if err != nil {
		return nil
	}
	defer func() { _ = file.Close() }()
	if info.Size() > maxWaitingFile || !ours(info) {
		return nil
	}
	data, err := io.ReadAll(io.LimitReader(file, maxWaitingFile))
	var lines []waitingLine
	if err != nil || json.Unmarshal(data, &lines) != nil {
		return nil
	}
	return lines[:min(len(lines), maxWaitingLines)]
}
