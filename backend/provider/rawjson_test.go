package provider

import (
	"encoding/json"
	"testing"
	"time"

	"pgregory.net/rapid"
)

func TestMembersAndElements(t *testing.T) {
	ms, err := members([]byte(" { \"a\\n\" : [ 1 , {\"b\":\"}\\\\\"} ] ,\"c\":\"\\\\\\\"\", \"d\":-1.0e3,\"e\":null , \"f\":{}}\n"))
	if err != nil {
		t.Fatal(err)
	}
	want := []member{{"a\n", json.RawMessage(`[ 1 , {"b":"}\\"} ]`)}, {"c", json.RawMessage(`"\\\""`)},
		{"d", json.RawMessage(`-1.0e3`)}, {"e", json.RawMessage(`null`)}, {"f", json.RawMessage(`{}`)}}
	if len(ms) != len(want) {
		t.Fatalf("members %q", ms)
	}
	for i := range want {
		if ms[i].key != want[i].key || string(ms[i].value) != string(want[i].value) {
			t.Errorf("member %d: %q %s", i, ms[i].key, ms[i].value)
		}
	}
	for _, raw := range []string{"", "null", "[]", `"x"`, "1"} {
		if _, err := members([]byte(raw)); err == nil {
			t.Errorf("%q was read as an object", raw)
		}
	}
	for _, raw := range []string{"", "null", "{}", `"x"`} {
		if _, err := elements([]byte(raw)); err == nil {
			t.Errorf("%q was read as an array", raw)
		}
	}
}

// The walk over valid JSON finds what encoding/json finds.
func FuzzMembers(f *testing.F) {
	for _, seed := range []string{`{"a":1,"b":[{"c":"\"}"}],"d":{"e":{}}}`, `{}`, ` { "x" : "\\" } `, `[1,"],[",{"a":[]}]`, `{"a":"","b":-0}`, `[[],[[]],""]`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		if !json.Valid(raw) {
			// Not promised to be read, but never to panic or to hang.
			_, _ = members(raw)
			_, _ = elements(raw)
			return
		}
		var object map[string]json.RawMessage
		if ms, err := members(raw); err == nil {
			if json.Unmarshal(raw, &object) != nil {
				t.Fatalf("%q is no object", raw)
			}
			seen := map[string]bool{}
			for _, m := range ms {
				seen[m.key] = true
			}
			for key, value := range object {
				if got := find(ms, key); string(got) != string(value) {
					t.Errorf("%q: %q = %q, want %q", raw, key, got, value)
				}
			}
			if len(seen) != len(object) {
				t.Errorf("%q: keys %v", raw, seen)
			}
		}
		var array []json.RawMessage
		if items, err := elements(raw); err == nil {
			if json.Unmarshal(raw, &array) != nil || len(items) != len(array) {
				t.Fatalf("%q: %d items, want %d", raw, len(items), len(array))
			}
			for i := range array {
				if string(items[i]) != string(array[i]) {
					t.Errorf("%q: item %d %q", raw, i, items[i])
				}
			}
		}
	})
}

func TestStringsAreWrittenAsJSON(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.String().Draw(t, "text")
		if got := text(appendString(nil, s)); got != s {
			t.Fatalf("%q became %q", s, got)
		}
	})
}

func TestRetryAfterForms(t *testing.T) {
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	for value, want := range map[string]time.Duration{
		"": 0, "3": 3 * time.Second, "0.5": 500 * time.Millisecond, "-1": 0, "NaN": 0, "soon": 0, "1e300": 365 * 24 * time.Hour,
		"Fri, 02 Jan 2026 03:04:15 GMT": 10 * time.Second, "Fri, 02 Jan 2026 03:04:00 GMT": 0,
	} {
		if got := retryAfter(map[string][]string{"Retry-After": {value}}, now); got != want {
			t.Errorf("%q: %s, want %s", value, got, want)
		}
	}
}
