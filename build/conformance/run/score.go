package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"gopkg.in/yaml.v3"
)

// score reads the suite's summary: how many of the scenarios that a revision
// requires have passed. Whether the run is good is the suite's own word, which
// compares with the baseline.
func (s *suite) score(role, revision, text string, ok bool) error {
	required, err := s.required(role, revision)
	if err != nil {
		return err
	}
	r := row{name: role + " " + revision, of: len(required), failed: !ok}
	passed := map[string]bool{}
	line := regexp.MustCompile(`(?m)^(✓|✗) ([^ :]+): \d+ passed`)
	for _, found := range line.FindAllStringSubmatch(text, -1) {
		passed[found[2]] = found[1] == "✓"
	}
	for _, scenario := range required {
		if passed[scenario] {
			r.passed++
		}
	}
	if missing := r.of - r.passed; missing > 0 {
		r.note = fmt.Sprintf("%d in the baseline", missing)
	}
	if !ok {
		r.note = "not as the baseline says"
		fmt.Println(tail(text))
	}
	s.rows = append(s.rows, r)
	return nil
}

// tail is the part of the suite's output that people read.
func tail(text string) string {
	for _, mark := range []string{"=== SUITE SUMMARY ===", "=== SUMMARY ==="} {
		if at := strings.LastIndex(text, mark); at >= 0 {
			return text[at:]
		}
	}
	return text
}

// required reads the suite's own list for a revision.
func (s *suite) required(role, revision string) ([]string, error) {
	data, err := os.ReadFile(filepath.Join(s.peers, "@modelcontextprotocol/conformance/requirements", revision+".yaml"))
	if err != nil {
		return nil, fmt.Errorf("the suite is not installed (npm ci in testdata/conformance): %w", err)
	}
	lists := struct {
		Client []string `yaml:"client"`
		Server []string `yaml:"server"`
	}{}
	if err := yaml.Unmarshal(data, &lists); err != nil {
		return nil, err
	}
	if role == "client" {
		return lists.Client, nil
	}
	return lists.Server, nil
}
