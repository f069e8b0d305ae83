package view

import "encoding/json"

// SessionList is what `hermes sessions list` and `search` print as JSON.
type SessionList struct {
	Sessions []SessionRow `json:"sessions"`
}

// SessionsDeleted names the sessions that are not there any more.
type SessionsDeleted struct {
	Deleted []string `json:"deleted"`
}

// SessionExport is a stored session as `hermes sessions export` prints it: the
// messages in order, in the shape of the chat-completions API. Times are RFC 3339.
type SessionExport struct {
	Session  string            `json:"session"`
	Title    string            `json:"title"`
	Source   string            `json:"source"`
	Model    string            `json:"model"`
	Created  string            `json:"created"`
	Updated  string            `json:"updated"`
	Usage    []ModelUsage      `json:"usage"`
	Messages []ExportedMessage `json:"messages"`
}

// ModelUsage is what one model took for a session (see Usage).
type ModelUsage struct {
	Model        string   `json:"model"`
	InputTokens  int      `json:"input_tokens"`
	OutputTokens int      `json:"output_tokens"`
	CacheRead    int      `json:"cache_read_tokens"`
	CacheWrite   int      `json:"cache_write_tokens"`
	Cost         *float64 `json:"cost_usd,omitempty"`
}

// ExportedMessage is a stored row. ToolCallID, Name and Status are of a result.
// Compacted rows are not sent to a model any more, a row with Summary is what it
// reads instead of those before it. Blocks are the content blocks of Vendor, byte
// for byte as they were received or sent but for masked secrets; one that is no JSON
// is a string.
type ExportedMessage struct {
	Role       string            `json:"role"`
	Content    string            `json:"content"`
	At         string            `json:"at"`
	Compacted  bool              `json:"compacted,omitempty"`
	Summary    bool              `json:"summary,omitempty"`
	ToolCalls  []ExportedCall    `json:"tool_calls,omitempty"`
	ToolCallID string            `json:"tool_call_id,omitempty"`
	Name       string            `json:"name,omitempty"`
	Status     string            `json:"status,omitempty"`
	Vendor     string            `json:"vendor,omitempty"`
	Blocks     []json.RawMessage `json:"blocks,omitempty"`
}

// ExportedCall is a call of an assistant row, in the API's shape; Target is the
// tool it led to when it was stored.
type ExportedCall struct {
	ID       string           `json:"id"`
	Type     string           `json:"type"`
	Function ExportedFunction `json:"function"`
	Target   *ExportedTarget  `json:"target,omitempty"`
}

// ExportedFunction is what the model wrote: Arguments is its JSON text.
type ExportedFunction struct {
	Name      string `json:"name"`
	Arguments string `json:"arguments"`
}

// ExportedTarget is the tool of a call by its public name, its server and its
// own name. ReadOnly: it was known, on trusted word, to change nothing.
type ExportedTarget struct {
	Name     string `json:"name"`
	Server   string `json:"server,omitempty"`
	Tool     string `json:"tool,omitempty"`
	ReadOnly bool   `json:"read_only,omitempty"`
}
