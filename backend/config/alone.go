package config

import "path/filepath"

// ReadAlone reads any file as a configuration that stands alone: without a
// `.env` beside it, without the environment, without a ledger. So the answer is
// the same on every machine, as a review needs it. A file that cannot be read
// gives a broken snapshot, in which no server is known; a missing one is broken,
// too, because somebody named it.
func ReadAlone(path string) *Snapshot {
	home := Home{Dir: filepath.Dir(path), file: path}
	nowhere := newScope(home, nil, func(string) string { return "" })
	data, err := readBounded(path)
	if err != nil {
		return broken(home, "", false, *unreadable(path, err), nowhere, "")
	}
	return readBytes(home, data, nowhere)
}

// ReadText reads the bytes of a configuration, such as an old version of a
// file, as ReadAlone does. Path is where problems are said to be.
func ReadText(path string, data []byte) *Snapshot {
	home := Home{Dir: filepath.Dir(path), file: path}
	return readBytes(home, data, newScope(home, nil, func(string) string { return "" }))
}

func readBytes(home Home, data []byte, scope *scope) *Snapshot {
	doc, err := parse(data)
	if err != nil {
		return broken(home, digest(data), true, *parseProblem(home.Config(), err), scope, "")
	}
	snap := build(home, doc, digest(data), scope, "")
	snap.empty = doc.tree == nil
	return snap
}
