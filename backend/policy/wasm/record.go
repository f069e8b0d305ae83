package main

import (
	"hermes/backend/policy"
)

// Records are written field after field: a number or switch as four bytes, the
// lowest first; a text as its length and its bytes in UTF-8; a list as the
// number of its items and the items. A record of no bytes means: unknown
// handle, or input that does not fit.
//
//	words     code, params, text
//	verdict   allowed, rule, words, line, column, pattern that holds the name
//	problem   severity, code, params, message, hint, line, column
//	summary   state, locked, broken, untrusted, resources, prompts, line,
//	          column, patterns, problems, held, since
//	count     allowed, total, unmatched patterns
//	preview   outcome (0 unchanged, 1 changed, 2 refused), then for
//	          refused: words, hint, line, column
//	          else: state, locked, list, row, panel, and the tools whose verdict
//	          changes, each with its name and whether it would be allowed
//	codes     pairs of code and template
type record struct{ b []byte }

func (r *record) number(n int) {
	u := uint32(max(n, 0))
	r.b = append(r.b, byte(u), byte(u>>8), byte(u>>16), byte(u>>24))
}

func (r *record) toggle(on bool) {
	if on {
		r.number(1)
		return
	}
	r.number(0)
}

func (r *record) text(s string) {
	r.number(len(s))
	r.b = append(r.b, s...)
}

func (r *record) list(items []string) {
	r.number(len(items))
	for _, s := range items {
		r.text(s)
	}
}

func (r *record) words(w policy.Words) {
	r.text(w.Code)
	r.list(w.Params)
	r.text(w.Text)
}

func (r *record) verdict(v policy.Verdict, heldBy string) {
	r.toggle(v.Allowed)
	r.text(v.Rule)
	r.words(v.Reason)
	r.number(v.Line)
	r.number(v.Column)
	r.text(heldBy)
}

func (r *record) summary(rules policy.Rules) {
	r.text(string(rules.State()))
	r.toggle(rules.Locked())
	r.toggle(rules.Broken())
	r.toggle(rules.Untrusted())
	r.toggle(rules.Resources())
	r.toggle(rules.Prompts())
	r.number(rules.Line())
	r.number(rules.Column())
	r.list(rules.Patterns())
	problems := rules.Problems()
	r.number(len(problems))
	for _, p := range problems {
		r.text(p.Severity)
		r.text(p.Code)
		r.list(p.Params)
		r.text(p.Message)
		r.text(p.Hint)
		r.number(p.Line)
		r.number(p.Column)
	}
	r.toggle(rules.IsHeld())
	r.text(rules.HeldSince())
}

// write keeps a record as the output and returns its length.
func (m *module) write(fill func(r *record)) uint32 {
	r := record{m.output[:0]}
	fill(&r)
	m.output = r.b
	return uint32(len(m.output))
}

// about writes a record about a server, none for an unknown handle.
func (m *module) about(h uint32, fill func(s *server, r *record)) uint32 {
	s := m.server(h)
	if s == nil {
		m.output = m.output[:0]
		return 0
	}
	return m.write(func(r *record) { fill(s, r) })
}

func (m *module) summary(h uint32) uint32 {
	return m.about(h, func(s *server, r *record) { r.summary(s.rules) })
}

func (m *module) verdict(h, index uint32) uint32 {
	return m.about(h, func(s *server, r *record) {
		name := s.name(index)
		r.verdict(s.rules.Tool(name), s.rules.HeldBy(name))
	})
}

func (m *module) verdictOf(h, size uint32) uint32 {
	data, ok := m.taken(size)
	if !ok {
		return 0
	}
	name := string(data)
	return m.about(h, func(s *server, r *record) { r.verdict(s.rules.Tool(name), s.rules.HeldBy(name)) })
}

func (m *module) specialVerdict(h, which uint32) uint32 {
	return m.about(h, func(s *server, r *record) { r.verdict(s.special(which), "") })
}

// words writes the words of a surface: 0 the list, 1 the row, 2 the panel.
func (m *module) words(h, surface uint32) uint32 {
	return m.about(h, func(s *server, r *record) {
		switch surface {
		case 0:
			r.words(s.rules.List())
		case 1:
			r.words(s.rules.Row())
		default:
			r.words(s.rules.Panel(s.tools, s.known))
		}
	})
}

func (m *module) count(h uint32) uint32 {
	return m.about(h, func(s *server, r *record) {
		c := s.rules.Live(s.tools)
		r.number(c.Allowed)
		r.number(c.Total)
		r.list(c.Unmatched)
	})
}

func (m *module) codes() uint32 {
	return m.write(func(r *record) {
		codes := policy.Codes()
		r.number(len(codes))
		for _, t := range codes {
			r.text(t.Code)
			r.text(t.Text)
		}
	})
}
