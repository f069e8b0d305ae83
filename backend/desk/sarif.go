package desk

import (
	"encoding/json"
	"net/url"
	"path/filepath"
	"slices"
	"strings"

	"hermes/backend/config"
	"hermes/backend/host"
	"hermes/backend/view"
)

// SARIF writes an audit in the Static Analysis Results Interchange Format
// 2.1.0, for code review. Paths are relative to base where a file is inside it.
func SARIF(audit view.Audit, version, base string) ([]byte, error) {
	run := sarifRun{ColumnKind: "unicodeCodePoints", Language: "en-US", Newlines: []string{"\r\n", "\n"}, Results: []sarifResult{}}
	run.Tool.Driver = sarifDriver{Name: "hermes", Version: version, Language: "en-US", Rules: []sarifRule{}}
	for _, item := range slices.Concat(audit.Findings, audit.Notes) {
		index := slices.IndexFunc(run.Tool.Driver.Rules, func(r sarifRule) bool { return r.ID == item.Code })
		if index < 0 {
			index = len(run.Tool.Driver.Rules)
			rule := sarifRule{ID: item.Code, ShortDescription: sarifMessage{ruleText(item.Code)}}
			rule.DefaultConfiguration.Level = string(item.Level)
			run.Tool.Driver.Rules = append(run.Tool.Driver.Rules, rule)
		}
		var where sarifLocation
		where.Physical.Artifact.URI = fileURI(item.File, base)
		where.Physical.Region = sarifRegion{Line: max(item.Line, 1), Column: max(item.Column, 1)}
		run.Results = append(run.Results, sarifResult{RuleID: item.Code, RuleIndex: index, Level: string(item.Level),
			Message: sarifMessage{sarifText(item)}, Locations: []sarifLocation{where}})
	}
	data, err := json.MarshalIndent(sarifLog{Version: "2.1.0", Schema: sarifSchema, Runs: []sarifRun{run}}, "", "  ")
	if err != nil {
		return nil, err
	}
	return append(data, '\n'), nil
}

// sarifSchema is where the format is defined.
const sarifSchema = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"

// The parts of SARIF 2.1.0 that an audit needs. A library for it stands in the
// tests alone: loading its schema costs every start of the program 2 ms.
type (
	sarifLog struct {
		Version string     `json:"version"`
		Schema  string     `json:"$schema"`
		Runs    []sarifRun `json:"runs"`
	}
	sarifRun struct {
		Tool struct {
			Driver sarifDriver `json:"driver"`
		} `json:"tool"`
		ColumnKind string        `json:"columnKind"`
		Language   string        `json:"language"`
		Newlines   []string      `json:"newlineSequences"`
		Results    []sarifResult `json:"results"`
	}
	sarifDriver struct {
		Name     string      `json:"name"`
		Version  string      `json:"version"`
		Language string      `json:"language"`
		Rules    []sarifRule `json:"rules"`
	}
	sarifRule struct {
		ID                   string       `json:"id"`
		ShortDescription     sarifMessage `json:"shortDescription"`
		DefaultConfiguration struct {
			Level string `json:"level"`
		} `json:"defaultConfiguration"`
	}
	sarifMessage struct {
		Text string `json:"text"`
	}
	sarifResult struct {
		RuleID    string          `json:"ruleId"`
		RuleIndex int             `json:"ruleIndex"`
		Level     string          `json:"level"`
		Message   sarifMessage    `json:"message"`
		Locations []sarifLocation `json:"locations"`
	}
	sarifLocation struct {
		Physical struct {
			Artifact struct {
				URI string `json:"uri"`
			} `json:"artifactLocation"`
			Region sarifRegion `json:"region"`
		} `json:"physicalLocation"`
	}
	sarifRegion struct {
		Line   int `json:"startLine"`
		Column int `json:"startColumn"`
	}
)

// sarifText is the message of an item with its remedy.
func sarifText(item view.AuditItem) string {
	text := item.Message
	if item.Server != "" {
		text = "server " + item.Server + ": " + text
	}
	if item.Hint != "" {
		text += ". " + item.Hint
	}
	return text
}

// ruleText describes a rule of the audit; the reader's own problems describe
// themselves.
func ruleText(code string) string {
	switch code {
	case config.CodeHeld, config.CodeHeldPartly:
		return "The file lost a restriction that Hermes still holds"
	case config.CodeHeldRewritten:
		return "The file says something else than what Hermes still holds"
	case config.CodeHeldTwin, config.CodeHeldTwinRewritten:
		return "A server that starts the program of a locked one is held"
	case "audit.lost":
		return "A server was more restricted once than it is now"
	case "audit.changed":
		return "A tool whose definition is not the accepted one"
	case host.CodePins + ".damaged", host.CodePins + ".unreadable", host.CodePins + ".unwritten", host.CodePins + ".former":
		return "The file of tool definitions needs a look"
	case "audit.open":
		return "A server without a filter"
	case "audit.unmatched":
		return "A pattern that matches no tool of the server"
	case "audit.writes_unasked":
		return "Destructive tools that run without a question"
	case "audit.unpinned":
		return "A package without a version"
	case "file.exposed":
		return "A file with secrets that others can read"
	}
	return "The configuration says something that a person should mend: " + code
}

// fileURI is a path relative to base where it is inside, else an absolute file
// URI.
func fileURI(path, base string) string {
	if abs, err := filepath.Abs(path); err == nil {
		path = abs
	}
	if inside, err := filepath.Rel(base, path); err == nil && base != "" && inside != ".." && !strings.HasPrefix(inside, ".."+string(filepath.Separator)) {
		return (&url.URL{Path: filepath.ToSlash(inside)}).EscapedPath()
	}
	path = filepath.ToSlash(path)
	if !strings.HasPrefix(path, "/") {
		path = "/" + path // a drive letter
	}
	return (&url.URL{Scheme: "file", Path: path}).String()
}
