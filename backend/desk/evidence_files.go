package desk

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"hermes/backend/config"
	"hermes/backend/policy"
)

// maxBackups bounds how many backups beside a file are read, the newest first.
const maxBackups = 20

// backupVersions reads the backups that people, editors and scripts leave
// beside a file.
func backupVersions(path string) ([]version, error) {
	entries, err := os.ReadDir(filepath.Dir(path))
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return nil, nil
		}
		return nil, err
	}
	type candidate struct {
		name string
		when time.Time
	}
	var names []candidate
	for _, entry := range entries {
		if !isBackup(entry.Name(), filepath.Base(path)) {
			continue
		}
		info, err := entry.Info()
		if err != nil || !info.Mode().IsRegular() || info.Size() > evidenceBytes {
			continue
		}
		names = append(names, candidate{entry.Name(), info.ModTime()})
	}
	slices.SortStableFunc(names, func(a, b candidate) int { return b.when.Compare(a.when) })
	var out []version
	for _, c := range names[:min(len(names), maxBackups)] {
		data, err := os.ReadFile(filepath.Join(filepath.Dir(path), c.name))
		if err != nil {
			return out, err
		}
		out = append(out, version{where: "backup " + c.name, when: c.when, data: data})
	}
	return out, nil
}

// isBackup tells the usual names of a backup of a file: with an ending behind
// the name, or with a word before the ending.
func isBackup(name, file string) bool {
	if name == file {
		return false
	}
	if rest, ok := strings.CutPrefix(name, file); ok {
		rest = strings.ToLower(strings.TrimLeft(rest, "._-"))
		return rest == "" || rest == "~" || startsWithAny(rest, "bak", "backup", "orig", "old", "save", "prev", "20", "copy", "~")
	}
	ending := filepath.Ext(file)
	rest, ok := strings.CutPrefix(name, strings.TrimSuffix(file, ending))
	if rest, found := strings.CutSuffix(rest, ending); ok && found {
		return startsWithAny(strings.ToLower(strings.TrimLeft(rest, "._- ")), "bak", "backup", "orig", "old", "prev", "20", "copy")
	}
	return false
}

func startsWithAny(s string, words ...string) bool {
	for _, word := range words {
		if strings.HasPrefix(s, word) {
			return true
		}
	}
	return false
}

// cacheEvidence reads the schema cache of Hermes Agent, in which each server has
// a fingerprint of its entry. A fingerprint that is only a hash tells nothing,
// and there an absent list and an empty one look alike, so only lists that name
// something count.
func cacheEvidence(path string, now *config.Snapshot) []evidence {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() || info.Size() > 8*evidenceBytes {
		return nil
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return nil
	}
	root, err := config.Tree(data) // JSON is YAML
	if err != nil || root == nil {
		return nil
	}
	if inner := config.Lookup(root, []string{"servers"}); inner != nil {
		root = inner
	}
	var out []evidence
	for i := range now.Servers {
		server := &now.Servers[i]
		print := config.Lookup(root, []string{server.Name, "fingerprint"})
		if lost := policy.Lost(policy.FingerprintRestriction(print), server.Rules); len(lost) > 0 {
			out = append(out, evidence{server: server.Name, lost: lost, where: "schema cache of Hermes Agent", when: info.ModTime()})
		}
	}
	return out
}
