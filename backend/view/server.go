package view

// ServerStatus is the state of a server's connection. The first five are known
// without connecting.
type ServerStatus string

// The states of a server.
const (
	StatusReady     ServerStatus = "ready"
	StatusDisabled  ServerStatus = "disabled"
	StatusLocked    ServerStatus = "locked"
	StatusInvalid   ServerStatus = "invalid"
	StatusHeld      ServerStatus = "held"
	StatusStarting  ServerStatus = "starting"
	StatusConnected ServerStatus = "connected"
	StatusFailed    ServerStatus = "failed"
	// StatusNeedsAuth wants a person to sign in, StatusParked is tried rarely or
	// only when the file changes or a person asks.
	StatusNeedsAuth ServerStatus = "needs_auth"
	StatusParked    ServerStatus = "parked"
)

// ServerList is the answer of `hermes mcp list --json` and of the page's MCP
// place.
type ServerList struct {
	Config  Config   `json:"config"`
	Servers []Server `json:"servers"`
}

// Config tells which file is in force. Revision is a hash of its bytes, empty
// when there is no file.
type Config struct {
	Path     string    `json:"path"`
	Revision string    `json:"revision"`
	Problems []Problem `json:"problems"`
}

// Server is one row of the list. Target is the URL, or the command with its
// arguments; secrets in it are masked. Reason says in words why the server is
// in its Status, with the remedy where there is one.
type Server struct {
	Name       string       `json:"name"`
	Transport  string       `json:"transport"`
	Target     string       `json:"target"`
	Enabled    bool         `json:"enabled"`
	Status     ServerStatus `json:"status"`
	Reason     string       `json:"reason"`
	Line       int          `json:"line"`
	Tools      Rules        `json:"tools"`
	Live       Live         `json:"live"`
	Connection Connection   `json:"connection"`
	Problems   []Problem    `json:"problems"`
}

// Connection is what is known of a server's session, all of it zero where there
// is none. Since and NextTry are RFC 3339, empty for never; Attempts counts the
// tries since it last was connected; LatencyMS is the time of its latest answer;
// MemoryBytes (resident) and CPUPercent (of one core, since the last look) are
// those of its whole process group; Noise counts lines on standard output that
// were no messages; Lazy is a server that starts at its first call. Process is
// the id of another Hermes process when the state is what that one tells, 0 for
// our own.
type Connection struct {
	Since       string  `json:"since"`
	Attempts    int     `json:"attempts"`
	NextTry     string  `json:"next_try"`
	LatencyMS   float64 `json:"latency_ms"`
	Version     string  `json:"version"`
	Protocol    string  `json:"protocol"`
	PID         int     `json:"pid"`
	MemoryBytes int64   `json:"memory_bytes"`
	CPUPercent  float64 `json:"cpu_percent"`
	Noise       int     `json:"noise"`
	Lazy        bool    `json:"lazy"`
	Process     int     `json:"process"`
}

// Rules are a server's tool rules in words. State, Words, Patterns and the
// helper switches are what is in force; File is what the file says, given only
// when a lock is held against it. Words is the text of the list's column, Row
// that of the tools listing, Panel that of the page.
type Rules struct {
	State     string     `json:"state"`
	Held      bool       `json:"held"`
	Locked    bool       `json:"locked"`
	Words     string     `json:"words"`
	List      Words      `json:"list"`
	Row       Words      `json:"row"`
	Panel     Words      `json:"panel"`
	Patterns  []string   `json:"patterns"`
	Resources bool       `json:"resources"`
	Prompts   bool       `json:"prompts"`
	Problems  []Problem  `json:"problems"`
	File      *FileRules `json:"file,omitempty"`
	Hold      *Hold      `json:"hold,omitempty"`
}

// Hold tells what is held against the file: since which day, what was written in
// words, the keys that are gone, and the ways out, each the name of a command
// and of a method of the page: open, lock, restore. Restore is left out where
// there is nothing to write back, or somebody wrote in its place. Texts is what
// is held as a file says it, Present what stands there now instead. Waits tells that no
// key is gone: what a change opens waits for a person's next action.
type Hold struct {
	Since   string   `json:"since"`
	Was     string   `json:"was"`
	Keys    []string `json:"keys"`
	Texts   []string `json:"texts"`
	Present []string `json:"present"`
	Waits   bool     `json:"waits"`
	Ways    []string `json:"ways"`
}

// FileRules is what the file says while a lost restriction is held.
type FileRules struct {
	State string `json:"state"`
	Words string `json:"words"`
}

// Live counts the tools that were seen. Known is false until a server was
// connected once; Unmatched are the patterns that match none of them. New are
// the tools a server added since a person last looked, NewOff how many of them
// the rules keep off; Changed counts the tools that are blocked because their
// definition is not the one that was seen, Quarantined those that cannot be
// offered to a model; Blocked are those of both that the rules have on, and Allowed
// counts what is left.
type Live struct {
	Known       bool     `json:"known"`
	Allowed     int      `json:"allowed"`
	Total       int      `json:"total"`
	Unmatched   []string `json:"unmatched"`
	New         []string `json:"new"`
	NewOff      int      `json:"new_off"`
	Changed     int      `json:"changed"`
	Quarantined int      `json:"quarantined"`
	Blocked     int      `json:"blocked"`
}

// ServerDetail is a server with its tools, for the page and
// `hermes mcp test --json`. Tree is the server's entry as policy.EncodeTree
// writes it, in base64, for the page's WebAssembly module.
type ServerDetail struct {
	Server   Server   `json:"server"`
	Revision string   `json:"revision"`
	Tree     string   `json:"tree"`
	Version  string   `json:"version"`
	Protocol string   `json:"protocol"`
	Tools    []Tool   `json:"tools"`
	Log      []string `json:"log"`
}

// Hint is a server's own word about a tool, which proves nothing.
type Hint string

// The values of a Hint.
const (
	HintUnknown Hint = "unknown"
	HintYes     Hint = "yes"
	HintNo      Hint = "no"
)

// Tool is one tool of a server. Public is the name the model sees; Allowed and
// Reason come from the policy. Seen is false for a name that stands in the file
// and was not among the tools of the server. HeldBy names the glob that holds
// the tool on or off, empty when none does. New was added since a person last
// looked; Changed is blocked because its definition is not the one that was seen;
// Quarantine says why the tool cannot be offered to a model, empty when it can.
type Tool struct {
	Server      string `json:"server"`
	Name        string `json:"name"`
	Public      string `json:"public"`
	Title       string `json:"title"`
	Description string `json:"description"`
	Allowed     bool   `json:"allowed"`
	Reason      Words  `json:"reason"`
	Line        int    `json:"line"`
	Seen        bool   `json:"seen"`
	HeldBy      string `json:"held_by"`
	ReadOnly    Hint   `json:"read_only"`
	Destructive Hint   `json:"destructive"`
	New         bool   `json:"new"`
	Changed     bool   `json:"changed"`
	Quarantine  string `json:"quarantine"`
}

// ToolsRow is one server of `hermes tools list --json`. Grants are what people said
// yes to for more than one call.
type ToolsRow struct {
	Server string  `json:"server"`
	Rules  Rules   `json:"rules"`
	Live   Live    `json:"live"`
	Tools  []Tool  `json:"tools"`
	Grants []Grant `json:"grants"`
}

// ToolsList is the answer of `hermes tools list --json`. Connectors is missing where
// the file names no gateway.
type ToolsList struct {
	Config     Config      `json:"config"`
	Servers    []ToolsRow  `json:"servers"`
	Connectors *Connectors `json:"connectors,omitempty"`
}

// Why is the answer of `hermes mcp why --json`. Rule is the policy's code of
// the rule that decided. Anchor names the anchor through which the deciding line
// belongs to the server, empty where it stands in the server's own entry. Held
// tells that the server is held; Ledger is the file that remembers it then.
type Why struct {
	Server  string `json:"server"`
	Tool    string `json:"tool"`
	Allowed bool   `json:"allowed"`
	Rule    string `json:"rule"`
	Reason  string `json:"reason"`
	Words   Words  `json:"words"`
	File    string `json:"file"`
	Line    int    `json:"line"`
	Column  int    `json:"column"`
	Anchor  string `json:"anchor,omitempty"`
	Held    bool   `json:"held"`
	Ledger  string `json:"ledger,omitempty"`
	// Asks tells that the call is allowed and a person is asked about it each time,
	// for the reason that Reason says.
	Asks bool `json:"asks"`
}

// EditResult tells what an edit did. Changed is false when the file already
// said so; Warnings name what a person may not expect.
type EditResult struct {
	Server   string   `json:"server"`
	Revision string   `json:"revision"`
	Changed  bool     `json:"changed"`
	Before   Words    `json:"before"`
	After    Words    `json:"after"`
	Warnings []string `json:"warnings"`
}

// ToolEdit states a wanted result for one tool, never "toggle". Revision is the
// revision the person looked at; an edit against another one is a conflict.
// Expand lets a glob that holds the tool be replaced by what it matches.
type ToolEdit struct {
	Server   string `json:"server"`
	Tool     string `json:"tool"`
	On       bool   `json:"on"`
	Expand   bool   `json:"expand"`
	Revision string `json:"revision"`
}

// ServerEdit names a server to lock, open or restore as seen at a revision.
type ServerEdit struct {
	Server   string `json:"server"`
	Revision string `json:"revision"`
}
