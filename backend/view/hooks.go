package view

// HookState says whether a hook may run.
type HookState string

// The states of a hook: a person trusts it as it is; nobody does; a person
// trusted other contents of its files; it cannot be run.
const (
	HookTrusted   HookState = "trusted"
	HookUntrusted HookState = "untrusted"
	HookChanged   HookState = "changed"
	HookUnusable  HookState = "unusable"
)

// HookFile is a file that decides what a hook does, with the SHA-256 of its
// content in hexadecimal.
type HookFile struct {
	Path   string `json:"path"`
	SHA256 string `json:"sha256"`
}

// Hook is one hook of the file. Index counts from 1 and, like the command and the
// name of its program, selects it. Event says when it runs; Matcher which tools it
// is for, empty for all. FailOpen tells that the file lets calls through where the
// hook fails. Reason says in words why it is not trusted; ApprovedAt when a person
// trusted it last (RFC 3339), empty for never. Said is Reason by code. Note says what Files cannot show,
// empty for nothing.
type Hook struct {
	Index      int        `json:"index"`
	Event      string     `json:"event"`
	Matcher    string     `json:"matcher"`
	Command    string     `json:"command"`
	Timeout    float64    `json:"timeout"` // seconds
	FailOpen   bool       `json:"fail_open"`
	State      HookState  `json:"state"`
	Reason     string     `json:"reason"`
	Said       []Words    `json:"said,omitempty"`
	Files      []HookFile `json:"files"`
	ApprovedAt string     `json:"approved_at,omitempty"`
	Note       string     `json:"note,omitempty"`
	File       string     `json:"file"`
	Line       int        `json:"line"`
}

// HookElsewhere is a hook that does not run here, and why; Said is Reason by code.
// Consent tells that a person's consent is all that is left of it.
type HookElsewhere struct {
	Event   string  `json:"event"`
	Matcher string  `json:"matcher"`
	Command string  `json:"command"`
	Reason  string  `json:"reason"`
	Said    []Words `json:"said,omitempty"`
	Consent bool    `json:"consent"`
	File    string  `json:"file"`
	Line    int     `json:"line"`
}

// HookPick names one hook, or one consent that is left of it.
type HookPick struct {
	Event   string `json:"event"`
	Matcher string `json:"matcher"`
	Command string `json:"command"`
}

// HookContent is a file of a hook as it is trusted. Text is empty where it is no
// text, and masks the secrets that are known; Cut tells that it goes on.
type HookContent struct {
	Path   string `json:"path"`
	SHA256 string `json:"sha256"`
	Text   string `json:"text"`
	Cut    bool   `json:"cut"`
}

// HookLook is a hook with what its files hold, for a person who is to trust it.
// Name is what they type to say so.
type HookLook struct {
	Hook     Hook          `json:"hook"`
	Name     string        `json:"name"`
	Contents []HookContent `json:"contents"`
}

// HookTrust is a person's word that a hook may run with the files they were shown.
// Typed is the name that they typed.
type HookTrust struct {
	Pick  HookPick   `json:"pick"`
	Files []HookFile `json:"files"`
	Typed string     `json:"typed"`
}

// HooksList is the answer of `hermes hooks list --json`. NotRun are the hooks that
// are not run here and the consents to hooks that are in the file no more; Notes
// say what is different from Hermes Agent on this home.
type HooksList struct {
	File     string          `json:"file"`
	Consents string          `json:"consents"`
	Hooks    []Hook          `json:"hooks"`
	NotRun   []HookElsewhere `json:"not_run"`
	Problems []Problem       `json:"problems"`
	Notes    []string        `json:"notes"`
}

// HookChange is the answer of `hermes hooks trust` and `hermes hooks revoke` as
// JSON. Changed is false where it was so before.
type HookChange struct {
	Hook    Hook `json:"hook"`
	Changed bool `json:"changed"`
}

// HookTest is the answer of `hermes hooks test --json`. Decision is block, allow
// or ask; Reason is what the model would read. Matches tells whether the hook is
// for the tool of the sample. Ran is false where it was not started; Failure says
// why it gave no answer, empty where it did. Arguments are the changed arguments
// as JSON text, empty where they stay.
type HookTest struct {
	Hook         Hook   `json:"hook"`
	Tool         string `json:"tool"`
	Matches      bool   `json:"matches"`
	Decision     string `json:"decision"`
	Reason       string `json:"reason"`
	Arguments    string `json:"arguments"`
	Ran          bool   `json:"ran"`
	ExitCode     int    `json:"exit_code"`
	Milliseconds int64  `json:"milliseconds"`
	Output       string `json:"output"`
	Errors       string `json:"errors"`
	Failure      string `json:"failure"`
}
