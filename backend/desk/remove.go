package desk

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"hermes/backend/catalog"
	"hermes/backend/config"
	"hermes/backend/view"
)

// Remove takes a server's entry out of the file and says what is left of it
// elsewhere. What the ledger remembers of it stays: an entry of that name that
// comes back is as restricted as before.
func (d *Desk) Remove(ctx context.Context, name string) (view.Removed, error) {
	if err := d.ours(); err != nil {
		return view.Removed{}, err
	}
	h := d.current()
	snap := h.Snapshot()
	server, err := find(snap, name)
	if err != nil {
		return view.Removed{}, err
	}
	variables := server.Conn.AuthVariables()
	change := config.Change{Steps: []config.Step{{Kind: config.StepDelete, Path: []string{keyServers, name}}}, Seen: snap.Revision}
	if _, err := h.Change(ctx, change); err != nil {
		return view.Removed{}, err
	}
	now := h.ReadBack()
	if _, still := now.Server(name); still || now.Broken {
		return view.Removed{}, Fail(view.Error{Code: "failed", Message: "the server is still in the file: another program changed it at the same moment",
			Hint: "look at it and try again", File: now.Path}, nil)
	}
	out := view.Removed{Server: name, Path: now.Path, Revision: now.Revision, Tokens: tokenFiles(h.Home(), name), Variables: []string{}}
	if variable := catalog.BearerVariable(name); !slices.Contains(variables, variable) {
		variables = append(variables, variable)
	}
	for _, variable := range variables {
		if h.HasVariable(variable) && !usedElsewhere(now, variable) {
			out.Variables = append(out.Variables, variable)
		}
	}
	return out, nil
}

// tokenFiles are where Hermes Agent keeps the OAuth state of a server. They are
// its own and are only named.
func tokenFiles(home config.Home, name string) []string {
	out := []string{}
	entries, err := os.ReadDir(filepath.Join(home.Dir, "mcp-tokens"))
	if err != nil {
		return out
	}
	for _, entry := range entries {
		for _, suffix := range []string{".json", ".client.json", ".meta.json", ".cimd-off"} {
			if entry.Name() == name+suffix && entry.Type()&fs.ModeDir == 0 {
				out = append(out, filepath.Join(home.Dir, "mcp-tokens", entry.Name()))
			}
		}
	}
	return out
}

func usedElsewhere(snap *config.Snapshot, variable string) bool {
	for i := range snap.Servers {
		conn := snap.Servers[i].Conn
		texts := slices.Concat(conn.Args, []string{conn.URL, conn.Command, conn.Cwd})
		for _, m := range []map[string]string{conn.Env, conn.Headers} {
			for _, value := range m {
				texts = append(texts, value)
			}
		}
		if strings.Contains(strings.Join(texts, "\n"), variable+"}") {
			return true
		}
	}
	return false
}
