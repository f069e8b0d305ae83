//go:build window

package main

import (
	"bufio"
	"bytes"
	"context"
	"image/png"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestWindow opens the real window on a virtual display, waits until the page
// says that it is interactive, looks at the screen, and ends the program.
func TestWindow(t *testing.T) {
	program, err := filepath.Abs("build/bin/hermes-desktop")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(program); err != nil {
		t.Fatal("build/bin/hermes-desktop is missing; run `make desktop`")
	}
	ctx, cancel := context.WithTimeout(context.Background(), 3*time.Minute)
	defer cancel()
	display := startXvfb(t)
	home := t.TempDir()
	config := "mcp_servers:\n  demo: {command: npx, tools: {include: []}}\n  demo2: {command: npx}\n"
	if err := os.WriteFile(filepath.Join(home, "config.yaml"), []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}

	window := exec.CommandContext(ctx, program)
	window.Env = append(os.Environ(), "DISPLAY="+display, "WAYLAND_DISPLAY=", "HERMES_HOME="+home, "HERMES_LOG=info",
		"XDG_CACHE_HOME="+t.TempDir(), "XDG_DATA_HOME="+t.TempDir())
	window.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	stderr, err := window.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := window.Start(); err != nil {
		t.Fatal(err)
	}
	group := window.Process.Pid
	defer syscall.Kill(-group, syscall.SIGKILL)

	report := waitForLine(t, stderr, "page ready")
	t.Log(report)
	for _, want := range []string{"policy_loaded=true", "servers=2", "transport=window"} {
		if !strings.Contains(report, want) {
			t.Errorf("the page reports %q, without %s", report, want)
		}
	}
	waitForPicture(t, ctx, display)

	if err := window.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	go io.Copy(io.Discard, stderr)
	if err := window.Wait(); err != nil {
		t.Errorf("the window did not end well: %v", err)
	}
	waitForNobody(t, ctx, group)
	if left, err := filepath.Glob(filepath.Join(home, "*")); err != nil || len(left) != 1 {
		t.Errorf("looking wrote into the home: %v %v", left, err)
	}
}

func startXvfb(t *testing.T) string {
	t.Helper()
	read, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	server := exec.Command("Xvfb", "-displayfd", "3", "-screen", "0", "1280x860x24", "-nolisten", "tcp")
	server.ExtraFiles = []*os.File{write}
	if err := server.Start(); err != nil {
		t.Fatalf("start Xvfb: %v (build/setup.sh test installs it)", err)
	}
	write.Close()
	t.Cleanup(func() { server.Process.Kill(); server.Wait() })
	number, err := bufio.NewReader(read).ReadString('\n')
	if err != nil {
		t.Fatalf("Xvfb gave no display: %v", err)
	}
	return ":" + strings.TrimSpace(number)
}

func waitForLine(t *testing.T, from io.Reader, want string) string {
	t.Helper()
	lines := bufio.NewScanner(from)
	for lines.Scan() {
		if strings.Contains(lines.Text(), want) {
			return lines.Text()
		}
		t.Log(lines.Text())
	}
	t.Fatalf("the window ended without saying %q", want)
	return ""
}

// waitForPicture waits until the screen shows more than the few colours of an
// empty window: what the page reports is drawn a moment later.
func waitForPicture(t *testing.T, ctx context.Context, display string) {
	t.Helper()
	ticker := time.NewTicker(100 * time.Millisecond)
	defer ticker.Stop()
	for {
		colours := screenColours(t, ctx, display)
		if colours >= 8 {
			return
		}
		select {
		case <-ctx.Done():
			t.Fatalf("the screen never had more than %d colours", colours)
		case <-ticker.C:
		}
	}
}

// screenColours takes a picture of the whole screen. HERMES_SHOT keeps it.
func screenColours(t *testing.T, ctx context.Context, display string) int {
	t.Helper()
	shot := exec.CommandContext(ctx, "import", "-display", display, "-window", "root", "png:-")
	data, err := shot.Output()
	if err != nil {
		t.Fatalf("take a picture: %v", err)
	}
	if keep := os.Getenv("HERMES_SHOT"); keep != "" {
		if err := os.WriteFile(keep, data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	picture, err := png.Decode(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	colours := map[[4]uint32]bool{}
	bounds := picture.Bounds()
	for y := bounds.Min.Y; y < bounds.Max.Y; y += 3 {
		for x := bounds.Min.X; x < bounds.Max.X; x += 3 {
			r, g, b, a := picture.At(x, y).RGBA()
			colours[[4]uint32{r, g, b, a}] = true
		}
	}
	return len(colours)
}

// waitForNobody waits until no process of the group is left.
func waitForNobody(t *testing.T, ctx context.Context, group int) {
	t.Helper()
	ticker := time.NewTicker(50 * time.Millisecond)
	defer ticker.Stop()
	for {
		if err := syscall.Kill(-group, 0); err == syscall.ESRCH {
			return
		}
		select {
		case <-ctx.Done():
			t.Fatalf("processes of group %s are left", strconv.Itoa(group))
		case <-ticker.C:
		}
	}
}
