package desk

import (
	"sort"

	"hermes/backend/catalog"
	"hermes/backend/config"
	"hermes/backend/view"
)

// Catalog lists the servers that can be installed by name, with what the file
// has of them, and then its other servers. It starts and contacts nothing.
func (d *Desk) Catalog() (view.Catalog, error) {
	snap := d.current().Snapshot()
	known := d.catalog()
	out := view.Catalog{Config: configView(snap), Rows: []view.CatalogRow{}, Problems: []view.CatalogProblem{}}
	listed := map[string]bool{}
	for _, entry := range known.Entries {
		listed[entry.Name] = true
		out.Rows = append(out.Rows, catalogRow(snap, entry))
	}
	var custom []view.CatalogRow
	for i := range snap.Servers {
		if !listed[snap.Servers[i].Name] {
			custom = append(custom, customRow(&snap.Servers[i]))
		}
	}
	sort.SliceStable(custom, func(i, j int) bool { return custom[i].Name < custom[j].Name })
	out.Rows = append(out.Rows, custom...)
	for _, p := range known.Diagnostics {
		out.Problems = append(out.Problems, view.CatalogProblem{Kind: p.Kind, Name: p.Name, Message: p.Message, Hint: p.Hint, File: p.File, Line: p.Line})
	}
	return out, nil
}

// catalog reads the manifests that this home offers.
func (d *Desk) catalog() catalog.Catalog {
	getenv := d.options.Getenv
	if getenv == nil {
		getenv = func(string) string { return "" }
	}
	return catalog.Load(catalog.Folders(d.current().Home().Dir, getenv))
}

func catalogRow(snap *config.Snapshot, entry catalog.Entry) view.CatalogRow {
	row := view.CatalogRow{
		Name: entry.Name, Status: view.CatalogAvailable, StatusText: "available",
		Description: entry.Description, Source: entry.Source, Origin: entry.Origin(), Outside: entry.Folder != "",
		Commands: list(entry.CommandLines()), Auth: entry.Auth.Kind, Variables: []view.CatalogVariable{}, Packages: []string{},
	}
	if server, ok := snap.Server(entry.Name); ok {
		row.Status, row.StatusText = view.CatalogEnabled, "enabled"
		if !server.Enabled {
			row.Status, row.StatusText = view.CatalogDisabled, "installed (disabled)"
		}
	}
	for _, v := range entry.Auth.Env {
		_, set := snap.Variable(v.Name)
		row.Variables = append(row.Variables, view.CatalogVariable{Name: v.Name, Prompt: v.Prompt, Required: v.Required, Secret: v.Secret, Default: v.Default, Set: set})
	}
	for _, p := range entry.Packages() {
		row.Packages = append(row.Packages, p.String())
	}
	return row
}

// customRow shows a server that no manifest knows by its target.
func customRow(server *config.Server) view.CatalogRow {
	row := view.CatalogRow{
		Name: server.Name, Status: view.CatalogCustomEnabled, StatusText: "custom — enabled",
		Description: server.Conn.Target(), Commands: []string{server.Conn.Target()}, Auth: catalog.AuthNone,
		Variables: []view.CatalogVariable{}, Packages: []string{},
	}
	if !server.Enabled {
		row.Status, row.StatusText = view.CatalogCustomDisabled, "custom — disabled"
	}
	return row
}
