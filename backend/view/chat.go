package view

// ChatEvent is one line of `hermes chat -q --json` and one event of the page's
// Chat place. Type is text, tool_call, progress, tool_result, approval, notice,
// error or done; progress is of a running call, with how far it is in Progress of
// Total (0 where the server does not say) and its words in Text; a Transcript also has the type user, what the person wrote, in Text.
// Only the fields of that type are present. Provisional marks streamed text that
// is not stored yet: a piece to append. The text event without Provisional that
// follows is the whole stored row and takes the place of its pieces. Content
// longer than the preview limit is cut, Truncated is set, Size is the whole
// length in bytes, and the whole is served under
// /data/results/<session>/<id> (both path-escaped).
type ChatEvent struct {
	Type    string `json:"type"`
	Session string `json:"session,omitempty"`
	Text    string `json:"text,omitempty"`
	// Said is what a notice, an error or the answer to a call that did not run says,
	// by code, where it is known.
	Said        []Words `json:"said,omitempty"`
	Provisional bool    `json:"provisional,omitempty"`
	ID          string  `json:"id,omitempty"`
	Name        string  `json:"name,omitempty"`
	Server      string  `json:"server,omitempty"`
	Tool        string  `json:"tool,omitempty"`
	Arguments   string  `json:"arguments,omitempty"`
	Status      string  `json:"status,omitempty"`
	Progress    float64 `json:"progress,omitempty"`
	Total       float64 `json:"total,omitempty"`
	Content     string  `json:"content,omitempty"`
	Truncated   bool    `json:"truncated,omitempty"`
	Size        int     `json:"size,omitempty"`
	Messages    int     `json:"messages,omitempty"`
	ModelPasses int     `json:"model_passes,omitempty"`
	ToolCalls   int     `json:"tool_calls,omitempty"`
	StopReason  string  `json:"stop_reason,omitempty"`
	// Question, Calls and Settled are of approval: calls that wait for a person on
	// the card of that id.
	Question string     `json:"question,omitempty"`
	Calls    []ChatCall `json:"calls,omitempty"`
	Settled  bool       `json:"settled,omitempty"`
	// Usage is of done.
	Usage *Usage `json:"usage,omitempty"`
}

// ChatCall names one call of an approval event.
type ChatCall struct {
	ID        string `json:"id"`
	Name      string `json:"name"`
	Server    string `json:"server"`
	Tool      string `json:"tool"`
	Arguments string `json:"arguments"`
}

// Usage is what a turn or a session took: tokens as the vendor counts them, of
// InputTokens CacheRead came from the prompt cache and CacheWrite went into it, and
// the price in US dollars, absent where the model's prices are not known.
type Usage struct {
	InputTokens  int      `json:"input_tokens"`
	OutputTokens int      `json:"output_tokens"`
	CacheRead    int      `json:"cache_read_tokens"`
	CacheWrite   int      `json:"cache_write_tokens"`
	Cost         *float64 `json:"cost_usd,omitempty"`
}

// ChatStart is the answer to sending a message: the session it went to.
type ChatStart struct {
	Session string `json:"session"`
}

// Transcript is a stored session as the page shows it again.
type Transcript struct {
	Session string      `json:"session"`
	Title   string      `json:"title"`
	Events  []ChatEvent `json:"events"`
	Running bool        `json:"running"`
}

// SessionRow is one session of a list, newest first, or the best first where it
// was searched. Messages counts what was said, also what a summary stands for.
// Updated is when it was last
// written (RFC 3339), Model the last one asked, Match a piece of text with what was
// searched for, in a list that was searched.
type SessionRow struct {
	Session  string `json:"session"`
	Title    string `json:"title"`
	Started  string `json:"started"`
	Updated  string `json:"updated"`
	Source   string `json:"source"`
	Model    string `json:"model"`
	Messages int    `json:"messages"`
	Usage    *Usage `json:"usage,omitempty"`
	Match    string `json:"match,omitempty"`
}
