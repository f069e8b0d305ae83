package message

// EventType is the kind of an Event; the words are the JSON contract of
// `hermes chat -q --json`.
type EventType string

// The events a turn emits, in the contract's words.
const (
	EventText       EventType = "text"
	EventToolCall   EventType = "tool_call"
	EventToolResult EventType = "tool_result"
	EventApproval   EventType = "approval"
	EventNotice     EventType = "notice"
	EventError      EventType = "error"
	EventDone       EventType = "done"
)

// Event is one thing that happened in a turn. Only the fields of its Type are
// set: Text for text, notice and error; Call for tool_call; Result for
// tool_result; Done for done.
type Event struct {
	Type   EventType
	Text   string
	Call   CallEvent
	Result ResultEvent
	Done   DoneEvent
}

// CallEvent tells of a stored call. Name is the public name of the tool that
// is called, also for a child of a split batch.
type CallEvent struct {
	ID, Name, Server, Tool string
	Arguments              string
}

// ResultEvent is the one terminal event of a call id.
type ResultEvent struct {
	ID      string
	Status  Status
	Content string
}

// DoneEvent closes a turn. Messages counts without the system prompt.
type DoneEvent struct {
	Session     string
	Messages    int
	ModelPasses int
	ToolCalls   int
	StopReason  StopReason
}
