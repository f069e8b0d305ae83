package guard

import (
	"crypto/sha256"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// step is what a round brought: the outcomes, whatever their order and however
// often each, and how many there are.
type step struct {
	outcomes key
	count    int
}

func (r round) step() step {
	sum := sha256.New()
	for _, seen := range slices.SortedFunc(maps.Keys(r.seen), compareKeys) {
		sum.Write(seen[:])
	}
	out := step{count: len(r.seen)}
	sum.Sum(out.outcomes[:0])
	return out
}

// repeats says what the last steps repeat, one step or a lap of several, and how
// often it was there in a row; name is a tool of the last one.
func repeats(recent []step, name string) (what string, count int) {
	for size := 1; size <= maxCycle; size++ {
		count := laps(recent, size)
		if count < noteRepeats {
			continue
		}
		calls := 0
		for _, step := range recent[len(recent)-size:] {
			calls += step.count
		}
		if calls == 1 {
			return fmt.Sprintf("%s was called %d times in a row with the same arguments and gave the same result each time.", name, count), count
		}
		return fmt.Sprintf("The same %d calls were made %d times in a row and gave the same results each time.", calls, count), count
	}
	return "", 0
}

// laps is how often the last size steps were there in a row, in any order within a
// lap.
func laps(recent []step, size int) int {
	if len(recent) < size {
		return 0
	}
	lap := sorted(recent[len(recent)-size:])
	if size > 1 && lap[0] == lap[size-1] {
		return 0 // the same thing again and again is no cycle
	}
	count := 1
	for end := len(recent) - size; end >= size && slices.Equal(lap, sorted(recent[end-size:end])); end -= size {
		count++
	}
	return count
}

func sorted(lap []step) []step {
	out := slices.Clone(lap)
	slices.SortFunc(out, func(a, b step) int { return compareKeys(a.outcomes, b.outcomes) })
	return out
}

func compareKeys(a, b key) int { return strings.Compare(string(a[:]), string(b[:])) }
