package desk

import (
	"bytes"
	"net/url"
	"path/filepath"
	"strings"

	"github.com/owenrumney/go-sarif/v3/pkg/report/v210/sarif"

	"hermes/backend/config"
	"hermes/backend/view"
)

// SARIF writes an audit in the Static Analysis Results Interchange Format
// 2.1.0, for code review. Paths are relative to base where a file is inside it.
func SARIF(audit view.Audit, version, base string) ([]byte, error) {
	run := sarif.NewRun().WithTool(sarif.NewTool().WithDriver(sarif.NewToolComponent().WithName("hermes").WithVersion(version))).
		WithColumnKind("unicodeCodePoints")
	for _, list := range [][]view.AuditItem{audit.Findings, audit.Notes} {
		for _, item := range list {
			level := string(item.Level)
			rule := run.AddRule(item.Code)
			if rule.ShortDescription == nil {
				rule.WithShortDescription(sarif.NewMultiformatMessageString().WithText(ruleText(item.Code)))
				rule.WithDefaultConfiguration(sarif.NewReportingConfiguration().WithLevel(level))
			}
			result := run.CreateResultForRule(item.Code).WithLevel(level).WithMessage(sarif.NewTextMessage(sarifText(item)))
			region := sarif.NewRegion().WithStartLine(max(item.Line, 1)).WithStartColumn(max(item.Column, 1))
			result.AddLocation(sarif.NewLocation().WithPhysicalLocation(sarif.NewPhysicalLocation().
				WithArtifactLocation(sarif.NewArtifactLocation().WithURI(fileURI(item.File, base))).WithRegion(region)))
		}
	}
	report := sarif.NewReport()
	report.AddRun(run)
	var out bytes.Buffer
	if err := report.PrettyWrite(&out); err != nil {
		return nil, err
	}
	return append(bytes.TrimRight(out.Bytes(), "\n"), '\n'), nil
}

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
	case config.CodeHeld:
		return "The file lost a restriction that Hermes still holds"
	case "audit.lost":
		return "A server was more restricted once than it is now"
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
