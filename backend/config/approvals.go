package config

import (
	"strconv"
	"strings"
	"time"

	"hermes/backend/policy"
)

// DefaultApprovalTimeout is how long calls wait for a person when
// approvals.timeout says nothing; maxApprovalTimeout bounds what it may say.
const (
	DefaultApprovalTimeout = 300 * time.Second
	maxApprovalTimeout     = 24 * time.Hour
)

// approvalTimeout reads approvals.timeout, in seconds. What cannot be read is the
// default: nobody is let through by waiting.
func (r *restrictionReader) approvalTimeout(root *policy.Node) {
	r.out.ApprovalTimeout = DefaultApprovalTimeout
	n, wrong := section(root, "approvals.timeout")
	if wrong || isNull(n) {
		return // that `approvals` cannot be read is told once
	}
	seconds, err := strconv.ParseFloat(strings.TrimSpace(scalarText(n)), 64)
	if n.Kind != policy.KindScalar || err != nil || !(seconds > 0) {
		r.problems = append(r.problems, Problem{
			Severity: policy.SeverityWarning, Code: "approvals.timeout",
			Message: "`approvals.timeout` is no number of seconds above 0; 300 is used",
			Hint:    "write a number such as `timeout: 300`",
			File:    r.file, Line: n.Line, Column: n.Column,
		})
		return
	}
	if seconds > maxApprovalTimeout.Seconds() {
		seconds = maxApprovalTimeout.Seconds()
	}
	r.out.ApprovalTimeout = time.Duration(seconds * float64(time.Second))
}
