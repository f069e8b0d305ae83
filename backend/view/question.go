package view

// Question is something a person is asked, on every face at once; the first
// answer wins. Kind is "calls": calls of the agent wait for a yes, one card for
// all Calls of a batch; or "elicitation": a server asks for the values of a form, the
// Fields, which are what was read of Schema (JSON). Message and the words of the
// fields are the server's, with hidden characters made visible; they are text,
// never markup. Expires (RFC 3339) is when it counts as declined.
type Question struct {
	ID      string `json:"id"`
	Kind    string `json:"kind"`
	Server  string `json:"server"`
	Session string `json:"session"`
	Message string `json:"message"`
	Schema  string `json:"schema"`
	Asked   string `json:"asked"`
	Expires string `json:"expires"`

	Fields []QuestionField `json:"fields"`
	Calls  []QuestionCall  `json:"calls"`
}

// QuestionCall is one call that waits for a yes. Call is its id, Name the public
// name, Arguments the JSON object the tool would get. Why says why a person is
// asked. Scopes are the answers offered: once, session, always. ReadOnly,
// Destructive and OpenWorld are the server's own words, absent where it said nothing.
type QuestionCall struct {
	Call        string        `json:"call"`
	Name        string        `json:"name"`
	Server      string        `json:"server"`
	Tool        string        `json:"tool"`
	Arguments   string        `json:"arguments"`
	Why         []QuestionWhy `json:"why"`
	Scopes      []string      `json:"scopes"`
	ReadOnly    *bool         `json:"read_only,omitempty"`
	Destructive *bool         `json:"destructive,omitempty"`
	OpenWorld   *bool         `json:"open_world,omitempty"`
}

// QuestionWhy is one reason: the page translates by Code, Text is English.
type QuestionWhy struct {
	Code string `json:"code"`
	Text string `json:"text"`
}

// QuestionField is one value that is asked for. Kind is text, number, integer,
// switch, choice or choices; Format is empty, email, uri, date or date-time.
// MinLength and MaxLength count the characters of a text or the entries of
// choices. Default is JSON, empty for none.
type QuestionField struct {
	Name        string           `json:"name"`
	Title       string           `json:"title"`
	Description string           `json:"description"`
	Kind        string           `json:"kind"`
	Required    bool             `json:"required"`
	Format      string           `json:"format"`
	MinLength   *int             `json:"min_length,omitempty"`
	MaxLength   *int             `json:"max_length,omitempty"`
	Minimum     *float64         `json:"minimum,omitempty"`
	Maximum     *float64         `json:"maximum,omitempty"`
	Options     []QuestionOption `json:"options"`
	Default     string           `json:"default"`
}

// QuestionOption is one choice: Value is what is answered, Label what people read.
type QuestionOption struct {
	Value string `json:"value"`
	Label string `json:"label"`
}

// Questions are those that wait for an answer, oldest first.
type Questions struct {
	Questions []Question `json:"questions"`
}

// Answer answers a question. Action is accept, decline or cancel; Content is the
// JSON object of the form's values for accept, Choices what is decided about each
// call of a card: one that is not named is denied.
type Answer struct {
	ID      string         `json:"id"`
	Action  string         `json:"action"`
	Content string         `json:"content"`
	Choices []AnswerChoice `json:"choices"`
}

// AnswerChoice is the answer about one call: Scope is once, session or always;
// Reason is told to the model where it is denied.
type AnswerChoice struct {
	Call   string `json:"call"`
	Allow  bool   `json:"allow"`
	Scope  string `json:"scope"`
	Reason string `json:"reason"`
}

// Answered tells what became of an answer: Accepted is false where another face
// was first or the time was over.
type Answered struct {
	ID       string `json:"id"`
	Accepted bool   `json:"accepted"`
}
