package host

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"hermes/backend/config"
	"hermes/backend/mcp"
)

// socketPrefix is how the sockets of a home's processes begin, in the abstract
// names, which have no file that could be put in their place and end with their
// process.
func socketPrefix(home config.Home) string {
	dir := home.Dir
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		dir = real
	}
	if full, err := filepath.Abs(dir); err == nil {
		dir = full
	}
	sum := sha256.Sum256([]byte(dir))
	return "@hermes-" + hex.EncodeToString(sum[:12]) + "-"
}

// hear listens for a person's words in other processes until the host ends.
func (h *Host) hear() {
	listener, err := net.ListenUnix("unix", &net.UnixAddr{Net: "unix", Name: socketPrefix(h.options.Home) + strconv.Itoa(os.Getpid())})
	if err != nil {
		// Another host of this process has it, or the system has no such names.
		h.options.Logger.Debug("words of other processes are not heard", "error", err)
		return
	}
	h.turns.Go(func() {
		var open sync.WaitGroup
		defer open.Wait()
		for {
			conn, err := listener.AcceptUnix()
			if err != nil {
				return
			}
			open.Go(func() { h.listenTo(conn) })
		}
	})
	context.AfterFunc(h.ctx, func() { _ = listener.Close() })
}

// listenTo hears one word and says whether it counted.
func (h *Host) listenTo(conn *net.UnixConn) {
	defer func() { _ = conn.Close() }()
	_ = conn.SetDeadline(time.Now().Add(wordWait))
	data, err := bufio.NewReader(io.LimitReader(conn, wordBytes)).ReadBytes('\n')
	if err != nil {
		return
	}
	answer := "no\n"
	if h.heard(data, isPerson(conn)) {
		answer = "ok\n"
	}
	_, _ = conn.Write([]byte(answer))
}

// isPerson tells whether the process at the other end is of this user and none of
// a server's.
func isPerson(conn *net.UnixConn) bool {
	raw, err := conn.SyscallConn()
	if err != nil {
		return false
	}
	person := false
	err = raw.Control(func(fd uintptr) {
		peer, err := syscall.GetsockoptUcred(int(fd), syscall.SOL_SOCKET, syscall.SO_PEERCRED)
		person = err == nil && int(peer.Uid) == os.Getuid() && !mcp.Descends(int(peer.Pid))
	})
	return err == nil && person
}

// speak says a word to every process of a home and gives those that refused it.
func speak(ctx context.Context, home config.Home, data []byte) (refused []int) {
	table, err := os.ReadFile("/proc/net/unix")
	if err != nil {
		return nil
	}
	prefix := socketPrefix(home)
	told := map[int]bool{os.Getpid(): true}
	for line := range strings.Lines(string(table)) {
		at := strings.Index(line, prefix)
		if at < 0 {
			continue
		}
		pid, err := strconv.Atoi(strings.TrimSpace(line[at+len(prefix):]))
		if err != nil || told[pid] {
			continue
		}
		told[pid] = true
		if !speakTo(ctx, prefix+strconv.Itoa(pid), data) {
			refused = append(refused, pid)
		}
	}
	return refused
}

func speakTo(ctx context.Context, name string, data []byte) bool {
	ctx, cancel := context.WithTimeout(ctx, wordWait)
	defer cancel()
	conn, err := (&net.Dialer{}).DialContext(ctx, "unix", name)
	if err != nil {
		return true // it ended
	}
	defer func() { _ = conn.Close() }()
	if deadline, ok := ctx.Deadline(); ok {
		_ = conn.SetDeadline(deadline)
	}
	if _, err := conn.Write(data); err != nil {
		return false
	}
	answer, err := bufio.NewReader(io.LimitReader(conn, 8)).ReadString('\n')
	return err == nil && answer == "ok\n"
}
