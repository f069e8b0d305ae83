package view

// ConfigValue is one value of the file. Text is what people are shown: a single
// value as it is written, everything else as YAML; secrets are masked in both.
type ConfigValue struct {
	Path   string `json:"path"`
	Text   string `json:"text"`
	Value  any    `json:"value"`
	File   string `json:"file"`
	Line   int    `json:"line"`
	Column int    `json:"column"`
}

// ConfigEdit is a wanted value, as text of a command line. Secret puts the value
// into `.env` under Variable, a name from the path where that is empty, and a
// reference to it into the file. Literal writes even what looks like a secret
// into the file itself.
type ConfigEdit struct {
	Path     string `json:"path"`
	Value    string `json:"value"`
	Secret   bool   `json:"secret"`
	Variable string `json:"variable"`
	Literal  bool   `json:"literal"`
}

// ConfigResult tells what an edit of a key did. Value is what the file says now,
// read back from the disk and masked, empty where the key is gone.
type ConfigResult struct {
	Path     string   `json:"path"`
	Value    string   `json:"value"`
	File     string   `json:"file"`
	Revision string   `json:"revision"`
	Changed  bool     `json:"changed"`
	Stored   string   `json:"stored"`
	Warnings []string `json:"warnings"`
}

// ConfigDraft is a copy of the file for an editor. File is the file it stands
// for, Revision the one it is a copy of, empty for a file that is not there.
type ConfigDraft struct {
	Draft    string `json:"draft"`
	File     string `json:"file"`
	Revision string `json:"revision"`
}
