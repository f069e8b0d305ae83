package pin

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// fill remembers 20 servers of 30 tools with 3 KB each.
func fill(b *testing.B, folder string) {
	b.Helper()
	s := New(Options{Folder: folder})
	for i := range 20 {
		var tools []Offer
		for j := range 30 {
			offer := tool(fmt.Sprintf("tool_%d", j), strings.Repeat("It does what it does. ", 50))
			offer.Input = json.RawMessage(`{"type":"object","properties":{"a":{"description":"` + strings.Repeat("x", 1800) + `"}}}`)
			tools = append(tools, offer)
		}
		if _, err := s.See(Key{fmt.Sprintf("server%d", i), "1"}, sight(tools...)); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkGlance is what a listing pays in a new process for what is remembered
// of 20 servers, beside reading the file alone.
func BenchmarkGlance(b *testing.B) {
	folder := filepath.Join(b.TempDir(), "native")
	if err := os.Mkdir(folder, 0o700); err != nil {
		b.Fatal(err)
	}
	fill(b, folder)
	b.Run("20-servers", func(b *testing.B) {
		for b.Loop() {
			s := New(Options{Folder: folder})
			for i := range 20 {
				if _, ok := s.Glance(Key{fmt.Sprintf("server%d", i), "1"}, "t"); !ok {
					b.Fatal("not remembered")
				}
			}
		}
	})
	b.Run("floor-read", func(b *testing.B) {
		for b.Loop() {
			if _, err := os.ReadFile(filepath.Join(folder, "pins.json")); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("see-the-same", func(b *testing.B) {
		s := New(Options{Folder: folder})
		list, ok := s.List(Key{"server3", "1"}, "t")
		if !ok {
			b.Fatal("not remembered")
		}
		list.Version = "1"
		for b.Loop() {
			if _, err := s.See(Key{"server3", "1"}, list); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("judge", func(b *testing.B) {
		s := New(Options{Folder: folder})
		list, _ := s.List(Key{"server3", "1"}, "t")
		for b.Loop() {
			if s.Judge(Key{"server3", "1"}, list.Tools[0].Definition) != Same {
				b.Fatal("another one")
			}
		}
	})
}
