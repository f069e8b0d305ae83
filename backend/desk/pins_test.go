package desk

import (
	"errors"
	"testing"

	"hermes/backend/view"
)

// TestAcceptanceNamesWhatWasShown: a changed tool is accepted only with the hash
// it has now; a wish that names none of them means all, and then names all hashes.
func TestAcceptanceNamesWhatWasShown(t *testing.T) {
	now := view.ServerChanges{Server: "demo", Tools: []view.ToolChange{{Tool: "a", Now: "aaaaaaaaaaaa"}, {Tool: "b", Now: "bbbbbbbbbbbb"}}, New: []string{"n"}}
	for name, test := range map[string]struct {
		tools        []string
		hashes       map[string]string
		shown, added int
		code         string
	}{
		"all":                      {nil, map[string]string{"a": "aaaaaaaaaaaa", "b": "bbbbbbbbbbbb"}, 2, 1, ""},
		"one":                      {[]string{"a"}, map[string]string{"a": "aaaaaaaaaaaa"}, 1, 0, ""},
		"new":                      {[]string{"n"}, map[string]string{}, 0, 1, ""},
		"all but one is not shown": {nil, map[string]string{"a": "aaaaaaaaaaaa"}, 0, 0, "conflict"},
		"another hash":             {[]string{"a"}, map[string]string{"a": "cccccccccccc"}, 0, 0, "conflict"},
		"no hash":                  {[]string{"a"}, nil, 0, 0, "conflict"},
		"it went back meanwhile":   {[]string{"c"}, map[string]string{"c": "cccccccccccc"}, 0, 0, "conflict"},
		"nothing of that name":     {[]string{"c"}, nil, 0, 0, "failed"},
	} {
		shown, added, err := wished(now, view.AcceptChanges{Server: "demo", Tools: test.tools, Now: test.hashes})
		var failure *Failure
		code := ""
		if errors.As(err, &failure) {
			code = failure.View.Code
		}
		if len(shown) != test.shown || len(added) != test.added || code != test.code {
			t.Errorf("%s: %v, %v, %v", name, shown, added, err)
		}
	}
}
