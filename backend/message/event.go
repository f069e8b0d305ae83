package message

// EventType is the kind of an Event; the words are the JSON contract of
// `hermes chat -q --json`.
type EventType string

// The events a turn emits, in the contract's words.
const (
	EventText       EventType = "text"
	EventToolCall   EventType = "tool_call"
	EventProgress   EventType = "progress"
	EventToolResult EventType = "tool_result"
	EventApproval   EventType = "approval"
	EventNotice     EventType = "notice"
	EventError      EventType = "error"
	EventDone       EventType = "done"
)

// Event is one thing that happened in a turn. Only the fields of its Type are
// set: Text for text, notice and error; Said for notice, and for error where its
// codes are known; Call for tool_call; Result for tool_result; Progress for
// progress; Approval for approval; Done for done. A text event with Provisional is a piece of an
// answer that is not stored; the text event without it that follows is the
// whole stored text and takes the place of the pieces. Pieces that no stored
// text follows are void.
type Event struct {
	Type EventType
	Text string
	Said []Saying
	// Provisional is DESIGN invariant 3: streamed text is not a row yet.
	Provisional bool
	Call        CallEvent
	Progress    ProgressEvent
	Result      ResultEvent
	Approval    ApprovalEvent
	Done        DoneEvent
}

// ApprovalEvent tells that calls wait for a person: Question is the id of the
// card, Calls are its entries, in call order. It is told once when the card is
// put, and once more with Settled when nothing of it waits any more.
type ApprovalEvent struct {
	Question string
	Calls    []CallEvent
	Settled  bool
}

// CallEvent tells of a stored call. Name is the public name of the tool that
// is called and Arguments are that tool's own, also for a child of a split
// batch.
type CallEvent struct {
	ID, Name, Server, Tool string
	Arguments              string
}

// ProgressEvent tells how far a running call is: Done of Total in the server's
// own unit, Total 0 where it does not say, with its words in Text. It is not
// stored.
type ProgressEvent struct {
	ID          string
	Done, Total float64
	Text        string
}

// ResultEvent is the one terminal event of a call id. Said is what the program says
// of it, where that is not in its Content.
type ResultEvent struct {
	ID      string
	Status  Status
	Content string
	Said    []Saying
}

// DoneEvent closes a turn. Messages counts the session's rows without the
// system prompt; ModelPasses and ToolCalls count this turn alone, ToolCalls
// after the split.
type DoneEvent struct {
	Session     string
	Messages    int
	ModelPasses int
	ToolCalls   int
	StopReason  StopReason
	// Usage sums the passes of this turn. Cost is its price in US dollars where
	// the model's prices are known (Priced).
	Usage  Usage
	Cost   float64
	Priced bool
}
