package desk

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"hermes/backend/config"
	"hermes/backend/policy"
	"hermes/backend/view"
)

const (
	// evidenceWait bounds the search of a history: an audit must not hang on a
	// repository of any size.
	evidenceWait = 5 * time.Second
	// evidenceBytes bounds one old version; what is longer is no configuration.
	evidenceBytes = 1 << 20
)

// evidence says that a server was more restricted once than it is now. when is
// the last moment it is known to have been so; where names the source, such as
// a commit.
type evidence struct {
	server string
	lost   []policy.Words
	where  string
	when   time.Time
}

// version is an old state of the file.
type version struct {
	where string
	when  time.Time
	data  []byte
}

// lostIn compares an old state with what is in force, server by server.
func lostIn(old version, now *config.Snapshot) []evidence {
	was := config.ReadText(now.Path, old.data)
	if was.Broken {
		return nil
	}
	var out []evidence
	for i := range was.Servers {
		server, ok := now.Server(was.Servers[i].Name)
		if !ok {
			continue
		}
		if lost := policy.Lost(was.Servers[i].Rules.Restriction(), server.Rules); len(lost) > 0 {
			out = append(out, evidence{server: server.Name, lost: lost, where: old.where, when: old.when})
		}
	}
	return out
}

// findEvidence looks for lost locks: in the history of the file, in backups
// beside it, and, where it is a home's own, in the schema cache of Hermes Agent.
// Each server is told once, by its latest trace. unchecked says what could not
// be looked at.
func findEvidence(ctx context.Context, snap *config.Snapshot, home string) (found []view.AuditItem, unchecked []string) {
	if snap.Broken || len(snap.Servers) == 0 {
		return nil, nil
	}
	ctx, cancel := context.WithTimeout(ctx, evidenceWait)
	defer cancel()
	var all []evidence
	versions, err := gitVersions(ctx, snap.Path)
	if err != nil {
		unchecked = append(unchecked, "the git history of "+snap.Path+": "+err.Error())
	}
	backups, err := backupVersions(snap.Path)
	if err != nil {
		unchecked = append(unchecked, "the backups beside "+snap.Path+": "+err.Error())
	}
	for _, old := range append(backups, versions...) {
		if ctx.Err() != nil {
			unchecked = append(unchecked, "the older versions of "+snap.Path+": it took longer than "+evidenceWait.String())
			break
		}
		all = append(all, lostIn(old, snap)...)
	}
	if home != "" {
		all = append(all, cacheEvidence(filepath.Join(home, "cache", "mcp_schema_cache.json"), snap)...)
	}
	latest := map[string]evidence{}
	for _, e := range all {
		if server, _ := snap.Server(e.server); !server.Opened.IsZero() && !e.when.Truncate(time.Second).After(server.Opened) {
			continue // a person opened it since, and said so to us; the ledger knows seconds
		}
		if have, ok := latest[e.server]; !ok || e.when.After(have.when) {
			latest[e.server] = e
		}
	}
	for i := range snap.Servers {
		if e, ok := latest[snap.Servers[i].Name]; ok {
			found = append(found, evidenceItem(snap, &snap.Servers[i], e))
		}
	}
	return found, unchecked
}

func evidenceItem(snap *config.Snapshot, server *config.Server, e evidence) view.AuditItem {
	texts := make([]string, len(e.lost))
	params := []string{e.where, e.when.UTC().Format(time.DateOnly)}
	for i, w := range e.lost {
		texts[i] = w.Text
		params = append(params, w.Code)
	}
	return view.AuditItem{
		Level: view.LevelError, Code: "audit.lost", Params: params, Server: server.Name,
		Message: fmt.Sprintf("%s until %s or later (%s); now the file says: %s", strings.Join(texts, ", "), params[1], e.where, server.Rules.Row().Text),
		Hint:    "type `hermes mcp lock " + server.Name + "` if that was not meant, `hermes mcp open " + server.Name + "` if it was; where the file is checked alone, the pattern \"*\" in the whitelist says so",
		File:    snap.Path, Line: server.Line, Column: server.Column,
	}
}
