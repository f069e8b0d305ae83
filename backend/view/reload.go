package view

// Reloaded is what a reload by force found and did: the revision in force, the
// servers whose entry changed, those that were tried again, and how many servers
// offer how many allowed tools after it.
type Reloaded struct {
	Revision string   `json:"revision"`
	Changed  []string `json:"changed"`
	Retried  []string `json:"retried"`
	Servers  int      `json:"servers"`
	Tools    int      `json:"tools"`
}

// ReloadAsked is what `hermes mcp reload` prints: the ids of the running Hermes
// processes of this home that have the file in force, those that could not take
// it, and the ids of those that did not answer in time.
type ReloadAsked struct {
	Answered []int          `json:"answered"`
	Failed   []ReloadFailed `json:"failed"`
	Silent   []int          `json:"silent"`
}

// ReloadFailed is why a process goes on with what it had: the problem of the file
// with its place, 1-based, 0 for none.
type ReloadFailed struct {
	Process int    `json:"process"`
	Message string `json:"message"`
	File    string `json:"file"`
	Line    int    `json:"line"`
	Column  int    `json:"column"`
}
