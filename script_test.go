package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"syscall"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"hermes/backend/host"
)

// TestMain registers the real main as the command of the scripts, and as what
// this binary is when the program starts itself (the guard) or a test starts
// the program (asMain).
func TestMain(m *testing.M) {
	if os.Getenv(asMain) != "" || len(os.Args) > 1 && os.Args[1] == host.ConfineCommand {
		main()
		return
	}
	if len(os.Args) > 1 && os.Args[1] == "__guard" {
		end(run(os.Args[1:]))
	}
	if os.Getenv(asToolStub) != "" {
		toolStub()
	}
	if file := os.Getenv(asEffects); file != "" {
		endServer(effects(file))
	}
	if size := os.Getenv(asMeeting); size != "" {
		endServer(meetingServer(context.Background(), size))
	}
	if err := os.Setenv(raceOptions, cmp.Or(os.Getenv(raceOptions), quickRaceEnd)); err != nil {
		panic(err)
	}
	testscript.Main(m, map[string]func(){"hermes": main, "toolstub": toolStub})
}

// asMain makes this test binary the program.
const asMain = "HERMES_TEST_AS_MAIN"

// A program with the race detector sleeps a second before it ends (GORACE,
// atexit_sleep_ms), for threads that still run. Here each of some thousand
// processes would; a race that was seen is reported and fails as ever.
const (
	raceOptions  = "GORACE"
	quickRaceEnd = "atexit_sleep_ms=20"
)

// end ends a process that gets no variables of ours, a guard or a server, without
// that second.
func end(code int) { syscall.Exit(code) }

func endServer(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		end(1)
	}
	end(0)
}

// TestScripts runs the scripts in testdata/script against the real main, with
// real npm servers and, where a script asks for it, a scripted model server
// (aimock) over real HTTP.
func TestScripts(t *testing.T) {
	peers := npmPeers(t)
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script",
		Setup: func(env *testscript.Env) error {
			env.Setenv("HOME", env.WorkDir)
			env.Setenv("HERMES_HOME", filepath.Join(env.WorkDir, "home"))
			env.Setenv("PEERS", peers)
			env.Setenv("NO_COLOR", "1")
			env.Setenv(raceOptions, os.Getenv(raceOptions))
			return nil
		},
		Condition: func(cond string) (bool, error) {
			if cond == "root" {
				return os.Geteuid() == 0, nil
			}
			return false, fmt.Errorf("unknown condition %q", cond)
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exitcode": exitCodeCommand,
			"aimock":   aimockCommand,
			"pipe":     pipeCommand,
			"listen":   listenCommand,
		},
		RequireUniqueNames: true,
	})
}

// npmPeers is the folder of the pinned npm servers that `make test` installs.
func npmPeers(t testing.TB) string {
	t.Helper()
	dir, err := filepath.Abs("testdata/npm/node_modules")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(dir, "@modelcontextprotocol")); err != nil {
		t.Fatal("the npm peers are missing; run `make test`, or `npm ci --ignore-scripts` in testdata/npm")
	}
	return dir
}

// exitCodeCommand is `exitcode CODE PROGRAM ARG...`.
func exitCodeCommand(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exitcode CODE PROGRAM ARG...")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	err = ts.Exec(args[1], args[2:]...)
	got := 0
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		got = exit.ExitCode()
	} else if err != nil {
		ts.Fatalf("%v: %v", args[1:], err)
	}
	if got != want {
		ts.Fatalf("%v: exit code %d, want %d", args[1:], got, want)
	}
}

// pipeCommand is `pipe FILE PROGRAM ARG...`: the file becomes standard input
// through a real pipe that stays open until the program ends by itself or the
// input is used up.
func pipeCommand(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) < 2 {
		ts.Fatalf("usage: pipe FILE PROGRAM ARG...")
	}
	cmd := exec.Command("sh", append([]string{"-c", `in=$1; shift; exec "$@" <"$in"`, "sh", ts.MkAbs(args[0])}, args[1:]...)...)
	cmd.Dir = ts.MkAbs(".")
	out, err := cmd.CombinedOutput()
	ts.Logf("%s", out)
	if (err != nil) != neg {
		ts.Fatalf("%v: %v", args[1:], err)
	}
}

// listenCommand is `listen VARIABLE`: it takes a free port for the rest of the
// script and puts its address into a variable.
func listenCommand(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: listen VARIABLE")
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	ts.Check(err)
	ts.Defer(func() { listener.Close() })
	ts.Setenv(args[0], listener.Addr().String())
}

// aimockCommand is `aimock FIXTURES.json`: it starts the scripted model server
// on a free port and points the OpenAI variables at it. The server ends with
// the script.
func aimockCommand(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: aimock FIXTURES.json")
	}
	url, stop, err := startAimock(filepath.Join(ts.Getenv("PEERS"), "@copilotkit/aimock/dist/cli.js"), ts.MkAbs(args[0]))
	ts.Check(err)
	ts.Defer(stop)
	ts.Setenv("OPENAI_BASE_URL", url+"/v1")
	ts.Setenv("OPENAI_API_KEY", "test-key")
	ts.Setenv("AIMOCK", url)
}

// startAimock runs the server and returns its address once it listens.
func startAimock(cli, fixtures string) (url string, stop func(), err error) {
	cmd := exec.Command("node", cli, "-p", "0", "-f", fixtures, "--strict", "--log-level", "info")
	out := &addressWriter{found: make(chan string, 1)}
	cmd.Stdout, cmd.Stderr = out, out
	if err := cmd.Start(); err != nil {
		return "", nil, fmt.Errorf("start aimock: %w", err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	select {
	case url = <-out.found:
	case err := <-ended:
		return "", nil, fmt.Errorf("aimock ended at once: %w: %s", err, out.all.String())
	}
	return url, func() { _ = cmd.Process.Kill(); <-ended }, nil
}

// addressWriter finds the first address in what a program prints.
type addressWriter struct {
	all   bytes.Buffer
	found chan string
	done  bool
}

func (w *addressWriter) Write(p []byte) (int, error) {
	w.all.Write(p)
	if !w.done {
		if m := regexp.MustCompile(`http://127\.0\.0\.1:\d+`).Find(w.all.Bytes()); m != nil {
			w.done = true
			w.found <- string(m)
		}
	}
	return len(p), nil
}
