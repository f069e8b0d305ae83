package view

// Grants is the answer of `hermes mcp grants --json`: what people said yes to for
// more than one call.
type Grants struct {
	Grants []Grant `json:"grants"`
}

// Grant is a yes to a tool of a server. Scope is session, for the conversation
// Session alone, or always. Why are the reasons for which a person was asked, Given
// is when (RFC 3339). Void says why it lets nothing through as things stand, empty
// where it does: the server is another program, or may not run; Said is Void by code. A grant also ends
// when the server describes the tool otherwise, which is seen at the call.
type Grant struct {
	ID      int64    `json:"id"`
	Server  string   `json:"server"`
	Tool    string   `json:"tool"`
	Scope   string   `json:"scope"`
	Session string   `json:"session"`
	Why     []string `json:"why"`
	Given   string   `json:"given"`
	Void    string   `json:"void"`
	Said    []Words  `json:"said,omitempty"`
}
