package catalog

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"hermes/backend/config"
)

func own(t *testing.T) []Entry {
	t.Helper()
	c := Load(nil)
	for _, d := range c.Diagnostics {
		t.Errorf("%s:%d: %s", d.File, d.Line, d.Message)
	}
	return c.Entries
}

func TestOwnManifests(t *testing.T) {
	entries := own(t)
	if len(entries) < 15 {
		t.Errorf("only %d servers", len(entries))
	}
	version := regexp.MustCompile(`^[0-9]+\.[0-9]+\.[0-9]+$`)
	for _, e := range entries {
		t.Run(e.Name, func(t *testing.T) {
			if len(e.Description) < 20 || !strings.HasPrefix(e.Source, "https://") {
				t.Errorf("description %q, source %q", e.Description, e.Source)
			}
			if !e.Tools.Stated {
				t.Error("no rule for its tools")
			}
			if len(e.Tools.Except) > 0 {
				t.Error("a blacklist lets in what the server adds tomorrow")
			}
			if !strings.HasSuffix(e.File, "/"+e.Name+"/manifest.yaml") || strings.ToLower(e.Name) != e.Name {
				t.Errorf("the name %q is not that of its folder %s", e.Name, e.File)
			}
			seen := map[string]bool{}
			for _, tool := range e.Tools.Only {
				if seen[tool] || strings.ContainsAny(tool, "*?[ ") {
					t.Errorf("tool %q stands twice or is a pattern", tool)
				}
				seen[tool] = true
			}
			if e.Transport == config.TransportHTTP {
				return
			}
			packages := e.Packages()
			if e.Command != "npx" || len(packages) != 1 || !slices.Contains(e.Args, "-y") {
				t.Fatalf("%s %q", e.Command, e.Args)
			}
			if p := packages[0]; !version.MatchString(p.Version) || p.Version != e.Version || e.Integrity[p.Name] == "" || len(e.Integrity) != 1 {
				t.Errorf("the package %s is not pinned: version %q, integrity %v", p, e.Version, e.Integrity)
			}
		})
	}
}

// TestOwnPackagesOnNetwork compares every hash with the registry.
func TestOwnPackagesOnNetwork(t *testing.T) {
	if os.Getenv("HERMES_CATALOG_NETWORK") != "1" {
		t.Skip("set HERMES_CATALOG_NETWORK=1 to ask npm")
	}
	for _, e := range own(t) {
		checked, unknown, err := Verify(t.Context(), e.Manifest)
		if err != nil || len(unknown) > 0 || e.Transport == config.TransportStdio && len(checked) != 1 {
			t.Errorf("%s: checked %v, unknown %v, %v", e.Name, checked, unknown, err)
		}
	}
}
