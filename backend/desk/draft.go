package desk

import (
	"context"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"hermes/backend/catalog"
	"hermes/backend/config"
	"hermes/backend/host"
	"hermes/backend/mcp"
	"hermes/backend/view"
)

// Draft is a server that a person is about to add: it can be looked at, and
// nothing is written before Save.
type Draft struct {
	desk *Desk
	host *host.Host
	new  view.NewServer
	old  *config.Server // the entry of that name, nil for none
	seen string

	header    string            // the variable of the bearer token, empty for none
	variables map[string]string // what goes into `.env`
	status    mcp.Status
	looked    bool
}

// Draft checks a new server and gives it as a draft. A server that must not be
// saved is a Failure that says so.
func (d *Desk) Draft(n view.NewServer) (*Draft, error) {
	if err := d.ours(); err != nil {
		return nil, err
	}
	h := d.current()
	snap := h.Snapshot()
	if err := readable(snap); err != nil {
		return nil, err
	}
	r := &Draft{desk: d, host: h, new: n, seen: snap.Revision, variables: map[string]string{}}
	if old, ok := snap.Server(n.Name); ok {
		r.old = old
	}
	if err := r.check(); err != nil {
		return nil, err
	}
	r.hideSecrets(snap)
	if err := r.hideInText(snap); err != nil {
		return nil, err
	}
	preview, err := r.preview(nil)
	if err != nil {
		return nil, err
	}
	server, ok := preview.Server(n.Name)
	if !ok {
		return nil, Fail(view.Error{Code: "failed", Message: "the entry cannot be written as it is", Hint: "look at the file: " + snap.Path}, nil)
	}
	found := server.Conn.Suspicious()
	for _, p := range server.Problems {
		if p.Code == config.CodeConnection {
			found = append(found, p)
		}
	}
	return r, notSaved(n.Name, found)
}

// readable refuses to go on with a file that cannot be read: what is in it
// would be guessed.
func readable(snap *config.Snapshot) error {
	if !snap.Broken || len(snap.Problems) == 0 {
		return nil
	}
	p := snap.Problems[len(snap.Problems)-1]
	return Fail(view.Error{Code: "refused", Message: p.Message, Hint: p.Hint, File: p.File, Line: p.Line, Column: p.Column}, nil)
}

func notSaved(name string, problems []config.Problem) error {
	if len(problems) == 0 {
		return nil
	}
	lines := make([]string, 0, len(problems)+1)
	for _, p := range problems {
		lines = append(lines, p.Message)
	}
	return Fail(view.Error{Code: "refused", Message: strings.Join(append(lines, "Server '"+name+"' was NOT saved due to suspicious configuration."), "\n"), Hint: problems[0].Hint}, nil)
}

// check looks at what a person typed, before anything else.
func (r *Draft) check() error {
	n := r.new
	switch {
	case !regexp.MustCompile(`^[A-Za-z0-9._-]{1,64}$`).MatchString(n.Name):
		return usage("the name may hold letters, digits, dots, - and _, and 64 of them at the most", "choose another name")
	case n.URL == "" && n.Command == "":
		return usage("no url and no command is given", "give one of them")
	case n.URL != "" && n.Command != "":
		return usage("a server has a url or a command, not both", "give one of them")
	case n.URL != "" && !strings.HasPrefix(n.URL, "https://") && !strings.HasPrefix(n.URL, "http://"):
		return usage("the url must begin with https:// or http://", "give the address of the server's MCP endpoint")
	case n.URL != "" && len(n.Env) > 0:
		return usage("--env is only for servers that are programs", "a server with a url takes headers")
	case n.ConnectTimeout < 0:
		return usage("the time limit is below 0", "give seconds")
	}
	conn := config.Connection{Command: n.Command, Args: n.Args, Env: n.Env}
	for _, key := range conn.DangerousEnv() {
		return Fail(view.Error{Code: "refused", Message: "the variable " + key + " makes a program load or run foreign code; server '" + n.Name + "' was NOT saved",
			Hint: "leave it out; if you need it, write it into the file yourself, where `hermes mcp audit` reports it"}, nil)
	}
	return nil
}

func usage(message, hint string) error {
	return Fail(view.Error{Code: "usage", Message: message, Hint: hint}, nil)
}

// hideSecrets moves literal secrets of the environment into variables. A
// variable that already stands for something else keeps its value: other
// servers may use it.
func (r *Draft) hideSecrets(snap *config.Snapshot) {
	env := map[string]string{}
	for key, value := range r.new.Env {
		env[key] = value
		if !config.IsSecret([]string{"mcp_servers", r.new.Name, "env", key}, config.Text(value)) {
			continue
		}
		variable := key
		if now, set := snap.Variable(variable); set && now != value {
			variable = strings.TrimSuffix(catalog.BearerVariable(r.new.Name), "API_KEY") + key
		}
		r.variables[variable] = value
		env[key] = "${" + variable + "}"
	}
	r.new.Env = env
}

// hideInText moves secrets that stand in the address or in an argument into
// variables of this server.
func (r *Draft) hideInText(snap *config.Snapshot) error {
	conn := config.Connection{URL: r.new.URL, Args: slices.Clone(r.new.Args)}
	secrets := conn.Secrets()
	// A longer secret first: one may hold another.
	slices.SortStableFunc(secrets, func(a, b string) int { return len(b) - len(a) })
	base := strings.TrimSuffix(catalog.BearerVariable(r.new.Name), "API_KEY") + "SECRET"
	for _, secret := range secrets {
		variable := r.free(snap, base, secret)
		put := func(text string) string { return strings.ReplaceAll(text, secret, "${"+variable+"}") }
		url := put(conn.URL)
		args := make([]string, len(conn.Args))
		for i, arg := range conn.Args {
			args[i] = put(arg)
		}
		if url == conn.URL && slices.Equal(args, conn.Args) {
			continue // another way to write one that is hidden already
		}
		r.variables[variable], conn.URL, conn.Args = secret, url, args
	}
	if len(conn.Secrets()) > 0 {
		return Fail(view.Error{Code: "refused", Message: "the address or an argument holds what looks like a secret; server '" + r.new.Name + "' was NOT saved",
			Hint: "write ${NAME} in its place and the value into .env"}, nil)
	}
	r.new.URL, r.new.Args = conn.URL, conn.Args
	return nil
}

// free gives a variable that holds this value, or none yet.
func (r *Draft) free(snap *config.Snapshot, base, value string) string {
	for n := 1; ; n++ {
		variable := base
		if n > 1 {
			variable += "_" + strconv.Itoa(n)
		}
		now, set := snap.Variable(variable)
		if planned, ok := r.variables[variable]; ok {
			now, set = planned, true
		}
		if !set || now == value {
			return variable
		}
	}
}

// Exists tells whether an entry of that name would be overwritten, and where it
// stands.
func (r *Draft) Exists() bool { return r.old != nil }

// Keeps tells whether the tool rules of the overwritten entry stay.
func (r *Draft) Keeps() bool { return r.old != nil && !r.old.Rules.Broken() }

// Bearer gives the variable that holds the bearer token of this server, and
// whether it has a value already.
func (r *Draft) Bearer() (variable string, set bool) {
	variable = catalog.BearerVariable(r.new.Name)
	_, set = r.host.Snapshot().Variable(variable)
	return variable, set
}

// UseBearer lets the server be asked with the token of its variable. With a
// token that becomes its value when the draft is saved; without one the value it
// has is used, and kept in .env where only the environment has it: the window
// and other programs do not see that.
func (r *Draft) UseBearer(token string) error {
	variable, set := r.Bearer()
	token = bareToken(token)
	switch {
	case token != "":
		r.variables[variable] = token
	case !set:
		return Fail(view.Error{Code: "refused", Message: "Bearer token is required", Hint: "type the token, or set " + variable}, nil)
	case !r.host.HasVariable(variable):
		value, _ := r.host.Snapshot().Variable(variable)
		r.variables[variable] = bareToken(value)
	}
	r.header = variable
	return nil
}

// bareToken takes the word Bearer off a pasted token.
func bareToken(token string) string {
	token = strings.TrimSpace(token)
	if scheme, rest, found := strings.Cut(token, " "); found && strings.EqualFold(strings.TrimSuffix(scheme, ":"), "bearer") {
		token = rest
	}
	if strings.EqualFold(token, "bearer") {
		return ""
	}
	return strings.TrimSpace(token)
}

// Look connects to the server and gives its tools.
func (r *Draft) Look(ctx context.Context) ([]view.Tool, error) {
	snap, err := r.preview(nil)
	if err != nil {
		return nil, err
	}
	status, err := r.host.LookAt(ctx, snap, r.new.Name)
	if err != nil {
		return nil, Fail(view.Error{Code: "failed", Message: err.Error(), Hint: r.nextStep(err)}, err)
	}
	r.status, r.looked = status, true
	tools := make([]view.Tool, 0, len(status.Tools))
	for _, tool := range status.Tools {
		tools = append(tools, view.Tool{Server: r.new.Name, Name: tool.Name, Title: tool.Title, Description: tool.Description,
			Seen: true, ReadOnly: hint(tool.ReadOnly), Destructive: hint(tool.Destructive)})
	}
	return tools, nil
}

// nextStep is one thing to try after a failed look.
func (r *Draft) nextStep(err error) string {
	text := strings.ToLower(err.Error())
	switch {
	case strings.Contains(text, "401") || strings.Contains(text, "403") || strings.Contains(text, "unauthorized"):
		return "the server wants a login: add it with --auth header"
	case strings.Contains(text, "was not found"):
		return "install the command, or give its full path"
	}
	return "check the address or the command, then try again"
}

// preview gives the state that saving the draft would bring.
func (r *Draft) preview(choice *view.ToolChoice) (*config.Snapshot, error) {
	return r.host.Preview(config.Change{Steps: r.steps(true, choice), Seen: r.seen}, r.variables)
}
