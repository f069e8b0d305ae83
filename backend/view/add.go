package view

// NewServer is a server that a person wants to add. Either URL or Command is
// given. Auth is "header" or empty; Trust is "full", "untrusted" or empty, which
// is untrusted for a new server and leaves an existing one as it is.
// ConnectTimeout is in seconds, 0 for the default.
type NewServer struct {
	Name           string            `json:"name"`
	URL            string            `json:"url"`
	Command        string            `json:"command"`
	Args           []string          `json:"args"`
	Env            map[string]string `json:"env"`
	Auth           string            `json:"auth"`
	ConnectTimeout int               `json:"connect_timeout"`
	Trust          string            `json:"trust"`
}

// ToolChoice is what of a new server shall be on: everything it offers, also
// tomorrow, or a whitelist of Names, which may be empty. The zero value is
// locked.
type ToolChoice struct {
	All   bool     `json:"all"`
	Names []string `json:"names"`
}

// Saved tells what the file says of a server after it was added, as read back
// from the disk. Kept are the keys of an entry of that name that were left as
// they were; Variables are those that were written into `.env`.
type Saved struct {
	Server    string    `json:"server"`
	Path      string    `json:"path"`
	Revision  string    `json:"revision"`
	Enabled   bool      `json:"enabled"`
	Untrusted bool      `json:"untrusted"`
	Rules     Words     `json:"rules"`
	Live      Live      `json:"live"`
	Kept      []string  `json:"kept"`
	Variables []string  `json:"variables"`
	Problems  []Problem `json:"problems"`
}

// Removed tells what is left of a server whose entry is gone: Tokens are files
// of Hermes Agent, Variables stand in `.env`.
type Removed struct {
	Server    string   `json:"server"`
	Path      string   `json:"path"`
	Revision  string   `json:"revision"`
	Tokens    []string `json:"tokens"`
	Variables []string `json:"variables"`
}

// LoggedIn tells that a token was stored after the server had taken it.
type LoggedIn struct {
	Server   string `json:"server"`
	Variable string `json:"variable"`
	Path     string `json:"path"`
	Tools    int    `json:"tools"`
}
