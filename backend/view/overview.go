package view

// Overview is the first thing the page asks for. Demo is true on the embedded
// default; UserHome is the user's own home when Demo is true, and
// UserHomeExists whether there is one. Started is false until a person let the
// servers start; Programs are what would be started then. Model says which
// model answers, OfflineModel that it is the built-in one.
type Overview struct {
	Version        string    `json:"version"`
	Home           string    `json:"home"`
	Demo           bool      `json:"demo"`
	UserHome       string    `json:"user_home"`
	UserHomeExists bool      `json:"user_home_exists"`
	Started        bool      `json:"started"`
	Programs       []Program `json:"programs"`
	Model          string    `json:"model"`
	OfflineModel   bool      `json:"offline_model"`
	ModelProblem   string    `json:"model_problem"`
	Scope          string    `json:"scope"`
	Notices        []Problem `json:"notices"`
}

// Program is a command line or address that a server's entry would start or
// contact, shown before it happens. Secrets in it are masked.
type Program struct {
	Server  string   `json:"server"`
	Kind    string   `json:"kind"`
	Target  string   `json:"target"`
	Starts  bool     `json:"starts"`
	Reason  string   `json:"reason"`
	EnvKeys []string `json:"env_keys"`
}

// SignalEvent is the name of the window's runtime event that carries a Signal.
const SignalEvent = "signal"

// Signal is the small event that tells the page to look again. Topic is
// "servers", "config", "overview" or "chat"; Chat is set for "chat". A
// subscriber that is too slow is cut off rather than skipped: the page
// subscribes again and asks for everything anew.
type Signal struct {
	Topic    string     `json:"topic"`
	Revision string     `json:"revision,omitempty"`
	Chat     *ChatEvent `json:"chat,omitempty"`
}

// PageReport is what the page tells of itself once it is interactive; the
// window's test reads it.
type PageReport struct {
	PolicyLoaded bool   `json:"policy_loaded"`
	PolicyError  string `json:"policy_error"`
	Servers      int    `json:"servers"`
	Transport    string `json:"transport"`
	Millis       int    `json:"millis"`
}

// Check is the answer of `hermes config check --json`.
type Check struct {
	Config   Config    `json:"config"`
	OK       bool      `json:"ok"`
	Problems []Problem `json:"problems"`
}

// Finding is one line of `hermes doctor`. State is ok, warning or error.
type Finding struct {
	State   string `json:"state"`
	Title   string `json:"title"`
	Message string `json:"message"`
	Hint    string `json:"hint"`
}

// Doctor is the answer of `hermes doctor --json`. Arrival is what is different
// for a person who comes from Hermes Agent.
type Doctor struct {
	OK       bool      `json:"ok"`
	Findings []Finding `json:"findings"`
	Arrival  Arrival   `json:"arrival"`
}

// Version is the answer of `hermes version --json`.
type Version struct {
	Version string `json:"version"`
	Go      string `json:"go"`
	OS      string `json:"os"`
	Arch    string `json:"arch"`
	Window  bool   `json:"window"`
}

// Paths is the answer of `hermes config path --json`.
type Paths struct {
	Home   string `json:"home"`
	Config string `json:"config"`
	Env    string `json:"env"`
	Native string `json:"native"`
	Exists bool   `json:"exists"`
}
