package view

// Connectors are the tools behind the connectors gateway, which no server of the file
// has. Gateway is the address of the gateway without its path, Called whether they may
// be called as things stand, Reason why not, Trusted whether a call needs no person.
// Grants are what people said yes to for more than one call.
type Connectors struct {
	Gateway string  `json:"gateway"`
	Called  bool    `json:"called"`
	Reason  string  `json:"reason"`
	Trusted bool    `json:"trusted"`
	File    string  `json:"file"`
	Line    int     `json:"line"`
	Grants  []Grant `json:"grants"`
}
