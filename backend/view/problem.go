package view

// Severity says how much a Problem weighs.
type Severity string

// The weights of a problem. An error denies or stops something; a warning does
// not change what is in force.
const (
	SeverityError   Severity = "error"
	SeverityWarning Severity = "warning"
)

// Problem is something a person should mend, with the place and the next step.
// Line and Column are 1-based; 0 means unknown.
type Problem struct {
	Severity Severity `json:"severity"`
	Code     string   `json:"code"`
	Params   []string `json:"params"`
	Message  string   `json:"message"`
	Hint     string   `json:"hint"`
	File     string   `json:"file"`
	Line     int      `json:"line"`
	Column   int      `json:"column"`
}

// Words is a sentence with the code and parameters it was made from, so that
// the page can say it in another language.
type Words struct {
	Code   string   `json:"code"`
	Params []string `json:"params"`
	Text   string   `json:"text"`
}

// Error is what a command prints with --json when it fails, under the key
// "error", and what the page gets for a refused call. Code is stable:
// "conflict", "refused", "unknown_server", "usage", "failed".
type Error struct {
	Code    string `json:"code"`
	Message string `json:"message"`
	Hint    string `json:"hint"`
	File    string `json:"file"`
	Line    int    `json:"line"`
	Column  int    `json:"column"`
}
