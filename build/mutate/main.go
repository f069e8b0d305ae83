// Command mutate shows whether the tests of a package notice wrong code: it
// compiles every mutant of the package into one test program, runs that program
// once per mutant, and names the mutants that no test kills.
//
// A mutant is one small change: a comparison negated or moved by one, "and"
// for "or", a sum for a difference, a statement left out, a loop left early or
// late. All of them stand in one instrumented copy of the source, each behind a
// number, so that a thousand mutants cost one compilation. Mutants that change
// nothing anybody could see are listed with the reason in a file; a line of it
// that matches no surviving mutant is an error, so that the list cannot rot.
//
//	go run ./build/mutate -equivalent build/mutate/policy.txt ./backend/policy
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"runtime"
	"sort"
	"strconv"
	"strings"
	"sync"
	"time"
)

func main() {
	list := flag.String("equivalent", "", "file of mutants that change nothing, one a line: `KEY # reason`")
	workers := flag.Int("workers", runtime.NumCPU(), "mutants tested at the same time")
	limit := flag.Duration("limit", 10*time.Second, "a mutant that runs longer, and ten times longer than the tests do, counts as killed")
	only := flag.String("only", "", "test only mutants whose key matches this regular expression")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, flag.Arg(0), *list, *only, *workers, *limit); err != nil {
		fmt.Fprintln(os.Stderr, "mutate:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, dir, list, only string, workers int, limit time.Duration) error {
	wanted, err := regexp.Compile(only)
	if err != nil {
		return err
	}
	equivalent, err := readList(list)
	if err != nil {
		return err
	}
	temp, err := os.MkdirTemp("", "mutate-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(temp)
	mutants, overlay, err := instrument(dir, temp)
	if err != nil {
		return err
	}
	program := filepath.Join(temp, "package.test")
	build := exec.CommandContext(ctx, "go", "test", "-c", "-overlay", overlay, "-o", program, dir)
	build.Stderr = os.Stderr
	if err := build.Run(); err != nil {
		return fmt.Errorf("compile the mutants: %w", err)
	}
	t := tester{program: program, dir: dir}
	for i := range t.limits {
		t.limits[i] = 10 * time.Minute
		start := time.Now()
		if end, out := t.run(ctx, 0, i); end != alive {
			return fmt.Errorf("the tests fail without a mutant:\n%s", out)
		}
		t.limits[i] = max(limit, 10*time.Since(start))
	}
	chosen := mutants[:0:0]
	for _, m := range mutants {
		if wanted.MatchString(m.key) {
			chosen = append(chosen, m)
		}
	}
	survivors := t.all(ctx, chosen, workers)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return report(chosen, survivors, equivalent, only == "")
}

// report prints the outcome; an error says that a mutant lives that is not
// known to be equivalent, or that the list names one that is killed.
func report(all, survivors []mutant, equivalent map[string]string, whole bool) error {
	left, known := 0, 0
	for _, m := range survivors {
		if _, ok := equivalent[m.key]; ok {
			delete(equivalent, m.key)
			known++
			continue
		}
		left++
		fmt.Printf("ALIVE %s\n      %s\n", m.key, m.place)
	}
	fmt.Printf("%d mutants: %d killed, %d equivalent (listed), %d alive\n", len(all), len(all)-left-known, known, left)
	if whole {
		for key := range equivalent {
			fmt.Printf("LISTED BUT KILLED OR GONE %s\n", key)
			left++
		}
	}
	if left > 0 {
		return errors.New("not every mutant dies")
	}
	return nil
}

// readList reads the equivalent mutants; each line needs its reason.
func readList(path string) (map[string]string, error) {
	out := map[string]string{}
	if path == "" {
		return out, nil
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	for i, line := range strings.Split(string(data), "\n") {
		if strings.TrimSpace(line) == "" || strings.HasPrefix(line, "#") {
			continue
		}
		key, reason, ok := strings.Cut(line, " # ")
		if !ok {
			return nil, fmt.Errorf("%s:%d: no reason is given", path, i+1)
		}
		out[strings.TrimSpace(key)] = reason
	}
	return out, nil
}

// tester runs the one test program, each time in up to two passes: most mutants
// die of quick tests and few random cases, so these come first. With -short rapid
// divides the cases by five.
type tester struct {
	program, dir string
	limits       [2]time.Duration
}

// end is how a mutant ended.
type end int

const (
	alive  end = iota
	failed     // a test failed, or the program broke
	hung       // the time or the memory ran out
)

// kills tells whether some test fails under a mutant; 0 is no mutant.
func (t tester) kills(ctx context.Context, id int) end {
	for i := range t.limits {
		if e, _ := t.run(ctx, id, i); e != alive {
			return e
		}
	}
	return alive
}

func (t tester) run(parent context.Context, id, pass int) (end, string) {
	ctx, cancel := context.WithTimeout(parent, t.limits[pass])
	defer cancel()
	flags := []string{"-test.failfast", "-test.run=^Test", "-rapid.nofailfile", "-rapid.shrinktime=0s", "-rapid.checks=1000", "-rapid.seed=1"}
	if pass == 0 {
		flags = append(flags, "-test.short")
	}
	cmd := exec.CommandContext(ctx, t.program, flags...)
	cmd.Dir = t.dir
	cmd.Env = append(os.Environ(), "MUTANT="+strconv.Itoa(id), "GOMEMLIMIT=512MiB", "GOMAXPROCS=1")
	out, err := cmd.CombinedOutput()
	switch {
	case err == nil:
		return alive, string(out)
	case ctx.Err() != nil && parent.Err() == nil, cmd.ProcessState.ExitCode() == outOfMemory:
		return hung, string(out)
	}
	return failed, string(out)
}

// all tests the mutants and gives those that live, in the order of their keys.
// A mutant that hangs is killed but told, because a slow computer looks alike.
func (t tester) all(ctx context.Context, mutants []mutant, workers int) []mutant {
	queue := make(chan mutant)
	var mu sync.Mutex
	var survivors []mutant
	var group sync.WaitGroup
	for range workers {
		group.Go(func() {
			for m := range queue {
				end := t.kills(ctx, m.id)
				mu.Lock()
				switch end {
				case alive:
					fmt.Fprintf(os.Stderr, "lives: %s\n", m.key)
					survivors = append(survivors, m)
				case hung:
					fmt.Fprintf(os.Stderr, "hangs: %s\n", m.key)
				}
				mu.Unlock()
			}
		})
	}
	for i, m := range mutants {
		if i%100 == 0 {
			fmt.Fprintf(os.Stderr, "%d of %d mutants\n", i, len(mutants))
		}
		select {
		case queue <- m:
		case <-ctx.Done():
		}
	}
	close(queue)
	group.Wait()
	sort.Slice(survivors, func(i, j int) bool { return survivors[i].key < survivors[j].key })
	return survivors
}
