//go:build unix

package mcp

import (
	"reflect"
	"testing"
	"time"

	"hermes/backend/config"
)

// connectionFields classifies every field of a connection, those of its parts
// too. A session is built from the first kind; the others are read anew at
// every use.
func connectionFields() map[string]deed {
	return map[string]deed{
		"Transport": deedRestart, "Command": deedRestart, "Args": deedRestart, "Env": deedRestart, "Cwd": deedRestart,
		"URL": deedRestart, "Headers": deedRestart, "Builtin": deedRestart, "Root": deedRestart,
		"Timeout": deedKeep, "ConnectTimeout": deedKeep,
		"Protocol": deedRestart, "Keepalive": deedKeep, "IdleTimeout": deedKeep, "MaxLifetime": deedKeep,
		"TLS.Insecure": deedRestart, "TLS.CA": deedRestart, "TLS.Cert": deedRestart, "TLS.Key": deedRestart, "TLS.Password": deedRestart,
		"StrictRedirects": deedRestart,
		"Confinement.On":  deedRestart, "Confinement.Folders[].Path": deedRestart, "Confinement.Folders[].Write": deedRestart,
		"Auth": deedRestart, "IdentityHeader": deedRestart,
	}
}

// walk visits every plain value in v, making one element of each list and map,
// and leaves it changed for the visit alone.
func walk(t *testing.T, path string, v reflect.Value, visit func(path string)) {
	t.Helper()
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			field := v.Type().Field(i)
			if !field.IsExported() {
				continue
			}
			name := field.Name
			if path != "" {
				name = path + "." + name
			}
			walk(t, name, v.Field(i), visit)
		}
		return
	case reflect.Slice:
		if v.Type().Elem().Kind() == reflect.Struct {
			// An element more is a change of its own; the fields of one that is
			// there are the others.
			v.Set(reflect.MakeSlice(v.Type(), 1, 1))
			walk(t, path+"[]", v.Index(0), visit)
			v.SetZero()
			return
		}
	default:
	}
	setSomething(t, path, v)
	visit(path)
	v.SetZero()
}

func setSomething(t *testing.T, path string, v reflect.Value) {
	t.Helper()
	switch v.Kind() {
	case reflect.String:
		v.SetString("x")
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int64:
		v.SetInt(5)
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		setSomething(t, path, v.Index(0))
	case reflect.Map:
		key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
		setSomething(t, path, key)
		setSomething(t, path, value)
		v.Set(reflect.MakeMap(v.Type()))
		v.SetMapIndex(key, value)
	default:
		t.Fatalf("field %s is of kind %s, which this test cannot fill", path, v.Kind())
	}
}

// TestPlanSeesEveryField changes each field a session may be built from, so that
// a new one is not forgotten, in the entry as it is written and in the values
// its variables stand for.
func TestPlanSeesEveryField(t *testing.T) {
	fields, met := connectionFields(), map[string]bool{}
	seal := newSeal()
	var conn config.Connection
	walk(t, "", reflect.ValueOf(&conn).Elem(), func(path string) {
		met[path] = true
		expected, known := fields[path]
		if !known {
			t.Errorf("the field %s is not classified: does changing it need a new session?", path)
			return
		}
		base := want{run: true}
		if path == "Confinement.Folders[].Write" {
			base.conn.Confinement.Folders = []config.Folder{{}}
		}
		if got := compare(base, true, want{run: true, conn: conn}); got != expected {
			t.Errorf("%s: %s, want %s", path, got, expected)
		}
		base.values = seal.values(base.conn)
		if got := compare(base, true, want{run: true, conn: base.conn, values: seal.values(conn)}); got != expected {
			t.Errorf("the value of %s: %s, want %s", path, got, expected)
		}
	})
	for path := range fields {
		if !met[path] {
			t.Errorf("there is no field %s any more", path)
		}
	}
}

// serverFields tells of each field of an entry how it reaches a session. Those
// that are read at every use restart nothing.
func serverFields() map[string]string {
	return map[string]string{
		"Name": "identity", "Conn": "connection",
		"Parallel": "kept", "Untrusted": "kept", "Lazy": "kept",
		// Their caps are asked of the snapshot in force when a server asks.
		"Sampling": "kept", "Elicitation": "kept",
		"Rules": "rules", "Enabled": "rules", "Waits": "rules", "EnabledNote": "shown", "Problems": "rules", "Hold": "rules", "Opened": "shown",
		"Line": "place", "Column": "place", "Entry": "edition",
		// The word of the file; Conn.Builtin is what a session is built from.
		"Builtin": "shown",
	}
}

// TestPlanKeepsWhatIsReadAnew changes each field of an entry that a session
// depends on without being built from it.
func TestPlanKeepsWhatIsReadAnew(t *testing.T) {
	kind := reflect.TypeFor[config.Server]()
	for i := range kind.NumField() {
		field := kind.Field(i)
		if !field.IsExported() {
			continue
		}
		role, known := serverFields()[field.Name]
		if !known {
			t.Errorf("the field %s of an entry is not classified: does a session depend on it?", field.Name)
		}
		if role != "kept" {
			continue
		}
		m := &Manager{seal: newSeal()}
		snap := newHome(t, "mcp_servers: {a: {command: x}}\n", nil).snapshot()
		server := snap.Servers[0]
		before := m.wanted(snap, &server)
		walk(t, "", reflect.ValueOf(&server).Elem().Field(i), func(path string) {
			after := m.wanted(snap, &server)
			if got := compare(before, true, after); got != deedKeep {
				t.Errorf("%s %s: %s, want %s", field.Name, path, got, deedKeep)
			}
		})
	}
}

// TestEditionsTellChangesApart: an entry that only moved is the same edition.
func TestEditionsTellChangesApart(t *testing.T) {
	m := &Manager{seal: newSeal()}
	edition := func(text string) string {
		snap := newHome(t, text, nil).snapshot()
		server, ok := snap.Server("a")
		if !ok {
			t.Fatalf("%q has no server", text)
		}
		return m.wanted(snap, server).edition
	}
	first := edition("mcp_servers:\n  a: {command: x, args: [b]}\n")
	for text, same := range map[string]bool{
		"# a comment\nmcp_servers:\n  z: {command: y}\n  a: {command: x, args: [b]}\n": true,
		"mcp_servers:\n  a: {command: x, args: [b, c]}\n":                              false,
		"mcp_servers:\n  a: {command: x, args: [b], timeout: 5}\n":                     false,
	} {
		if got := edition(text) == first; got != same {
			t.Errorf("%q is the same edition: %t", text, got)
		}
	}
}

func TestValuesAreNotKept(t *testing.T) {
	conn := config.Connection{Env: map[string]string{"K": "s3cret-value-1"}, Timeout: time.Second}
	one, other := newSeal(), newSeal()
	if one.values(conn) != one.values(conn) {
		t.Error("one connection has two names")
	}
	if one.values(conn) == other.values(conn) {
		t.Error("two managers give the same name: a value could be guessed from it")
	}
}
