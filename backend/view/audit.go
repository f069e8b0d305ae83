package view

// Level says how much an item of an audit weighs.
type Level string

// The levels, as SARIF names them. Errors and warnings of an audit's findings
// end the command with 1; notes do so only with --strict.
const (
	LevelError   Level = "error"
	LevelWarning Level = "warning"
	LevelNote    Level = "note"
)

// AuditItem is one finding or note. Code is stable and is the rule's id in
// SARIF; Server is empty where the whole file is meant. Line and Column are
// 1-based, 0 where the item has no place in the file.
type AuditItem struct {
	Level   Level    `json:"level"`
	Code    string   `json:"code"`
	Params  []string `json:"params"`
	Server  string   `json:"server"`
	Message string   `json:"message"`
	Hint    string   `json:"hint"`
	File    string   `json:"file"`
	Line    int      `json:"line"`
	Column  int      `json:"column"`
}

// AuditServer is one server of an audit. Status is what is known without
// connecting, Words the server's state in words; secrets in Target are masked.
// Held tells that the file opens the server and Hermes still holds it.
type AuditServer struct {
	Name      string       `json:"name"`
	Transport string       `json:"transport"`
	Target    string       `json:"target"`
	Status    ServerStatus `json:"status"`
	Reason    string       `json:"reason"`
	State     string       `json:"state"`
	Held      bool         `json:"held"`
	Words     Words        `json:"words"`
	Line      int          `json:"line"`
}

// Audit is the answer of `hermes mcp audit --json`. OK is false when there are
// findings; with Strict the notes are among them. Unchecked says what could not
// be looked at, such as a history that took too long.
type Audit struct {
	Config    Config        `json:"config"`
	OK        bool          `json:"ok"`
	Strict    bool          `json:"strict"`
	Servers   []AuditServer `json:"servers"`
	Findings  []AuditItem   `json:"findings"`
	Notes     []AuditItem   `json:"notes"`
	Unchecked []string      `json:"unchecked"`
}

// ChangeKind says what happened to a server between two files.
type ChangeKind string

// The kinds of change.
const (
	ChangeAdded   ChangeKind = "added"
	ChangeRemoved ChangeKind = "removed"
	ChangeChanged ChangeKind = "changed"
)

// DiffLine is one thing that a change opens or closes. Kind is "tool",
// "future", "pattern", "helper", "feature", "trust", "connection" or "gate";
// What says it in words; Before and After are the reasons of both sides; Line
// stands in the second file.
type DiffLine struct {
	Kind   string `json:"kind"`
	Name   string `json:"name"`
	What   Words  `json:"what"`
	Before Words  `json:"before"`
	After  Words  `json:"after"`
	Line   int    `json:"line"`
	Column int    `json:"column"`
}

// DiffServer is one server that a change touches. Before and After are its
// states in words.
type DiffServer struct {
	Name   string     `json:"name"`
	Kind   ChangeKind `json:"kind"`
	Before Words      `json:"before"`
	After  Words      `json:"after"`
	Opens  []DiffLine `json:"opens"`
	Closes []DiffLine `json:"closes"`
}

// Diff is the answer of `hermes mcp diff --json`. Opens tells whether anything
// opens: then the command ends with 1. Files are what concerns all servers,
// such as a hook that is gone. Unreadable tells that one of the files cannot be
// read, as its Config says: nothing of it can be called, and the command ends
// with 1, too.
type Diff struct {
	A          Config       `json:"a"`
	B          Config       `json:"b"`
	Opens      bool         `json:"opens"`
	Unreadable bool         `json:"unreadable"`
	Servers    []DiffServer `json:"servers"`
	FileOpens  []DiffLine   `json:"file_opens"`
	FileCloses []DiffLine   `json:"file_closes"`
}

// ArrivalServer is one point in which a server means something else here than
// in Hermes Agent. Code is "tools", "helpers", "trust" or "duplicate"; Before is
// what Hermes Agent does, Now what is done here, Fix what to write, empty where
// nothing needs to be.
type ArrivalServer struct {
	Server string `json:"server"`
	Code   string `json:"code"`
	Before Words  `json:"before"`
	Now    Words  `json:"now"`
	Fix    Words  `json:"fix"`
	File   string `json:"file"`
	Line   int    `json:"line"`
	Column int    `json:"column"`
}

// ProgramKind says whose program a file called `hermes` is.
type ProgramKind string

// The kinds of program.
const (
	ProgramThis   ProgramKind = "this"   // the program that answers
	ProgramOurs   ProgramKind = "ours"   // another copy of it
	ProgramPython ProgramKind = "python" // Hermes Agent
	ProgramOther  ProgramKind = "other"
)

// ArrivalProgram is a file called `hermes` on PATH, in the order of PATH: the
// first one is what typing `hermes` starts.
type ArrivalProgram struct {
	Path string      `json:"path"`
	Kind ProgramKind `json:"kind"`
}

// ObsoleteText is a line of a skill or prompt that tells the model to call one
// tool at a time, which only costs time here.
type ObsoleteText struct {
	File string `json:"file"`
	Line int    `json:"line"`
	Text string `json:"text"`
}

// Arrival is one page for a person who comes from Hermes Agent: what is
// different with the home they bring. ForeignKeys is the number of values of the
// file that belong to other parts of Hermes: kept, not used. Quiet tells that
// there is nothing to say.
type Arrival struct {
	Config          Config           `json:"config"`
	Quiet           bool             `json:"quiet"`
	Servers         []ArrivalServer  `json:"servers"`
	Honoured        []Problem        `json:"honoured"`
	Evidence        []AuditItem      `json:"evidence"`
	ForeignKeys     int              `json:"foreign_keys"`
	ForeignSections []string         `json:"foreign_sections"`
	Programs        []ArrivalProgram `json:"programs"`
	Obsolete        []ObsoleteText   `json:"obsolete"`
	Unchecked       []string         `json:"unchecked"`
}
