package desk

import (
	"errors"
	"net/url"

	"hermes/backend/config"
	"hermes/backend/registry"
	"hermes/backend/view"
)

// connectors shows the connectors of the file; nil where it names no gateway.
func (d *Desk) connectors(snap *config.Snapshot, grants []view.Grant) *view.Connectors {
	settings := snap.Settings.Connectors
	if settings.URL == "" {
		return nil
	}
	out := &view.Connectors{Trusted: settings.Trusted, File: snap.Path, Line: settings.Line(), Grants: grantsOf(grants, registry.Connector)}
	access, err := snap.ResolveConnectors(d.options.Getenv)
	if err == nil {
		out.Gateway = origin(access.URL)
	}
	ok, problem := snap.MayConnect()
	var refused *config.Refused
	switch {
	case !ok:
		out.Reason = problem.Message
	case errors.As(err, &refused):
		out.Reason = refused.Message
	case err != nil:
		out.Reason = err.Error()
	case out.Gateway == "":
		out.Reason = "connectors.url is not an http or https address"
	default:
		out.Called = true
	}
	return out
}

// origin is the address of a host alone: a path or a user name may hold a key.
func origin(address string) string {
	parsed, err := url.Parse(address)
	if err != nil || parsed.Host == "" || parsed.Scheme != "http" && parsed.Scheme != "https" {
		return ""
	}
	return parsed.Scheme + "://" + parsed.Host
}

// grantsOf are the grants for the tools of a server.
func grantsOf(grants []view.Grant, server string) []view.Grant {
	out := []view.Grant{}
	for _, grant := range grants {
		if grant.Server == server {
			out = append(out, grant)
		}
	}
	return out
}

// doctorConnectors looks at the connectors gateway and asks it nothing.
func (d *Desk) doctorConnectors(snap *config.Snapshot, add finding) {
	found := d.connectors(snap, nil)
	if found == nil {
		return
	}
	text := at(config.Problem{File: found.File, Line: found.Line})
	switch {
	case !found.Called && snap.Settings.Connectors.Off:
		add("ok", "connectors", text+"off: "+found.Reason, "")
	case !found.Called:
		add("warning", "connectors", text+"no connector is called: "+found.Reason, "docs/CONNECTORS.md has the settings")
	case found.Trusted:
		add("ok", "connectors", text+found.Gateway+" is trusted; `hermes mcp gateway` does not offer its tools", "")
	default:
		add("ok", "connectors", text+found.Gateway+", a person is asked before each call; `hermes mcp gateway` does not offer its tools", "")
	}
}
