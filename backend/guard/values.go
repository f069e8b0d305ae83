package guard

import (
	"encoding/binary"
	"slices"
	"strings"
)

// values finds many exact texts of at least minSecret bytes in one pass: a table
// of the pairs of bytes they begin with lets nearly everything else go by.
type values struct {
	pairs []uint64            // a bit for each pair
	texts map[uint64][]string // by their first minSecret bytes, the longest first
	// starts are their beginnings of less than minSecret bytes.
	starts  map[string]bool
	longest int
}

// headOf are the first minSecret bytes.
func headOf(text string) uint64 { return binary.LittleEndian.Uint64([]byte(text[:minSecret])) }

func newValues(texts []string) values {
	v := values{pairs: make([]uint64, 1<<16/64), texts: map[uint64][]string{}, starts: map[string]bool{}}
	for _, text := range texts {
		pair := binary.LittleEndian.Uint16([]byte(text))
		v.pairs[pair/64] |= 1 << (pair % 64)
		head := headOf(text)
		v.texts[head] = append(v.texts[head], text)
		for n := 1; n < minSecret; n++ {
			v.starts[text[:n]] = true
		}
		v.longest = max(v.longest, len(text))
	}
	for _, texts := range v.texts {
		slices.SortFunc(texts, func(a, b string) int { return len(b) - len(a) })
	}
	return v
}

// find gives every place where a text is.
func (v values) find(text string, found func(start, end int)) {
	for i := 0; len(v.texts) > 0 && i+minSecret <= len(text); i++ {
		pair := uint16(text[i]) | uint16(text[i+1])<<8
		if v.pairs[pair/64]>>(pair%64)&1 == 0 {
			continue
		}
		head := uint64(0)
		for n := range minSecret {
			head |= uint64(text[i+n]) << (8 * n)
		}
		for _, value := range v.texts[head] {
			if strings.HasPrefix(text[i:], value) {
				found(i, i+len(value))
				i += len(value) - 1
				break
			}
		}
	}
}
