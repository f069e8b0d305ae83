package pin

import (
	"bufio"
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
	"slices"

	"hermes/backend/native"
)

// version is the form of the file that this program writes: one JSON document,
// whose first line holds what listings need and whose later lines hold the
// definitions of one server each, so that a listing reads one line.
const version = 1

const (
	recordsBegin = `"servers":[`
	recordsEnd   = `]}`
)

// header is the first line of the file. Rest is the length of all other lines, in
// bytes.
type header struct {
	Version int    `json:"version"`
	Rest    int    `json:"rest"`
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
	if !found {
		return nil, damaged("its first line is not whole")
	}
	h, err := decodeHeader(first, len(rest))
	if err != nil {
		return nil, err
	}
	lines := bytes.Split(bytes.TrimSuffix(rest, []byte("\n")), []byte("\n"))
	if len(lines) != len(h.Index)+2 || string(lines[0]) != recordsBegin || string(lines[len(lines)-1]) != recordsEnd {
		return nil, damaged("it does not hold as many servers as it says")
	}
	out := make(state, len(h.Index))
	for i, index := range h.Index {
		body, comma := lines[i+1], false
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
		out[key] = &entry{head: index, body: body}
	}
	return out, nil
}

// decodeHeader reads the first line of a file with so many bytes behind it.
func decodeHeader(first []byte, rest int) (header, error) {
	var h header
	text, comma := bytes.CutSuffix(first, []byte(","))
	if !comma {
		return h, damaged("its first line is not whole")
	}
	if err := json.Unmarshal(append(slices.Clone(text), '}'), &h); err != nil {
		return h, damaged("its first line cannot be read")
	}
	switch {
	case h.Version > version:
		return h, errNewer
	case h.Version != version:
		return h, damaged("its version is not known")
	case h.Rest != rest, rest < len(recordsBegin)+len(recordsEnd)+2:
		return h, damaged("it is not as long as it says")
	}
	return h, nil
}

// readHeads reads only what listings need: entries without their records.
func readHeads(path string) (state, fs.FileInfo, error) {
	file, info, err := native.Open(path)
	if err != nil {
		return nil, nil, err
	}
	defer file.Close()
	first, err := bufio.NewReaderSize(io.LimitReader(file, maxFile), 64<<10).ReadBytes('\n')
	if err != nil {
		return nil, nil, damaged("its first line is not whole")
	}
	h, err := decodeHeader(first[:len(first)-1], int(info.Size())-len(first))
	if err != nil {
		return nil, nil, err
	}
	out := make(state, len(h.Index))
	for _, index := range h.Index {
		out[Key{index.Server, index.Identity}] = &entry{head: index}
	}
	return out, info, nil
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
	var rest bytes.Buffer
	rest.WriteString(recordsBegin + "\n")
	for i, body := range bodies {
		rest.Write(body)
		if i < len(bodies)-1 {
			rest.WriteByte(',')
		}
		rest.WriteByte('\n')
	}
	rest.WriteString(recordsEnd + "\n")
	h.Rest = rest.Len()
	first, err := compact(h)
	if err != nil {
		return nil, err
	}
	return slices.Concat(first[:len(first)-1], []byte(",\n"), rest.Bytes()), nil
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
	file, info, err := native.Open(path)
	if errors.Is(err, native.ErrForeign) {
		info, _ = os.Lstat(path) // nil where it is gone again
		return nil, info, damaged("it is not a regular file")
	}
	if err != nil {
		return nil, nil, err
	}
	defer file.Close()
	if info.Size() > maxFile {
		return nil, info, damaged("it is too long")
	}
	// Nobody writes into the file: it is replaced whole.
	data := make([]byte, info.Size())
	if n, err := io.ReadFull(file, data); err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return nil, info, err
	} else {
		data = data[:n]
	}
	return data, info, nil
}
