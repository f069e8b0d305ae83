package provider

import (
	"bytes"
	"maps"
	"net/http"
	"strings"
	"sync"
)

// Memory is what model servers taught: the optional fields a server refuses,
// and the thinking blocks whose signature was refused. It is safe for
// concurrent use, and nothing of it is stored: a restart costs one refused
// request.
type Memory struct {
	mu     sync.Mutex
	fields map[string]map[string]bool // by address
	dead   map[blockSum]bool
}

// NewMemory returns a Memory that knows nothing.
func NewMemory() *Memory {
	return &Memory{fields: map[string]map[string]bool{}, dead: map[blockSum]bool{}}
}

func (m *Memory) refused(url string) map[string]bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return maps.Clone(m.fields[url])
}

// refuse notes a field and reports whether that is news.
func (m *Memory) refuse(url, name string) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.fields[url][name] {
		return false
	}
	if m.fields[url] == nil {
		m.fields[url] = map[string]bool{}
	}
	m.fields[url][name] = true
	return true
}

func (m *Memory) deadBlocks() map[blockSum]bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return maps.Clone(m.dead)
}

// bury notes thinking blocks and reports whether one of them is news.
func (m *Memory) bury(blocks []blockSum) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	before := len(m.dead)
	for _, sum := range blocks {
		m.dead[sum] = true
	}
	return len(m.dead) > before
}

// learn remembers an optional field that a strict server names in its refusal
// (422 "reasoning_content: extra inputs are not permitted"), so that the
// request can be sent again without it. The stored messages keep the field.
func (p *endpoint) learn(failed *Error, optional []string) bool {
	if failed.Status != http.StatusBadRequest && failed.Status != http.StatusUnprocessableEntity {
		return false
	}
	if wantsReasoning(failed.body) {
		return p.memory.refuse(p.url, noReasoning)
	}
	learned := false
	for _, name := range optional {
		if namesField(failed.body, name) && p.memory.refuse(p.url, name) {
			learned = true
			p.log.Info("the model server refuses an optional field; it is left out from now on", "host", p.host, "field", name)
		}
	}
	return learned
}

// wantsReasoning reports a refusal because a row lacks its reasoning: thinking
// modes of DeepSeek, Kimi and MiMo want it echoed with every call, where others
// refuse the field.
func wantsReasoning(body []byte) bool {
	said := bytes.ToLower(body)
	if !bytes.Contains(said, []byte(reasoningKey)) {
		return false
	}
	for _, word := range []string{"missing", "must be passed", "must be provided", "is required"} {
		if bytes.Contains(said, []byte(word)) {
			return true
		}
	}
	return false
}

// namesField reports whether an error speaks of the field by name and not of
// the word in general: a plain word ("reasoning") has to stand between quotes
// or path separators.
func namesField(body []byte, name string) bool {
	around := "'\"`.[]\\"
	if strings.Contains(name, "_") {
		around += " ,;:()"
	}
	for at := 0; ; {
		i := bytes.Index(body[at:], []byte(name))
		if i < 0 {
			return false
		}
		start, end := at+i, at+i+len(name)
		if start > 0 && end < len(body) &&
			strings.IndexByte(around, body[start-1]) >= 0 &&
			strings.IndexByte(around, body[end]) >= 0 {
			return true
		}
		at = end
	}
}
