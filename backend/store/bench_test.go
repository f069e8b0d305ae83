package store_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"hermes/backend/message"
	"hermes/backend/store"
)

// BenchmarkOpenNew is what the first conversation of a new home pays.
func BenchmarkOpenNew(b *testing.B) {
	dir := b.TempDir()
	for i := 0; b.Loop(); i++ {
		s, err := store.Open(filepath.Join(dir, fmt.Sprint(i), "state.db"))
		must(b, err)
		must(b, s.Close())
	}
}

// BenchmarkOpen is what a conversation of an existing home pays.
func BenchmarkOpen(b *testing.B) {
	_, path := openStore(b)
	for b.Loop() {
		s, err := store.Open(path)
		must(b, err)
		must(b, s.Close())
	}
}

// BenchmarkDiskFloor is one write that is waited for: a round has three.
func BenchmarkDiskFloor(b *testing.B) {
	file, err := os.Create(filepath.Join(b.TempDir(), "floor"))
	must(b, err)
	defer file.Close()
	page := make([]byte, 4096)
	for b.Loop() {
		_, err := file.Write(page)
		must(b, err)
		must(b, file.Sync())
	}
}

// BenchmarkRound is the durable part of a round of one call: append, start,
// finish.
func BenchmarkRound(b *testing.B) {
	s, _ := openStore(b)
	ctx := context.Background()
	id := newSession(b, s)
	for i := 0; b.Loop(); i++ {
		call := fmt.Sprint(i)
		must(b, s.AppendTurn(ctx, id, []message.Message{calls(call)}))
		must(b, s.MarkStarted(ctx, id, call))
		must(b, s.FinishCall(ctx, id, call, result(call, "ok")))
	}
}

// BenchmarkLoad reads a session of 5,000 messages.
func BenchmarkLoad(b *testing.B) {
	s, _ := openStore(b)
	ctx := context.Background()
	id := newSession(b, s)
	var rows []message.Message
	for i := range 1250 {
		call := fmt.Sprint(i)
		rows = append(rows, user("question"), calls(call), result(call, "a result of some words"), message.Message{Role: message.RoleAssistant, Content: "answer"})
	}
	must(b, s.AppendTurn(ctx, id, rows))
	b.ReportAllocs()
	for b.Loop() {
		got, err := s.Messages(ctx, id)
		must(b, err)
		if len(got) != 5000 {
			b.Fatal(len(got))
		}
	}
}
