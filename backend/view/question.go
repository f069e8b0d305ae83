package view

// Question is something a person is asked, on every face at once; the first
// answer wins. Kind is "elicitation": a server asks for the values of a form,
// Schema (JSON). Expires (RFC 3339) is when it counts as declined.
type Question struct {
	ID      string `json:"id"`
	Kind    string `json:"kind"`
	Server  string `json:"server"`
	Session string `json:"session"`
	Message string `json:"message"`
	Schema  string `json:"schema"`
	Asked   string `json:"asked"`
	Expires string `json:"expires"`
}

// Questions are those that wait for an answer, oldest first.
type Questions struct {
	Questions []Question `json:"questions"`
}

// Answer answers a question. Action is accept, decline or cancel; Content is the
// JSON object of the form's values for accept.
type Answer struct {
	ID      string `json:"id"`
	Action  string `json:"action"`
	Content string `json:"content"`
}

// Answered tells what became of an answer: Accepted is false where another face
// was first or the time was over.
type Answered struct {
	ID       string `json:"id"`
	Accepted bool   `json:"accepted"`
}
