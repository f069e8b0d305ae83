package view

import "log/slog"

// CatalogStatus says what the file has of a server of the catalogue.
type CatalogStatus string

// The states of a row of the catalogue. The last two are servers of the file
// that no manifest knows.
const (
	CatalogAvailable      CatalogStatus = "available"
	CatalogEnabled        CatalogStatus = "enabled"
	CatalogDisabled       CatalogStatus = "disabled"
	CatalogCustomEnabled  CatalogStatus = "custom_enabled"
	CatalogCustomDisabled CatalogStatus = "custom_disabled"
)

// Catalog is the answer of `hermes mcp catalog --json` and the list of the
// picker: the servers that can be installed, then the others of the file.
type Catalog struct {
	Config   Config           `json:"config"`
	Rows     []CatalogRow     `json:"rows"`
	Problems []CatalogProblem `json:"problems"`
}

// CatalogRow is one server. StatusText is Status in words. Origin is "built in",
// "folder PATH", or empty for a server that only the file knows. Commands are
// what installing and starting it would run, or the address. Auth is "none",
// "api_key" or "oauth". Packages are the npm packages with their pinned version.
type CatalogRow struct {
	Name        string            `json:"name"`
	Status      CatalogStatus     `json:"status"`
	StatusText  string            `json:"status_text"`
	Description string            `json:"description"`
	Source      string            `json:"source"`
	Origin      string            `json:"origin"`
	Outside     bool              `json:"outside"`
	Commands    []string          `json:"commands"`
	Auth        string            `json:"auth"`
	Variables   []CatalogVariable `json:"variables"`
	Packages    []string          `json:"packages"`
}

// CatalogVariable is a value a person is asked for. Set tells that it has a value
// already; the value itself is never shown.
type CatalogVariable struct {
	Name     string `json:"name"`
	Prompt   string `json:"prompt"`
	Required bool   `json:"required"`
	Secret   bool   `json:"secret"`
	Default  string `json:"default"`
	Set      bool   `json:"set"`
}

// CatalogProblem is a manifest that is not offered. Kind is "invalid",
// "future_manifest" or "conflict".
type CatalogProblem struct {
	Kind    string `json:"kind"`
	Name    string `json:"name"`
	Message string `json:"message"`
	Hint    string `json:"hint"`
	File    string `json:"file"`
	Line    int    `json:"line"`
}

// InstallRequest asks for an install by name. Values are answers by variable.
// Confirmed tells that a person saw InstallPlan and agreed; SkipIntegrity that
// they accept a package whose hash could not be compared. Revision is the one
// they looked at, empty for any. Existing names variables that have a value
// already and may be handed to the program.
type InstallRequest struct {
	Name          string            `json:"name"`
	Values        map[string]string `json:"values"`
	Existing      []string          `json:"existing"`
	Confirmed     bool              `json:"confirmed"`
	SkipIntegrity bool              `json:"skip_integrity"`
	Revision      string            `json:"revision"`
}

// LogValue keeps the values, which are secrets, out of logs.
func (r InstallRequest) LogValue() slog.Value { return slog.StringValue("install " + r.Name) }

// InstallPlan is what a person is shown before an install. Confirm tells that
// they must be asked: the entry is somebody else's, runs commands now, or takes
// the place of another server, which Replaces names. Exists tells a reinstall.
// Missing are required variables without a value. Rules are the tool rules after
// the install, in words; Unhashed are packages that nothing can be compared with. HandsOver are variables that
// have a value already which the program would get.
type InstallPlan struct {
	Row       CatalogRow `json:"row"`
	Confirm   bool       `json:"confirm"`
	Exists    bool       `json:"exists"`
	Replaces  string     `json:"replaces"`
	Missing   []string   `json:"missing"`
	Rules     Words      `json:"rules"`
	Unhashed  []string   `json:"unhashed"`
	HandsOver []string   `json:"hands_over"`
	Notes     []string   `json:"notes"`
	Revision  string     `json:"revision"`
}

// Installed tells what the file says of a server after its install, as read back
// from the disk. Variables were written into `.env`; Checked are packages whose
// hash agrees, Unchecked those that were taken on trust. LookError says why the
// server could not be looked at, empty when it could or was not.
type Installed struct {
	Server     string    `json:"server"`
	Path       string    `json:"path"`
	Revision   string    `json:"revision"`
	Changed    bool      `json:"changed"`
	Enabled    bool      `json:"enabled"`
	Untrusted  bool      `json:"untrusted"`
	Rules      Words     `json:"rules"`
	Live       Live      `json:"live"`
	Variables  []string  `json:"variables"`
	Checked    []string  `json:"checked"`
	Unchecked  []string  `json:"unchecked"`
	Notes      []string  `json:"notes"`
	LookError  string    `json:"look_error"`
	PostNotice string    `json:"post_install"`
	Problems   []Problem `json:"problems"`
}
