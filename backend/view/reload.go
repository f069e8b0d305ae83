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
// processes of this home that answered, and of those that did not in time.
type ReloadAsked struct {
	Answered []int `json:"answered"`
	Silent   []int `json:"silent"`
}
