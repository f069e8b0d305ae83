package config

import (
	"maps"
	"slices"

	"hermes/backend/policy"
)

// connection keeps what the server was reached by where the new state reaches
// anything else. Time limits and the like count at once, and so does what only
// takes away: a certificate that is checked again, folders that a program may not
// see any more.
func (w *waiter) connection(sv, was *Server) {
	old, now := was.Conn, sv.Conn
	folders, wider := old.Confinement.narrowed(now.Confinement)
	waits := false
	for _, c := range []struct {
		key  string
		more bool
	}{
		// A transport that nobody wrote is told by the key that brought it.
		{"transport", old.Transport != now.Transport && old.Command == now.Command && old.URL == now.URL && old.Builtin == now.Builtin},
		{"command", old.Command != now.Command},
		{"args", !slices.Equal(old.Args, now.Args)},
		{"env", !maps.Equal(old.Env, now.Env)},
		{"cwd", old.Cwd != now.Cwd},
		{"url", old.URL != now.URL},
		{"headers", !maps.Equal(old.Headers, now.Headers) || old.IdentityHeader != now.IdentityHeader},
		{"builtin", old.Builtin != now.Builtin},
		{"root", old.Root != now.Root},
		{"auth", old.Auth != now.Auth},
		{"ssl_verify", now.TLS.Insecure && !old.TLS.Insecure || old.TLS.CA != now.TLS.CA},
		{"client_cert", old.TLS.Cert != now.TLS.Cert || old.TLS.Password != now.TLS.Password},
		{"client_key", old.TLS.Key != now.TLS.Key},
		{keyStrict, old.StrictRedirects && !now.StrictRedirects},
		{"folders", wider},
	} {
		if !c.more {
			continue
		}
		waits = true
		w.opens(sv.Name+"/"+c.key, sv.keyLine(c.key))
	}
	if !waits {
		return
	}
	out := old
	out.Timeout, out.ConnectTimeout, out.Keepalive = now.Timeout, now.ConnectTimeout, now.Keepalive
	out.IdleTimeout, out.MaxLifetime, out.Protocol = now.IdleTimeout, now.MaxLifetime, now.Protocol
	out.StrictRedirects = old.StrictRedirects || now.StrictRedirects
	out.TLS.Insecure = old.TLS.Insecure && now.TLS.Insecure
	out.Confinement = folders
	sv.Conn, sv.Builtin, sv.waiting = out, was.Builtin, true
	for _, p := range was.Problems {
		// What could not run before does not run because its entry changed.
		if p.Severity == policy.SeverityError {
			sv.Problems = append(slices.Clip(sv.Problems), p)
		}
	}
}

// narrowed gives the folders that both let a program see, and whether the new
// ones let it see more.
func (c Confinement) narrowed(now Confinement) (out Confinement, wider bool) {
	if !c.On {
		return now, false
	}
	if !now.On {
		return c, true
	}
	out.On = true
	for _, f := range now.Folders {
		at := slices.IndexFunc(c.Folders, func(o Folder) bool { return o.Path == f.Path })
		if at < 0 {
			wider = true
			continue
		}
		if f.Write && !c.Folders[at].Write {
			f.Write, wider = false, true
		}
		out.Folders = append(out.Folders, f)
	}
	return out, wider
}

// sampling keeps the lower caps of what a server may ask of the model.
func (w *waiter) sampling(sv, was *Server) {
	old, now := was.Sampling, sv.Sampling
	out, more := now, now.Model != old.Model
	out.Model = old.Model
	for _, c := range []struct {
		to       *int
		old, now int
	}{
		{&out.MaxTokens, old.MaxTokens, now.MaxTokens},
		{&out.PerMinute, old.PerMinute, now.PerMinute},
		{&out.MaxRounds, old.MaxRounds, now.MaxRounds},
	} {
		if c.now > c.old {
			*c.to, more = c.old, true
		}
	}
	if len(old.AllowedModels) > 0 {
		out.AllowedModels = slices.DeleteFunc(slices.Clone(old.AllowedModels), func(m string) bool {
			return len(now.AllowedModels) > 0 && !slices.Contains(now.AllowedModels, m)
		})
		more = more || len(now.AllowedModels) == 0 || slices.ContainsFunc(now.AllowedModels, func(m string) bool { return !slices.Contains(old.AllowedModels, m) })
		if len(out.AllowedModels) == 0 {
			out.AllowedModels = []string{""} // none at all
		}
	}
	if !more {
		return
	}
	w.opens(sv.Name+"/sampling", sv.keyLine("sampling"))
	sv.Sampling, sv.waiting = out, true
}
