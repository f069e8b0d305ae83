package view

// Changes are the tools whose definition is not the one that was first seen:
// each is blocked until a person has seen the difference and accepted it.
type Changes struct {
	Servers []ServerChanges `json:"servers"`
}

// ServerChanges are those of one server. New are tools added since a person
// last looked, which the rules alone decide.
type ServerChanges struct {
	Server string       `json:"server"`
	Tools  []ToolChange `json:"tools"`
	New    []string     `json:"new"`
}

// ToolChange is one changed definition. Seen and Now are the first 12 hexadecimal
// digits of the hashes; Since is when the change was first met (RFC 3339). Hidden
// tells that the new text holds characters nobody sees, which Lines show as
// escapes.
type ToolChange struct {
	Tool   string       `json:"tool"`
	Seen   string       `json:"seen"`
	Now    string       `json:"now"`
	Since  string       `json:"since"`
	Hidden bool         `json:"hidden"`
	Lines  []ChangeLine `json:"lines"`
}

// ChangeLine is one line of a changed definition. Kind is "same", "gone" or "new".
type ChangeLine struct {
	Kind string `json:"kind"`
	Text string `json:"text"`
}

// AcceptChanges accepts the definitions of the named tools as they are now, of
// all changed ones where Tools is empty. Now names the hash each tool was shown
// with; another one by then is a conflict and accepts nothing.
type AcceptChanges struct {
	Server string            `json:"server"`
	Tools  []string          `json:"tools"`
	Now    map[string]string `json:"now"`
}
