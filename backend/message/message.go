package message

import "encoding/json"

// Role says who speaks in a Message.
type Role string

// The roles of the chat-completions vocabulary, used for every vendor.
const (
	RoleSystem    Role = "system"
	RoleUser      Role = "user"
	RoleAssistant Role = "assistant"
	RoleTool      Role = "tool"
)

// Message is one row of a conversation.
type Message struct {
	Role    Role   `json:"role"`
	Content string `json:"content"`
	// ToolCalls are the calls of an assistant row, already split.
	ToolCalls []ToolCall `json:"tool_calls,omitempty"`
	// ToolCallID and ToolName are set in tool rows.
	ToolCallID string `json:"tool_call_id,omitempty"`
	ToolName   string `json:"tool_name,omitempty"`
	// Status is the outcome of a tool row.
	Status Status `json:"status,omitempty"`
	// Vendor names the format of Blocks ("openai", "anthropic", "bedrock");
	// Blocks are the vendor's own content blocks, in order, byte for byte.
	Vendor string            `json:"vendor,omitempty"`
	Blocks []json.RawMessage `json:"blocks,omitempty"`
}

// ToolCall is one call of a tool as the model wrote it.
type ToolCall struct {
	ID   string `json:"id"`
	Name string `json:"name"`
	// Arguments is the JSON text the model wrote, not re-encoded.
	Arguments string `json:"arguments"`
	// Target is what the call meant when the turn was stored; it is never sent
	// to a model.
	Target Target `json:"target,omitzero"`
}

// Target is the tool a call leads to: Name is the public name, Server and Tool
// are the raw names; Server is empty for what the program answers itself and
// for names nothing is known about. ReadOnly is a call that changes nothing, on
// the word of somebody who is trusted: the program itself, or a server of `trust:
// full` with its hint. It decides what is said of a call that was cut off.
type Target struct {
	Name     string `json:"name"`
	Server   string `json:"server,omitempty"`
	Tool     string `json:"tool,omitempty"`
	ReadOnly bool   `json:"read_only,omitempty"`
}

// Status is how a call ended.
type Status string

// The ways a call can end. Unknown is a call that may have happened: it was
// sent and no answer was stored.
const (
	StatusOK          Status = "ok"
	StatusError       Status = "error"
	StatusDenied      Status = "denied"
	StatusBlocked     Status = "blocked"
	StatusInterrupted Status = "interrupted"
	StatusUnknown     Status = "unknown"
)

// ToolDef is a tool as it is offered to a model.
type ToolDef struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Parameters  json.RawMessage `json:"parameters"`
}

// Usage counts tokens of one model pass, as the vendor reports them. InputTokens
// are all that were read, also from a prompt cache; CacheRead and CacheWrite are
// the parts of them that came from it and went into it.
type Usage struct {
	InputTokens  int `json:"input_tokens"`
	OutputTokens int `json:"output_tokens"`
	CacheRead    int `json:"cache_read_tokens,omitempty"`
	CacheWrite   int `json:"cache_write_tokens,omitempty"`
}

// Add sums two usages.
func (u Usage) Add(other Usage) Usage {
	return Usage{
		InputTokens: u.InputTokens + other.InputTokens, OutputTokens: u.OutputTokens + other.OutputTokens,
		CacheRead: u.CacheRead + other.CacheRead, CacheWrite: u.CacheWrite + other.CacheWrite,
	}
}

// StopReason says why a model pass or a turn ended.
type StopReason string

// The stop reasons the program knows. StopLoop is a turn that was ended because
// it repeated itself.
const (
	StopEnd         StopReason = "end"
	StopToolCalls   StopReason = "tool_calls"
	StopLength      StopReason = "length"
	StopInterrupted StopReason = "interrupted"
	StopError       StopReason = "error"
	StopBudget      StopReason = "budget"
	StopLoop        StopReason = "loop"
)
