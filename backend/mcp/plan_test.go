package mcp

import (
	"reflect"
	"testing"

	"hermes/backend/config"
)

func newWant(conn config.Connection) want { return want{run: true, conn: conn} }

func TestPlan(t *testing.T) {
	node := config.Connection{Transport: "stdio", Command: "node", Args: []string{"a"}, Env: map[string]string{"K": "1"}}
	change := func(f func(*config.Connection)) config.Connection {
		c := node
		c.Args = append([]string(nil), node.Args...)
		c.Env = map[string]string{"K": "1"}
		f(&c)
		return c
	}
	run := newWant
	rest := func(s State) want { return want{state: s, reason: string(s), conn: node} }
	type servers = map[string]want
	for _, test := range []struct {
		name          string
		before, after servers
		want          []step
	}{
		{"nothing", nil, nil, nil},
		{"new ones, sorted", nil, servers{"b": run(node), "a": run(node)}, []step{{"a", deedStart}, {"b", deedStart}}},
		{"new and locked", nil, servers{"a": rest(StateLocked)}, []step{{"a", deedShow}}},
		{"unchanged", servers{"a": run(node)}, servers{"a": run(change(func(*config.Connection) {}))}, []step{{"a", deedKeep}}},
		{"rules only", servers{"a": {run: true, conn: node, trusted: true}}, servers{"a": {run: true, conn: node, parallel: true}}, []step{{"a", deedKeep}}},
		{"another value of a variable", servers{"a": {run: true, conn: node, values: "1"}}, servers{"a": {run: true, conn: node, values: "2"}}, []step{{"a", deedRestart}}},
		{"a variable is not set any more", servers{"a": {run: true, conn: node, values: "1"}}, servers{"a": {run: true, conn: node}}, []step{{"a", deedRestart}}},
		{"a variable is still not set", servers{"a": {run: true, conn: node, edition: "1"}}, servers{"a": {run: true, conn: node, edition: "2"}}, []step{{"a", deedKeep}}},
		{"time limits only", servers{"a": run(node)}, servers{"a": run(change(func(c *config.Connection) { c.Timeout, c.ConnectTimeout = 1, 2 }))}, []step{{"a", deedKeep}}},
		{"locked", servers{"a": run(node)}, servers{"a": rest(StateLocked)}, []step{{"a", deedStop}}},
		{"invalid", servers{"a": run(node)}, servers{"a": rest(StateInvalid)}, []step{{"a", deedStop}}},
		{"unlocked", servers{"a": rest(StateLocked)}, servers{"a": run(node)}, []step{{"a", deedStart}}},
		{"from locked to disabled", servers{"a": rest(StateLocked)}, servers{"a": rest(StateDisabled)}, []step{{"a", deedShow}}},
		{"removed while running", servers{"a": run(node)}, nil, []step{{"a", deedStop}}},
		{"removed while locked", servers{"a": rest(StateLocked)}, nil, []step{{"a", deedForget}}},
		{"renamed", servers{"a": run(node)}, servers{"b": run(node)}, []step{{"a", deedStop}, {"b", deedStart}}},
		{"one of two changed", servers{"a": run(node), "b": run(node)},
			servers{"a": run(node), "b": run(change(func(c *config.Connection) { c.Args[0] = "b" }))},
			[]step{{"a", deedKeep}, {"b", deedRestart}}},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := plan(test.before, test.after); !reflect.DeepEqual(got, test.want) {
				t.Errorf("got %v, want %v", got, test.want)
			}
		})
	}
}
