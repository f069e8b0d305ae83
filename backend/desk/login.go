package desk

import (
	"context"
	"strings"

	"hermes/backend/catalog"
	"hermes/backend/config"
	"hermes/backend/host"
	"hermes/backend/view"
)

// Login is the renewal of one server's token. Nothing is written before Store.
type Login struct {
	host     *host.Host
	server   *config.Server
	variable string
	steps    []config.Step
	seen     string
	token    string
}

// Login begins a login at a server that takes its token from a header. One that
// is a program, or wants OAuth, is a Failure that says what to do instead.
func (d *Desk) Login(name string) (*Login, error) {
	if err := d.ours(); err != nil {
		return nil, err
	}
	h := d.current()
	snap := h.Snapshot()
	server, err := find(snap, name)
	if err != nil {
		return nil, err
	}
	refuse := func(message, hint string) error {
		return Fail(view.Error{Code: "refused", Message: message, Hint: hint, File: snap.Path, Line: server.Line}, nil)
	}
	if server.Conn.URL == "" {
		return nil, refuse("'"+name+"' is a program and has no login", "give it what it needs in `env` of its entry, as ${VARIABLE}, and the value in "+h.Home().Env())
	}
	if WantsOAuth(server) {
		return nil, refuse(noOAuth(name), oauthHint)
	}
	l := &Login{host: h, server: server, seen: snap.Revision}
	if used := server.Conn.AuthVariables(); len(used) == 1 {
		l.variable = used[0]
		return l, nil
	} else if len(used) > 1 {
		return nil, refuse("the headers of '"+name+"' take their values from "+strings.Join(used, ", "), "write each into "+h.Home().Env())
	}
	l.variable = catalog.BearerVariable(name)
	header := "Authorization"
	for key := range server.Conn.Headers {
		if strings.EqualFold(key, header) {
			header = key
		}
	}
	l.steps = []config.Step{{Kind: config.StepSet, Path: []string{keyServers, name, "headers", header}, Value: config.Text(bearerTemplate(l.variable))}}
	return l, nil
}

// oauthHint says what can be done while there is no OAuth login.
const oauthHint = "if the server also takes a token, remove `auth: oauth` and use a header; else log in with Hermes Agent"

func noOAuth(name string) string {
	return "'" + name + "' wants an OAuth login, which this version does not have yet"
}

// WantsOAuth tells whether an entry asks for an OAuth login.
func WantsOAuth(server *config.Server) bool {
	n := config.Lookup(server.Entry, []string{"auth"})
	return n != nil && strings.EqualFold(strings.TrimSpace(n.Value), "oauth")
}

// Variable is where the token will be kept, in `.env`.
func (l *Login) Variable() string { return l.variable }

// Try asks the server with a token and gives the number of its tools.
func (l *Login) Try(ctx context.Context, token string) (int, error) {
	if l.token = bareToken(token); l.token == "" {
		return 0, Fail(view.Error{Code: "refused", Message: "Bearer token is required", Hint: "nothing was stored"}, nil)
	}
	snap, err := l.host.Preview(config.Change{Steps: l.steps, Seen: l.seen}, map[string]string{l.variable: l.token})
	if err != nil {
		return 0, err
	}
	status, err := l.host.LookAt(ctx, snap, l.server.Name)
	if err != nil {
		return 0, Fail(view.Error{Code: "failed", Message: err.Error(), Hint: "check the token and the address"}, err)
	}
	return len(status.Tools), nil
}

// Store writes the token that was tried into `.env`, and the header that uses
// it into the entry where it is missing.
func (l *Login) Store(ctx context.Context) (view.LoggedIn, error) {
	if err := l.host.SetEnv(ctx, l.variable, l.token); err != nil {
		return view.LoggedIn{}, err
	}
	if len(l.steps) > 0 {
		if _, err := l.host.Change(ctx, config.Change{Steps: l.steps, Seen: l.seen}); err != nil {
			return view.LoggedIn{}, err
		}
	}
	now := l.host.ReadBack()
	if value, ok := now.Variable(l.variable); !ok || value != l.token {
		return view.LoggedIn{}, Fail(view.Error{Code: "failed", Message: "the token is not in " + l.host.Home().Env() + " after it was written",
			Hint: "look at the file and try again"}, nil)
	}
	return view.LoggedIn{Server: l.server.Name, Variable: l.variable, Path: l.host.Home().Env()}, nil
}

// Logins names the servers that a login makes sense for: those with a URL and
// either a header that takes a token or the wish for OAuth.
func (d *Desk) Logins() []string {
	out := []string{}
	snap := d.current().Snapshot()
	for i := range snap.Servers {
		server := &snap.Servers[i]
		if server.Conn.URL != "" && (len(server.Conn.AuthVariables()) > 0 || WantsOAuth(server)) {
			out = append(out, server.Name)
		}
	}
	return out
}

// Auth says how a server is told who asks, a line for each header; values that
// are not made of references alone are hidden.
func (d *Desk) Auth(name string) ([]string, error) {
	server, err := find(d.current().Snapshot(), name)
	switch {
	case err != nil:
		return nil, err
	case WantsOAuth(server):
		return []string{"OAuth 2.0"}, nil
	case len(server.Conn.AuthHeaders()) == 0:
		return []string{"none"}, nil
	}
	return server.Conn.AuthHeaders(), nil
}
