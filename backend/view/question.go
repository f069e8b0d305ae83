package view

// Question is something a person is asked, on every face at once; the first
// answer wins. Kind is "elicitation": a server asks for the values of a form, the
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
