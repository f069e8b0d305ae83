package view

// Selection is what a person chose in a picker over one server's tools. On are
// the tools that were turned on, Off those that were turned off; the others are
// left as they are. LockTo asks for a whitelist of exactly the tools in On. All
// is one edit, against the revision the person looked at.
type Selection struct {
	Server   string   `json:"server"`
	On       []string `json:"on"`
	Off      []string `json:"off"`
	LockTo   bool     `json:"lock_to"`
	Expand   bool     `json:"expand"`
	Revision string   `json:"revision"`
}
