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

// TestPlanSeesEveryField changes each field a session is built from, so that a
// new one is not forgotten.
func TestPlanSeesEveryField(t *testing.T) {
	limits := map[string]bool{"Timeout": true, "ConnectTimeout": true}
	base := want{run: true, conn: config.Connection{}}
	kind := reflect.TypeFor[config.Connection]()
	for i := range kind.NumField() {
		field := kind.Field(i)
		var conn config.Connection
		value := reflect.ValueOf(&conn).Elem().Field(i)
		switch field.Type.Kind() {
		case reflect.String:
			value.SetString("x")
		case reflect.Slice:
			value.Set(reflect.ValueOf([]string{"x"}))
		case reflect.Map:
			value.Set(reflect.ValueOf(map[string]string{"x": "y"}))
		case reflect.Int64:
			value.SetInt(5)
		default:
			t.Fatalf("field %s has a kind this test does not know", field.Name)
		}
		want := deedRestart
		if limits[field.Name] {
			want = deedKeep
		}
		if got := compare(base, true, newWant(conn)); got != want {
			t.Errorf("%s: %s, want %s", field.Name, got, want)
		}
	}
}
