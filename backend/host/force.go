package host

import (
	"cmp"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"hermes/backend/config"
	"hermes/backend/mcp"
	"hermes/backend/native"
)

// Reloaded is what a reload by force found and did: the servers whose entry
// changed, those that were tried again, and how many servers offer how many
// allowed tools after it.
type Reloaded struct {
	Revision string
	Changed  []string
	Retried  []string
	Servers  int
	Tools    int
}

// ReloadNow reads the file again without waiting for an event, restarts nothing
// that is healthy, tries every server again that failed or is parked, and reads
// the tool lists of the others anew. It waits for the servers it tried, at most
// the start limit of the file.
func (h *Host) ReloadNow(ctx context.Context) (Reloaded, error) {
	old := h.file.Current()
	if h.StartedBy() == "" {
		h.takeNow()
	}
	h.Reload()
	retried := h.retryAll()
	h.mu.Lock()
	manager, closed := h.manager, h.closed
	h.mu.Unlock()
	if closed {
		return Reloaded{}, errClosed
	}
	now := h.file.Current()
	if manager != nil {
		waiting, cancel := context.WithTimeout(ctx, now.Settings.StartWait)
		manager.Wait(waiting, retried)
		manager.Relist(waiting)
		cancel()
	}
	h.refresh()
	h.signals.send(Signal{Topic: TopicServers, Revision: now.Revision})
	out := Reloaded{Revision: now.Revision, Changed: changedServers(old, now), Retried: retried}
	serving := map[string]bool{}
	for _, entry := range h.Catalog().Entries() {
		serving[entry.Server] = true
		out.Tools++
	}
	out.Servers = len(serving)
	if now.Broken {
		return out, brokenFile(now)
	}
	return out, ctx.Err()
}

// retryAll tries every server again that gave up or rests between its tries.
func (h *Host) retryAll() []string {
	h.mu.Lock()
	manager := h.manager
	h.mu.Unlock()
	retried := []string{}
	if manager == nil {
		return retried
	}
	for name, status := range manager.Statuses() {
		switch status.State {
		case mcp.StateFailed, mcp.StateParked, mcp.StateNeedsAuth:
			manager.Retry(name)
			retried = append(retried, name)
		}
	}
	slices.Sort(retried)
	return retried
}

// changedServers names the entries that are not the same in two states of the
// file, sorted.
func changedServers(old, now *config.Snapshot) []string {
	changed := []string{}
	for _, name := range now.Names() {
		is, _ := now.Server(name)
		was, ok := old.Server(name)
		if !ok || was.Enabled != is.Enabled || !was.Rules.Equal(is.Rules) || !reflect.DeepEqual(was.Conn, is.Conn) {
			changed = append(changed, name)
		}
	}
	for _, name := range old.Names() {
		if _, ok := now.Server(name); !ok {
			changed = append(changed, name)
		}
	}
	slices.Sort(changed)
	return changed
}

// obey does what another process asked for through the request file, once for
// each request, and answers beside it. The file was just read.
func (h *Host) obey() {
	request := requested(h.options.Home)
	h.mu.Lock()
	news := request != "" && request != h.request
	if news {
		h.request = request
	}
	manager := h.manager
	h.mu.Unlock()
	if !news {
		return
	}
	h.retryAll()
	if manager != nil {
		h.turns.Go(func() { manager.Relist(h.ctx) })
	}
	if err := h.answer(request); err != nil {
		h.options.Logger.Warn("the reload that was asked for is not answered", "error", err)
	}
	h.signals.send(Signal{Topic: TopicServers, Revision: h.file.Current().Revision})
}

// ReloadAnswer is what one process says to a reload by force. Message is empty
// where the file is in force there; else it says why not, and File, Line and
// Column where (0 for no place).
type ReloadAnswer struct {
	Process int    `json:"-"`
	Request string `json:"request"`
	Message string `json:"message,omitempty"`
	File    string `json:"file,omitempty"`
	Line    int    `json:"line,omitempty"`
	Column  int    `json:"column,omitempty"`
}

// answer tells whoever asked what became of the reload.
func (h *Host) answer(request string) error {
	out := ReloadAnswer{Request: request}
	switch snap := h.file.Current(); {
	case snap.Broken:
		p := snap.Problems[len(snap.Problems)-1]
		out.Message, out.File, out.Line, out.Column = p.Message, p.File, p.Line, p.Column
	case len(snap.Waiting) > 0:
		p := snap.Waiting[0]
		out.Message, out.File, out.Line = p.Message+"; this process could not see that a person asked, so use Reload or /reload-mcp in it, or start it again", p.File, p.Line
	case !h.file.Settled():
		out.Message, out.File = "the file keeps changing, so it was not taken; it is read again by itself", snap.Path
	}
	data, err := json.Marshal(out)
	if err != nil {
		return err
	}
	if err := native.Folder(runDir(h.options.Home)); err != nil {
		return err
	}
	return native.Replace(answerFile(h.options.Home, os.Getpid()), data)
}

func answerFile(home config.Home, pid int) string {
	return filepath.Join(runDir(home), strconv.Itoa(pid)+".reloaded")
}

const (
	// answerWait is how long a process may take to answer, silentWait how long one
	// that nobody knows of is waited for.
	answerWait = 5 * time.Second
	silentWait = time.Second
)

// AskReload asks every Hermes process that runs on this home to reload by force
// and gives what they say and the ids of those that are known to run and said
// nothing. A home without our own folder has none that could be asked.
func (h *Host) AskReload(ctx context.Context) (answered []ReloadAnswer, silent []int, err error) {
	home := h.options.Home
	if err := native.Check(home.Native()); err != nil {
		return nil, nil, err
	}
	if !native.HasFolder(home.Native()) {
		return nil, nil, nil
	}
	if err := native.Folder(runDir(home)); err != nil {
		return nil, nil, err
	}
	request := strconv.FormatInt(time.Now().UnixNano(), 36) + "-" + strconv.Itoa(os.Getpid())
	if err := native.Replace(requestFile(home), []byte(request)); err != nil {
		return nil, nil, err
	}
	known := map[int]bool{}
	for pid := range h.others() {
		known[pid] = true
	}
	begin := time.Now()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		answered = answers(home, request)
		silent = silent[:0]
		for pid := range known {
			if !slices.ContainsFunc(answered, func(a ReloadAnswer) bool { return a.Process == pid }) {
				silent = append(silent, pid)
			}
		}
		waited := time.Since(begin)
		if waited >= answerWait || len(silent) == 0 && waited >= silentWait {
			break
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return answered, silent, ctx.Err()
		}
	}
	for _, a := range answered {
		_ = os.Remove(answerFile(home, a.Process)) // the next request has another name
	}
	slices.Sort(silent)
	return answered, silent, nil
}

// answers are what processes said to a request, sorted by their id.
func answers(home config.Home, request string) []ReloadAnswer {
	var out []ReloadAnswer
	if !native.HasFolder(runDir(home)) {
		return nil
	}
	entries, err := os.ReadDir(runDir(home))
	if err != nil {
		return nil
	}
	for _, entry := range entries {
		number, ok := strings.CutSuffix(entry.Name(), ".reloaded")
		pid, err := strconv.Atoi(number)
		if !ok || err != nil || !entry.Type().IsRegular() {
			continue
		}
		said := ReloadAnswer{}
		if data, err := native.Read(answerFile(home, pid), maxAnswer); err == nil && json.Unmarshal(data, &said) == nil && said.Request == request {
			said.Process = pid
			out = append(out, said)
		}
	}
	slices.SortFunc(out, func(a, b ReloadAnswer) int { return cmp.Compare(a.Process, b.Process) })
	return out
}
