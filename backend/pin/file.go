package pin

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
)

// version is the form of the file that this program writes: one JSON document,
// whose first line holds what listings need and whose later lines hold the
// definitions of one server each, so that a listing reads one line.
const version = 1

const (
	recordsBegin = `"servers":[`
	recordsEnd   = `]}`
)

// header is the first line of the file.
type header struct {
	Version int    `json:"version"`
	Index   []head `json:"index"`
}

// state is what is remembered, by server.
type state map[Key]*entry

func (s state) clone() state {
	out := make(state, len(s))
	for key, e := range s {
		out[key] = e.clone()
	}
	return out
}

// errNewer is a file of a later program: it is neither read nor replaced.
var errNewer = errors.New("a newer program wrote it")

// errDamaged is a file whose content was not written by us as it stands.
var errDamaged = errors.New("it is damaged")

func damaged(why string) error { return fmt.Errorf("%w: %s", errDamaged, why) }

func table() *crc32.Table { return crc32.MakeTable(crc32.Castagnoli) }

// decode reads a file's content. The records stay unread, but their sums are
// checked.
func decode(data []byte) (state, error) {
	first, rest, found := bytes.Cut(data, []byte("\n"))
	text, comma := bytes.CutSuffix(first, []byte(","))
	if !found || !comma {
		return nil, damaged("its first line is not whole")
	}
	var h header
	if err := json.Unmarshal(append(slices.Clone(text), '}'), &h); err != nil {
		return nil, damaged("its first line cannot be read")
	}
	if h.Version > version {
		return nil, errNewer
	}
	if h.Version != version {
		return nil, damaged("its version is not known")
	}
	lines := bytes.Split(bytes.TrimSuffix(rest, []byte("\n")), []byte("\n"))
	if len(lines) != len(h.Index)+2 || string(lines[0]) != recordsBegin || string(lines[len(lines)-1]) != recordsEnd {
		return nil, damaged("it does not hold as many servers as it says")
	}
	out := make(state, len(h.Index))
	for i, index := range h.Index {
		body := lines[i+1]
		if i < len(h.Index)-1 {
			if body, comma = bytes.CutSuffix(body, []byte(",")); !comma {
				return nil, damaged("its lines are not as it writes them")
			}
		}
		if crc32.Checksum(body, table()) != index.Sum {
			return nil, damaged("the definitions of a server are not those that were written")
		}
		key := Key{index.Server, index.Identity}
		if out[key] != nil {
			return nil, damaged("it holds a server twice")
		}
		out[key] = &entry{head: index, body: slices.Clone(body)}
	}
	return out, nil
}

// encode gives the content of the file, the same bytes for the same state.
func encode(s state) ([]byte, error) {
	keys := slices.SortedFunc(maps.Keys(s), func(a, b Key) int {
		return cmp.Or(cmp.Compare(a.Server, b.Server), cmp.Compare(a.Identity, b.Identity))
	})
	h := header{Version: version, Index: make([]head, len(keys))}
	bodies := make([][]byte, len(keys))
	for i, key := range keys {
		e := s[key]
		body := e.body
		if body == nil {
			var err error
			if body, err = compact(e.records); err != nil {
				return nil, err
			}
		}
		bodies[i], h.Index[i] = body, e.head
		h.Index[i].Sum = crc32.Checksum(body, table())
	}
	first, err := compact(h)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	out.Write(first[:len(first)-1])
	out.WriteString(",\n" + recordsBegin + "\n")
	for i, body := range bodies {
		out.Write(body)
		if i < len(bodies)-1 {
			out.WriteByte(',')
		}
		out.WriteByte('\n')
	}
	out.WriteString(recordsEnd + "\n")
	return out.Bytes(), nil
}

// compact is JSON on one line.
func compact(v any) ([]byte, error) {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(out.Bytes(), []byte("\n")), nil
}

// readFile reads the file and says which state of it that was.
func readFile(path string) ([]byte, fs.FileInfo, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, nil, err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return nil, nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, info, errors.New("it is not a file")
	}
	data, err := io.ReadAll(io.LimitReader(file, maxFile+1))
	if err == nil && len(data) > maxFile {
		err = damaged("it is too long")
	}
	return data, info, err
}

// replaceFile puts new content in place in one step: whoever is killed in the
// middle leaves the old file or the new one.
func replaceFile(path string, data []byte) (err error) {
	temp, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+"-*.tmp")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.Remove(temp.Name()))
		}
	}()
	_, err = temp.Write(data)
	if err = errors.Join(err, temp.Sync(), temp.Close()); err != nil {
		return err
	}
	if err := os.Rename(temp.Name(), path); err != nil {
		return err
	}
	return syncFolder(filepath.Dir(path))
}
