package agent

import (
	"slices"
	"strconv"
	"strings"

	"hermes/backend/message"
)

// Split turns each batch of two to ten local entries into single calls, in the
// neutral view and in the vendor's blocks alike (DESIGN section 5). The first
// child keeps its parent's id, the others get one that depends on the parent
// alone, so splitting the same answer again gives the same ids. Batches of
// connector names only, broken ones, single entries and batches of more than
// ten keep every byte. Ids are unique afterwards; identical entries stay two
// calls. The given turn is not changed.
func Split(turn Turn) Turn { return split(turn, nil) }

// split is Split with the ids the session used before, which are not given out
// again: every call id of a session has exactly one result row.
func split(turn Turn, taken map[string]bool) Turn {
	if len(turn.ToolCalls) == 0 {
		return turn
	}
	parents := slices.Clone(turn.ToolCalls)
	for i := range parents {
		if parents[i].ID == "" {
			parents[i].ID = message.DeterministicCallID(parents[i].Name, parents[i].Arguments, i)
		}
	}
	makeUnique(parents, taken)
	var calls []message.ToolCall
	ends := make([]int, len(parents))
	for i, parent := range parents {
		calls = append(calls, children(parent)...)
		ends[i] = len(calls)
	}
	makeUnique(calls, taken)

	edits := make(map[string][]edit, len(parents))
	start := 0
	for i, written := range turn.ToolCalls {
		e := edit{calls: calls[start:ends[i]]}
		e.renamed = e.calls[0].ID != written.ID
		edits[written.ID] = append(edits[written.ID], e)
		start = ends[i]
	}
	turn.ToolCalls = calls
	turn.Blocks = editBlocks(turn.Blocks, edits)
	return turn
}

// children is the calls a call becomes: itself, or one for each entry.
func children(parent message.ToolCall) []message.ToolCall {
	if parent.Name != message.NameToolCall {
		return []message.ToolCall{parent}
	}
	entries, err := message.ParseBatch(parent.Arguments)
	local := func(e message.BatchEntry) bool { return !strings.HasPrefix(e.Name, message.ConnectorPrefix) }
	if err != nil || len(entries) < 2 || len(entries) > message.MaxCallsPerDispatch || !slices.ContainsFunc(entries, local) {
		return []message.ToolCall{parent}
	}
	calls := make([]message.ToolCall, len(entries))
	for i, entry := range entries {
		calls[i] = message.ToolCall{Name: message.NameToolCall, Arguments: entry.CallText()}
		if i == 0 {
			calls[i].ID = parent.ID
			continue
		}
		calls[i].ID = message.DeterministicCallID(message.NameToolCall, parent.ID+calls[i].Arguments, i)
	}
	return calls
}

// makeUnique gives the second and every later holder of an id the suffix _d2,
// _d3 and so on. Ids that are right as they are keep theirs.
func makeUnique(calls []message.ToolCall, taken map[string]bool) {
	held := make(map[string]bool, len(calls))
	for _, call := range calls {
		held[call.ID] = true
	}
	seen := make(map[string]bool, len(calls))
	next := map[string]int{}
	for i := range calls {
		id := calls[i].ID
		if !seen[id] && !taken[id] {
			seen[id] = true
			continue
		}
		n := max(next[id], 2)
		for seen[suffixed(id, n)] || taken[suffixed(id, n)] || held[suffixed(id, n)] {
			n++
		}
		calls[i].ID = suffixed(id, n)
		seen[calls[i].ID] = true
		next[id] = n + 1
	}
}

func suffixed(id string, n int) string { return id + "_d" + strconv.Itoa(n) }
