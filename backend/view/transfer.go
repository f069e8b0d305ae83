package view

// ImportSource is a file of another host that is there and may be imported.
// Beside are files that may keep tools of its servers out.
type ImportSource struct {
	Host   string   `json:"host"`
	Title  string   `json:"title"`
	File   string   `json:"file"`
	Beside []string `json:"beside"`
}

// ImportSources is the answer of `hermes mcp import --json` without a source.
type ImportSources struct {
	Found []ImportSource `json:"found"`
	Hosts []string       `json:"hosts"`
}

// ImportRequest says what to import. From is a host's name: alone it means the
// host's own file, with File or Text that host's format. Servers are the names
// to take, none for all. Overwrite replaces how an existing server is reached
// and keeps the rest of its entry; Rename takes a free name instead.
type ImportRequest struct {
	From      string   `json:"from"`
	File      string   `json:"file"`
	Text      string   `json:"text"`
	Servers   []string `json:"servers"`
	Overwrite bool     `json:"overwrite"`
	Rename    bool     `json:"rename"`
}

// ImportAction says what an import does with one server.
type ImportAction string

// The actions of an import. A skipped server is no failure, a refused one is.
const (
	ImportAdd       ImportAction = "add"
	ImportOverwrite ImportAction = "overwrite"
	ImportSkip      ImportAction = "skip"
	ImportRefuse    ImportAction = "refuse"
)

// ImportServer is one server of an import. Name is its name there, As its name
// here. Meaning says in the other host's words which tools are on, Rules in
// ours. Entry is what is written, without any secret; Variables are the names
// whose values go into `.env`. Reason says why it is skipped or refused.
type ImportServer struct {
	Name      string       `json:"name"`
	As        string       `json:"as"`
	Line      int          `json:"line"`
	Action    ImportAction `json:"action"`
	Reason    string       `json:"reason"`
	Meaning   string       `json:"meaning"`
	Rules     Words        `json:"rules"`
	Enabled   bool         `json:"enabled"`
	Untrusted bool         `json:"untrusted"`
	Entry     string       `json:"entry"`
	Variables []string     `json:"variables"`
	Notes     []string     `json:"notes"`
}

// ImportPreview is what an import would do. File is where the servers come
// from, Path the configuration they go to.
type ImportPreview struct {
	Host     string         `json:"host"`
	Title    string         `json:"title"`
	File     string         `json:"file"`
	Path     string         `json:"path"`
	Revision string         `json:"revision"`
	Servers  []ImportServer `json:"servers"`
	Problems []Problem      `json:"problems"`
}

// ImportResult is the answer of `hermes mcp import --json`. Saved is true only
// when the file was read back and says so.
type ImportResult struct {
	Preview  ImportPreview `json:"preview"`
	Saved    bool          `json:"saved"`
	Revision string        `json:"revision"`
	// Written are the names of the servers that were added or overwritten.
	Written []string `json:"written"`
}

// ExportRequest says which servers to write in whose format. DisableLocked
// writes a locked server switched off where that can be said.
type ExportRequest struct {
	To            string   `json:"to"`
	Servers       []string `json:"servers"`
	DisableLocked bool     `json:"disable_locked"`
}

// ExportRemark is a word about one server of an export.
type ExportRemark struct {
	Server string `json:"server"`
	Text   string `json:"text"`
}

// Export is the answer of `hermes mcp export --json`. Text holds exactly the
// servers in Servers; what the host cannot say is in Refused.
type Export struct {
	Host    string         `json:"host"`
	Title   string         `json:"title"`
	Text    string         `json:"text"`
	Servers []string       `json:"servers"`
	Refused []ExportRemark `json:"refused"`
	Notes   []ExportRemark `json:"notes"`
}
