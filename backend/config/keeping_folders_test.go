package config

import (
	"reflect"
	"strings"
	"testing"
)

// TestFolders reads the key `folders`: absent is no limit, an empty list a limit
// without folders, and what is not understood an error of the server.
func TestFolders(t *testing.T) {
	for name, test := range map[string]struct {
		key     string
		want    Confinement
		problem string
	}{
		"absent":   {"", Confinement{}, ""},
		"empty":    {"folders: []", Confinement{On: true}, ""},
		"short":    {"folders: [~/work, /srv]", Confinement{On: true, Folders: []Folder{{"~/work", true}, {"/srv", true}}}, ""},
		"long":     {"folders: [{path: '${DATA}/x', write: false}]", Confinement{On: true, Folders: []Folder{{"${DATA}/x", false}}}, ""},
		"relative": {"folders: [work]", Confinement{On: true}, `"work" in ` + "`folders` is not a full path"},
		"dots":     {"folders: [../work]", Confinement{On: true}, "is not a full path"},
		"nothing":  {"folders: ['']", Confinement{On: true}, "not a path"},
		"null":     {"folders: null", Confinement{On: true}, "must be a list"},
		"text":     {"folders: /srv", Confinement{On: true}, "must be a list"},
		"one":      {"folder: [/srv]", Confinement{On: true}, `"folder" is not a key of a server`},
		"case":     {"Folders: [/srv]", Confinement{On: true}, `"Folders" is not a key of a server`},
		"letter":   {"folderz: [/srv]", Confinement{On: true}, `"folderz" is not a key of a server`},
		"blank":    {"'folders ': [/srv]", Confinement{On: true}, `"folders " is not a key of a server`},
		"swapped":  {"fodlers: null", Confinement{On: true}, `"fodlers" is not a key of a server`},
		"writ":     {"folders: [{path: /srv, writ: false}]", Confinement{On: true, Folders: []Folder{{"/srv", true}}}, `"writ" is not a key of a folder`},
		"Write":    {"folders: [{path: /srv, Write: false}]", Confinement{On: true, Folders: []Folder{{"/srv", true}}}, `"Write" is not a key of a folder`},
		"note":     {"folders: [{path: /srv, note: x}]", Confinement{On: true, Folders: []Folder{{"/srv", true}}}, `"note" is not a key of a folder`},
		"list key": {"folders: [{path: /srv, [a]: x}]", Confinement{On: true, Folders: []Folder{{"/srv", true}}}, `is not a key of a folder`},
		"twice":    {"folders: [{path: /srv, write: false, write: true}]", Confinement{On: true, Folders: []Folder{{"/srv", true}}}, "written twice"},
	} {
		t.Run(name, func(t *testing.T) {
			s := load(t, "mcp_servers:\n  s:\n    command: x\n    "+test.key+"\n")
			sv := server(t, s, "s")
			if !reflect.DeepEqual(sv.Conn.Confinement, test.want) {
				t.Errorf("got %+v", sv.Conn.Confinement)
			}
			ok, problem := s.MayRun("s")
			if ok != (test.problem == "") || !ok && (!strings.Contains(problem.Message, test.problem) || problem.Line != 4 || problem.Hint == "") {
				t.Errorf("may run: %v, %+v", ok, problem)
			}
		})
	}
}
