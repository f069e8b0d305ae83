package registry

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"modernc.org/sqlite"
)

// searcher is the full-text index of a catalogue, built at the first search.
// It is an FTS5 table in memory: bm25, Unicode words without their accents,
// English stems. The connection is used without database/sql, whose pool would
// own a goroutine; it is closed when nobody holds the catalogue any more.
type searcher struct {
	once  sync.Once
	err   error
	mu    sync.Mutex // the connection is for one at a time
	conn  driver.Conn
	terms map[string]term // what was looked up before
	words vocabulary
}

// term is where a word of a query stands.
type term struct {
	match string // the FTS5 expression that finds it, "" if nothing does
	count int    // tools that have it
}

const (
	maxTerms      = 16 // words of one query
	maxRemembered = 4096
	// weights of name, server, description and parameter names for bm25
	rankBy = "bm25(tools, 4.0, 2.0, 2.0, 1.0)"
)

func (s *searcher) open(c *Catalog) error {
	s.once.Do(func() {
		s.err = s.build(c.entries)
		if s.conn != nil {
			runtime.AddCleanup(c, func(conn driver.Conn) { _ = conn.Close() }, s.conn)
		}
	})
	return s.err
}

func (s *searcher) build(entries []Entry) error {
	conn, err := (&sqlite.Driver{}).Open(":memory:")
	if err != nil {
		return fmt.Errorf("opening the search index: %w", err)
	}
	s.conn, s.terms, s.words = conn, map[string]term{}, vocabulary{}
	for _, statement := range []string{
		"PRAGMA journal_mode=OFF", "PRAGMA synchronous=OFF",
		"CREATE VIRTUAL TABLE tools USING fts5(name, source, description, params, content='', tokenize=\"porter unicode61 remove_diacritics 2\")",
		"BEGIN",
	} {
		if err := s.exec(statement); err != nil {
			return err
		}
	}
	insert, err := conn.Prepare("INSERT INTO tools(rowid, name, source, description, params) VALUES (?, ?, ?, ?, ?)")
	if err != nil {
		return fmt.Errorf("preparing the search index: %w", err)
	}
	defer insert.Close()
	for i := range entries {
		s.words.add(&entries[i])
		if err := insertEntry(insert, i, &entries[i]); err != nil {
			return fmt.Errorf("filling the search index: %w", err)
		}
	}
	return s.exec("COMMIT")
}

func insertEntry(insert driver.Stmt, row int, e *Entry) error {
	stmt, ok := insert.(driver.StmtExecContext)
	if !ok {
		return errors.New("the database driver cannot run statements")
	}
	params := propertyNames(e.Schema)
	values := []any{int64(row), joined(e.Tool + " " + e.Title), joined(e.Server), joined(e.Description), joined(strings.Join(params, " "))}
	args := make([]driver.NamedValue, len(values))
	for i, v := range values {
		args[i] = driver.NamedValue{Ordinal: i + 1, Value: v}
	}
	_, err := stmt.ExecContext(context.Background(), args)
	return err
}

func joined(text string) string { return strings.Join(searchWords(text), " ") }

func (s *searcher) exec(statement string) error {
	conn, ok := s.conn.(driver.ExecerContext)
	if !ok {
		return errors.New("the database driver cannot run statements")
	}
	if _, err := conn.ExecContext(context.Background(), statement, nil); err != nil {
		return fmt.Errorf("search index: %w", err)
	}
	return nil
}

// rows runs a query that gives whole numbers, in its order.
func (s *searcher) rows(query, match string) (out []int64, err error) {
	conn, ok := s.conn.(driver.QueryerContext)
	if !ok {
		return nil, errors.New("the database driver cannot run queries")
	}
	found, err := conn.QueryContext(context.Background(), query, []driver.NamedValue{{Ordinal: 1, Value: match}})
	if err != nil {
		return nil, fmt.Errorf("searching: %w", err)
	}
	defer func() { err = errors.Join(err, found.Close()) }()
	row := make([]driver.Value, len(found.Columns()))
	for {
		if err := found.Next(row); errors.Is(err, io.EOF) {
			return out, nil
		} else if err != nil {
			return nil, fmt.Errorf("searching: %w", err)
		}
		if n, ok := row[0].(int64); ok {
			out = append(out, n)
		}
	}
}

// lookup finds a word; where no tool has it, tools with a word that begins with
// it or with its stem (Datei, Dateien), then with other spellings (Groesse, Häuser),
// then with compounds (Kalender, Terminkalender).
func (s *searcher) lookup(word string) (term, error) {
	key := strings.ToLower(word)
	if t, ok := s.terms[key]; ok {
		return t, nil
	}
	tries := []string{phrase(word)}
	if n := utf8.RuneCountInString(word); n >= 4 {
		tries = append(tries, phrase(word)+"*")
		if n >= 6 {
			tries = append(tries, phrase(string([]rune(word)[:max(5, n-2)]))+"*")
		}
	}
	for _, other := range otherSpellings(word) {
		tries = append(tries, phrase(other))
	}
	if compounds := s.words.compounds(word); len(compounds) > 0 {
		for i := range compounds {
			compounds[i] = phrase(compounds[i])
		}
		tries = append(tries, "("+strings.Join(compounds, " OR ")+")")
	}
	var t term
	for _, match := range tries {
		counted, err := s.rows("SELECT count(*) FROM tools WHERE tools MATCH ?", match)
		if err != nil {
			return term{}, err
		}
		if counted[0] > 0 {
			t = term{match, int(counted[0])}
			break
		}
	}
	if len(s.terms) < maxRemembered {
		s.terms[key] = t
	}
	return t, nil
}

func phrase(word string) string { return `"` + strings.ReplaceAll(word, `"`, `""`) + `"` }

// find ranks the entries for a query, best first, and says nothing rather than
// something incidental: a hit has to hold the rarest word that any tool has,
// half of the words that tools have if those are four or more, and half of all
// words of the query.
func (s *searcher) find(query string, limit int) ([]int, error) {
	words := contentWords(query)
	s.mu.Lock()
	defer s.mu.Unlock()
	var terms []term
	for _, word := range words {
		t, err := s.lookup(word)
		if err != nil {
			return nil, err
		}
		if t.match != "" {
			terms = append(terms, t)
		}
	}
	if len(terms) == 0 {
		return nil, nil
	}
	needed := (len(words) + 1) / 2
	if len(terms) >= 4 {
		needed = max(needed, (len(terms)+1)/2)
	}
	rarest := slices.MinFunc(terms, func(a, b term) int { return a.count - b.count })
	held := map[int64]int{} // how many of the words a tool holds that has the rarest
	matches := make([]string, len(terms))
	for i, t := range terms {
		matches[i] = t.match
		rows, err := s.rows("SELECT rowid FROM tools WHERE tools MATCH ?", rarest.match+" AND "+t.match)
		if err != nil {
			return nil, err
		}
		for _, row := range rows {
			held[row]++
		}
	}
	ranked, err := s.rows("SELECT rowid FROM tools WHERE tools MATCH ? ORDER BY "+rankBy+", rowid",
		rarest.match+" AND ("+strings.Join(matches, " OR ")+")")
	if err != nil {
		return nil, err
	}
	var out []int
	for _, row := range ranked {
		if len(out) == limit {
			break
		}
		if held[row] >= needed {
			out = append(out, int(row))
		}
	}
	return out, nil
}
