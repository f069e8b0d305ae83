package pin

import (
	"os"
	"path/filepath"
	"testing"

	"pgregory.net/rapid"
)

// TestOnlyAccepted: whatever a server does, and whichever processes come and go,
// a definition may be called only if it was there at the first sight of its tool
// or if a person accepted it.
func TestOnlyAccepted(t *testing.T) {
	names, texts := []string{"a", "b", "c"}, []string{"one", "two", "three"}
	rapid.Check(t, func(rt *rapid.T) {
		folder := filepath.Join(t.TempDir(), "native")
		key := Key{"demo", "1"}
		stores := []*Store{New(Options{Folder: folder})}
		pinned, offered, changed := map[string]string{}, map[string]string{}, map[string]bool{}
		anyStore := func() *Store { return stores[rapid.IntRange(0, len(stores)-1).Draw(rt, "process")] }
		look := func(s *Store) {
			var list []Offer
			for _, name := range names {
				if text := offered[name]; text != "" {
					list = append(list, tool(name, text))
				}
			}
			if _, err := s.See(key, sight(list...)); err != nil {
				rt.Fatal(err)
			}
			for name, text := range offered {
				if text != "" && pinned[name] == "" {
					pinned[name] = text
				}
				changed[name] = text != "" && text != pinned[name]
			}
		}
		rt.Repeat(map[string]func(*rapid.T){
			"offer": func(rt *rapid.T) {
				offered[rapid.SampledFrom(names).Draw(rt, "tool")] = rapid.SampledFrom(append(texts, "")).Draw(rt, "text")
				look(anyStore())
			},
			"accept": func(rt *rapid.T) {
				name, s := rapid.SampledFrom(names).Draw(rt, "tool"), anyStore()
				shown := map[string]string{}
				changes, _ := s.Changes(key)
				for _, c := range changes {
					if c.Tool == name {
						shown[name] = c.NowHash[:12]
					}
				}
				if (len(shown) == 1) != changed[name] {
					rt.Fatalf("%s is shown as changed: %v, want %v", name, len(shown) == 1, changed[name])
				}
				if err := s.Accept(key, shown, nil); err != nil {
					rt.Fatal(err)
				}
				if changed[name] {
					pinned[name], changed[name] = offered[name], false
				}
			},
			"folder": func(rt *rapid.T) {
				if err := os.MkdirAll(folder, 0o700); err != nil {
					rt.Fatal(err)
				}
				for _, s := range stores {
					if err := s.Save(); err != nil {
						rt.Fatal(err)
					}
				}
			},
			"process": func(rt *rapid.T) {
				if _, err := os.Stat(folder); err == nil && len(stores) < 3 {
					stores = append(stores, New(Options{Folder: folder}))
				}
			},
			"restart": func(rt *rapid.T) {
				if _, err := os.Stat(folder); err == nil {
					stores[0] = New(Options{Folder: folder})
				}
			},
			"delete": func(rt *rapid.T) {
				if err := os.Remove(filepath.Join(folder, "pins.json")); err == nil {
					for _, s := range stores {
						if err := s.Save(); err != nil {
							rt.Fatal(err)
						}
					}
				}
			},
			"": func(rt *rapid.T) {
				for _, s := range stores {
					for _, name := range names {
						for _, text := range texts {
							want := Unknown
							if pinned[name] != "" {
								want = Changed
							}
							if pinned[name] == text {
								want = Same
							}
							if got := s.Judge(key, tool(name, text).Definition); got != want {
								rt.Fatalf("%s %q: %v, want %v", name, text, got, want)
							}
						}
					}
				}
			},
		})
	})
}
